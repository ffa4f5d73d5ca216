import GRDB

/// A database that a test changes behind everybody's back.
enum DatabaseFile {
  static func execute(_ sql: String, at path: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
  }
}
