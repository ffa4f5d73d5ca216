import MOCloneEngine
import MOCloneModel

/// The objects of a database: what clones in it, whatever database it is.
package protocol StoreGraph: ObjectGraph {
  /// Interrupts the statement that another thread runs in this graph; nil inside a caller's transaction.
  var interruption: (@Sendable () -> Void)? { get }

  /// Checks that the store has every table and column that a plan reads or writes.
  ///
  /// - Returns: the indexes without which a run of the plan reads whole tables.
  @discardableResult
  func check(_ plan: ClonePlan) throws -> [MissingIndex]

  /// Where the model is in the store.
  ///
  /// - Throws: `CloneError` (`store-mismatch`) with everything that is missing.
  func storeLayout() throws -> StoreLayout

  /// Attributes of an object, read at once.
  func values(_ attributes: [String], of object: ObjectID) throws -> [AttributeValue]

  /// Columns of an object's row.
  func columns(_ columns: [String], of object: ObjectID) throws -> [StoredValue]

  /// Columns of the row that ties an object to a destination of a many-to-many relationship.
  func columns(
    _ columns: [String], tying object: ObjectID, to destination: ObjectID, _ relationship: String
  ) throws -> [StoredValue]

  /// What the store says of the tables that a plan is about.
  func schema(of plan: ClonePlan) throws -> StoreSchema

  /// What a run of a plan would clone and link, found without writing to the store.
  func preview(_ plan: ClonePlan, roots: [ObjectID]) throws -> CloneResult

  /// Runs a plan and takes everything back.
  func rehearse(_ plan: ClonePlan, roots: [ObjectID]) throws -> CloneResult

  /// The statements that a run of a plan consists of in this store, in their order.
  func statements(_ plan: ClonePlan) throws -> [String]

  /// The one object whose attribute has a value.
  func object(_ entity: String, attribute name: String, equals text: String) throws -> ManagedObject

  /// The first objects of an entity and its sub-entities by key.
  func objectIDs(_ entity: String, limit: Int) throws -> [ObjectID]

  /// Has the rows of the store at hand for a body, in one state of it.
  ///
  /// - Parameters:
  ///   - entities: those that are read, whose rows must all be seen; nil for all.
  ///   - makesTables: whether temporary tables are made there.
  /// - Returns: nil where none can be made.
  func withRows<Result>(
    of entities: Set<String>?, makesTables: Bool, _ body: (SourceRows) throws -> Result
  ) throws -> Result?

  /// Everything in which the store disagrees with the model, but for what some tables show.
  func storeFindings(ignoring tables: Set<String>) throws -> [Diagnostic]

  /// The tables of the model, where columns come along from a source that the model does not name.
  func sharedSchema(with source: any StoreGraph) throws -> StoreSchema?

  /// What the store holds that no copy takes along: tables with rows and columns with values that the model does not name.
  ///
  /// - Parameter target: tables of a store whose columns of the same names take values as well; nil where it has none.
  func unnamedContents(sharing target: StoreSchema?) throws -> [String]

  /// The files of large values that objects here name, and that lie beside a source only, or with other bytes.
  func missingFiles(of source: any StoreGraph) throws -> [String]

  /// Runs calls that copy from a source in one transaction, which is taken back.
  func trying<Result>(from source: any ObjectGraph, options: TransferOptions, _ body: () throws -> Result)
    throws
    -> Result

  /// Closes the store; the graph throws afterwards.
  func close() throws
}

extension StoreGraph {
  package func missingFiles(of source: any StoreGraph) throws -> [String] { [] }

  package func trying<Result>(
    from source: any ObjectGraph, options: TransferOptions, _ body: () throws -> Result
  ) throws -> Result {
    var result: Result?
    do {
      try atomically {
        result = try body()
        throw TrialEnd()
      }
    } catch is TrialEnd {}
    return result!
  }
}

/// Takes back what a trial did.
private struct TrialEnd: Error {}

/// A store that data can be moved out of and into.
package typealias TransferStore = StoreGraph & CopyingGraph & SyncingGraph & ImportingGraph & SubtreeGraph

extension StoreGraph {
  /// Warnings of derived attributes that a run of a plan copies, because the database does not compute their columns.
  package func copiedDerivations(_ plan: ClonePlan) throws -> [Diagnostic] {
    try StoreValidator(schema: schema(of: plan), model: plan.model).derivedColumns(copiedBy: plan)
  }
}
