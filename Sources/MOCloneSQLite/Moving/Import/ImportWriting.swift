import MOCloneEngine
import MOCloneModel

/// The statements that write the objects of one entity of an import: pure text.
///
/// Parameters: `:run` (the run's number for its UUIDs), `:now` (its instant as the entity's date of change has it).
struct ImportWriting {
  let staged: StagedTable
  let all: [StagedTable]
  let model: ObjectModel
  let schema: SchemaMapping
  let existing: ExistingPolicy
  /// Whether pairs of a relationship lead to the rows.
  let isPaired: Bool
  /// The date that says when an object was last changed.
  let modified: AttributeDescription?

  private var matching: ImportMatching {
    ImportMatching(staged: staged, all: all, model: model, schema: schema)
  }

  /// Whether other rows refer to this entity's, or its objects are changed: then each row's object must be known.
  var needsMap: Bool {
    let isReferredTo = all.contains { other in
      other.entity.references.contains { $0.destination == staged.number }
        || (other.number != staged.number && other.table.name == staged.table.name)
    }
    return isReferredTo || isPaired || (existing != .keep && staged.entity.identity != nil)
  }

  private var hasIdentity: Bool { staged.entity.identity != nil }

  // MARK: The map

  /// The object of every row, new ones with the keys that they will have.
  var fillMap: [String] {
    let parts = staged.mapping.key.indices.map { part in
      let new = newKey(part, "s") ?? "NULL"
      return hasIdentity ? "CASE WHEN f.number IS NULL THEN \(new) ELSE f.k\(part) END" : new
    }
    let made = hasIdentity ? "f.number IS NULL" : "1"
    let found = hasIdentity ? " LEFT JOIN temp.\(staged.found) f ON f.number = s.number" : ""
    let first = hasIdentity ? " WHERE s.number NOT IN (SELECT number FROM temp.\(staged.later))" : ""
    let heads =
      "INSERT INTO temp.\(staged.map) SELECT s.number, s.number, \(made), \(SQL.list(parts)) "
      + "FROM temp.\(staged.rows) s\(found)\(keyReferences)\(first) ORDER BY s.number"
    guard hasIdentity else { return [heads] }
    let columns = staged.keyParts.map { "m.\($0)" }
    return [
      heads,
      "INSERT INTO temp.\(staged.map) SELECT l.number, l.first, m.made, \(SQL.list(columns)) "
        + "FROM temp.\(staged.later) l CROSS JOIN temp.\(staged.map) m ON m.number = l.first ORDER BY l.number",
    ]
  }

  /// Whether numbers for keys are counted, in the order of the map.
  var countsKeys: Bool { needsMap && staged.mapping.key.indices.contains { isNumber($0) } }

  /// Whether the key is nothing but a number that is counted.
  var countsEveryKey: Bool {
    countsKeys && staged.mapping.key.count == 1 && !staged.columns.contains { $0.keyPart != nil }
  }

  private func isNumber(_ part: Int) -> Bool {
    switch staged.mapping.key[part].source {
    case .rowid, .automatic: staged.table.isRowid(staged.mapping.key[part].column)
    default: false
    }
  }

  /// A part of a new key; nil where SQLite makes it as it inserts the row.
  private func newKey(_ part: Int, _ alias: String) -> String? {
    let given = staged.columns.firstIndex { $0.keyPart == part }.map { "\(alias).a\($0)" }
    switch staged.mapping.key[part].source {
    case .uuid(let storage):
      let made = "moclone_uuid(:run, \(UUIDStorage.allCases.firstIndex(of: storage)!))"
      return given.map { "coalesce(\($0), \(made))" } ?? made
    case .relationship(let name, let column):
      guard let relationship = model.relationship(name, of: staged.entity.name),
        let reference = staged.entity.reference(relationship)
      else { return given }
      return staged.referenced(reference, all[staged.entity.references[reference].destination])[column]
    case .rowid, .automatic:
      guard isNumber(part) else { return given }
      guard needsMap else { return given }
      return given.map { "coalesce(\($0), moclone_number())" } ?? "moclone_number()"
    case .copied, .given: return given
    }
  }

  /// The columns of the key that nothing gives a value.
  var openKey: String? {
    staged.mapping.key.indices.first { newKey($0, "s") == nil && !isNumber($0) }
      .map { staged.mapping.key[$0].column }
  }

  /// The maps that the key's references need.
  private var keyReferences: String {
    staged.mapping.key.contains { if case .relationship = $0.source { true } else { false } }
      ? matching.references("s") : ""
  }

  // MARK: New objects

  /// The rows that make objects, `s`, with `m`, the map, where there is one.
  private func newRows(later: Bool, found: Bool) -> (from: String, condition: [String], order: [String]) {
    if needsMap {
      return (
        "temp.\(staged.map) m CROSS JOIN temp.\(staged.rows) s ON s.number = m.number",
        ["m.made", "m.first = m.number"], ["s.number"]
      )
    }
    guard hasIdentity else { return ("temp.\(staged.rows) s", [], ["s.number"]) }
    let left = [later ? staged.later : nil, found ? staged.found : nil].compactMap { $0 }
    return (
      "temp.\(staged.keys) s", left.map { "s.number NOT IN (SELECT number FROM temp.\($0))" },
      (staged.identityColumns + ["number"]).map { "s.\($0)" }
    )
  }

  /// How many objects are to be made.
  func countNew(later: Bool, found: Bool) -> String {
    let rows = newRows(later: later, found: found)
    return "SELECT count(*) FROM \(rows.from)\(Self.condition(rows.condition))"
  }

