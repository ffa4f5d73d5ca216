import MOCloneEngine
import MOCloneModel

/// The statements that make an empty store for a model: a table for each root entity, join tables, and an index
/// for each foreign key.
public struct SchemaWriter {
  private let model: ObjectModel
  private let mapping: SchemaMapping
  private let dialect: Dialect
  private var types: ColumnTypes { dialect.types }

  /// Creates a writer for a model; nothing is written to any store.
  public init(_ model: ObjectModel) {
    self.init(model, dialect: .sqlite)
  }

  package init(_ model: ObjectModel, dialect: Dialect) {
    self.model = model
    self.dialect = dialect
    mapping = SchemaMapping(model, in: dialect)
  }

  /// The statements in the order in which they are to run: tables, join tables, indexes.
  ///
  /// - Throws: `CloneError` where nothing says what makes the values of a key.
  public func statements() throws -> [String] {
    let roots = model.entities.filter { $0.parent == nil }
    let tables = try roots.map(table)
    let joins = joinTables
    return tables + joins.map(\.table) + laterKeys(roots) + roots.flatMap(indexes) + joins.map(\.index)
  }

  private func tablePlan(_ root: EntityDescription) -> [EntityDescription] {
    model.entities.filter { model.rootEntity(of: $0.name) == root.name }
  }

  private func references(_ root: EntityDescription) -> [RowReference] {
    RowReference.all(in: root.name, model: model, mapping: mapping)
  }

  // MARK: Tables

  private func table(_ root: EntityDescription) throws -> String {
    var columns = try keyColumns(root)
    let key = mapping[root.name].key
    let constraints = key.count > 1 ? ["PRIMARY KEY (\(names(key.map(\.column))))"] : []
    if let discriminator = mapping[root.name].discriminator {
      columns.append(
        (
          discriminator.column,
          mapping.coreData == nil ? "\(types.text) NOT NULL" : "\(types.integer) NOT NULL"
        ))
    }
    columns += attributeColumns(root) + referenceColumns(root)
    try checkTypes(of: root)
    let all = columns.uniqued { $0.name.sqlName }.map { "\(dialect.name($0.name)) \($0.definition)" }
    return "CREATE TABLE \(dialect.newTable(mapping[root.name].table)) (\n  "
      + (all + constraints + uniques(root) + (types.takesKeysLater ? [] : foreignKeys(root)))
      .joined(separator: ",\n  ") + "\n)"
  }

  private typealias Column = (name: String, definition: String)

  private func keyColumns(_ root: EntityDescription) throws -> [Column] {
    let entity = mapping[root.name]
    return try entity.key.map { part in
      let type = try keyType(part, entity: entity)
      if entity.key.count > 1 { return (part.column, type + " NOT NULL") }
      let isCounted = type == types.integer && part.source != .given
      return (part.column, isCounted ? types.numberKey : type + " NOT NULL PRIMARY KEY")
    }
  }

  /// - Parameter passed: the columns whose types wait for this one.
  private func keyType(_ part: KeyPart, entity: EntityMapping, passed: Set<String> = []) throws -> String {
    let attribute = entity.attributes.values.first { $0.column.sqlName == part.column.sqlName }
    switch part.source {
    case .uuid(let storage): return attribute?.type == .string ? types.text : types.uuid(storage)
    case .relationship(let name, let i):
      let column = "\(entity.table.sqlName) \(part.column.sqlName)"
      guard let key = entity.foreignKey(name), !passed.contains(column) else {
        return attribute.map(types.name) ?? types.integer
      }
      return referencedType(key, i: i, passed: passed.union([column]))
    case .automatic:
      guard let attribute, !attribute.type.isInteger else { return types.integer }
      throw CloneError(
        .storeMismatch,
        "'\(part.column)', the key of \(entity.entity), is \(attribute.type.rawValue), so new values are not "
          + "generated",
        help: "write 'primaryKey: {column: \(part.column), generate: uuid}' or 'generate: none'",
        entity: entity.entity)
    case .rowid: return types.integer
    case .max, .copied, .given: return attribute.map(types.name) ?? types.integer
    }
  }

