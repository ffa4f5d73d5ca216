import MOCloneModel
import MOCloneSQL

/// Builds the entities of a database's shape for one naming, with every table and column written out.
struct ModelAssembly {
  let shape: DatabaseShape
  let store: StoreOptions
  var entities: [EntityDescription] = []
  private(set) var comments: [ModelPath: [String]] = [:]
  /// The relationships of each reference, by the names of their properties.
  var names: [TableReference: (forward: String, backward: String)] = [:]
  /// The attribute on a column, by table and column.
  var attributeNames: [String: [String: String]] = [:]
  var taken: [String: TakenNames] = [:]
  var places: [String: Int] = [:]
  private let columns: DefaultColumns

  init(_ shape: DatabaseShape, store: StoreOptions) {
    self.shape = shape
    self.store = store
    columns = DefaultColumns(shape, store: store)
    for table in shape.objectTables { addEntity(table) }
    for reference in shape.objectReferences { addForward(reference) }
    for reference in shape.objectReferences { addBackward(reference) }
    for table in shape.objectTables { if let pair = shape.pairs[table.id] { add(pair, of: table) } }
    for table in shape.contents.tables { if let join = shape.joins[table.id] { add(join) } }
    for table in shape.objectTables { addConstraints(table) }
    for table in shape.objectTables { noteKey(of: table) }
  }

  // MARK: Entities and attributes

  private mutating func addEntity(_ table: DatabaseTable) {
    let pair = shape.pairs[table.id]
    let name = shape.entities[table.id]
    places[table.id] = entities.count
    entities.append(
      EntityDescription(
        name: name, isAbstract: pair != nil, table: table.schema.name,
        primaryKey: shape.keys[table.id]?.columns ?? [],
        discriminator: pair.map { DiscriminatorDescription(column: $0.typeColumn) }))
    note(table.listed.remarks + (shape.notes[table.id] ?? []), at: .entity(name))
    addAttributes(table)
  }

  mutating func note(_ lines: [String], at path: ModelPath) {
    if !lines.isEmpty { comments[path, default: []] += lines }
  }

  private mutating func addAttributes(_ table: DatabaseTable) {
    let path = ModelPath.entity(shape.entities[table.id])
    for column in table.schema.columns where isAttribute(column.name, of: table) {
      guard let type = type(of: column, in: table) else { continue }
      let name = taken[table.id, default: TakenNames()].claim(names(of: column.name))
      attributeNames[table.id, default: [:]][column.name.sqlName] = name
      let attribute = attribute(name, column: column, type: type, table: table)
      entities[places[table.id]!].attributes.append(attribute)
      note(remarks(on: attribute, column, type: type, table: table), at: path / "attributes" / name)
    }
    note(unnamedColumns(of: table) + unseenDates(of: table), at: path)
  }

  func isAttribute(_ column: String, of table: DatabaseTable) -> Bool {
    if let pair = shape.pairs[table.id], [pair.typeColumn, pair.keyColumn].names.contains(column.sqlName) {
      return false
    }
    if shape.references.give(column, of: table) { return false }
    if shape.refusals.columns.contains([table.id, column.sqlName]) { return false }
    return !table.isInKey(column) || shape.keys[table.id]?.named.contains(column.sqlName) == true
  }

  /// Nil where no type is right, and no key needs the column to be an attribute, or where a sequence counts it and it is
  /// unique beside the key: what a model names is copied.
  func type(of column: ColumnSchema, in table: DatabaseTable) -> ColumnType? {
    let isInKey = table.isInKey(column.name)
    let isUnique = table.schema.indexes.contains { index in
      index.isUnique && index.columns.contains { $0.name?.sqlName == column.name.sqlName }
    }
    if column.sequence != nil, isUnique, !isInKey { return nil }
    if let type = table.type(of: column.name) { return type }
    // By values of several kinds no object is found; a server's values of a type without a name here are of one kind.
    guard isInKey || isUnique && column.base != nil else { return nil }
    return TypeChoice(column, values: ColumnValues()).type ?? ColumnType(.string)
  }

