import MOCloneModel

/// Rows that the store removes itself, by its foreign keys, together with the objects that are deleted.
///
/// They may lie in tables that the model does not name, and lead on from there, so that they are counted by what the
/// tables hold before and after: one count for each table that the store's own cascades reach.
struct StoreCascades {
  private struct Table {
    var name: String
    var sql: String
    /// Whether the role of the connection sees all its rows.
    var isCounted: Bool
  }

  private let deletion: SetDeletion
  /// The number of deleted objects of each table of the layout.
  private let deleted: [Int]
  private var tables: [Table] = []
  private var before: [Int] = []
  private var runner: any StatementRunning { deletion.runner }
  private var dialect: Dialect { deletion.layout.dialect }

  /// - Parameters:
  ///   - deletion: knows the objects that are to be deleted.
  ///   - deleted: how many these are of each table of the layout.
  init(of deletion: SetDeletion, deleted: [Int]) throws {
    self.deletion = deletion
    self.deleted = deleted
    let starts = zip(deletion.layout.tables, deleted).filter { $1 > 0 }.map { $0.0.schema.name.sqlName }
    tables = try reached(from: starts)
    before = try tables.map(count)
  }

  private func reached(from starts: [String]) throws -> [Table] {
    let names = deletion.layout.tables.map(\.schema.name)
    let cascades = try runner.answers(dialect.cascades(names)).map { row in
      (
        parent: row[0].string ?? "",
        child: Table(name: row[1].string ?? "", sql: row[2].string ?? "", isCounted: row[3].number == 1)
      )
    }
    var reached: [String: Table] = [:]
    var pending = starts
    while let parent = pending.popLast() {
      for cascade in cascades where cascade.parent.sqlName == parent {
        guard reached.updateValue(cascade.child, forKey: cascade.child.name.sqlName) == nil else { continue }
        pending.append(cascade.child.name.sqlName)
      }
    }
    return reached.values.filter(\.isCounted).sorted { $0.name < $1.name }
  }

  private func count(_ table: Table) throws -> Int {
    try runner.number(Select(["count(*)"], from: From(table.sql)))
  }

  /// How many rows are gone by now, by their tables, besides the objects that were deleted.
  func counts() throws -> [String: Int] {
    let own = Dictionary(
      zip(deletion.layout.tables.map(\.schema.name.sqlName), deleted), uniquingKeysWith: +)
    return try zip(tables, before).reduce(into: [:]) { counts, table in
      let lost = try table.1 - count(table.0) - (own[table.0.name.sqlName] ?? 0)
      // A trigger can have added rows.
      if lost > 0 { counts[table.0.name] = lost }
    }
  }
}
