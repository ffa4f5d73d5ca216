import MOCloneEngine
import MOCloneModel

/// Stages the objects of a graph of another kind as rows of tables like the store's, with keys and references of their
/// own, so that they come in as the rows of an attached store do.
///
/// One prepared statement a table, run once for each object; one more for each member of a list whose owner knows its
/// order, or the reference to it. Memory does not grow but for the keys that the graph lists.
package final class GraphStaging: RowStaging {
  private let selection: GraphSelection
  let objects: ObjectStaging
  private var source: any ObjectGraph { selection.source }
  /// The database of columns that the model does not name.
  private var store: (any StoreGraph)? { source as? any StoreGraph }
  private var keys: StagedKeys { objects.keys }
  private var model: ObjectModel { layout.model }
  private var dialect: Dialect { layout.dialect }
  private lazy var columns = (try? store?.storeLayout()).map {
    SourceColumns(source: $0, target: layout.mapping)
  }

  package init(
    _ selection: GraphSelection, in layout: TransferLayout, db: any TransferConnection,
    options: TransferOptions
  ) {
    self.selection = selection
    objects = ObjectStaging(GraphReading(graph: selection.source), in: layout, db: db, options: options)
  }

  /// Stages everything that is meant.
  func stage(_ loading: any BulkLoading) throws {
    for table in layout.store.tables {
      try stage(selection.objects(of: table.root), of: table)
    }
    for reference in layout.store.references { try stageLists(of: reference) }
    for join in layout.store.joins { try stage(join) }
    try options.report(objects.progress)
  }

  /// Stages what identifies others and is not meant itself.
  func stageIdentityEnds() throws {
    let ends = try selection.identityEnds()
    for table in layout.store.tables {
      let own = ends.filter { model.rootEntity(of: $0.entity) == table.root }
      if !own.isEmpty { try stage(own, of: table) }
    }
  }

  // MARK: Rows

  private func stage(_ all: some Sequence<ObjectID>, of table: TablePlan) throws {
    let writer = try objects.writer(of: table)
    let stream = layout.stream(of: table.root)
    let unmapped = stream.unmapped + stream.emptied
    let halves = (store == nil ? [] : stream.halves).map { half in
      (key: half.key, own: half.own.map { ($0, conversion($0, of: half.key)) })
    }
    let columns = (unmapped + halves.flatMap(\.key.columns)).uniqued()
    for object in all {
      let stored = columns.isEmpty ? [] : try store!.columns(columns, of: object)
      let held = Dictionary(uniqueKeysWithValues: zip(columns, stored))
      var kept = Dictionary(uniqueKeysWithValues: unmapped.map { (writer.place($0), held[$0]!) })
      for half in halves where half.key.columns.contains(where: { held[$0]?.isNull == true }) {
        for (column, conversion) in half.own where held[column]?.isNull == false {
          kept[writer.place(column)] = conversion.converted(held[column]!)
        }
      }
      try objects.stage(object, with: writer, values: kept)
    }
    try writer.finish()
  }

  /// How a part of a key of which another part is null is written in the store.
  private func conversion(_ column: String, of key: ForeignKeyMapping) -> ValueConversion {
    let place = key.columns.firstIndex(of: column)!
    return columns?.destination(key, place: place, alias: "s", where: key.destination)?.conversion ?? .plain
  }

  /// Changes staged rows one by one.
  ///
  /// - Parameters:
  ///   - columns: what is set.
  ///   - keys: by what a row is found; their values come behind those that are set.
  private func rowWriter(
    updating table: TableSchema, _ columns: [String], where keys: [String]
  ) throws -> any RowWriting {
    let parameters = (columns + keys).indices.map { dialect.parameter("p\($0)") }
    let values = (columns + keys).enumerated().map { i, name in
      dialect.cast(parameters[i], table.column(name).map(dialect.columnType))
    }
    let update = Update(
      layout.source!.sql(table.name), assignments: columns.enumerated().map { (dialect.name($1), values[$0]) }
    ).where(.equal(keys.map(dialect.name), Array(values.dropFirst(columns.count))))
    return try db.rowWriter(updating: update.text(dialect), parameters: parameters.count)
  }

  /// The relationships of a graph lead to objects that exist.
  var dangling: [String: Int] { [:] }
  var trustsReferences: Bool { false }
  var entersLinked: Bool { false }

  func enterSubtree(_ subtree: SubtreeReach, statements: any StatementRunning) throws {
    try db.enter(Set(selection.members.map(staged)), in: layout.reach.table, layout)
    for (objects, table) in subtree.named { try db.enter(Set(objects.map(staged)), in: table, layout) }
  }

  // MARK: Lists

  /// Gives members what only the owner of their list knows: the order, and the reference where they have no relationship
  /// of their own.
  private func stageLists(of reference: RowReference) throws {
    let key = reference.key
    guard let list = reference.backward, reference.forward == nil || key.orderColumn != nil else { return }
    let table = layout.store.table(of: key.entity)
    let columns = (reference.forward == nil ? key.columns : []) + [key.orderColumn].compactMap { $0 }
    let writer = try rowWriter(
      updating: layout.source!.schema[table.schema.name]!, columns, where: table.keyColumns.map(\.name))
    for owner in try selection.objects(of: list.entity) {
      try options.checkCancellation()
      let own = reference.forward == nil ? try keys.values(key.references, of: owner) : []
      for (place, member) in try source.destinations(list.name, of: owner).enumerated()
      where selection.contains(member) {
        let position = key.orderColumn == nil ? [] : [StoredValue.integer(Int64(place + 1))]
        try writer.write(own + position + keys.key(of: member))
      }
    }
    try writer.finish()
  }

  // MARK: Pairs

  private func stage(_ join: TableJoin) throws {
    let ends = join.ends.filter { $0.relationship != nil }
    // The second order needs an update of each pair, so the first is written with it.
    let sides = ends.filter { $0.mapping.orderColumn != nil } + ends.filter { $0.mapping.orderColumn == nil }
    let schema = layout.source!.schema[join.schema.name]!
    let names = schema.columns.map(\.name.sqlName)
    let insert = try objects.rowWriter(into: schema)
    let unmapped = layout.unmapped(ofPairs: schema)
    try eachPair(of: sides[0].relationship!, sides[0].mapping, with: unmapped) { pair in
      var row = Array(repeating: StoredValue.null, count: names.count)
      for (column, value) in pair { row[names.firstIndex(of: column.sqlName)!] = value }
      try insert.write(row)
    }
    try insert.finish()
    guard let other = sides.dropFirst().first, let order = other.mapping.orderColumn else { return }
    let columns = other.mapping.columns + other.mapping.destinationColumns
    let writer = try rowWriter(updating: schema, [order], where: columns)
    try eachPair(of: other.relationship!, other.mapping) { pair in
      try writer.write([pair.last!.value] + pair.dropLast().map(\.value))
    }
    try writer.finish()
  }

  /// Goes through the pairs of a relationship: what only both stores know of them, the columns of both ends, and the
  /// position in the list.
  private func eachPair(
    of relationship: RelationshipDescription, _ mapping: JoinTableMapping, with unmapped: [String] = [],
    body: ([(column: String, value: StoredValue)]) throws -> Void
  ) throws {
    for owner in try selection.objects(of: relationship.entity) {
      try options.checkCancellation()
      let own = zip(mapping.columns, try keys.values(mapping.references, of: owner))
      for (place, member) in try source.destinations(relationship.name, of: owner).enumerated()
      where selection.contains(member) && selection.pairs(owner, relationship, member) {
        let other = zip(
          mapping.destinationColumns, try keys.values(mapping.destinationReferences, of: member))
        let position = mapping.orderColumn.map { [($0, StoredValue.integer(Int64(place + 1)))] } ?? []
        let values =
          unmapped.isEmpty
          ? [] : try store!.columns(unmapped, tying: owner, to: member, relationship.name)
        try body(zip(unmapped, values) + Array(own) + Array(other) + position)
      }
    }
  }
}

extension RowStream {
  /// The references of several columns, with the columns that no other one holds.
  fileprivate var halves: [(key: ForeignKeyMapping, own: [String])] {
    references.filter { $0.key.columns.count > 1 }.map { reference in
      let others = references.filter { $0.number != reference.number }.flatMap(\.key.columns).map(\.sqlName)
      return (reference.key, reference.key.columns.filter { !others.contains($0.sqlName) })
    }
  }
}
