import Foundation
import GRDB
import MOCloneKit
import MOCloneTesting

/// What two stores of other programs have in common: how their tables are declared.
struct TransferSchema {
  let shape: TransferModel
  private(set) var statements: [String] = []
  /// Columns whose texts are compared without case, as `table.column`.
  private(set) var noCase: Set<String> = []
  /// Columns that hold references, with the tables that they lead to, by table.
  private(set) var references: [String: [String: String]]
  /// Whether the store knows that cards refer to cards.
  var declaresTree: Bool {
    statements.contains { $0.hasPrefix("CREATE TABLE card(") && $0.contains("REFERENCES card(id)") }
  }

  init(_ shape: TransferModel, _ random: inout SplitMix64) {
    self.shape = shape
    references = [
      "board": ["owner_id": "person"], "card": ["board_id": "board", "assignee_id": "person"],
      "note": ["card_id": "card"], "person": [:], "tag": [:], "cover": ["board_id": "board"],
      "sticker": ["cover_board": "board"],
      "line": ["board_id": "board"], "badge": ["person_id": "person"],
    ]
    if shape.options.contains(.tree) { references["card"]!["above_id"] = "card" }
    if shape.options.contains(.leads) { references["board"]!["lead_id"] = "card" }
    for entity in shape.entities { add(entity, &random) }
    let weight = random.pick(["weight", "weight REAL"])
    if shape.options.contains(.stickers) {
      statements.append("CREATE UNIQUE INDEX cover_board ON cover(board_id)")
    }
    statements.append(
      "CREATE TABLE board_tag(board_id \(shape.type(ofKeysOf: "board")), tag_id \(shape.type(ofKeysOf: "tag")), \(weight)"
        + (shape.options.contains(.orderedTags) ? ", place INTEGER, board_order INTEGER" : "")
        + ", PRIMARY KEY(board_id, tag_id))" + (random.chance(50) ? " WITHOUT ROWID" : ""))
  }

  private mutating func add(_ entity: String, _ random: inout SplitMix64) {
    let table = entity.lowercased()
    var columns = ["mark TEXT"]
    for kind in shape.kinds[entity]! {
      let declared = random.pick(kind.declared)
      columns.append("\(kind.name) \(declared)")
      if declared.contains("NOCASE") { noCase.insert("\(table).\(kind.name)") }
    }
    if shape.model.attribute("modified", of: entity) != nil {
      columns.append("modified \(random.pick(["", shape.dates == .unix ? "REAL" : "TEXT"]))")
    }
    for (column, target) in references[table]!.sorted(by: { $0.key < $1.key }) where table != "line" {
      let referenced = table == "sticker" ? "cover(board_id)" : "\(target)(id)"
      let key = random.chance(50) ? " REFERENCES \(referenced)" : ""
      let number = random.pick(["INTEGER", "INTEGER", "", "NUMERIC"])
      let type = shape.uuidTables.contains(target) ? shape.type(ofKeysOf: target) : number
      columns.append("\(column) \(type)\(key)")
    }
    columns.append("extra \(random.pick(["", "TEXT", "JSON"]))")
    let hasFirstLine = table == "board" && shape.options.contains(.firstLines)
    if hasFirstLine { columns.append("first_number INTEGER") }
    if table == "card" { columns.append("position \(random.pick(["INTEGER", "REAL", ""]))") }
    if table == "note", shape.options.contains(.longNotes) { columns += ["entity TEXT", "more TEXT"] }
    columns.append(
      random.pick(["made AS (mark || 'x') VIRTUAL", "made TEXT AS (upper(mark)) STORED", "own DEFAULT 5"]))
    columns.shuffle(using: &random)
    if table == "card", shape.options.contains(.counters) {
      columns += ["note_count INTEGER", "below_count INTEGER"]
    }
    let isCounting = table != "line" && random.chance(20)
    let ofKey = shape.uuidTables.contains(table) ? " NOT NULL" : isCounting ? " AUTOINCREMENT" : ""
    let key =
      table == "line"
      ? ["board_id INTEGER", "number INTEGER"]
      : ["id \(shape.type(ofKeysOf: table)) PRIMARY KEY\(ofKey)"]
    var end = table == "line" ? ", PRIMARY KEY(board_id, number)" : ""
    if hasFirstLine, random.chance(50) {
      end = ", FOREIGN KEY(id, first_number) REFERENCES line(board_id, number)"
    }
    statements.append("CREATE TABLE \(table)(\((key + columns).joined(separator: ", "))\(end))")
  }
}

/// A store that another program made and filled, in notations of its own.
struct TransferStore {
  let queue: DatabaseQueue
  let schema: TransferSchema
  private let letter: String
  private let dangles: Bool
  /// How often a value that identifies is one that another object has, too, in percent.
  private let repeats: Int
  private var statements: [String]
  /// The boards that there are, and those that have a cover.
  private var boards: Set<Int> = []
  private var covered: [Int] = []
  /// The cards and lines of each board, by their tables.
  private var members: [String: [Int: [Int]]] = [:]