  private func attributeColumns(_ root: EntityDescription) -> [Column] {
    tablePlan(root).flatMap { entity in
      entity.attributes.filter { !$0.isTransient }.map { attribute in
        let column = mapping[entity.name].attributes[attribute.name]!
        // Rows of other entities of the table have no value here.
        let isShared = entity.name != root.name
        let isRequired = !attribute.isOptional && !isShared
        let value = isShared ? nil : attribute.defaultValue
        let standard = value.map { " DEFAULT " + dialect.value($0, as: column) } ?? ""
        return (column.column, types.name(column) + (isRequired ? " NOT NULL" : "") + standard)
      }
    }
  }

  private func referenceColumns(_ root: EntityDescription) -> [Column] {
    references(root).flatMap { reference -> [Column] in
      let isRequired = reference.forward.map { !$0.isOptional && reference.entity == root.name } ?? false
      let columns = reference.key.columns.indices.map { i in
        (reference.key.columns[i], referencedType(reference.key, i: i) + (isRequired ? " NOT NULL" : ""))
      }
      return columns + [reference.orderColumn].compactMap { $0 }.map { ($0, types.integer) }
    }
  }

  private func referencedType(_ key: ForeignKeyMapping, i: Int, passed: Set<String> = []) -> String {
    let destination = mapping[key.destination]
    let column = key.references[i]
    if let part = destination.keyPart(of: column) {
      return (try? keyType(destination.key[part], entity: destination, passed: passed)) ?? types.integer
    }
    return destination.attributes.values.first { $0.column.sqlName == column.sqlName }.map(types.name)
      ?? types.integer
  }

  /// A column of a typed database cannot hold keys of several types.
  private func checkTypes(of root: EntityDescription) throws {
    guard dialect.hasTypes else { return }
    var types: [String: String] = [:]
    for reference in references(root) {
      for (i, column) in reference.key.columns.enumerated() {
        let type = referencedType(reference.key, i: i)
        let known = types.updateValue(type, forKey: column.sqlName) ?? type
        guard known != type else { continue }
        throw CloneError(
          .storeMismatch,
          "the column '\(column)' of \(root.name) would hold keys of the types '\(known)' and '\(type)'",
          help: "give each relationship a 'column' of its own", entity: root.name)
      }
    }
  }

  // MARK: Constraints

  private func uniques(_ root: EntityDescription) -> [String] {
    let constraints = tablePlan(root).flatMap { entity in
      entity.uniquenessConstraints.map {
        $0.flatMap(mapping[entity.name].columns).uniqued { $0.sqlName }
      }
    }
    var known = Set((constraints + [mapping[root.name].keyColumns]).map { Set($0.map(\.sqlName)) })
    // A foreign key leads to unique columns only, as the key with another column.
    let referenced = RowReference.all(model: model, mapping: mapping)
      .filter { model.rootEntity(of: $0.key.destination) == root.name }
      .map(\.key.references).filter { known.insert(Set($0.map(\.sqlName))).inserted }
    return (constraints + referenced).map { "UNIQUE (\(names($0)))" }
  }

  private func foreignKeys(_ root: EntityDescription) -> [String] {
    let all = references(root)
    return all.filter { !$0.isDivided(among: all, model) }.map { reference in
      let key = reference.key
      return "FOREIGN KEY (\(names(key.columns))) REFERENCES "
        + "\(dialect.newTable(mapping[key.destination].table)) (\(names(key.references)))\(onDelete(reference))"
        + types.keyEnding
    }
  }

  /// The foreign keys of tables that refer to each other, where a database wants the tables to be there.
  private func laterKeys(_ roots: [EntityDescription]) -> [String] {
    guard types.takesKeysLater else { return [] }
    return roots.flatMap { root in
      foreignKeys(root).map { "ALTER TABLE \(dialect.newTable(mapping[root.name].table)) ADD \($0)" }
    }
  }

  /// The delete rule of the side that is deleted, where SQL can say it.
  private func onDelete(_ reference: RowReference) -> String {
    let isRequired = reference.forward.map { !$0.isOptional } ?? false
    switch reference.backward?.deleteRule {
    case .cascade: return " ON DELETE CASCADE"
    case .deny: return " ON DELETE RESTRICT"
    case .noAction: return ""
    case .nullify, nil: return isRequired ? "" : setNull(reference)
    }
  }

