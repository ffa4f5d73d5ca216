import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// How the objects of one store come into another: the tables of both, the references and pairs between them.
struct CopyLayout {
  let rules: CopyRules
  let mapping: SchemaMapping
  let tables: [CopyTable]
  let references: [CopyReference]
  let joins: [CopyJoin]
  /// In an order in which what a group needs of other objects is settled before it.
  let groups: [CopyGroup]
  /// Where one subtree is cut out: which objects it is.
  let cut: CopyCut?

  var model: ObjectModel { rules.model }

  /// - Throws: `CloneError` (`identity-cycle`).
  init(
    rules: CopyRules, mapping: SchemaMapping, source: StoreSchema, target: StoreSchema, cut: CopyCut? = nil
  ) throws {
    self.cut = cut
    self.rules = rules
    self.mapping = mapping
    let model = rules.model
    let roots = model.entities.filter { $0.parent == nil && !model.concreteEntities(of: $0.name).isEmpty }
    tables = roots.map(\.name).enumerated().map { i, root in
      CopyTable(
        index: i, root: root, map: mapping[root], source: source[mapping[root].table]!,
        target: target[mapping[root].table]!, rules: rules, mapping: mapping,
        keepsKeys: cut?.keepsKeys ?? false)
    }
    let place = Dictionary(uniqueKeysWithValues: tables.map { ($0.root, $0.index) })
    references = RowReference.all(model: model, mapping: mapping).compactMap { reference in
      guard let table = place[model.rootEntity(of: reference.key.entity)],
        let destination = place[model.rootEntity(of: reference.key.destination)]
      else { return nil }
      return CopyReference(reference, table: table, destination: destination, rules: rules, cut: cut)
    }
    joins = CopyJoin.all(rules, mapping, place, source: source, target: target, cut: cut)
    groups = try CopyGroup.ordered(rules, tables: tables, references: references)
  }

  /// The table that an entity's objects lie in.
  func table(of entity: String) -> CopyTable {
    let root = model.rootEntity(of: entity)
    return tables.first { $0.root == root }!
  }

  /// The references that lie in the rows of a table.
  func references(in table: CopyTable) -> [CopyReference] {
    references.filter { $0.table == table.index }
  }

  /// What marks the rows that hold a reference, where siblings keep other references in its columns.
  func kind(_ reference: CopyReference, _ alias: String) -> String? {
    tables[reference.table].kind(of: model.concreteEntities(of: reference.key.entity), alias, mapping)
  }

  func groups(in table: CopyTable) -> [CopyGroup] { groups.filter { $0.table == table.index } }
}

/// One table that both stores have, for a root entity and all that inherit from it.
struct CopyTable {
  /// What becomes of the key of an object that is new in the other store.
  enum NewKey: Equatable {
    /// A number above the greatest there.
    case number
    /// The same, or a new one where it is taken.
    case uuid(UUIDStorage)
    /// The same.
    case kept
    /// Made part by part of what its references become, so that every object's is written down.
    case parts
  }

  var index: Int
  var root: String
  var map: EntityMapping
  var source: TableSchema
  var target: TableSchema
  var newKey: NewKey
  /// The concrete entities.
  var entities: [String]

  init(
    index: Int, root: String, map: EntityMapping, source: TableSchema, target: TableSchema, rules: CopyRules,
    mapping: SchemaMapping, keepsKeys: Bool
  ) {
    self.index = index
    self.root = root
    self.map = map
    self.source = source
    self.target = target
    entities = rules.model.concreteEntities(of: root)
    newKey = .parts
    if map.key.count == 1 { newKey = Self.newKey(map, entities, rules, mapping) }
    if keepsKeys && newKey != .parts { newKey = .kept }
  }

  /// A number that identifies objects is a value, and so are keys that people choose.
  private static func newKey(
    _ map: EntityMapping, _ entities: [String], _ rules: CopyRules, _ mapping: SchemaMapping
  ) -> NewKey {
    let identifies = entities.contains { entity in
      rules.identities[entity]?.paths.contains {
        $0.steps.isEmpty && mapping[entity].attributes[$0.attribute!.name]?.keyPart != nil
      } ?? false
    }
    switch map.key[0].source {
    case .rowid, .max, .automatic: return identifies ? .kept : .number
    case .uuid(let storage): return identifies ? .kept : .uuid(storage)
    case .copied, .given: return .kept
    case .relationship: return .parts
    }
  }

