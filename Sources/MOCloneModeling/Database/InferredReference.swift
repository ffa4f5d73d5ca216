import MOCloneModel
import MOCloneSQL

/// A relationship that names and values suggest, though the database does not declare it.
struct InferredReference {
  var table: String
  var column: String
  var target: String
  /// How many different values were looked at, and how many of them are keys of the target.
  var values: Int
  var found: Int
}

/// Looks for such relationships: the name of a column says which table may be meant, its values whether it is.
struct Inference {
  let db: any SQLConnection
  let shape: DatabaseShape
  /// The tables that one column can reference.
  private let tables: [DatabaseTable]
  /// The same by their names, by what these end with, and by their keys.
  private let named: [[String]: [DatabaseTable]]
  private let ending: [[String]: [DatabaseTable]]
  private let keyed: [String: [DatabaseTable]]
  /// The least share of the values that have to be keys of the target.
  static let leastShare = 0.9

  init(db: any SQLConnection, shape: DatabaseShape) {
    self.db = db
    self.shape = shape
    let tables = shape.objectTables.filter { $0.key.count == 1 && $0.schema.column($0.key[0]) != nil }
    self.tables = tables
    named = Dictionary(grouping: tables) { shape.entities.one($0.id).key }
    let endings = tables.flatMap { table in
      shape.entities.one(table.id).suffixes.map { (words: $0, table: table) }
    }
    ending = Dictionary(grouping: endings, by: \.words).mapValues { $0.map(\.table) }
    keyed = Dictionary(grouping: tables) { $0.key[0].sqlName }
  }

  func references() throws -> [InferredReference] {
    try shape.objectTables.flatMap { table in
      try table.schema.columns.compactMap { column in
        guard isOpen(column, of: table), let target = target(of: column, in: table) else { return nil }
        return try evidence(column.name, table: table, target: target)
      }
    }
  }

  private func isOpen(_ column: ColumnSchema, of table: DatabaseTable) -> Bool {
    let pair = shape.pairs[table.id]
    return (!table.isInKey(column.name) || isCopiedPart(column.name, of: table)) && !column.isGenerated
      && ![pair?.typeColumn, pair?.keyColumn].contains(column.name)
      && !shape.references.hold(column.name, of: table)
  }

  /// Whether a column is a part of a key that nothing makes, as both columns of a pair are.
  private func isCopiedPart(_ column: String, of table: DatabaseTable) -> Bool {
    let key = shape.keys[table.id]?.columns ?? []
    return key.count > 1 && key.contains { $0.column.sqlName == column.sqlName && $0.generate == nil }
  }

  // MARK: Names

  private static let endings: Set<String> = [
    "id", "uuid", "guid", "fk", "ref", "key", "code", "no", "number",
  ]
  private static let people: Set<String> = ["user", "person", "account", "member", "employee", "profile"]
  private static let roles: Set<String> = [
    "author", "owner", "creator", "editor", "assignee", "reporter", "sender", "recipient", "receiver",
    "reviewer",
    "manager", "by",
  ]

  private func target(of column: ColumnSchema, in table: DatabaseTable) -> DatabaseTable? {
    let words = NameWords(column.name)
    let sameName = (keyed[column.name.sqlName] ?? []).filter { $0.id != table.id }
    if sameName.count == 1, words.words.count > 1 { return sameName[0] }
    let hasEnding = words.words.count > 1 && Self.endings.contains(words.key.last ?? "")
    let stem = hasEnding ? words.dropping(last: 1) : words
    let one = stem.singular
    if stem.key.last == "parent", hasEnding || named[one.key] == nil {
      return tables.first { $0.id == table.id }
    }
    // The longest name says most.
    if let words = one.suffixes.first(where: { named[$0] != nil }), hasEnding || words == one.key {
      return named[words]?.first
    }
    // All tables may have a prefix.
    if hasEnding, let prefixed = ending[one.key], prefixed.count == 1 { return prefixed[0] }
    guard Self.roles.contains(stem.key.last ?? "") else { return nil }
    let people = tables.filter { Self.people.contains(shape.entities.one($0.id).key.last ?? "") }
    return people.count == 1 ? people[0] : nil
  }

  // MARK: Values

  private func evidence(
    _ column: String, table: DatabaseTable, target: DatabaseTable
  ) throws -> InferredReference? {
    let dialect = db.dialect
    let name = dialect.name(column)
    let row = db.answer(
      "SELECT count(*), coalesce(sum(CASE WHEN EXISTS (SELECT 1 FROM \(dialect.table(target.schema.name)) t "
        + "WHERE t.\(dialect.name(target.key[0])) = v.value) THEN 1 ELSE 0 END), 0) FROM (SELECT DISTINCT \(name) AS value "
        + "FROM (SELECT \(name) FROM \(dialect.table(table.schema.name)) WHERE \(name) IS NOT NULL LIMIT "
        + "\(TableSurvey.mostRows)) r LIMIT \(TableSurvey.mostValues)) v")
    guard let row else { return nil }
    let (seen, found) = (row[0].number, row[1].number)
    guard found > 0, Double(found) >= Double(seen) * Self.leastShare else { return nil }
    return InferredReference(
      table: table.id, column: column, target: target.id, values: seen, found: found)
  }
}

extension ModelDraft {
  /// Writes a proposal above the attribute that would become a relationship, ready to be uncommented.
  mutating func propose(_ inferred: InferredReference, shape: DatabaseShape, mapping: SchemaMapping) {
    let (entity, destination) = (shape.entities[inferred.table], shape.entities[inferred.target])
    guard let table = shape.contents[inferred.table],
      let place = entities.firstIndex(where: { $0.name == entity }),
      let attribute = entities[place].attributes.first(where: {
        mapping[entity].attributes[$0.name]?.column.sqlName == inferred.column.sqlName
      })
    else { return }
    let isUnique = table.schema.uniqueColumns.contains { $0.names == [inferred.column.sqlName] }
    let reference = TableReference(
      table: inferred.table, target: inferred.target, columns: [inferred.column],
      references: shape.contents[inferred.target]?.key ?? [], onDelete: "", referencesKey: true,
      isOptional: attribute.isOptional, isUnique: isUnique)
    let forward = free(shape.names.forward(reference), in: entity, besides: attribute.name)
    let backward = free(shape.names.backward(reference) + [forward + "Of"], in: destination)
    let optional = attribute.isOptional ? ", optional: true" : ""
    let count = isUnique ? "optional: true" : "toMany: true"
    proposedRelationships += 1
    comments[.entity(entity) / "attributes" / attribute.name, default: []] += [
      "Maybe a relationship: \(inferred.found) of \(inferred.values) different values are keys of '\(destination)'. "
        + "In place of this attribute:",
      "  relationships:",
      "    \(forward): {destination: \(destination)\(optional), inverse: \(backward), "
        + "column: \(YAMLScalar.text(inferred.column))}",
      "and in '\(destination)':",
      "  relationships:",
      "    \(backward): {destination: \(entity), \(count), inverse: \(forward)}",
    ]
  }

  /// The first name that no property of an entity has, the attribute that would become the relationship left out.
  private func free(_ names: [String], in entity: String, besides attribute: String? = nil) -> String {
    let entity = entities.first { $0.name == entity }
    let properties = (entity?.attributes.map(\.name) ?? []) + (entity?.relationships.map(\.name) ?? [])
    let taken = Set(properties.filter { $0 != attribute })
    return names.first { !$0.isEmpty && !taken.contains($0) } ?? (names.first ?? "other") + "2"
  }
}