  /// The names that an attribute can have, the best first: one that gives the column by the naming.
  private func names(of column: String) -> [String] {
    let camel = NameWords(column).lowerCamel
    guard column.isPlainName else { return [camel, "column"] }
    guard store.naming == .snakeCase else { return [column] }
    return [camel, column].filter { columns[$0] == column } + [camel, column]
  }

  private func attribute(
    _ name: String, column: ColumnSchema, type: ColumnType, table: DatabaseTable
  ) -> AttributeDescription {
    let isInKey = table.isInKey(column.name)
    let text = table.listed(column.name).defaultValue
    let value =
      isInKey || column.isGenerated ? nil : text.flatMap { AttributeValue(sqlDefault: $0, for: type.type) }
    return AttributeDescription(
      name: name, type: type.type, isOptional: !column.isRequired && !isInKey, defaultValue: value,
      derivation: column.isGenerated ? .computed : nil, column: column.name,
      storage: type.storage(of: column, in: store))
  }

  private func remarks(
    on attribute: AttributeDescription, _ column: ColumnSchema, type: ColumnType, table: DatabaseTable
  ) -> [String] {
    var (dates, uuids) = (store.dates, store.uuids)
    if case .date(let storage) = attribute.storage { dates = storage }
    if case .uuid(let storage) = attribute.storage { uuids = storage }
    let holds = column.holds(type.type, dates: dates, uuids: uuids, isStrict: table.schema.isStrict)
    return table.listed(column.name).remarks + (type.isJSON ? ["JSON"] : [])
      + (holds ? [] : ["moclone:allow column-type declared \(column.type.prefix(30)), but has such values"])
  }

  // MARK: References

  private mutating func addForward(_ reference: TableReference) {
    let name = taken[reference.table, default: TakenNames()].claim(shape.names.forward(reference))
    names[reference] = (name, "")
    note(
      reference.columns.flatMap { shape.contents[reference.table]?.listed($0).remarks ?? [] },
      at: .entity(shape.entities[reference.table]) / "relationships" / name)
    entities[places[reference.table]!].relationships.append(
      RelationshipDescription(
        name: name, destination: shape.entities[reference.target], isOptional: reference.isOptional,
        columns: zip(reference.columns, reference.references).map {
          ForeignKeyColumn($0, references: reference.referencesKey ? nil : $1)
        }))
  }

  private mutating func addBackward(_ reference: TableReference) {
    let name = taken[reference.target, default: TakenNames()].claim(shape.names.backward(reference))
    let forward = names[reference]!.forward
    names[reference] = (forward, name)
    let source = places[reference.table]!
    let i = entities[source].relationships.firstIndex { $0.name == forward }!
    entities[source].relationships[i].inverse = name
    entities[places[reference.target]!].relationships.append(
      RelationshipDescription(
        name: name, destination: shape.entities[reference.table], isToMany: !reference.isUnique,
        isOptional: true, inverse: forward, deleteRule: deleteRule(reference),
        userInfo: reference.isContested ? ["exclude": ""] : [:]))
  }

  /// What only refuses a deletion in the end leaves it to the model to empty the reference before.
  private func deleteRule(_ reference: TableReference) -> DeleteRule {
    switch reference.onDelete {
    case "CASCADE": .cascade
    case "RESTRICT": .deny
    case "SET DEFAULT": .noAction
    default: .nullify
    }
  }
}

extension ColumnType {
  /// The notation, where it is not the store's.
  func storage(of column: ColumnSchema, in store: StoreOptions) -> ValueStorage? {
    switch type {
    case .date: return dates.flatMap { $0 == store.dates ? nil : .date($0) }
    // A type of its own has one form.
    case .uuid where column.base == nil || uuids?.isWritten(in: column.base) == true:
      let form = uuids ?? fitting(column, standard: store.uuids)
      return form == store.uuids ? nil : .uuid(form)
    default: return nil
    }
  }

  /// The notation of UUIDs in a column without values.
  private func fitting(_ column: ColumnSchema, standard: UUIDStorage) -> UUIDStorage {
    switch column.affinity {
    case "TEXT": standard == .blob ? .text : standard
    case "BLOB" where !column.type.isEmpty: .blob
    default: standard
    }
  }
}