  init(
    _ schema: TransferSchema, named letter: String, repeats: Int = 1, _ random: inout SplitMix64
  ) throws {
    self.schema = schema
    self.letter = letter
    self.repeats = repeats
    dangles = random.chance(30)
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    queue = try DatabaseQueue(configuration: configuration)
    statements = schema.statements
    if !random.chance(10) { fill(&random) }
    let sql = statements
    try queue.write { db in
      for statement in sql { try db.execute(sql: statement) }
    }
  }

  var graph: SQLiteGraph { SQLiteGraph(queue, model: schema.shape.model) }

  // MARK: Rows

  private static let counts = [
    "Person": 4, "Board": 4, "Card": 6, "Note": 6, "Tag": 4, "Cover": 3, "Sticker": 4, "Line": 5, "Badge": 4,
  ]

  private mutating func fill(_ random: inout SplitMix64) {
    // Keys of the two stores differ, and have gaps.
    let first = random.pick([1, 1, 3, 10])
    var boards = (0..<4).shuffled(using: &random)
    for entity in schema.shape.entities {
      let count = Self.counts[entity]!
      let values = identities(entity, count, &random)
      for row in 0..<count where !random.chance(10) {
        add(entity, row, first, values[row], board: boards[row % 4], &random)
      }
      boards.shuffle(using: &random)
    }
    for board in 0..<4 {
      for tag in 0..<4 where random.chance(45) {
        let places =
          schema.shape.options.contains(.orderedTags)
          ? ", \(random.pick(["1", "2", "2", "NULL", "-3"])), \(random.pick(["1", "2", "3", "NULL"]))" : ""
        statements.append(
          "INSERT INTO board_tag VALUES (\(schema.shape.key(first + board, of: "board")), "
            + "\(schema.shape.key(first + tag + (dangles && random.chance(5) ? 40 : 0), of: "tag")), "
            + "\(random.pick(["NULL", "1", "0.5", "'x'"]))\(places))")
      }
    }
    if schema.shape.options.contains(.leads) { lead("lead_id", to: "card", &random) }
    if schema.shape.options.contains(.firstLines) { lead("first_number", to: "line", &random) }
  }

  /// Leads most boards to one of their members.
  private mutating func lead(_ column: String, to table: String, _ random: inout SplitMix64) {
    for (board, members) in (members[table] ?? [:]).sorted(by: { $0.key < $1.key }) where random.chance(75) {
      let member = random.pick(members)
      let value = table == "line" ? "\(member)" : schema.shape.key(member, of: table)
      statements.append(
        "UPDATE board SET \(column) = \(value) WHERE id = \(schema.shape.key(board, of: "board"))")
    }
  }

  /// The values that identify each row: mostly distinct ones, in any notation.
  private func identities(_ entity: String, _ count: Int, _ random: inout SplitMix64) -> [[String: String]] {
    var rows = [[String: String]](repeating: [:], count: count)
    for name in schema.shape.identifying[entity] ?? [] {
      let kind = schema.shape.kinds[entity]!.first { $0.name == name }!
      let values = kind.values.shuffled(using: &random)
      for row in 0..<count {
        let value = random.chance(repeats) ? random.pick(values) : values[row % values.count]
        rows[row][name] = random.chance(4) ? "NULL" : random.pick(value)
      }
    }
    return rows
  }

  private mutating func add(
    _ entity: String, _ row: Int, _ first: Int, _ identity: [String: String], board: Int,
    _ random: inout SplitMix64
  ) {
    let table = entity.lowercased()
    if table == "board" { boards.insert(first + row) }
    var values = identity
    // In another order than the keys.
    values["mark"] = "'\(letter)\((row * 5 + 2) % 7)'"
    for kind in schema.shape.kinds[entity]! where values[kind.name] == nil {
      values[kind.name] =
        random.chance(25) ? "NULL" : random.pick(kind.values.flatMap { $0 } + kind.odd)
    }
    values["extra"] = random.pick(["NULL", "'e'", "x'01'", "1.50", "CAST(x'FF' AS TEXT)"])
    if schema.shape.model.attribute("modified", of: entity) != nil {
      values["modified"] = random.pick(
        ["NULL"] + (schema.shape.dates == .unix ? ["1706704490"] : ["'2020-01-01T00:00:00Z'"])
          + (schema.shape.hasLongDates
            ? [
              "'2019-12-31T23:59:59.999999Z'", "'2020-01-01 00:00:00.0004'",
              "'2020-01-01T01:00:00.0005+01:00'",
            ] : []))
    }
    for (column, target) in schema.references[table]!.sorted(by: { $0.key < $1.key }) {
      var number = reference(to: target, first, from: table, row, board, &random)
      // What refers to a cover by its board would dangle with it.
      if table == "cover", schema.shape.options.contains(.stickers), number.map(boards.contains) == false {
        number = nil
      }
      if table == "cover", let number { covered.append(number) }
      if target == "board", let number {
        members[table, default: [:]][number, default: []].append(table == "line" ? row : first + row)
      }
      values[column] = number.map { schema.shape.key($0, of: target) } ?? "NULL"
    }
    if table == "card", schema.shape.options.contains(.counters) {
      values["note_count"] = ["4", "0", "NULL"][row % 3]
      values["below_count"] = ["0", "NULL", "7", "1"][row % 4]
    }
    if table == "card" { values["position"] = random.pick(["NULL", "1", "1", "2.5", "-3", "7"]) }
    if table == "note", schema.shape.options.contains(.longNotes) {
      values["entity"] = random.pick(["'Note'", "'LongNote'"])
      if values["entity"] == "'LongNote'" { values["more"] = random.pick(["NULL", "'m'"]) }
    }
    if table == "line" {
      values["number"] = "\(row)"
    } else {
      values["id"] = schema.shape.key(first + row, of: table)
    }
    let names = values.keys.sorted()
    statements.append(
      "INSERT INTO \(table)(\(names.joined(separator: ", "))) VALUES "
        + "(\(names.map { values[$0]! }.joined(separator: ", ")))")
  }

