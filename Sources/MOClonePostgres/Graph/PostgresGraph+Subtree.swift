import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension PostgresGraph: SubtreeGraph {
  /// The originals of a clone.
  package func members(of plan: ClonePlan, _ roots: [ObjectID]) throws -> any ObjectList {
    try Set(originals(plan, roots))
  }

  /// A store that clones pass through is made by the other one.
  package var passesEveryKey: Bool { false }

  /// Tables like those of this database in a session of their own, gone with its transaction.
  package func passing<Result>(_ body: (any SubtreeGraph) throws -> Result) throws -> Result {
    try translating {
      // What is missing is said before it is needed.
      _ = try read(holding: tables(.reads)) { try $0.storeLayout() }
      let session = try PostgresConnection(
        connection.location, ownsSession: connection.ownsSession)
      return try session.savepoint(isKept: false) {
        let transit = try TransitTables(of: model, mapping, in: connection, session: session)
        return try transit.naming {
          try body(PostgresGraph(session, model: model, mapping: transit.mapping))
        }
      }
    }
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
      try connection.inTransaction(holding: tables(.reads)) {
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
