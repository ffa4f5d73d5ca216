import MOCloneModel

/// What a model of a database does without, since it would have errors otherwise.
///
/// The rules of the importer are meant to need none of this; it is for databases that they did not foresee.
struct Refusals {
  private(set) var references: Set<TableReference> = []
  /// Join tables that become entities, and pairs of columns that stay attributes, by table.
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

  /// Tables whose rows cannot be cloned with others.
  ///
  /// - Returns: whether there is anything new to do without.
  mutating func addRefused(_ errors: [Diagnostic], shape: DatabaseShape) -> Bool {
    errors.reduce(false) { isNew, error in
      guard error.code == .uniqueCopied, let table = Self.table(of: error, shape) else { return isNew }
      return uncloned.insert(table.id).inserted || isNew
    }
  }

  private static func table(of error: Diagnostic, _ shape: DatabaseShape) -> DatabaseTable? {
    let path = error.path.components
    return path.count > 1 ? shape.objectTables.first { shape.entities[$0.id] == path[1] } : nil
  }

  private mutating func add(_ error: Diagnostic, _ shape: DatabaseShape) -> Bool {
    let path = error.path.components
    guard let table = Self.table(of: error, shape) else { return false }
    if [.unknownUnique, .generatedColumn].contains(error.code), uncloned.insert(table.id).inserted {
      return true
    }
    if shape.pairs[table.id] != nil { return pairs.insert(table.id).inserted }
    guard path.count > 3 else { return false }
    if path[2] == "relationships" { return addRelationship(path[3], of: table, shape: shape) }
    let column = table.schema.columns.first {
      [$0.name, NameWords($0.name).lowerCamel].contains(path[3])
    }
    return column.map { columns.insert([table.id, $0.name.sqlName]).inserted } ?? false
  }

  /// Every relationship of that name that the table can have.
  private mutating func addRelationship(
    _ name: String, of table: DatabaseTable, shape: DatabaseShape
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