  private func reference(
    to target: String, _ first: Int, from table: String, _ row: Int, _ board: Int, _ random: inout SplitMix64
  ) -> Int? {
    let isRequired =
      table == "line"
      || table == "card" && target == "board"
        && schema.shape.options.contains(.requiredBoards)
    if table == "cover" { return random.chance(20) ? nil : first + board }
    if table == "sticker" { return covered.isEmpty || random.chance(20) ? nil : random.pick(covered) }
    if dangles, random.chance(isRequired ? 2 : 8) { return random.pick([-5, 999, first + 7]) }
    // What a board leads to comes when there are cards.
    if table == "board", target == "card" { return nil }
    if !isRequired, random.chance(20) { return nil }
    if target == table, schema.shape.options.contains(.counters) {
      // What is above has the greater key, so that its order is not that of the keys.
      let last = Self.counts["Card"]! - 1
      return row == last ? nil : first + random.number(row + 1...last)
    }
    if target == table { return row == 0 ? nil : first + random.number(0...row - 1) }
    return first + random.number(0...3)
  }

  // MARK: Picture

  /// What the tables hold.
  func picture() throws -> StorePicture {
    let tables = schema.shape.entities.map { $0.lowercased() } + ["board_tag"]
    return try queue.read { db in
      let pairs = try tables.map { ($0, try table($0, db)) }
      return StorePicture(schema.shape.model, Dictionary(uniqueKeysWithValues: pairs))
    }
  }

  private func table(_ name: String, _ db: Database) throws -> StorePicture.Table {
    let columns = try Row.fetchAll(
      db, sql: "SELECT name, type, hidden, dflt_value FROM pragma_table_xinfo('\(name)')"
    ).map {
      StorePicture.Column(
        $0[0], declared: $0[1], isNoCase: schema.noCase.contains("\(name).\($0[0] as String)"),
        isGenerated: $0[2] as Int > 1, standard: $0[3] as String? == "5" ? .integer(5) : .null)
    }
    // Texts need not be UTF-8.
    let values = columns.map {
      "typeof(\($0.name)), CASE typeof(\($0.name)) WHEN 'text' THEN CAST(\($0.name) AS BLOB) ELSE \($0.name) END"
    }
    let rows = try Row.fetchAll(db, sql: "SELECT \(values.joined(separator: ", ")) FROM \(name)").map { row in
      StorePicture.Row(
        Dictionary(
          uniqueKeysWithValues: columns.enumerated().map { ($1.name, RawValue(row[2 * $0], row[2 * $0 + 1])) }
        ))
    }
    let indexes = try String.fetchAll(
      db, sql: "SELECT name FROM pragma_index_list('\(name)') WHERE \"unique\" AND origin <> 'pk'")
    let unique = try indexes.map {
      try String.fetchAll(db, sql: "SELECT name FROM pragma_index_info('\($0)') ORDER BY seqno")
    }
    return StorePicture.Table(columns, rows, uniqueColumns: unique)
  }
}

extension RawValue {
  fileprivate init(_ type: String, _ value: DatabaseValue) {
    if type == "text" {
      self = .text(Array(Data.fromDatabaseValue(value) ?? Data()))
      return
    }
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .integer(number)
    case .double(let number): self = .real(number)
    case .string(let text): self = .text(Array(text.utf8))
    case .blob(let data): self = .blob(Array(data))
    }
  }
}

extension StorePicture {
  /// A value that some object has; nil where none has one.
  func anyValue(_ name: String, of entity: String, _ random: inout SplitMix64) -> AttributeValue? {
    let values = values(name, of: entity)
    return values.isEmpty ? nil : random.pick(values)
  }
}