  /// The line of a row that makes an object and does not give what it must have.
  func lineOfIncomplete(later: Bool, found: Bool) -> String? {
    guard !staged.entity.missing.isEmpty else { return nil }
    let rows = newRows(later: later, found: found)
    let empty = staged.entity.missing.map { name -> String in
      if let i = staged.entity.attribute(name) { return "s.a\(i) IS NULL" }
      let places = staged.entity.references.indices.filter {
        staged.entity.references[$0].isForward && staged.entity.references[$0].relationship.name == name
      }
      return places.isEmpty ? "1" : places.map { "s.r\($0) IS NULL" }.joined(separator: " AND ")
    }
    let condition = rows.condition + ["(" + empty.map { "(\($0))" }.joined(separator: " OR ") + ")"]
    return "SELECT s.line FROM \(rows.from)\(Self.condition(condition)) LIMIT 1"
  }

  /// Inserts all new objects at once, with every reference.
  func insert(later: Bool, found: Bool) -> String {
    let rows = newRows(later: later, found: found)
    let values = insertedValues
    return "\(staged.table.insertInto)(\(SQL.list(values.map { SQL.name($0.column) }))) "
      + "SELECT \(SQL.list(values.map(\.sql))) FROM \(rows.from)\(matching.references("s"))"
      + "\(Self.condition(rows.condition)) ORDER BY \(SQL.list(rows.order))"
  }

  /// Whether a unique index of the store tells equal identities apart by itself, and nobody asks which row was joined.
  var leavesIdentityToStore: Bool {
    guard hasIdentity, !needsMap, staged.entity.missing.isEmpty, staged.table.triggers.isEmpty else {
      return false
    }
    return !identityColumns.isEmpty && staged.table.uniqueColumns.contains { Set($0) == Set(identityColumns) }
  }

  /// The columns of an identity that consists of the row's own values; else none.
  private var identityColumns: [String] {
    let own = staged.identity.compactMap { part -> Int? in
      if case .attribute(let i) = part { i } else { nil }
    }
    return own.count == staged.identity.count ? own.map { staged.columns[$0].column } : []
  }

  /// Inserts the objects of a table that has none, in the order of the identity, the first row of each.
  var insertIntoEmpty: String {
    let values = insertedValues
    let order = (staged.identityColumns + ["number"]).map { "s.\($0)" }
    return "\(staged.table.insertInto)(\(SQL.list(values.map { SQL.name($0.column) }))) "
      + "SELECT \(SQL.list(values.map(\.sql))) FROM temp.\(staged.rows) s\(matching.references("s")) WHERE true "
      + "ORDER BY \(SQL.list(order)) ON CONFLICT(\(SQL.list(identityColumns.map(SQL.name)))) DO NOTHING"
  }

  private typealias Value = (column: String, sql: String)

  private var insertedValues: [Value] {
    var values = keyValues + attributeValues + referenceValues
    if let discriminator = staged.mapping.discriminator {
      values.append((discriminator.column, SQL.text(discriminator.value)))
    }
    var seen: Set<String> = []
    return values.filter { seen.insert($0.column.lowercased()).inserted && !isGenerated($0.column) }
  }

  private func isGenerated(_ column: String) -> Bool { staged.table.column(column)?.isGenerated ?? false }

  private var keyValues: [Value] {
    staged.mapping.key.indices.compactMap { part in
      let column = staged.mapping.key[part].column
      return needsMap ? (column, "m.k\(part)") : newKey(part, "s").map { (column, $0) }
    }
  }

  private var attributeValues: [Value] {
    model.attributes(of: staged.entity.name).compactMap { attribute in
      guard let column = staged.mapping.attributes[attribute.name], column.keyPart == nil else { return nil }
      let isDate = attribute.name == modified?.name
      let absent = isDate ? ":now" : attribute.defaultValue.map { ValueCoding(column).literal($0) }
      guard let i = staged.entity.attribute(attribute.name) else { return (column.column, absent ?? "NULL") }
      guard let absent else { return (column.column, "s.a\(i)") }
      return (column.column, "CASE WHEN \(staged.isAbsent(i, "s")) THEN \(absent) ELSE s.a\(i) END")
    }
  }

  private var referenceValues: [Value] {
    var values: [String: [String]] = [:]
    var positions: [Value] = []
    for (i, reference) in staged.entity.references.enumerated() {
      let key = staged.foreignKeys[i]
      for (column, value) in zip(key.columns, staged.referenced(i, all[reference.destination])) {
        values[column, default: []].append(value)
      }
      guard let column = key.orderColumn else { continue }
      let owner = staged.referenced(i, all[reference.destination])
      let end = Self.end(of: column, in: staged.table.name, key.columns, owner)
      positions.append(
        (column, "\(end) + row_number() OVER (PARTITION BY \(SQL.list(owner)) ORDER BY s.number)"))
    }
    return values.sorted { $0.key < $1.key }.map { ($0, Self.first(of: $1)) } + positions
  }

  /// The position of the last member of an owner; 0 where there is none.
  static func end(of column: String, in table: String, _ keys: [String], _ owner: [String]) -> String {
    "coalesce((SELECT max(\(SQL.column("x", column))) FROM \(SQL.main(table)) x "
      + "WHERE \(SQL.equal(keys.map { SQL.column("x", $0) }, owner))), 0)"
  }

  /// A relationship may lead to rows of several entities.
  static func first(of values: [String]) -> String {
    values.count == 1 ? values[0] : "coalesce(\(SQL.list(values)))"
  }

  static func condition(_ parts: [String]) -> String {
    parts.isEmpty ? "" : " WHERE " + parts.joined(separator: " AND ")
  }
}
