import MOCloneModel

/// What an import stages before it writes: rows by entity, with the values and references that the mapping gives.
///
/// A pure value. Its entities stand in an order in which what one is identified by comes before it.
public struct ImportPlan: Sendable {
  /// The rows of one concrete entity, as in any transfer.
  public typealias Entity = TransferPlan.Entity
  /// A reference to a row staged before, as in any transfer.
  public typealias Reference = TransferPlan.Reference
  /// A relationship that lies in no row, as in any transfer.
  public typealias JoinRows = TransferPlan.JoinRows

  /// A row as a sink has numbered it, which a failure that is about it gives back.
  public struct Row: Sendable, Hashable {
    /// The number of the entity in the plan.
    public var entity: Int
    /// The row's number, which the sink gave it when it was added.
    public var number: Int64
    /// Where it stands in its file.
    public var line: Int

    /// Creates a row from its entity, its number and the line of its file.
    public init(entity: Int, number: Int64, line: Int) {
      self.entity = entity
      self.number = number
      self.line = line
    }
  }

  /// The model of the graph that the rows come into.
  public let model: ObjectModel
  /// What becomes of objects that exist already.
  public let existing: ExistingPolicy
  /// The entity of the file's rows.
  public let root: String
  /// The entities of the rows, each after those that it is identified by.
  public var entities: [Entity]
  /// The relationships that lie in no row, which the sink knows by their position here.
  public var joinRows: [JoinRows]

  /// Creates a plan from its parts, which are not checked.
  public init(
    model: ObjectModel, existing: ExistingPolicy, root: String, entities: [Entity], joinRows: [JoinRows]
  ) {
    self.model = model
    self.existing = existing
    self.root = root
    self.entities = entities
    self.joinRows = joinRows
  }
}

/// A value of a row on its way into a graph; texts lie in the reader's memory and are valid during the call.
public enum StagedValue {
  /// The row says nothing: a new object gets the default, another one keeps what it has.
  case absent
  /// The row says that there is no value.
  case null
  /// An integer, as the file holds it.
  case integer(Int64)
  /// A floating-point number, as the file holds it.
  case double(Double)
  /// A string in UTF-8, which is read as the attribute's type.
  case text(UnsafeBufferPointer<UInt8>)
  /// A date with more digits than a `Date` holds then, in UTC: `9999-12-31T23:59:59.999999Z`.
  case longDate(String)
  /// A value that has been read already.
  case value(AttributeValue)
}

/// Takes the rows of an import.
public protocol ImportSink: AnyObject {
  /// Adds a row.
  ///
  /// - Parameters:
  ///   - entity: the number of the entity in the plan.
  ///   - values: values by attribute and to-one relationship.
  ///   - references: the numbers of rows that were added before; 0 for none.
  ///   - line: where the row stands in its file, for messages.
  /// - Returns: the row's number.
  func add(
    _ entity: Int, _ values: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>,
    line: Int
  ) throws -> Int64

  /// Says that the next row of an entity leaves out a property, which only objects that exist can do without.
  func leavesOut(_ property: String, of entity: Int)

  /// Adds a pair of rows to a relationship that lies in no row.
  func joinRow(_ joinRows: Int, _ source: Int64, _ destination: Int64) throws
}

/// What an import leaves in the store's metadata, in its own transaction, so that it happens once.
public struct ImportMark {
  /// The key of the mark in the store's metadata.
  public var name: String
  /// Made when all rows have been read.
  public var text: () throws -> String

  /// Creates a mark; its text is asked for after the last row.
  public init(_ name: String, text: @escaping () throws -> String) {
    self.name = name
    self.text = text
  }
}

/// A graph that takes the rows of an import.
public protocol ImportingGraph: MetadataGraph {
  /// The files that the objects lie in, which nothing else may be written into.
  var files: [String] { get }

  /// Finds or makes an object for every row, as if one row came after the other; all or nothing.
  ///
  /// Of several rows with one identity the first one counts; with `update` the last one, and with `fill` the first one
  /// that has a value. A new object whose entity is mentioned takes each value from the first row that has it. Objects
  /// join an ordered list in the order of their first rows, behind its members, whether they are new or existed; those of
  /// several entities in the order of their lines, and within a line entity by entity.
  ///
  /// - Parameters:
  ///   - plan: what is to be done.
  ///   - options: how the run reports and whether it only looks.
  ///   - mark: where the store has one of that name already, nothing is imported.
  ///   - fill: adds the rows to the sink that it is given.
  /// - Returns: the counts, nil where the mark was there; a dry run changes nothing.
  /// - Throws: `CloneError` with what was found; a failure that goes with a row, as one that breaks a constraint does,
  ///   names it, so that the import can be done without it. What `fill` throws.
  func importRows(
    _ plan: ImportPlan, _ options: TransferOptions, mark: ImportMark?, _ fill: (any ImportSink) throws -> Void
  ) throws -> TransferReport?
}

extension ImportingGraph {
  /// None.
  public var files: [String] { [] }
}
