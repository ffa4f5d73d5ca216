import MOCloneEngine
import MOCloneModel

// Rows of tables like the store's own.
extension TransferLayout {
  /// - Parameter source: tables that fit the model as this store's do.
  /// - Throws: `CloneError` (`identity-cycle`; `generated-column` where a request sets what the database computes).
  package convenience init(
    _ rules: CopyRules, policy: TransferPolicy, from source: SourceTables, into store: StoreLayout,
    subtree: CopiedSubtree? = nil
  ) throws {
    if let subtree, let root = subtree.root {
      let given = subtree.set.compactMap { store.model.attribute($0, of: root) }
      try store.schema.refuse(given: given.map { (attribute: $0, entity: root) }, store.mapping)
    }
    var streams = store.tables.map { table in
      Self.stream(of: table, source, rules: rules, policy: policy, in: store, subtree: subtree)
    }
    for (i, reference) in store.references.enumerated() {
      let (from, to) = (
        store.table(of: reference.entity).index, store.table(of: reference.key.destination).index
      )
      streams[from].references.append(
        StreamReference(
          reference: reference, columns: reference.key.columns, destination: to, number: i,
          isFormed: Self.forms(reference, rules: rules, subtree: subtree),
          orderColumn: reference.key.orderColumn))
    }
    let joinRows = store.joins.enumerated().map { i, join in
      Self.joinRows(i, join: join, source: source, rules: rules, policy: policy, in: store, subtree: subtree)
    }
    self.init(
      policy, identities: rules.identities, store: store, streams: streams, joinRows: joinRows,
      groups: try Self.groups(rules, streams: streams, in: store.model), rules: rules, subtree: subtree,
      source: source,
      prefix: "copy_")
  }

  /// The same with rows that are staged in some of the store's own tables.
  package func staging(inPlace tables: Set<String>) throws -> TransferLayout {
    try TransferLayout(
      rules!, policy: policy, from: source!.staging(store, inPlace: tables), into: store, subtree: subtree)
  }

  private static func stream(
    of table: TablePlan, _ source: SourceTables, rules: CopyRules, policy: TransferPolicy,
    in store: StoreLayout, subtree: CopiedSubtree?
  ) -> RowStream {
    let own = source.schema[table.schema.name]!
    let unnamed = SharedColumns(
      own, target: table.schema, in: store.model, mapping: store.mapping, keepsRowids: policy.keepsKeys)
    return RowStream(
      index: table.index, table, from: own, sql: source.sql(own.name),
      newKey: newKey(table, rules: rules, policy: policy, subtree: subtree, mapping: store.mapping),
      attributes: table.entities.flatMap { entity in
        // What triggers keep is not taken along: there a new row begins anew.
        store.model.attributes(of: entity).filter { !$0.isKeptByTriggers }
          .compactMap { store.mapping[entity].attributes[$0.name] }
      }, unnamed: unnamed)
  }

  /// A number that identifies objects is a value, and so are keys that people choose; of what is cut out some numbers are
  /// values and others are counted.
  private static func newKey(
    _ table: TablePlan, rules: CopyRules, policy: TransferPolicy, subtree: CopiedSubtree?,
    mapping: SchemaMapping
  ) -> RowStream.NewKey {
    guard table.map.key.count == 1 else { return .written }
    let identifies = table.entities.contains { entity in
      rules.identities[entity]?.paths.contains {
        $0.steps.isEmpty && mapping[entity].attributes[$0.attribute!.name]?.keyPart != nil
      } ?? false
    }
    switch table.map.key[0].source {
    case .relationship: return .written
    case .copied, .given: return .kept
    case .rowid, .max, .automatic:
      let isNumber = table.schema.countsKeys(in: table.map.key[0].column)
      if policy.keepsKeys || identifies && (subtree == nil || !isNumber) { return .kept }
      let isGiven = isNumber && subtree?.numbered.contains { table.entities.contains($0.entity) } == true
      // What a sequence has given is taken, so there is no distance to count by.
      return identifies || isGiven || table.next(0) != nil ? .written : .number
    case .uuid(let storage): return identifies || policy.keepsKeys ? .kept : .uuid(storage)
    }
  }

  private static func forms(_ reference: RowReference, rules: CopyRules, subtree: CopiedSubtree?) -> Bool {
    guard let subtree else { return reference.ends.contains { rules.follows($0) } }
    return subtree.asks(reference.forward) || subtree.asks(reference.backward)
      || reference.forward.map { rules.copies($0, creates: true) } ?? false
  }

  /// Columns of a join table that only both stores know, its own key included.
  func unmapped(ofPairs table: TableSchema) -> [String] {
    joinRows.first { $0.source?.name.sqlName == table.name.sqlName }
      .map { $0.unmapped + [$0.ownKey?.column].compactMap { $0 } } ?? []
  }

