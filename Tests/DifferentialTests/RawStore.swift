import GRDB
import MOCloneKit

/// What the tables of a store hold, byte for byte.
struct RawStore: Equatable {
  /// By table and key; the values as type and bytes.
  var rows: [String: [Int64: [String: String]]] = [:]
  /// The keys that references hold, whatever they are stored as.
  var keys: [String: [Int64: [String: Int64]]] = [:]
  var pairs: [[String]] = []

  init(_ queue: DatabaseQueue) throws {
    try queue.read { db in
      for (table, references) in ForeignStore.references { try read(table, Array(references.keys), db) }
      pairs = try Row.fetchAll(
        db,
        sql: "SELECT CAST(board_id AS INTEGER), CAST(tag_id AS INTEGER), typeof(weight) || quote(weight) "
          + "FROM board_tag ORDER BY 1, 2"
      ).map { ["\($0[0] as Int64)", "\($0[1] as Int64)", $0[2]] }
    }
  }

  private mutating func read(_ table: String, _ references: [String], _ db: Database) throws {
    let columns = try String.fetchAll(
      db, sql: "SELECT name FROM pragma_table_xinfo('\(table)') WHERE name <> 'id'")
    let texts = columns.map {
      "typeof(\($0)) || ':' || CASE typeof(\($0)) WHEN 'text' THEN hex(CAST(\($0) AS BLOB)) ELSE quote(\($0)) END"
    }
    for row in try Row.fetchAll(db, sql: "SELECT id, \(texts.joined(separator: ", ")) FROM \(table)") {
      let id: Int64 = row[0]
      for (i, column) in columns.enumerated() {
        rows[table, default: [:]][id, default: [:]][column] = row[i + 1]
      }
    }
    for column in references {
      for row in try Row.fetchAll(
        db, sql: "SELECT id, CAST(\(column) AS INTEGER) FROM \(table) WHERE \(column) IS NOT NULL")
      {
        keys[table, default: [:]][row[0], default: [:]][column] = row[1]
      }
    }
  }

  func key(_ table: String, _ id: Int64, _ column: String) -> Int64? { keys[table]?[id]?[column] }

  func ids(_ table: String) -> [Int64] { rows[table, default: [:]].keys.sorted() }
}

/// What the rows of a clone must hold, worked out from those of the originals alone.
struct RawExpectation {
  let store: ForeignStore
  let before: RawStore
  let after: RawStore
  let result: CloneResult

  func differences(root: Int64, copies: Int) -> [String] {
    let closure = closure(of: root)
    var found = originals()
    for entity in ForeignStore.entities {
      let table = entity.lowercased()
      let expected = closure[table]!.count * copies
      if result.cloned[entity, default: 0] != expected {
        found.append("cloned \(result.cloned) of \(table), not \(expected)")
      }
      if after.ids(table).count != before.ids(table).count + expected { found.append("rows of \(table)") }
    }
    for copy in 0..<copies { found += differences(maps(copy), root) }
    return found
  }

  /// The keys of the clones of one copy by table and original.
  private func maps(_ copy: Int) -> [String: [Int64: Int64]] {
    var all: [ObjectID: [ObjectID]] = [:]
    for pair in result.mapping { all[pair.original, default: []].append(pair.clone) }
    var maps: [String: [Int64: Int64]] = [:]
    for (original, clones) in all where copy < clones.count {
      guard case .integer(let old) = original.key.parts[0], case .integer(let new) = clones[copy].key.parts[0]
      else { continue }
      maps[original.entity.lowercased(), default: [:]][old] = new
    }
    return maps
  }

  private func closure(of root: Int64) -> [String: Set<Int64>] {
    var cards = Set(before.ids("card").filter { before.key("card", $0, "board_id") == root })
    var isGrowing = store.isTree
    while isGrowing {
      let below = before.ids("card").filter { before.key("card", $0, "above_id").map(cards.contains) == true }
      isGrowing = !cards.isSuperset(of: below)
      cards.formUnion(below)
    }
    let notes = before.ids("note").filter { before.key("note", $0, "card_id").map(cards.contains) == true }
    return ["board": [root], "card": cards, "note": Set(notes)]
  }

