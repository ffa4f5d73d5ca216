import MOCloneEngine

/// What gives columns of new rows the values again that triggers have changed.
package struct Restoring: Sendable {
  /// Updates of the rows that hold other values.
  private let updates: [String]
  /// Whether a trigger that follows an update changes another row, which may have its values already.
  private let cascades: Bool
  /// The triggers that wait for the end of the transaction: they would run after all that looks at what they have done.
  private let waiting: [String]

  /// - Parameter tables: those that rows are written to.
  package init(_ updates: [String], tables: [TableSchema]) {
    self.updates = updates
    cascades = tables.contains(where: \.updatesOtherRows)
    waiting = Set(tables.flatMap(\.triggers).filter { $0.event != "DELETE" }.compactMap(\.deferredName))
      .sorted()
  }

  package var isEmpty: Bool { updates.isEmpty && waiting.isEmpty }

  /// All statements, each once, in their order.
  package var statements: [String] { constraints("IMMEDIATE") + updates + constraints("DEFERRED") }

  private func constraints(_ time: String) -> [String] {
    waiting.isEmpty ? [] : ["SET CONSTRAINTS \(waiting.list) \(time)"]
  }

  /// - Parameter execute: runs a statement and gives the number of rows that it changed.
  /// - Throws: `CloneError` (`row-count`) where triggers change values again without end, and what `execute` throws.
  package func run(_ execute: (String) throws -> Int) throws {
    for statement in constraints("IMMEDIATE") { _ = try execute(statement) }
    var rounds = 0
    while try updates.reduce(0, { try $0 + execute($1) }) > 0, cascades {
      rounds += 1
      if rounds == Self.mostRounds { throw CloneError.endlessTriggers }
    }
    for statement in constraints("DEFERRED") { _ = try execute(statement) }
  }

  /// A tree whose totals are kept level by level takes a round for each.
  private static let mostRounds = 10_000
}

extension TableSchema {
  /// Whether an update of a row runs a trigger that updates others.
  fileprivate var updatesOtherRows: Bool {
    triggers.contains { trigger in
      trigger.event == "UPDATE"
        && trigger.updates.contains { $0.table.sqlName != name.sqlName || !$0.isOfNewRow(key: primaryKey) }
    }
  }
}

extension CloneError {
  fileprivate static var endlessTriggers: CloneError {
    CloneError(
      .rowCount,
      "triggers of the store change values of new rows again whenever these are written, without end")
  }
}
