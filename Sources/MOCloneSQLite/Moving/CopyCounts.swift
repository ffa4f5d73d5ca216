import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// How many objects there are to copy, how many were found and will be made, and which nothing identifies.
struct CopyCounts {
  private let layout: CopyLayout
  private let states: [CopyState]
  private let statements: StatementRunner

  init(_ layout: CopyLayout, _ states: [CopyState], _ statements: StatementRunner) {
    self.layout = layout
    self.states = states
    self.statements = statements
  }

  /// The objects of the source by root entity.
  func totals() throws -> [String: Int] {
    try Dictionary(
      uniqueKeysWithValues: layout.tables.map { table in
        (table.root, try statements.number("SELECT count(*) FROM \(table.sourceName)"))
      })
  }

  /// What is written is counted by writing it, where one entity alone can be meant and something is written.
  static func isCounted(byWriting table: CopyTable) -> Bool { table.entities.count == 1 }

  func record(in report: inout MoveReport) throws {
    report.created = [:]
    report.found = [:]
    try recordSkipped(&report)
    let writes = CopyWrites(layout, states)
    for table in layout.tables {
      if states[table.index].hasMoved || table.newKey == .parts {
        try count(table, writes.foundRows(table).sql, \.found, &report)
      }
      if !Self.isCounted(byWriting: table) {
        try count(table, writes.newRows(table).sql, \.created, &report)
      }
    }
  }

  /// Names so many of those that are left out, and counts the others.
  private static let named = 1000

  private func recordSkipped(_ report: inout MoveReport) throws {
    for table in layout.tables where states[table.index].hasSkipped {
      let discriminator = table.discriminator.map { SQL.column("s", $0) } ?? "NULL"
      let rows = try statements.rows(
        "SELECT \(SQL.list(table.old("k"))), k.part, \(discriminator) FROM \(table.skippedName) k CROSS JOIN "
          + "\(table.sourceName) s ON \(SQL.equal(table.key("s"), table.old("k"))) LIMIT \(Self.named)")
      let width = table.map.key.count
      for row in rows {
        let entity = entity(of: AttributeValue(raw: row[width + 1]), table)
        let path = layout.rules.identities[entity]?.paths[row[width] as Int]
        let key = KeyCoding(entity: table.map).decode(row, from: 0)
        report.skip(
          "\(ObjectID(entity, key: key))",
          "nothing identifies it: \(path?.description ?? "a part") is null or empty")
      }
      let count = try statements.number("SELECT count(*) FROM \(table.skippedName)")
      if count > rows.count { report.skip(table.root, "\(count - rows.count) more that nothing identifies") }
    }
  }

  private func entity(of discriminator: AttributeValue, _ table: CopyTable) -> String {
    table.entities.first { layout.mapping[$0].discriminator?.value == discriminator.description }
      ?? table.entities[0]
  }

  private func count(
    _ table: CopyTable, _ rows: String, _ section: WritableKeyPath<MoveReport, [String: Int]?>,
    _ report: inout MoveReport
  ) throws {
    guard let discriminator = table.discriminator else {
      return report.add(try statements.number("SELECT count(*) \(rows)"), table.entities[0], to: section)
    }
    for row in try statements.rows("SELECT \(SQL.column("s", discriminator)), count(*) \(rows) GROUP BY 1") {
      report.add(row[1], entity(of: AttributeValue(raw: row[0]), table), to: section)
    }
  }
}