  var discriminator: String? { map.discriminator?.column }

  /// Key columns of a row of either store.
  func key(_ alias: String) -> [String] { map.keyColumns.map { SQL.column(alias, $0) } }

  /// The old key of an object in the temporary table of those whose new key is written down.
  func old(_ alias: String) -> [String] { map.key.indices.map { "\(alias).o\($0)" } }
  func new(_ alias: String) -> [String] { map.key.indices.map { "\(alias).n\($0)" } }

  var sourceName: String { CopySource.name(source.name) }
  var targetName: String { SQL.main(target.name) }
  var movedName: String { SQL.temp("moclone_moved_\(index)") }
  var skippedName: String { SQL.temp("moclone_skipped_\(index)") }

  /// The temporary tables, both with the source's keys compared as the source does.
  var definitions: [String] {
    let old = map.keyColumns.enumerated().map { i, column in
      let schema = source.column(column)
      return "o\(i) \(schema?.affinity ?? "INTEGER") COLLATE \(SQL.name(schema?.collation ?? "BINARY"))"
    }
    let primary = "PRIMARY KEY (\(SQL.list(map.key.indices.map { "o\($0)" })))"
    let isNumber = map.key.count == 1 && source.rowidColumn != nil
    let own = isNumber ? "o0 INTEGER PRIMARY KEY" : SQL.list(old)
    let rest = isNumber ? "" : ", \(primary)"
    let new = SQL.list(map.key.indices.map { "n\($0)" })
    let ending = isNumber ? "" : " WITHOUT ROWID"
    return [
      "CREATE TEMP TABLE \(SQL.name("moclone_moved_\(index)"))(\(own), \(new), is_new\(rest))\(ending)",
      "CREATE TEMP TABLE \(SQL.name("moclone_skipped_\(index)"))(\(own), part\(rest))\(ending)",
    ]
  }

  /// What marks the rows of some concrete entities; nil where the table holds no others.
  func kind(of entities: [String], _ alias: String, _ mapping: SchemaMapping) -> String? {
    guard let discriminator, Set(entities) != Set(self.entities) else { return nil }
    let values = entities.map { SQL.text(mapping[$0].discriminator!.value) }
    return "\(SQL.column(alias, discriminator)) IN (\(SQL.list(values)))"
  }
}

extension CopyTable {
  /// A column that holds values of attributes, or that only the stores know, and is declared otherwise in the two.
  struct OtherType {
    var source: ColumnSchema
    var target: ColumnSchema
    var attribute: AttributeColumn?

    /// A value of a row `s` as the other store holds it: text has room for all digits of a number.
    var value: String {
      let value = SQL.column("s", source.name)
      guard target.affinity == "TEXT" else { return value }
      let text = attribute?.type == .decimal ? "moclone_decimal(\(value))" : "printf('%!.17g', \(value))"
      return "CASE typeof(\(value)) WHEN 'real' THEN \(text) ELSE \(value) END"
    }
  }

  func columnsOfOtherType(_ layout: CopyLayout) -> [OtherType] {
    var attributes: [String: AttributeColumn] = [:]
    for column in entities.flatMap({ layout.mapping[$0].attributes.values }) where column.keyPart == nil {
      attributes[column.column.sqlName] = column
    }
    let unmapped = SharedColumns(source, target, layout.model, layout.mapping).names.map(\.sqlName)
    return (attributes.keys + unmapped).sorted().compactMap { name in
      guard let own = source.column(name), let other = target.column(name), own.affinity != other.affinity
      else {
        return nil
      }
      return OtherType(source: own, target: other, attribute: attributes[name])
    }
  }
}

/// A foreign key in the rows of a table, and what is done with it.
struct CopyReference {
  var key: ForeignKeyMapping
  var forward: RelationshipDescription?
  var backward: RelationshipDescription?
  var table: Int
  var destination: Int
  /// Whether a row brings its destination along, and a destination its rows.
  var followsForward: Bool
  var followsBackward: Bool
  /// Whether it is written.
  var isFormed: Bool

