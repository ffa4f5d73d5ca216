import MOCloneModel

/// What a model of a database does without, since it would have errors otherwise.
///
/// The rules of the importer are meant to need none of this; it is for databases that they did not foresee.
struct Refusals {
  private(set) var references: Set<TableReference> = []
  /// Tables of pairs that become entities, and pairs of columns that stay attributes, by table.
  private(set) var joins: Set<String> = []
  private(set) var pairs: Set<String> = []
  /// Tables and columns.
  private(set) var columns: Set<[String]> = []
  /// Tables whose rows no clone of another object takes along, since a unique index would refuse them.
  private(set) var uncloned: Set<String> = []

  /// - Returns: whether there is anything new to do without.
  mutating func add(_ errors: [Diagnostic], _ shape: DatabaseShape) -> Bool {
    var isNew = false
    for error in errors where add(error, shape) { isNew = true }
    return isNew
  }

  private mutating func add(_ error: Diagnostic, _ shape: DatabaseShape) -> Bool {
    let path = error.path.components
    guard path.count > 1, let table = shape.objectTables.first(where: { shape.entities[$0.id] == path[1] })
    else { return false }
    if [.unknownUnique, .generatedColumn].contains(error.code), uncloned.insert(table.id).inserted {
      return true
    }
    if shape.pairs[table.id] != nil { return pairs.insert(table.id).inserted }
    guard path.count > 3 else { return false }
    if path[2] == "relationships" { return addRelationship(path[3], of: table, shape) }
    let column = table.schema.columns.first {
      [$0.name, NameWords($0.name).lowerCamel].contains(path[3])
    }
    return column.map { columns.insert([table.id, $0.name.sqlName]).inserted } ?? false
  }

  /// Every relationship of that name that the table can have.
  private mutating func addRelationship(
    _ name: String, of table: DatabaseTable, _ shape: DatabaseShape
  ) -> Bool {
    let own = shape.objectReferences.filter {
      $0.table == table.id && shape.names.forward($0).contains(name)
        || $0.target == table.id && shape.names.backward($0).contains(name)
    }
    if let reference = own.first { return references.insert(reference).inserted }
    let join = shape.joins.values.first { $0.ends.contains { $0.target == table.id } }
    return join.map { joins.insert($0.table.id).inserted } ?? false
  }
}

extension ModelDraft {
  /// Excludes the relationships over which clones would take rows along that a unique index refuses.
  mutating func leaveOut(_ tables: Set<String>, _ shape: DatabaseShape) {
    let names = Set(tables.map { shape.entities[$0] })
    let model = unvalidated
    for i in entities.indices {
      for j in entities[i].relationships.indices
      where names.contains(entities[i].relationships[j].destination)
        && entities[i].relationships[j].columns.isEmpty
        && model.inverse(of: entities[i].relationships[j])?.isToMany == false
      {
        let path = ModelPath.entity(entities[i].name) / "relationships" / entities[i].relationships[j].name
        entities[i].relationships[j].userInfo[userInfoKeys.exclude] = ""
        comments[path, default: []].append("A unique index of the table refuses copies of its rows.")
      }
    }
  }
}
