import MOCloneTesting

/// The SQL of a random database: tables with keys and references of every kind, and some rows that fit them.
struct RandomSchema {
  private var random: RandomSource
  private var tables: [Table] = []

  private struct Column {
    var name: String
    var type: String
    var isRequired = false
    var isUnique = false
    /// The table that it references, and the column there.
    var reference: (table: Int, column: String)?
  }

  private struct Table {
    var name: String
    var columns: [Column]
    var key: [String]
    var isWithoutRowid = false
    /// The values of the columns, row by row, as SQL.
    var rows: [[String: String]] = []
  }

  init(seed: UInt64) {
    random = RandomSource(seed)
    let count = random.number(1...7)
    for i in 0..<count { tables.append(table(i)) }
    for i in tables.indices { fill(i) }
  }

  // MARK: Tables

  private static let names = [
    "user", "users", "order item", "OrderItem", "Category", "news", "PEOPLE", "a.b", "address", "tag", "x_y",
    "Größe",
    "post", "child", "select", "t1",
  ]
  private static let columnNames = [
    "name", "title", "created_at", "updatedAt", "uuid", "is_done", "price", "data", "value", "from", "NOTE",
    "a b",
    "position", "type", "count", "email", "birthDate", "name_2", "über",
  ]
  private static let types = [
    "TEXT", "INTEGER", "REAL", "BLOB", "", "DATETIME", "BOOLEAN", "DECIMAL(8,2)", "VARCHAR(20)", "UUID",
    "STRING",
    "BIGINT", "DATE", "NUMERIC", "JSON", "SMALLINT", "TIMESTAMP", "DOUBLE PRECISION",
  ]

  private mutating func table(_ i: Int) -> Table {
    var name = random.element(Self.names)
    // `Größe` and `größe` are two names, `user` and `User` are one.
    while tables.contains(where: { $0.name.lowercased() == name.lowercased() }) { name += "_\(i)" }
    var table = Table(name: name, columns: [], key: [])
    addKey(&table)
    for name in random.some(Self.columnNames, random.number(0...6)) {
      add(
        Column(
          name: name, type: random.element(Self.types), isRequired: random.chance(3),
          isUnique: random.chance(9)),
        to: &table)
    }
    for _ in 0..<random.number(0...3) { addReference(i, &table) }
    return table
  }

  private mutating func addKey(_ table: inout Table) {
    switch random.number(0...8) {
    case 0: break
    case 1:
      table.columns = [
        Column(name: "code", type: random.element(["TEXT", "VARCHAR(9)", "UUID", "INT", "", "BLOB"]))
      ]
      table.key = ["code"]
      table.isWithoutRowid = random.chance(2)
    case 2:
      table.columns = [
        Column(name: "a", type: "INTEGER", isRequired: true),
        Column(name: "b", type: "TEXT", isRequired: true),
      ]
      table.key = random.chance(2) ? ["a", "b"] : ["b", "a"]
    default:
      let name = random.element(["id", "ID", table.name + "_id", "key"])
      table.columns = [Column(name: name, type: "INTEGER")]
      table.key = [name]
    }
  }

  private func add(_ column: Column, to table: inout Table) {
    if table.columns.contains(where: { $0.name.lowercased() == column.name.lowercased() }) { return }
    table.columns.append(column)
  }

  /// A reference to the key or a unique column of a table that exists, its own included where it has one column.
  private mutating func addReference(_ i: Int, _ table: inout Table) {
    guard !tables.isEmpty else { return }
    let target = random.number(0...tables.count - 1)
    var candidates = tables[target].key.count == 1 ? tables[target].key : []
    candidates += tables[target].columns.filter { $0.isUnique }.map(\.name)
    guard !candidates.isEmpty else { return }
    let column = random.element(candidates)
    let type = tables[target].columns.first { $0.name == column }!.type
    let stem = random.element([tables[target].name, "parent", "owner", "main_" + tables[target].name])
    add(
      Column(
        name: stem + random.element(["_id", "Id", "", "_" + column]), type: type,
        isRequired: random.chance(3),
        isUnique: random.chance(6), reference: (target, column)), to: &table)
  }

