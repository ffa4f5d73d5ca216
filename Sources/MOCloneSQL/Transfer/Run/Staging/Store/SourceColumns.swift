import MOCloneEngine
import MOCloneModel

/// Writes the columns of rows of a source as SQL, each with how its values are converted: what `StagedKeys` finds out
/// object by object.
struct SourceColumns {
  let source: StoreLayout
  /// The mapping of the store that the rows come into.
  let target: SchemaMapping
  var model: ObjectModel { source.model }
  var dialect: Dialect { source.dialect }

  struct Column: Equatable {
    var sql: String
    var conversion: ValueConversion
    /// Whether the row's own columns tell whether it is null, since the database sees to it that references lead somewhere.
    var isTrusted = true
  }

  /// What a column holds in the rows of some entities of one table, or references to them.
  ///
  /// - Parameter passed: the columns that were passed on the way here, so that no chain of references is followed without
  ///   end.
  /// - Returns: nil where rows of one table have to be read in several ways.
  func column(_ name: String, of entities: [String], _ alias: String, passed: Set<String> = []) -> Column? {
    let all = entities.map { column(name, of: $0, alias, passed) }
    guard let first = all.first, all.allSatisfy({ $0 == first }) else { return nil }
    return first
  }

  private func column(_ name: String, of entity: String, _ alias: String, _ passed: Set<String>) -> Column? {
    let map = source.mapping[entity]
    let own = dialect.column(alias, name)
    if let (attribute, column) = map.attributes.first(where: { $0.value.column.sqlName == name.sqlName }) {
      let there = target[entity].attributes[attribute]!
      return Column(sql: own, conversion: .attribute(from: ValueCoding(column), to: ValueCoding(there)))
    }
    if map.discriminator?.column.sqlName == name.sqlName { return Column(sql: own, conversion: .mark) }
    let passed = passed.union(["\(map.table.sqlName) \(name.sqlName)"])
    var holders: [Column] = []
    for (relationship, key, place) in map.foreignKeys(giving: name)
    where !leadsBack(key, place: place, passed: passed) {
      let declared = model.relationship(relationship, of: entity)!.destination
      guard let holder = destination(key, place: place, alias: alias, where: declared, passed: passed) else {
        return nil
      }
      holders.append(holder)
    }
    return part(of: map, name, own: own, holders: holders)
  }

  /// A column of several relationships, of which the first that has a destination gives the value, or the key itself.
  private func part(of map: EntityMapping, _ name: String, own: String, holders: [Column]) -> Column? {
    var columns = holders
    if let part = map.keyPart(of: name) {
      let root = model.rootEntity(of: map.entity)
      let coding = ValueConversion.key(
        from: KeyPartCoding(source.mapping[root], part: part), to: KeyPartCoding(target[root], part: part))
      if case .relationship = map.key[part].source {
      } else {
        columns.append(Column(sql: own, conversion: coding))
      }
    }
    guard let first = columns.first, columns.allSatisfy({ $0.conversion == first.conversion }) else {
      return nil
    }
    if columns.allSatisfy({ $0.sql == own }) { return first }
    let values = columns.map(\.sql)
    return Column(
      sql: values.count == 1 ? values[0] : "coalesce(\(values.list))", conversion: first.conversion,
      isTrusted: false)
  }

  /// Whether a reference has its value from a column that was passed, as that of a tree whose keys begin alike.
  private func leadsBack(_ key: ForeignKeyMapping, place: Int, passed: Set<String>) -> Bool {
    let table = source.mapping[key.destination].table
    return passed.contains("\(table.sqlName) \(key.references[place].sqlName)")
  }

  /// What a column of a foreign key holds: what the destination has, which is looked up where the database does not
  /// answer for it.
  ///
  /// - Parameter entity: the one that the destination must be of.
  func destination(
    _ key: ForeignKeyMapping, place: Int, alias: String, where entity: String, passed: Set<String> = []
  ) -> Column? {
    let table = source.table(of: entity)
    let other = alias + "d"
    let entities = model.concreteEntities(of: entity)
    guard let value = column(key.references[place], of: entities, other, passed: passed) else { return nil }
    let isPlain = value.sql == dialect.column(other, key.references[place]) && value.isTrusted
    if isPlain, answers(for: key, entity) {
      return Column(sql: dialect.column(alias, key.columns[place]), conversion: value.conversion)
    }
    let tie = key.leads(from: alias, to: other, in: dialect)
    let row = Select([value.sql], from: table.rows(other)).where(tie && table.isKind(entities, alias: other))
      .ordered(by: table.key(other)).limited(to: 1)
    return Column(sql: "(\(row.text(dialect)))", conversion: value.conversion, isTrusted: false)
  }

  /// Types whose values are equal only where they are written alike.
  private static let exact: Set<String> = ["int2", "int4", "int8", "uuid", "text", "varchar"]

  /// Whether the database sees to it that a foreign key leads to an object of an entity, by the very value.
  private func answers(for key: ForeignKeyMapping, _ entity: String) -> Bool {
    let (table, there) = (source.table(of: key.entity).schema, source.table(of: entity))
    guard dialect.hasTypes, Set(model.concreteEntities(of: entity)) == Set(there.entities) else {
      return false
    }
    let isDeclared = table.foreignKeys.contains { declared in
      let references = declared.references.isEmpty ? there.keyColumns.map(\.name) : declared.references
      return declared.table.sqlName == there.schema.name.sqlName
        && declared.leads(from: key.columns, to: key.references, by: references)
    }
    let columns = key.columns.map { table.column($0) } + key.references.map { there.schema.column($0) }
    return isDeclared
      && columns.allSatisfy { column in
        column.map { $0.collation == "BINARY" && Self.exact.contains($0.base ?? "") } ?? false
      }
  }
}
