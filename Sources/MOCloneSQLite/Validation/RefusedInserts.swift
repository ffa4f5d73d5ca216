import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension StoreRows<Database> {
  /// Tables into which the connection cannot insert.
  func refusedInserts() throws -> [Diagnostic] {
    if validator.schema.coreData != nil { try CoreDataFunctions(db: db).register() }
    let places =
      validator.homes.map { ($0.table, ModelPath.entity($0.root.name)) }
      + validator.joins.map { ($0.2, ModelPath.relationship($0.0)) }
    var seen: Set<String> = []
    return try places.compactMap { table, path in
      guard seen.insert(table.name).inserted,
        let obstacle = try InsertObstacle(insertingInto: table, in: db)
      else { return nil }
      return Diagnostic(.insertRefused, at: path, obstacle.message, help: obstacle.help)
    }
  }
}