  // MARK: Rows

  private mutating func fill(_ i: Int) {
    for number in 1...random.number(1...4) {
      var row: [String: String] = [:]
      for column in tables[i].columns {
        guard let value = value(of: column, in: i, number) else { return }
        row[column.name] = value
      }
      tables[i].rows.append(row)
    }
  }

  /// Nil where there is nothing to reference.
  private mutating func value(of column: Column, in table: Int, _ number: Int) -> String? {
    let isNull = !column.isRequired && !tables[table].key.contains(column.name) && random.chance(4)
    if let reference = column.reference {
      let values = tables[reference.table].rows.compactMap { $0[reference.column] }.filter { $0 != "NULL" }
      let used = Set(tables[table].rows.compactMap { $0[column.name] })
      let free = column.isUnique ? values.filter { !used.contains($0) } : values
      return isNull || free.isEmpty ? (column.isRequired ? nil : "NULL") : random.element(free)
    }
    if isNull { return "NULL" }
    let isDistinct = column.isUnique || tables[table].key.contains(column.name)
    return literal(column, isDistinct ? number : random.number(1...3))
  }

  private mutating func literal(_ column: Column, _ number: Int) -> String {
    if random.chance(40), column.type != "INTEGER" { return "'odd \(number)'" }
    switch column.type {
    case "INTEGER", "BIGINT", "INT", "SMALLINT": return "\(number)"
    case "BOOLEAN": return "\(number % 2 + (column.isUnique ? number : 0))"
    case "REAL", "DOUBLE PRECISION", "DECIMAL(8,2)", "NUMERIC": return "\(number).25"
    case "BLOB": return "x'0\(number)'"
    case "DATETIME", "TIMESTAMP": return "'2024-01-0\(number) 10:00:00'"
    case "DATE": return "'2024-01-0\(number)'"
    case "UUID": return "'1B4E28BA-2FA1-11D2-883F-0016D3CCA42\(number)'"
    case "JSON": return "'{\"n\": \(number)}'"
    default: return "'v\(number)'"
    }
  }

  // MARK: SQL

  /// The statements that make the tables.
  var definitions: [String] { tables.map(definition) }

  /// The statements that insert rows; some of them break a constraint.
  var inserts: [String] { tables.flatMap(inserts) }

  private func name(_ name: String) -> String { "\"\(name)\"" }

  private func definition(_ table: Table) -> String {
    var parts = table.columns.map { column in
      let target =
        column.reference.map { " REFERENCES \(name(tables[$0.table].name))(\(name($0.column)))" } ?? ""
      return "\(name(column.name)) \(column.type)" + (column.isRequired ? " NOT NULL" : "")
        + (column.isUnique ? " UNIQUE" : "") + target
    }
    if !table.key.isEmpty { parts.append("PRIMARY KEY (\(table.key.map(name).joined(separator: ", ")))") }
    if parts.isEmpty { parts = ["x"] }
    return "CREATE TABLE \(name(table.name)) (\(parts.joined(separator: ", ")))"
      + (table.isWithoutRowid ? " WITHOUT ROWID" : "")
  }

  private func inserts(_ table: Table) -> [String] {
    table.rows.filter { !$0.isEmpty }.map { row in
      let columns = table.columns.map(\.name)
      return "INSERT INTO \(name(table.name)) (\(columns.map(name).joined(separator: ", "))) VALUES "
        + "(\(columns.map { row[$0]! }.joined(separator: ", ")))"
    }
  }
}

/// Choices that are the same for the same seed.
private struct RandomSource {
  private var generator: SplitMix64

  init(_ seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  /// True one time in so many.
  mutating func chance(_ count: Int) -> Bool { number(1...count) == 1 }

  mutating func element<T>(_ elements: [T]) -> T { elements.randomElement(using: &generator)! }

  mutating func some<T>(_ elements: [T], _ count: Int) -> [T] { (0..<count).map { _ in element(elements) } }
}
