import Foundation
import GRDB
import MOCloneSQL
import MOCloneSQLite

extension StoreListing {
  /// The tables of a SQLite database in the order in which they were created.
  init(_ db: Database) throws {
    let listed = try Row.fetchAll(
      db,
      sql: "SELECT l.name, l.type, s.sql FROM pragma_table_list l LEFT JOIN main.sqlite_schema s "
        + "ON s.name = l.name AND s.type IN ('table', 'view') WHERE l.schema = 'main' "
        + "AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY s.rowid"
    ).map { (name: $0["name"] as String, type: $0["type"] as String, sql: $0["sql"] as String?) }
    func names(_ type: String) -> [String] { listed.filter { $0.type == type }.map(\.name) }
    let file = try String.fetchOne(db, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'") ?? ""
    self.init(
      // The address of no file is that of the current folder.
      name: file.isEmpty ? "Model" : URL(fileURLWithPath: file).deletingPathExtension().lastPathComponent,
      schema: try SchemaReader(db: db).schema(of: names("table")), writes: try TriggerWrites.all(in: db),
      tables: try listed.filter { $0.type == "table" }.map {
        ListedTable(name: $0.name, columns: try Self.columns(of: $0.name, sql: $0.sql ?? "", db))
      },
      leftOut: [
        ("views", names("view")), ("virtual tables", names("virtual")),
        ("tables in which virtual tables keep their rows", names("shadow")),
      ])
  }

  private static func columns(
    of table: String, sql: String, _ db: Database
  ) throws -> [String: ListedColumn] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT name, dflt_value FROM pragma_table_xinfo(?, 'main')", arguments: [table]
    ).map { (name: $0["name"] as String, standard: $0["dflt_value"] as String?) }
    let (checks, names) = (CheckText(sql), rows.map(\.name))
    let columns = rows.map { name, standard in
      let others = checks.columns(beside: name, among: names)
      return (name.sqlName, ListedColumn(defaultValue: standard, comparedWith: others))
    }
    return Dictionary(columns, uniquingKeysWith: { $1 })
  }
}
