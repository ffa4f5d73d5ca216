import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Subtrees are cut out of a database; into one they do not come yet.
extension PostgresGraph: SubtreeGraph {
  /// The originals of a clone.
  package func members(of plan: ClonePlan, _ roots: [ObjectID]) throws -> [ObjectID] {
    try originals(plan, roots)
  }

  /// A graph in memory, whose keys must be integers.
  package func passing<Result>(_ body: (any SubtreeGraph) throws -> Result) throws -> Result {
    try body(MemoryGraph(model: model, checksUniqueValues: false))
  }

  package func bring(
    _ cut: CopyCut, _ rules: CopyRules, _ roots: [ObjectID], from source: any ObjectGraph, _ run: MoveRun
  ) throws -> CutResult {
    throw CloneError(
      .storeMismatch,
      "subtrees cannot be cloned from another store into a PostgreSQL database; clone within the database, or into a file of SQLite"
    )
  }

  /// Reads several times from one state of the database, in one transaction.
  ///
  /// Rows that were read are kept until its end, a thousand at a time, so that the attributes of an object cost one
  /// query together.
  ///
  /// - Throws: what the closure throws.
  @discardableResult
  public func reading<Result>(_ body: () throws -> Result) throws -> Result {
    try translating {
      try connection.inTransaction {
        kept = KeptRows()
        defer { kept = nil }
        return try body()
      }
    }
  }
}

/// Rows of one state of a database, by the objects that lie in them.
struct KeptRows {
  private var rows: [ObjectID: [String: StoredValue]] = [:]
  private static let capacity = 1000

  subscript(object: ObjectID) -> [String: StoredValue]? { rows[object] }

  mutating func keep(_ row: [String: StoredValue], of object: ObjectID) {
    if rows.count >= Self.capacity { rows.removeAll(keepingCapacity: true) }
    rows[object] = row
  }
}
