import MOCloneModel

/// What follows a full set of rows, and how.
///
/// ```swift
/// let report = try graph.sync(
///   entity: "Channel", from: ["one": ["baseURL": "https://one.example"]], identifiedBy: ["name"],
///   overwriting: ["baseURL"])
/// ```
public struct SyncRequest: Sendable {
  /// The entity of the rows; objects of its sub-entities are compared too.
  public var entity: String
  /// What identifies the objects, in place of the first uniqueness constraint.
  public var identifiedBy: IdentityRequest
  /// The attributes and to-one relationships that are written to existing objects if they differ.
  public var overwriting: [String]
  /// Values that limit the objects compared.
  public var scope: [String: AttributeValue]
  /// Whether objects that no row has are deleted, by the delete rules.
  public var deletes: Bool
  /// How many may be deleted; nil for half of the objects compared.
  public var maxDeletions: Int?
  /// Whether rows may be none, and more than half of the objects deleted where `maxDeletions` gives no limit.
  public var isConfirmed: Bool

  /// Creates a request; by default nothing is overwritten, and at most half of the objects may be deleted.
  public init(
    entity: String, identifiedBy: IdentityRequest = [:], overwriting: [String] = [],
    scope: [String: AttributeValue] = [:], deletes: Bool = true, maxDeletions: Int? = nil,
    isConfirmed: Bool = false
  ) {
    self.entity = entity
    self.identifiedBy = identifiedBy
    self.overwriting = overwriting
    self.scope = scope
    self.deletes = deletes
    self.maxDeletions = maxDeletions
    self.isConfirmed = isConfirmed
  }
}

/// Takes the rows of a sync.
public protocol SyncSink: AnyObject {
  /// Adds a row.
  ///
  /// - Parameters:
  ///   - values: in the order of the plan's columns.
  ///   - line: where the row stands, for messages.
  func add(_ values: UnsafeBufferPointer<StagedValue>, line: Int) throws

  /// Says that the input names a column, which is then no mistake although no row gives it a value.
  ///
  /// - Parameter column: the place in the plan's columns.
  func name(_ column: Int)

  /// Whether two values that differ are one and the same by the comparison of the column that they are for.
  ///
  /// - Parameters:
  ///   - value: a value of the identity, as a row gives it.
  ///   - other: the name that the row is called by.
  ///   - column: the place in the plan's columns.
  /// - Throws: the error of the database that compares them.
  func isSame(_ value: AttributeValue, as other: AttributeValue, in column: Int) throws -> Bool
}

extension SyncSink {
  /// By default a column without any value is a mistake where it is to be overwritten.
  public func name(_ column: Int) {}

  /// By default values that differ are not the same.
  public func isSame(_ value: AttributeValue, as other: AttributeValue, in column: Int) throws -> Bool {
    false
  }
}

/// A graph that follows a full set of rows.
public protocol SyncingGraph: TransferGraph {
  /// Makes objects of an entity follow a full set of rows: those that are new are made, those that are gone deleted, and
  /// of those that are there what the request names is written where it differs. All or nothing.
  ///
  /// - Parameters:
  ///   - plan: what is to be done.
  ///   - options: how the run reports and whether it only looks.
  ///   - source: what stands before the number of a row in messages: `row `, or `channels.csv:`.
  ///   - fill: adds the rows to the sink that it is given.
  /// - Throws: `CloneError` (`duplicate-identity`, `empty-input`, `too-many-deletions`, `ambiguous-identity`, ...); what
  ///   `fill` throws.
  func sync(
    _ plan: SyncPlan, options: TransferOptions, source: String, _ fill: (any SyncSink) throws -> Void
  ) throws -> TransferReport
}

extension SyncingGraph {
  /// Makes objects follow rows that hold their identity.
  @discardableResult
  public func sync(
    _ request: SyncRequest, from rows: [[String: AttributeValue]],
    options: TransferOptions = TransferOptions()
  ) throws -> TransferReport {
    try options.whole { options in
      let plan = try SyncPlan(model, request)
      let places = Dictionary(uniqueKeysWithValues: plan.columns.enumerated().map { ($1.name, $0) })
      do {
        return try options.repeating {
          try sync(plan, options: options, source: "row ") { sink in
            for (number, row) in rows.enumerated() {
              var values = [StagedValue](repeating: .absent, count: plan.columns.count)
              for (name, value) in row {
                guard let place = places[name] else { throw plan.unknownName(name) }
                values[place] = .value(try plan.columns[place].fitted(value, of: plan.entity))
              }
              try values.withUnsafeBufferPointer { try sink.add($0, line: number + 1) }
            }
          }
        }
      } catch let error as CloneError { throw error.numbered }
    }
  }

  /// Makes objects follow a dictionary from their identity to their values.
  ///
  /// - Parameters:
  ///   - entity: the name of the entity.
  ///   - rows: the full set; without the identity in the values themselves.
  ///   - identity: the one attribute whose values are the keys; the first uniqueness constraint where none is named.
  ///   - overwriting: the properties that are written to existing objects; by default none.
  ///   - scope: values that limit the objects compared.
  ///   - deletes: whether objects that no row has are deleted, by the delete rules.
  ///   - maxDeletions: how many objects may be deleted; nil for half of the objects compared.
  ///   - isConfirmed: whether rows may be none, and more than half of the objects deleted where `maxDeletions` is nil.
  ///   - options: how the run reports and whether it only looks.
  @discardableResult
  public func sync(
    entity: String, from rows: [AttributeValue: [String: AttributeValue]],
    identifiedBy identity: [String] = [],
    overwriting: [String] = [], scope: [String: AttributeValue] = [:], deletes: Bool = true,
    maxDeletions: Int? = nil, isConfirmed: Bool = false, options: TransferOptions = TransferOptions()
  ) throws -> TransferReport {
    let request = SyncRequest(
      entity: entity, identifiedBy: identity.isEmpty ? [:] : [entity: identity], overwriting: overwriting,
      scope: scope, deletes: deletes, maxDeletions: maxDeletions, isConfirmed: isConfirmed)
    return try options.whole { options in
      let key = try SyncPlan(model, request).keyName()
      let sorted = rows.sorted { $0.key.description < $1.key.description }
      return try sync(request, from: sorted.map { $1.merging([key: $0]) { _, key in key } }, options: options)
    }
  }
}

extension CloneError {
  /// The same with the number of each row.
  fileprivate var numbered: CloneError {
    changing { failure in
      if let row = failure.row { failure = failure.placed(at: "row \(row.line): ") }
    }
  }
}
