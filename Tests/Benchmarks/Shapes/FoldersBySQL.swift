import GRDBSQLite

/// A folder and all below it cloned by one statement: a recursive query in which a function numbers the clones, so that
/// each child knows the new key of its parent and no map is needed.
struct FoldersByRecursiveQuery {
  static func clone(in path: String) throws {
    let connection = try Connection(path)
    try connection.registerCounter()
    try connection.execute("BEGIN IMMEDIATE")
    let base = try connection.number("SELECT max(id) FROM folder")
    try connection.execute("SELECT start_after(?)", .integer(base))
    try connection.execute(
      """
      WITH RECURSIVE t(old, new, parent, name) AS (
        SELECT id, next_number(), parent_id, name FROM folder WHERE id = 1
        UNION ALL
        SELECT s.id, next_number(), t.new, s.name FROM t CROSS JOIN folder s ON s.parent_id = t.old)
      INSERT INTO folder(id, name, parent_id) SELECT new, name, parent FROM t
      """)
    try connection.execute("COMMIT")
  }
}

/// The same by one prepared statement a generation, which fills a map, and one that writes.
struct FoldersByLoop {
  static func clone(in path: String) throws {
    let connection = try Connection(path)
    try connection.execute("BEGIN IMMEDIATE")
    try connection.execute("CREATE TEMP TABLE m(new INTEGER PRIMARY KEY, old INTEGER, parent INTEGER)")
    try connection.execute("INSERT INTO m SELECT max(id) + 1, 1, NULL FROM folder")
    let generation = try connection.prepare(
      """
      INSERT INTO m(old, parent) SELECT s.id, m.new FROM m CROSS JOIN folder s ON s.parent_id = m.old
        WHERE m.new BETWEEN ? AND ? ORDER BY m.new
      """)
    var first = try connection.number("SELECT new FROM m")
    var last = first
    while last >= first {
      try generation.run([.integer(first), .integer(last)])
      first = last + 1
      last += connection.changes
    }
    try connection.execute(
      """
      INSERT INTO folder(id, name, parent_id)
        SELECT m.new, s.name, m.parent FROM m CROSS JOIN folder s ON s.id = m.old
      """)
    try connection.execute("COMMIT")
  }
}

extension Work {
  static let foldersByQuery = Work("folders-query") { try FoldersByRecursiveQuery.clone(in: $0.path) }
  static let foldersByLoop = Work("folders-loop") { try FoldersByLoop.clone(in: $0.path) }
}
