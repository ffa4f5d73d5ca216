import MOCloneModel
import MOCloneSQL

/// How the key of a table is made, and which of its columns are attributes as well.
struct KeyShape {
  var columns: [KeyColumn]
  /// Columns that an attribute names, so that they can be given and shown.
  var named: Set<String> = []
  var comment: String?
}

/// Settles who makes the parts of keys.
struct KeyShapes {
  let db: any SQLConnection
  let references: TableReferences

  func shape(of table: DatabaseTable) throws -> KeyShape {
    if table.key.count == 1 { return single(table) }
    return try composite(table)
  }

  // MARK: One column

  private func single(_ table: DatabaseTable) -> KeyShape {
    let name = table.key[0]
    guard let column = table.schema.column(name) else {
      return KeyShape(
        columns: [KeyColumn(name)],
        comment: "The table has no primary key, so the number of the row is the key; VACUUM may change it.")
    }
    if table.schema.isRowid(name) || references.give(name, of: table) {
      return KeyShape(columns: [KeyColumn(name)])
    }
    let values = table.values(of: name)
    let type = table.type(of: name)
    if type?.type == .uuid {
      return KeyShape(columns: [KeyColumn(name, generate: .uuid)], named: [name.sqlName])
    }
    if isCounted(column, values: values, type: type) {
      return KeyShape(columns: [KeyColumn(name, generate: column.type.isEmpty ? .max : nil)])
    }
    let listed = table.listed(name)
    if listed.isComputed, !listed.makesHyphens {
      return given(
        name,
        comment:
          "The DEFAULT of the column makes keys of a form that no clone writes, so a clone needs '--set'.")
    }
    let choice = TypeChoice(column, values: values, listed: listed)
    if choice.isCompactUUID || choice.isOf32Digits {
      let kind = choice.isCompactUUID ? "UUIDs of 32 digits without hyphens" : "strings of 32 digits"
      return given(name, comment: "Keys are \(kind), which nothing makes here, so a clone needs '--set'.")
    }
    if !column.holdsNewUUIDs || type.map({ [.double, .date].contains($0.type) }) == true {
      return given(name, comment: "Nothing makes keys of this kind, so a clone needs '--set'.")
    }
    return KeyShape(
      columns: [KeyColumn(name, generate: .uuid)], named: [name.sqlName],
      comment: (listed.isComputed ? "A" : "The database does not make this key, so a")
        + " clone gets a UUID, unless '--set' gives another key.")
  }

  private func given(_ name: String, comment: String) -> KeyShape {
    KeyShape(
      columns: [KeyColumn(name, generate: KeyGeneration.none)], named: [name.sqlName], comment: comment)
  }

  /// Whether new keys can be the next numbers.
  private func isCounted(_ column: ColumnSchema, values: ColumnValues, type: ColumnType?) -> Bool {
    if column.sequence != nil { return true }
    if values.classes == ["integer"] {
      return ["INTEGER", "NUMERIC"].contains(column.affinity) || column.type.isEmpty
    }
    guard values.classes.isEmpty else { return false }
    return column.affinity == "INTEGER"
      || column.affinity == "NUMERIC" && [.decimal, .integer64].contains(type?.type)
  }

  // MARK: Several columns

  /// Parts that are references or UUIDs are made; of the others one number can be counted, and the rest is copied.
  private func composite(_ table: DatabaseTable) throws -> KeyShape {
    var shape = KeyShape(columns: table.key.map { KeyColumn($0) })
    var isMade = false
    for (i, name) in table.key.enumerated() where !references.give(name, of: table) {
      shape.named.insert(name.sqlName)
      guard let column = table.schema.column(name), !column.isGenerated else { continue }
      let type = table.type(of: name)
      if column.sequence != nil {
        shape.columns[i].generate = .max
        isMade = true
      } else if type?.type == .uuid {
        shape.columns[i].generate = .uuid
        isMade = true
      } else if type?.type.isInteger == true, !isMade, column.affinity == "INTEGER",
        try isCounter(name, of: table)
      {
        shape.columns[i].generate = .max
        isMade = true
      }
    }
    return shape
  }

  private static let calendar: Set<String> = [
    "year", "month", "week", "weekday", "day", "dow", "hour", "date",
  ]

  /// Whether a number counts the rows that have the other parts in common, and means nothing else.
  private func isCounter(_ name: String, of table: DatabaseTable) throws -> Bool {
    let words = NameWords(name).key
    let owner = table.words
    if words == ["id"] { return true }
    let classes = table.values(of: name).classes
    // `taggable_id` of `taggables` can be that of something tagged, which the values show; a copied number is as unique
    // where another part of the key is new.
    let isNamedSo = [owner.key + ["id"], owner.singular.key + ["id"]].contains(words)
    if isNamedSo, classes.isEmpty || !table.key.contains(where: { references.give($0, of: table) }) {
      return true
    }
    if words.last == "id", !isNamedSo { return false }
    if !Self.calendar.isDisjoint(with: words) { return false }
    // A seat or a house has a number, too, so the name decides only where there are no values.
    if classes.isEmpty {
      return ["number", "no", "num", "nr", "seq", "sequence"].contains(words.last ?? "")
    }
    let others = table.key.filter { $0.sqlName != name.sqlName }
    return try classes == ["integer"]
      && TableSurvey(db: db, table: table.schema).numbers(name, within: others, from: 1...1)
  }
}

extension ListedColumn {
  /// Whether the DEFAULT calls a function, and so may make another value for each row.
  fileprivate var isComputed: Bool {
    defaultValue.map { $0.contains("(") && !$0.hasPrefix("'") && !$0.hasPrefix("\"") } ?? false
  }

  /// Whether it makes UUIDs of 36 characters, by a function or piece by piece.
  fileprivate var makesHyphens: Bool {
    defaultValue.map { $0.lowercased().contains("uuid") || $0.contains("'-") } ?? false
  }
}

extension ColumnSchema {
  /// Whether there is room for the 36 characters of a UUID, and nothing else is known to be wanted.
  fileprivate var holdsNewUUIDs: Bool {
    guard base != nil else { return affinity != "REAL" }
    let length = type.split(separator: "(").dropFirst().first.flatMap { Int($0.prefix(while: \.isNumber)) }
    return ["text", "citext", "name", "uuid"].contains(type)
      || type.hasPrefix("character varying") && (length ?? 36) >= 36
  }
}
