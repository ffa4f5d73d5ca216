import MOCloneEngine
import MOCloneModel

// Rows that were staged in temporary tables.
extension TransferLayout {
  /// - Parameter prefix: what tells the tables of this import from those of another one on the connection.
  /// - Throws: `CloneError` (`generated-column`) where the mapping gives what the database computes.
  package convenience init(_ plan: ImportPlan, into store: StoreLayout, prefix: String) throws {
    let given = plan.entities.flatMap { entity in
      entity.attributes.map { (attribute: $0, entity: entity.name) }
    }
    try store.schema.refuse(given: given, store.mapping)
    var streams = plan.entities.indices.map {
      Self.stream($0, entity: plan.entities[$0], in: store, prefix: prefix)
    }
    var number = 0
    for (i, entity) in plan.entities.enumerated() {
      for (j, reference) in entity.references.enumerated() {
        let key = Self.foreignKey(of: reference.relationship, store.mapping)
        streams[i].references.append(
          StreamReference(
            reference: store.references.first { $0.key == key }!, columns: ["r\(j)"],
            destination: reference.destination, number: number))
        number += 1
      }
    }
    let joinRows = plan.joinRows.indices.map {
      Self.joinRows($0, joinRows: plan.joinRows[$0], in: store, prefix: prefix)
    }
    self.init(
      .import(plan), identities: try Identities(plan.model), store: store, streams: streams,
      joinRows: joinRows,
      groups: plan.entities.enumerated().map {
        StreamGroup(stream: $0, entities: [$1.name], identity: $1.identity)
      }, prefix: prefix)
  }

  /// The same where the rows are staged, with what is known of them.
  package func knowing(_ rows: any StagingSink) -> TransferLayout {
    TransferLayout(
      policy, identities: identities, store: store,
      streams: streams.map { $0.knowing(absent: rows.absent($0.index)) }, joinRows: joinRows, groups: groups,
      prefix: prefix)
  }

  private static func stream(
    _ index: Int, entity: ImportPlan.Entity, in store: StoreLayout, prefix: String
  ) -> RowStream {
    let table = store.table(of: entity.name)
    let columns = entity.attributes.map { attribute in
      let column = store.mapping[entity.name].attributes[attribute.name]!
      return StagedRows.Column(schema: table.schema.columnOrRowid(column.column), attribute: column)
    }
    let rows = StagedRows(
      "\(prefix)rows\(index)", columns: columns, references: entity.references.count, dialect: store.dialect)
    return RowStream(index: index, table, entity: entity.name, staged: rows, newKey: .number)
  }

  private static func foreignKey(
    of relationship: RelationshipDescription, _ mapping: SchemaMapping
  ) -> ForeignKeyMapping {
    switch mapping[relationship.entity].relationships[relationship.name]! {
    case .foreignKey(let key), .inverseForeignKey(let key): key
    case .join: preconditionFailure("'\(relationship.name)' lies in no row")
    }
  }

  private static func joinRows(
    _ index: Int, joinRows: ImportPlan.JoinRows, in store: StoreLayout, prefix: String
  ) -> JoinRowStream {
    let relationship = joinRows.relationship
    guard case .join(let mapping) = store.mapping[relationship.entity].relationships[relationship.name],
      let join = store.joins.first(where: { $0.schema.name.sqlName == mapping.table.sqlName })
    else { preconditionFailure("'\(relationship.name)' has no table of pairs") }
    let table = stagedJoinRows(index, prefix: prefix, dialect: store.dialect)
    return JoinRowStream(
      index: index, join: join, relationship: relationship, sql: table.sql, source: nil,
      ends: [
        JoinRowStream.End(stream: joinRows.source, columns: ["source"], mapping: mapping),
        JoinRowStream.End(stream: joinRows.destination, columns: ["destination"], mapping: mapping.inverted),
      ], unmapped: [], ownKey: nil, isFormed: true)
  }

  private static func stagedJoinRows(_ index: Int, prefix: String, dialect: Dialect) -> TemporaryTable {
    TemporaryTable(
      "\(prefix)pairs\(index)",
      columns: [
        "number \(dialect.countingKey)", "source \(dialect.types.integer)",
        "destination \(dialect.types.integer)",
      ], dialect: dialect)
  }

  /// The table that pairs of rows are staged in: `source`, `destination`.
  package func staged(_ joinRows: JoinRowStream) -> TemporaryTable {
    Self.stagedJoinRows(joinRows.index, prefix: prefix, dialect: dialect)
  }

  /// Every temporary table that rows are staged in.
  var stagedTables: [TemporaryTable] {
    streams.compactMap(\.staged?.table) + joinRows.filter { $0.source == nil }.map(staged)
  }

  // MARK: Keys that somebody asks for

  /// Whether the key of each row's object must be known before the objects are written: rows refer to it, or it is changed.
  package func needsKeys(of stream: RowStream, _ made: NewKeys) -> Bool {
    let isReferredTo = streams.contains { other in
      other.references.contains { $0.destination == stream.index }
        || (other.index != stream.index && other.table == stream.table)
    }
    let isPaired = joinRows.contains { $0.ends.contains { $0.stream == stream.index } }
    let isIdentified = groups(of: stream).contains { $0.identity != nil }
    return isReferredTo || isPaired || made.countsOtherNumbers || (isIdentified && policy.existing != .keep)
  }
}