  private func originals() -> [String] {
    before.rows.flatMap { table, rows in
      rows.flatMap { id, row in
        row.filter { after.rows[table]?[id]?[$0.key] != counted($0.value, $0.key, table, id) }
          .map { "original \(table) \(id).\($0.key) became \(after.rows[table]?[id]?[$0.key] ?? "nothing")" }
      }
    } + (before.pairs.allSatisfy(after.pairs.contains) ? [] : ["pairs of originals"])
  }

  /// What a row holds where triggers count the new cards that refer to it.
  private func counted(_ value: String, _ column: String, _ table: String, _ id: Int64) -> String {
    guard column == "cards", let reference = counter(of: table) else { return value }
    let new = after.ids("card").filter { before.rows["card"]?[$0] == nil }
    let members = new.count { after.key("card", $0, reference) == id }
    return "integer:\(Int(value.dropFirst(8))! + members)"
  }

  /// The column of cards by which a trigger counts them in a table.
  private func counter(of table: String) -> String? {
    if table == "card", store.isKept { return "above_id" }
    return table == "board" && store.hasCounter ? "board_id" : nil
  }

  // MARK: Clones

  private func differences(_ maps: [String: [Int64: Int64]], _ root: Int64) -> [String] {
    var found: [String] = []
    for (table, map) in maps {
      for (old, new) in map {
        guard let row = after.rows[table]?[new], let original = before.rows[table]?[old] else {
          found.append("\(table) \(new) is not there")
          continue
        }
        for (column, value) in original {
          var expected = follows(table, column) ? before.rows["board"]![root]!["title"]! : value
          if column == "cards", store.isKept, table != "note" {
            expected = counted("integer:0", column, table, new)
          }
          if isSame(column, table, old, new, maps) ?? (row[column] == expected || isPosition(column, table)) {
            continue
          }
          found.append("\(table) \(new).\(column) is \(row[column] ?? "nothing"), not \(expected)")
        }
      }
    }
    return found + pairs(root, maps["board"]![root]!) + orders(maps, root)
  }

  private func follows(_ table: String, _ column: String) -> Bool {
    column == "heading" && table == "note" && store.model.attribute("heading", of: "Note") != nil
  }

  private func isPosition(_ column: String, _ table: String) -> Bool {
    column == "position" && table == "card" && store.isOrdered
  }

  /// Whether a reference leads to the clone of what the original's leads to; nil where it is none that is mapped.
  private func isSame(
    _ column: String, _ table: String, _ old: Int64, _ new: Int64, _ maps: [String: [Int64: Int64]]
  ) -> Bool? {
    if column == "above_id", !store.isTree { return nil }
    guard let target = ForeignStore.references[table]?[column], let key = before.key(table, old, column),
      let clone = maps[target]?[key]
    else { return nil }
    func type(_ row: [String: String]?) -> Substring? { row?[column]?.prefix { $0 != ":" } }
    return after.key(table, new, column) == clone
      && type(after.rows[table]?[new]) == type(before.rows[table]?[old])
  }

  private func pairs(_ root: Int64, _ clone: Int64) -> [String] {
    let expected = before.pairs.filter { $0[0] == "\(root)" && Int64($0[1])! < 5 }.map { $0.dropFirst() }
    let made = after.pairs.filter { $0[0] == "\(clone)" && Int64($0[1])! < 5 }.map { $0.dropFirst() }
    return made == expected ? [] : ["pairs are \(made), not \(expected)"]
  }

  private func orders(_ maps: [String: [Int64: Int64]], _ root: Int64) -> [String] {
    guard store.isOrdered else { return [] }
    let graph = SQLiteGraph(store.queue, model: store.model)
    func cards(_ board: Int64) throws -> [Int64] {
      try graph.destinations("cards", of: ObjectID("Board", key: [.integer(board)])).compactMap {
        if case .integer(let key) = $0.key.parts[0] { key } else { nil }
      }
    }
    do {
      let expected = try cards(root).compactMap { maps["card"]?[$0] }
      let made = try cards(maps["board"]![root]!)
      return made == expected ? [] : ["cards are \(made), not \(expected)"]
    } catch {
      return ["\(error)"]
    }
  }
}
