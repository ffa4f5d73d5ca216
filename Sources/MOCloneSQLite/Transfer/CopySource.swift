import GRDB
import MOCloneEngine
import MOCloneSQL

/// Another database beside the one that is written, attached read only for the time of a closure.
struct CopySource {
  static let schema = "moclone_source"

  let path: String

  func attached<Result>(to db: Database, _ body: () throws -> Result) throws -> Result {
    try db.execute(sql: "ATTACH DATABASE ? AS \(Self.schema)", arguments: [uri])
    defer { try? db.execute(sql: "DETACH DATABASE \(Self.schema)") }
    try db.execute(sql: "PRAGMA \(Self.schema).cache_size = -8000")
    return try body()
  }

  private var uri: String {
    let file = StoreFile(path)
    return file.uri + (file.isUnchanging ? "?immutable=1" : "?mode=ro")
  }
}
