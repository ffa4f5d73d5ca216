import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The temporary tables of one entity of an import, and the columns of their rows.
///
/// `rows` takes what the file gives, in its order. `keys` holds the same in the order of the identity, so that equal
/// identities lie side by side and the store's index is gone through from its beginning to its end. `found` leads from
/// a row to the object that was there before, `later` to the first row of the same identity, and `map` from every row
/// to its object's key.
struct StagedTable {
  let number: Int
  /// The number of the import, which its tables have in their names.
  let run: Int
  private(set) var entity: ImportPlan.Entity
  let mapping: EntityMapping
  let table: TableSchema
  let columns: [AttributeColumn]
  let foreignKeys: [ForeignKeyMapping]
  /// Where every row makes an object whose key is counted: the number before the first key, so that a key follows from
  /// the row's number.
  var keysBefore: Int64?
  /// What each part of the identity lies in: columns of `keys`.
  let identity: [IdentityColumn]

  /// A part of an identity: a value that the rows give, or what a reference leads to.
  enum IdentityColumn {
    case attribute(Int)
    case reference(Int, IdentityPath, columns: [String])

    var names: [String] {
      switch self {
      case .attribute(let i): ["a\(i)"]
      case .reference(_, _, let columns): columns
      }
    }
  }

  init(
    _ number: Int, _ plan: ImportPlan, _ mapping: SchemaMapping, _ table: TableSchema, run: Int
  ) {
    let entity = plan.entities[number]
    (self.number, self.run) = (number, run)
    self.entity = entity
    self.table = table
    self.mapping = mapping[entity.name]
    columns = entity.attributes.map { mapping[entity.name].attributes[$0.name]! }
    let keys = entity.references.map { reference in
      switch mapping[reference.relationship.entity].relationships[reference.relationship.name]! {
      case .foreignKey(let key), .inverseForeignKey(let key): key
      case .join: preconditionFailure("'\(reference.relationship.name)' lies in no row")
      }
    }
    foreignKeys = keys
    identity = (entity.identity?.paths ?? []).enumerated().map { i, path in
      guard let step = path.steps.first else { return .attribute(entity.attribute(path.attribute!.name)!) }
      let reference = entity.reference(step)!
      let isReference = path.steps.count == 1 && path.attribute == nil
      let count = isReference ? keys[reference].columns.count : 1
      return .reference(reference, path, columns: (0..<count).map { "i\(i)_\($0)" })
    }
  }

  /// The same where rows leave out further properties that a new object must have.
  func missing(_ names: Set<String>) -> StagedTable {
    var table = self
    table.entity.missing += names.subtracting(entity.missing).sorted()
    return table
  }

  private func name(_ kind: String) -> String { "moclone_import\(run)_\(kind)\(number)" }

  var rows: String { name("rows") }
  var keys: String { name("keys") }
  var found: String { name("found") }
  var later: String { name("later") }
  var map: String { name("map") }
  var changes: String { name("changes") }

  var identityColumns: [String] { identity.flatMap(\.names) }
  var keyParts: [String] { mapping.key.indices.map { "k\($0)" } }
  /// Which values a row does not give: a bit each, 60 in a column.
  var masks: [String] { (0..<((columns.count + 59) / 60)).map { "m\($0)" } }

  /// The columns of a row behind its number: place, values, references, marks.
  var content: [String] {
    ["line"] + columns.indices.map { "a\($0)" } + foreignKeys.indices.map { "r\($0)" } + masks
  }

  /// Whether a row of an alias gives no value.
  func isAbsent(_ attribute: Int, _ alias: String) -> String {
    "\(alias).m\(attribute / 60) & \(1 << (attribute % 60))"
  }

  /// Whether the columns of a reference can only be told by the map of what it leads to.
  func needsMap(_ reference: Int, of destination: StagedTable) -> Bool {
    destination.keysBefore == nil
      || foreignKeys[reference].references.contains { destination.mapping.keyPart(of: $0) == nil }
      || identity.contains { part in
        if case .reference(reference, let path, _) = part {
          path.steps.count > 1 || path.attribute != nil
        } else {
          false
        }
      }
  }

  /// The columns that a reference of a row `s` has, by the map `d0`, `d1`... of what it leads to.
  func referenced(_ reference: Int, _ destination: StagedTable) -> [String] {
    let map = "d\(reference)"
    return foreignKeys[reference].references.map { column in
      if let before = destination.keysBefore, destination.mapping.keyPart(of: column) != nil {
        return "s.r\(reference) + \(before)"
      }
      if let part = destination.mapping.keyPart(of: column) { return "\(map).k\(part)" }
      let place = destination.columns.firstIndex { $0.column.sqlName == column.sqlName }
      let made = place.map {
        "(SELECT p.a\($0) FROM temp.\(destination.rows) p WHERE p.number = \(map).first)"
      }
      let isKey = SQL.equal(
        destination.mapping.keyColumns.map { SQL.column("t", $0) },
        destination.keyParts.map { "\(map).\($0)" })
      let found =
        "(SELECT \(SQL.column("t", column)) FROM \(SQL.main(destination.table.name)) t WHERE \(isKey))"
      return "CASE WHEN \(map).made THEN \(made ?? "NULL") ELSE \(found) END"
    }
  }

  /// Whether the store finds objects by the first part of the identity.
  var findsByIndex: Bool {
    let columns = identity.flatMap { part -> [String] in
      switch part {
      case .attribute(let i): self.columns[i].isFoundByIndex ? [self.columns[i].column] : []
      case .reference(let i, let path, _):
        path.attribute == nil && path.steps.count == 1 ? foreignKeys[i].columns : []
      }
    }.map(\.sqlName)
    return table.indexes.contains { index in
      index.condition == nil && index.columns.first?.name.map { columns.contains($0.sqlName) } ?? false
    } || columns.contains { table.isRowid($0) }
  }

  // MARK: Definitions

  /// As the store compares values, so does every table of the import.
  private func definition(_ attribute: Int) -> String {
    let column = table.column(columns[attribute].column)
    let type = column.map { $0.type.isEmpty ? "" : " " + SQL.name($0.type) } ?? ""
    return "a\(attribute)\(type)" + (column.map { " COLLATE \(SQL.name($0.collation))" } ?? "")
  }

  private var contentDefinitions: [String] {
    ["line INTEGER"] + columns.indices.map(definition) + foreignKeys.indices.map { "r\($0) INTEGER" }
      + masks.map { "\($0) INTEGER" }
  }

  var createRows: String {
    "CREATE TEMP TABLE \(rows)(number INTEGER PRIMARY KEY, \(SQL.list(contentDefinitions)))"
  }

  var createKeys: String {
    let parts = identity.flatMap { part -> [String] in
      if case .reference(_, _, let columns) = part { columns } else { [] }
    }
    let key = SQL.list(identityColumns + ["number"])
    return
      "CREATE TEMP TABLE \(keys)(number INTEGER, \(SQL.list(contentDefinitions + parts)), PRIMARY KEY(\(key))) "
      + "WITHOUT ROWID"
  }

  var createFound: String {
    "CREATE TEMP TABLE \(found)(number INTEGER PRIMARY KEY, count INTEGER, \(SQL.list(keyParts)))"
  }

  var createLater: String { "CREATE TEMP TABLE \(later)(number INTEGER PRIMARY KEY, first INTEGER)" }

  var createMap: String {
    "CREATE TEMP TABLE \(map)(number INTEGER PRIMARY KEY, first INTEGER, made INTEGER, \(SQL.list(keyParts)))"
  }

  var tables: [String] { [rows, keys, found, later, map, changes] }
}