  init(_ reference: RowReference, table: Int, destination: Int, rules: CopyRules, cut: CopyCut?) {
    key = reference.key
    forward = reference.forward
    backward = reference.backward
    self.table = table
    self.destination = destination
    let either = (reference.forward ?? reference.backward)!
    followsForward = rules.follows(reference.forward ?? either)
    followsBackward = rules.follows(reference.backward ?? either)
    let isBrought = reference.forward.map { rules.brings($0, creates: true) } ?? false
    isFormed =
      cut.map { $0.asks(reference.forward) || $0.asks(reference.backward) || isBrought }
      ?? (followsForward || followsBackward)
  }

  /// The relationship that people know it by.
  var relationship: RelationshipDescription { (forward ?? backward)! }
  var isRequired: Bool { forward.map { !$0.isOptional } ?? false }
  /// Whether a destination has one row at most.
  var isOneToOne: Bool { backward.map { !$0.isToMany } ?? false }
}

/// A table of pairs.
struct CopyJoin {
  var mapping: JoinTableMapping
  var relationship: RelationshipDescription
  var inverse: RelationshipDescription?
  var table: Int
  var destination: Int
  var followsForward: Bool
  var followsBackward: Bool
  var isFormed: Bool
  /// Columns that only the stores know.
  var unmapped: [String]
  var source: TableSchema
  var target: TableSchema

  static func all(
    _ rules: CopyRules, _ mapping: SchemaMapping, _ place: [String: Int], source: StoreSchema,
    target: StoreSchema, cut: CopyCut?
  ) -> [CopyJoin] {
    let model = rules.model
    var seen: Set<String> = []
    return model.entities.flatMap(\.relationships).compactMap { relationship in
      guard case .join(let join) = mapping[relationship.entity].relationships[relationship.name],
        let table = place[model.rootEntity(of: relationship.entity)],
        let destination = place[model.rootEntity(of: relationship.destination)],
        seen.insert(join.table.sqlName).inserted,
        let from = source[join.table], let into = target[join.table]
      else { return nil }
      let inverse = model.inverse(of: relationship)
      return CopyJoin(
        mapping: join, relationship: relationship, inverse: inverse, table: table, destination: destination,
        followsForward: rules.follows(relationship), followsBackward: rules.follows(inverse ?? relationship),
        isFormed: cut.map { cut in [relationship, inverse].contains { cut.asks($0) } }
          ?? rules.forms(relationship),
        unmapped: SharedColumns(from, into, model, mapping).names, source: from, target: into)
    }
  }
}

/// The columns that both stores have and the model does not name, references left out.
struct SharedColumns {
  let names: [String]

  init(_ source: TableSchema, _ target: TableSchema, _ model: ObjectModel, _ mapping: SchemaMapping) {
    let known = MappedColumns(table: target, model: model, mapping: mapping)
    let references = Set(target.foreignKeys.flatMap(\.columns).map(\.sqlName))
    names = target.columns.filter { column in
      model.store.unmapped == .copy && !column.isGenerated && !known.contains(column.name)
        && !references.contains(column.name.sqlName) && source.column(column.name) != nil
    }.map(\.name)
  }
}

/// Entities of one table that are identified in the same way.
struct CopyGroup {
  var table: Int
  var entities: [String]
  var identity: Identity?

  static func ordered(
    _ rules: CopyRules, tables: [CopyTable], references: [CopyReference]
  ) throws -> [CopyGroup] {
    let model = rules.model
    let order = try rules.identities.order(rules.concreteEntities) { entity in
      let table = tables.first { $0.entities.contains(entity) }!
      guard table.newKey == .parts else { return [] }
      return table.map.key.flatMap { part -> [String] in
        guard case .relationship(let name, _) = part.source else { return [] }
        return model.concreteEntities(of: model.relationship(name, of: entity)!.destination)
      }
    }
    var groups: [CopyGroup] = []
    for entity in order {
      let table = tables.first { $0.entities.contains(entity) }!.index
      let identity = rules.identities[entity]
      let place = groups.firstIndex { group in
        group.table == table && group.identity?.scope == identity?.scope
          && group.identity?.paths == identity?.paths
      }
      // An inherited constraint is matched at once, where its last entity is settled.
      if let place {
        var group = groups.remove(at: place)
        group.entities.append(entity)
        groups.append(group)
      } else {
        groups.append(CopyGroup(table: table, entities: [entity], identity: identity))
      }
    }
    return groups
  }
}
