/// Cells found by one recursive query that meets each once, mapped by old key, and written by one statement.
///
/// The query goes on with the least key first: rows that lie together are read together, which halves its time. The
/// clones' keys then follow the originals' keys, and not the generations as moclone promises.
struct CellsByRecursiveQuery {
  static func clone(in path: String) throws {
    let connection = try Connection(path)
    try connection.registerCounter()
    try connection.execute("BEGIN IMMEDIATE")
    let base = try connection.number("SELECT max(id) FROM cell")
    try connection.execute("SELECT start_after(?)", .integer(base))
    try connection.execute("CREATE TEMP TABLE m(old INTEGER PRIMARY KEY, new INTEGER)")
    try connection.execute(
      """
      WITH RECURSIVE t(id) AS (
        SELECT 1
        UNION SELECT s.id FROM t CROSS JOIN cell s ON s.above_id = t.id
        UNION SELECT s.id FROM t CROSS JOIN cell s ON s.left_id = t.id
        ORDER BY 1)
      INSERT INTO m SELECT id, next_number() FROM t
      """)
    try connection.execute(
      """
      INSERT INTO cell(id, name, above_id, left_id)
        SELECT m.new, s.name, a.new, l.new FROM m CROSS JOIN cell s ON s.id = m.old
        LEFT JOIN m a ON a.old = s.above_id LEFT JOIN m l ON l.old = s.left_id
      """)
    try connection.execute("COMMIT")
  }
}

/// The same by one prepared statement a generation.
struct CellsByLoop {
  static func clone(in path: String) throws {
    let connection = try Connection(path)
    try connection.execute("BEGIN IMMEDIATE")
    try connection.execute("CREATE TEMP TABLE m(new INTEGER PRIMARY KEY, old INTEGER UNIQUE)")
    try connection.execute("INSERT INTO m SELECT max(id) + 1, 1 FROM cell")
    let generation = try connection.prepare(
      """
      INSERT OR IGNORE INTO m(old)
        SELECT s.id FROM m CROSS JOIN cell s ON s.above_id = m.old WHERE m.new BETWEEN ?1 AND ?2
        UNION ALL
        SELECT s.id FROM m CROSS JOIN cell s ON s.left_id = m.old WHERE m.new BETWEEN ?1 AND ?2
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
      INSERT INTO cell(id, name, above_id, left_id)
        SELECT m.new, s.name, a.new, l.new FROM m CROSS JOIN cell s ON s.id = m.old
        LEFT JOIN m a ON a.old = s.above_id LEFT JOIN m l ON l.old = s.left_id
      """)
    try connection.execute("COMMIT")
  }
}

extension Work {
  static let cellsByQuery = Work("cells-query") { try CellsByRecursiveQuery.clone(in: $0.path) }
  static let cellsByLoop = Work("cells-loop") { try CellsByLoop.clone(in: $0.path) }
}