  private static func joinRows(
    _ index: Int, join: TableJoin, source: SourceTables, rules: CopyRules, policy: TransferPolicy,
    in store: StoreLayout, subtree: CopiedSubtree?
  ) -> JoinRowStream {
    let own = source.schema[join.schema.name]!
    let shared = SharedColumns(own, target: join.schema, in: store.model, mapping: store.mapping).names
    let ownKey = policy.keepsKeys ? nil : JoinKey(join.schema, among: shared)
    let ends = join.ends.map { end in
      JoinRowStream.End(
        stream: store.table(of: end.entity).index, columns: end.mapping.columns, mapping: end.mapping)
    }
    return JoinRowStream(
      index: index, join: join, relationship: join.relationship, sql: source.sql(own.name), source: own,
      ends: ends,
      unmapped: shared.filter { $0 != ownKey?.column }, ownKey: ownKey,
      isFormed: subtree.map { subtree in [join.relationship, join.inverse].contains { subtree.asks($0) } }
        ?? rules.forms(join.relationship))
  }

  private static func groups(
    _ rules: CopyRules, streams: [RowStream], in model: ObjectModel
  ) throws -> [StreamGroup] {
    func stream(of entity: String) -> RowStream { streams.first { $0.entities.contains(entity) }! }
    let order = try rules.identities.order(rules.concreteEntities) { entity in
      let own = stream(of: entity)
      let renewed = (rules.identities[entity]?.paths ?? []).compactMap(\.steps.first).flatMap {
        renewedKeys(of: $0.name, entity, streams: streams, in: model)
      }
      guard own.newKey == .written else { return renewed }
      return renewed
        + own.table.map.key.flatMap { part -> [String] in
          guard case .relationship(let name, _) = part.source else { return [] }
          // In a tree whose rows share a part of their keys each row has that part itself.
          return model.concreteEntities(of: model.relationship(name, of: entity)!.destination)
            .filter { stream(of: $0).index != own.index }
        }
    }
    var groups: [StreamGroup] = []
    for entity in order {
      let (stream, identity) = (stream(of: entity).index, rules.identities[entity])
      let place = groups.firstIndex { group in
        group.stream == stream && group.identity?.scope == identity?.scope
          && group.identity?.paths == identity?.paths
      }
      // An inherited constraint is matched at once, where its last entity is settled.
      let known = place.map { groups.remove(at: $0).entities } ?? []
      groups.append(StreamGroup(stream: stream, entities: known + [entity], identity: identity))
    }
    return groups
  }

  /// The entities whose keys a reference holds that leads to a unique key of which they are a part.
  private static func renewedKeys(
    of relationship: String, _ entity: String, streams: [RowStream], in model: ObjectModel
  ) -> [String] {
    func stream(of entity: String) -> RowStream { streams.first { $0.entities.contains(entity) }! }
    var found: Set<String> = []
    var rest = stream(of: entity).references.filter { $0.reference.forward?.name == relationship }
    while let reference = rest.popLast() {
      let there = stream(of: model.concreteEntities(of: reference.key.destination)[0])
      guard there.table.keys.places(of: reference.key.references) == nil else { continue }
      let columns = Set(reference.key.references.map(\.sqlName))
      let held = there.references.filter { held in held.key.columns.contains { columns.contains($0.sqlName) }
      }
      for held in held where found.insert(held.key.destination).inserted { rest.append(held) }
    }
    return found.flatMap(model.concreteEntities).filter { $0 != entity }
  }
}

extension RowReference {
  /// The relationships that read it, of which one can be unknown to the model.
  package var ends: [RelationshipDescription] {
    forward == nil && backward == nil ? [] : [forward ?? backward!, backward ?? forward!]
  }
}

/// The columns that both stores have, of one type where they have types, and the model does not name; what the database
/// counts is left out.
package struct SharedColumns {
  package let names: [String]
  /// Those of foreign keys: what they lead to has other keys in the other store, so no copy takes them along.
  package let references: [String]

  /// - Parameter keepsRowids: whether numbers of rows in SQLite come along nevertheless.
  package init(
    _ source: TableSchema, target: TableSchema, in model: ObjectModel, mapping: SchemaMapping,
    keepsRowids: Bool = true
  ) {
    let keys = Set(target.foreignKeys.flatMap(\.columns).map(\.sqlName))
    let shared = target.unmappedColumns(mapping).filter { column in
      model.store.unmapped == .copy && source.column(column.name).map(column.takes) == true
        && (keepsRowids || !target.isRowid(column.name))
    }.map(\.name)
    names = shared.filter { !keys.contains($0.sqlName) }
    references = shared.filter { keys.contains($0.sqlName) }
  }
}

extension ColumnSchema {
  /// Whether the values of another column come in as they stand; one of a staged table has no kind, and was asked before.
  fileprivate func takes(_ other: ColumnSchema) -> Bool {
    guard kind != nil else { return true }
    let isStaged = other.kind == nil
    return type == other.type && sequence == nil
      && (isStaged || definition == other.definition && (other.isRequired || !isRequired))
  }
}
