import GRDB
import MOCloneKit
import MOCloneTesting

/// A store that another program made and filled: column types, notations, columns, triggers and references that the
/// model knows nothing of.
struct ForeignStore {
  static let entities = ["Board", "Card", "Note"]
  /// The columns that hold a key, and the tables they lead to.
  static let references = [
    "board": ["owner_id": "person"],
    "card": ["board_id": "board", "above_id": "card", "assignee_id": "person"],
    "note": ["card_id": "card"],
  ]

  private var random: SplitMix64
  let queue: DatabaseQueue
  let model: ObjectModel
  let isTree: Bool
  let isOrdered: Bool
  /// Whether a trigger writes to rows of the cloned tables themselves.
  let hasCounter: Bool
  /// Whether the model leaves to them what they write.
  let isKept: Bool
  /// Whether references may dangle.
  private let dangles: Bool

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed ^ 0xF0_4E16)
    isTree = random.chance(30)
    isOrdered = random.chance(60)
    // Drawn aside, so that the other stores are what they are without it.
    var aside = SplitMix64(seed: seed ^ 0xC0_4271)
    isKept = aside.chance(25)
    hasCounter = random.chance(15) || isKept
    dangles = random.chance(60)
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    queue = try DatabaseQueue(configuration: configuration)
    model = try ObjectModel(yaml: Self.yaml(&random, isTree: isTree, isOrdered: isOrdered, isKept: isKept))
    let sql = tables() + rows() + triggers() + indexes()
    try queue.write { db in
      for statement in sql { try db.execute(sql: statement) }
    }
  }

  // MARK: The model

  private static func yaml(
    _ random: inout SplitMix64, isTree: Bool, isOrdered: Bool, isKept: Bool
  ) -> String {
    let count = isKept ? ", count: {type: Integer 64, column: cards, default: 0, derived: trigger}" : ""
    let values = kinds.map { "\($0.name): {type: \($0.type), optional: true}" }.joined(separator: ", ")
    let order = isOrdered ? ", ordered: true, orderColumn: position" : ""
    let heading =
      "heading: {type: String, optional: true, userInfo: {followParent: Board.title, withoutParent: keep}}"
    let tree = [
      "      above: {destination: Card, optional: true, inverse: below}",
      "      below: {destination: Card, toMany: true, inverse: above}",
    ]
    let lines =
      [
        "version: 1", "name: Boards",
        "store: {dates: \(random.pick(["iso8601", "sqlite", "unix"])), uuids: \(random.pick(["text", "blob", "compactText"]))}",
        "entities:", "  Board:", "    attributes: {\(values)\(count)}", "    relationships:",
        "      cards: {destination: Card, toMany: true, inverse: board\(order)}",
        "      tags: {destination: Tag, toMany: true, inverse: boards, joinTable: {table: board_tag, column: board_id, "
          + "inverseColumn: tag_id}}", "      owner: {destination: Person, optional: true, inverse: boards}",
        "  Card:", "    attributes: {\(values)\(count)}", "    relationships:",
        "      board: {destination: Board, optional: true, inverse: cards}",
        "      assignee: {destination: Person, optional: true, inverse: cards}",
        "      notes: {destination: Note, toMany: true, inverse: card}",
      ] + (isTree ? tree : []) + [
        "  Note:", "    attributes: {\(values)\(random.chance(40) ? ", " + heading : "")}",
        "    relationships: {card: {destination: Card, optional: true, inverse: notes}}", "  Person:",
        "    relationships: {boards: {destination: Board, toMany: true, inverse: owner}, "
          + "cards: {destination: Card, toMany: true, inverse: assignee}}", "  Tag:",
        "    relationships: {boards: {destination: Board, toMany: true, inverse: tags}}",
      ]
    return lines.joined(separator: "\n")
  }

  // MARK: Tables

  private struct Kind {
    var name: String
    var type: String
    var declared: [String]
    var literals: [String]
  }

  private static let kinds = [
    Kind(
      name: "title", type: "String", declared: ["TEXT", "TEXT COLLATE NOCASE", "VARCHAR(9)", ""],
      literals: [
        "'Abc'", "'abc'", "''", "CAST(x'41FF42C3' AS TEXT)", "'a' || char(0) || 'b'", "'1.0'", "' x '",
        "'é😀'", "12",
      ]),
    Kind(
      name: "opened", type: "Date", declared: ["TEXT", "DATETIME", "REAL", ""],
      literals: [
        "'2024-01-31T12:34:56.789Z'", "'2024-01-31 12:34:56'", "'2024-01-31T12:34:56+02:00'", "'2024-01-31'",
        "1706704496", "1706704496.5", "'soon'",
      ]),
    Kind(
      name: "price", type: "Decimal", declared: ["TEXT", "DECIMAL(10,2)", "REAL", ""],
      literals: ["'1.50'", "'001.5'", "'1e3'", "1.5", "2", "'12345678901234567890.50'", "0.1", "'free'"]),
    Kind(
      name: "code", type: "UUID", declared: ["TEXT", "BLOB", "", "TEXT COLLATE NOCASE"],
      literals: [
        "'A0000000-0000-4000-8000-00000000000B'", "'a0000000-0000-4000-8000-00000000000b'",
        "x'A000000000004000800000000000000B'", "'A000000000004000800000000000000B'", "7",
      ]),
    Kind(
      name: "flag", type: "Boolean", declared: ["INTEGER", "BOOLEAN", "TEXT", ""],
      literals: ["1", "0", "'true'", "'1'", "2", "1.0"]),
    Kind(
      name: "amount", type: "Double", declared: ["REAL", "", "NUMERIC", "TEXT"],
      literals: ["1e308", "-0.0", "9e999", "0.1", "3", "'0.30'"]),
    Kind(
      name: "number", type: "Integer 64", declared: ["INTEGER", "", "BIGINT", "TEXT", "REAL"],
      literals: ["9223372036854775807", "-1", "1.0", "'7'", "9007199254740993"]),
    Kind(
      name: "data", type: "Binary", declared: ["BLOB", "", "TEXT"],
      literals: ["x''", "x'00FF'", "'text'", "zeroblob(9)"]),
  ]

  /// Columns beside those of the model; the rest of each row is its references.
  private static let others = [
    "extra": ["", "TEXT", "JSON"], "related": ["INTEGER REFERENCES tag(id)", "TEXT"],
    "position": ["INTEGER", "REAL", ""],
    "heading": ["TEXT", ""],
  ]

  private mutating func tables() -> [String] {
    let isOrderly = random.chance(75)
    // Values are followed from table to table, so one declaration stands for all.
    var declared = Self.kinds.map { "\($0.name) \(random.pick($0.declared))" }
    for (name, types) in Self.others.sorted(by: { $0.key < $1.key }) {
      declared.append(
        "\(name) \(name == "heading" ? declared[0].dropFirst(6).description : random.pick(types))")
    }
    let tables = Self.references.sorted { $0.key < $1.key }.map { table, references in
      let keys = references.sorted { $0.key < $1.key }.map { column, target in
        let type =
          isOrderly ? "INTEGER" : random.pick(["INTEGER", "INTEGER", "INTEGER", "", "TEXT", "NUMERIC"])
        return "\(column) \(type)" + (random.chance(50) ? " REFERENCES \(target)(id)" : "")
      }
      let made = ["", "v AS (coalesce(title, '') || 'x') VIRTUAL", "v TEXT AS (upper(title)) STORED"]
      let columns = (declared + keys + [random.pick(made)]).filter { !$0.isEmpty }.shuffled(using: &random)
      return
        "CREATE TABLE \(table)(id INTEGER PRIMARY KEY\(random.chance(20) ? " AUTOINCREMENT" : ""), cards INTEGER, "
        + columns.joined(separator: ", ") + ")"
    }
    let key = random.pick(["INTEGER", "INTEGER", "", "TEXT"])
    return [
      "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT)",
      "CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT)",
      "CREATE TABLE board_tag(board_id \(key), tag_id \(key), weight \(random.pick(["", "REAL"])), "
        + "PRIMARY KEY(board_id, tag_id))\(random.chance(50) ? " WITHOUT ROWID" : "")",
    ] + tables
  }

  // MARK: Rows

  private mutating func rows() -> [String] {
    var sql = (1...4).flatMap {
      ["INSERT INTO person VALUES (\($0), 'P')", "INSERT INTO tag VALUES (\($0), 'T')"]
    }
    for (table, count) in [("board", 3), ("card", 9), ("note", 12)] {
      for id in 1...count { sql.append(row(table, id)) }
    }
    for board in 1...3 {
      for tag in 1...5 where random.chance(50) {
        let (first, second) = (
          random.chance(70) ? "\(board)" : "'\(board)'", random.chance(70) ? "\(tag)" : "'\(tag)'"
        )
        sql.append(
          "INSERT INTO board_tag VALUES (\(first), \(second), \(random.pick(["NULL", "1", "0.5", "'x'"])))")
      }
    }
    return sql
  }

  private mutating func row(_ table: String, _ id: Int) -> String {
    var values = ["id": "\(id)", "cards": "0"]
    for kind in Self.kinds { values[kind.name] = random.chance(20) ? "NULL" : random.pick(kind.literals) }
    values["extra"] = random.pick(["NULL", "'e'", "x'01'", "1.50", "CAST(x'FF' AS TEXT)"])
    values["related"] = random.pick(["NULL", "1", "99"])
    values["position"] = random.pick(["NULL", "1", "1", "2.5", "-3", "7"])
    values["heading"] = "'h'"
    for (column, target) in Self.references[table]!.sorted(by: { $0.key < $1.key }) {
      values[column] = reference(to: target, before: target == table ? id : nil)
    }
    let names = values.keys.sorted()
    return "INSERT INTO \(table)(\(names.joined(separator: ", "))) VALUES "
      + "(\(names.map { values[$0]! }.joined(separator: ", ")))"
  }

  /// A dangling one stays so after the clone.
  private mutating func reference(to target: String, before: Int?) -> String {
    if random.chance(10) {
      guard dangles else { return "NULL" }
      return random.pick(["NULL", "-5", "999", "13", "\(target == "card" ? 10 : 4)"])
    }
    if let before { return before > 1 && random.chance(70) ? "\(random.number(1...before - 1))" : "NULL" }
    return "\(random.number(1...(target == "card" ? 9 : 3)))"
  }

  // MARK: Triggers

  private mutating func triggers() -> [String] {
    var sql: [String] = []
    if hasCounter {
      sql.append("UPDATE board SET cards = (SELECT count(*) FROM card WHERE board_id = board.id)")
      sql.append(
        "CREATE TRIGGER counts AFTER INSERT ON card BEGIN "
          + "UPDATE board SET cards = cards + 1 WHERE id = new.board_id; END")
    }
    if isKept {
      // The cards below a card, whether the model knows of them or not.
      sql.append(
        "CREATE TRIGGER counts_below AFTER INSERT ON card BEGIN "
          + "UPDATE card SET cards = cards + 1 WHERE id = new.above_id; END")
    }
    if random.chance(25) {
      sql += [
        "CREATE VIRTUAL TABLE search USING fts5(title, content='card', content_rowid='id')",
        "INSERT INTO search(search) VALUES ('rebuild')",
        "CREATE TRIGGER feeds AFTER INSERT ON card BEGIN "
          + "INSERT INTO search(rowid, title) VALUES (new.id, new.title); END",
      ]
    }
    if random.chance(25) {
      sql += [
        "CREATE TABLE log(title UNIQUE)",
        "CREATE TRIGGER logs AFTER INSERT ON \(random.pick(["board", "card", "note", "board_tag"])) BEGIN "
          + "INSERT OR IGNORE INTO log VALUES ('x'), ('x'); END",
      ]
    }
    return sql
  }

  // MARK: Indexes

  /// Stores without them are those of programs that never asked how long a query takes.
  private mutating func indexes() -> [String] {
    guard random.chance(70) else { return [] }
    let columns = Self.references.flatMap { table, references in references.keys.map { (table, $0) } }
    return (columns + [("board_tag", "board_id")]).map { "CREATE INDEX \($0)_\($1) ON \($0)(\($1))" }.sorted()
  }
}