  /// A column of the key, or of another reference, cannot be emptied with it; SQLite empties all or none.
  private func setNull(_ reference: RowReference) -> String {
    let columns = mapping[reference.entity].columns(emptying: reference.key)
    if columns.count == reference.key.columns.count { return " ON DELETE SET NULL" }
    return dialect.hasTypes ? " ON DELETE SET NULL (\(names(columns)))" : ""
  }

  private func indexes(_ root: EntityDescription) -> [String] {
    let table = mapping[root.name].table
    let indexes = references(root).map { reference in
      dialect.createIndex(on: table, reference.key.columns + [reference.orderColumn].compactMap { $0 })
    }
    return indexes.uniqued { $0.sqlName }
  }

  private var joinTables: [(table: String, index: String)] {
    mapping.joins(of: model).uniqued { $0.join.table.sqlName }.map { relationship, join in
      (
        joinTable(join, relationship: relationship),
        dialect.createIndex(on: join.table, join.destinationColumns)
      )
    }
  }

  private func joinTable(_ join: JoinTableMapping, relationship: RelationshipDescription) -> String {
    func column(_ name: String, _ entity: String, _ references: [String], _ i: Int) -> String {
      let part = mapping[entity].key[mapping[entity].keyPart(of: references[i]) ?? i]
      return
        "\(dialect.name(name)) \((try? keyType(part, entity: mapping[entity])) ?? types.integer) NOT NULL"
    }
    func reference(_ columns: [String], _ entity: String, _ references: [String]) -> String {
      "FOREIGN KEY (\(names(columns))) REFERENCES \(dialect.newTable(mapping[entity].table)) (\(names(references))) "
        + "ON DELETE CASCADE" + types.keyEnding
    }
    let own = join.columns.enumerated().map { column($1, relationship.entity, join.references, $0) }
    let other = join.destinationColumns.enumerated().map {
      column($1, relationship.destination, join.destinationReferences, $0)
    }
    let orders = [join.orderColumn, join.inverseOrderColumn].compactMap { $0 }.map {
      "\(dialect.name($0)) \(types.integer)"
    }
    let ends = (join.columns + join.destinationColumns).uniqued { $0.sqlName }
    let constraints = [
      "PRIMARY KEY (\(names(ends)))",
      reference(join.columns, relationship.entity, join.references),
      reference(join.destinationColumns, relationship.destination, join.destinationReferences),
    ]
    return "CREATE TABLE \(dialect.newTable(join.table)) (\n  "
      + ((own + other).uniqued { $0.sqlName } + orders + constraints).joined(separator: ",\n  ") + "\n)"
  }

  private func names(_ columns: [String]) -> String {
    columns.map(dialect.name).list
  }
}

/// The types that the columns of a new store are declared with.
package struct ColumnTypes: Sendable {
  package var text: String
  package var integer: String
  /// Of a column that is the key, whose numbers the database counts.
  package var numberKey: String
  /// Whether the tables of foreign keys must be there before them.
  package var takesKeysLater = false
  /// What stands behind a foreign key.
  package var keyEnding = ""
  /// The type of an attribute's column.
  package var name: @Sendable (AttributeColumn) -> String
  package var uuid: @Sendable (UUIDStorage) -> String

  /// Those in which SQLite holds every value as it is written.
  package static let sqlite = ColumnTypes(
    text: "TEXT", integer: "INTEGER", numberKey: "INTEGER PRIMARY KEY", name: \.storedType,
    uuid: { $0 == .blob ? "BLOB" : "TEXT" })

  /// PostgreSQL's own.
  package static let postgres = ColumnTypes(
    text: "text", integer: "bigint", numberKey: "bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
    takesKeysLater: true, keyEnding: " DEFERRABLE",
    name: { column in
      switch column.type {
      case .string, .uri: "text"
      case .decimal: "numeric"
      case .boolean: "boolean"
      case .integer16: "smallint"
      case .integer32: "integer"
      case .integer64: "bigint"
      case .double, .float: "double precision"
      case .binary, .transformable: "bytea"
      case .uuid: "uuid"
      case .date:
        switch column.dates {
        case .iso8601, .sqlite, .iso8601Seconds, .sqliteSeconds: "timestamp with time zone"
        case .day: "date"
        case .unix, .referenceDate: "double precision"
        case .unixMilliseconds: "bigint"
        }
      }
    },
    uuid: { _ in "uuid" })
}
