import MOCloneEngine
import MOCloneModel

// Rows that objects of one entity are to follow.
extension TransferLayout {
  package convenience init(_ plan: SyncPlan, into store: StoreLayout) throws {
    let table = store.table(of: plan.entity)
    let columns = plan.columns.map { Self.column($0, entity: plan.entity, table: table, store: store) }
    let lookups = plan.lookups.map { Self.reference(of: $0.relationship, plan.entity, store: store) }
    let rows = StagedRows(
      "sync_rows", columns: columns,
      found: lookups.enumerated().flatMap { i, reference in
        zip(reference.key.columns, Self.found(reference, lookup: i)).map { column, name in
          (name, table.schema.columnOrRowid(column))
        }
      }, dialect: store.dialect)
    var stream = RowStream(index: 0, table, entity: plan.entity, staged: rows, newKey: .number)
    for (place, column) in plan.columns.enumerated() {
      guard case .reference(let relationship) = column else { continue }
      let reference = Self.reference(of: relationship, plan.entity, store: store)
      stream.references.append(
        StreamReference(reference: reference, columns: ["a\(place)"], destination: nil, number: place))
    }
    for (i, reference) in lookups.enumerated() {
      stream.references.append(
        StreamReference(
          reference: reference, columns: Self.found(reference, lookup: i), destination: nil,
          number: plan.columns.count + i))
    }
    let identities = try Identities(plan.model, identifiedBy: plan.request.identifiedBy, of: [plan.entity])
    self.init(
      .sync(plan), identities: identities, store: store, streams: [stream], joinRows: [],
      groups: [StreamGroup(stream: 0, entities: [plan.entity], identity: plan.identity)], prefix: "sync_")
  }

  /// The columns of staged rows that hold the reference to an object found by their values.
  static func found(_ reference: RowReference, lookup: Int) -> [String] {
    reference.key.columns.indices.map { "l\(lookup)_\($0)" }
  }

  static func reference(
    of relationship: RelationshipDescription, _ entity: String, store: StoreLayout
  ) -> RowReference {
    guard let key = store.mapping[entity].foreignKey(relationship.name) else {
      preconditionFailure("'\(relationship.name)' lies in no row")
    }
    return store.references.first { $0.key == key }!
  }

  private static func column(
    _ column: SyncPlan.Column, entity: String, table: TablePlan, store: StoreLayout
  ) -> StagedRows.Column {
    switch column {
    case .attribute(let attribute):
      let mapped = store.mapping[entity].attributes[attribute.name]!
      return StagedRows.Column(schema: table.schema.columnOrRowid(mapped.column), attribute: mapped)
    case .reference(let relationship):
      let key = reference(of: relationship, entity, store: store).key
      let name = key.columns[0]
      // A UUID can be written otherwise in a reference than a person writes it.
      let destination = store.mapping[key.destination]
      let uuids = destination.keyPart(of: key.references[0]).flatMap { destination.key[$0].uuids }
      let schema = table.schema.columnOrRowid(name)
      let attribute = uuids.map {
        AttributeColumn(column: name, type: .uuid, uuids: $0, base: schema.base)
      }
      return StagedRows.Column(schema: schema, attribute: attribute, isOwn: false)
    case .path(let path):
      let end = path.steps.last!.destination
      let mapped = store.mapping[end].attributes[path.attribute!.name]!
      let schema = store.table(of: end).schema.columnOrRowid(mapped.column)
      return StagedRows.Column(schema: schema, attribute: mapped, isOwn: false)
    }
  }
}
