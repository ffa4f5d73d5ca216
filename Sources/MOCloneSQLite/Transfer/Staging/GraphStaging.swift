import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Stages the objects of a graph of another kind as rows of tables like the store's, with keys and references of their
/// own, so that they come in as the rows of an attached store do.
///
/// One prepared statement a table, run once for each object; one more for each member of a list whose owner knows its
/// order, or the reference to it. Memory does not grow but for the keys that the graph lists.
final class GraphStaging {
  private let selection: GraphSelection
  private let layout: TransferLayout
  private let db: Database
  private let run: MoveRun
  private let keys: StagedKeys
  private var progress = MoveProgress(.reading)
  /// Objects that are left out since a part of their key, which identifies them, has no destination.
  private(set) var skipped: [(object: ObjectID, path: IdentityPath)] = []
  private var source: any ObjectGraph { selection.source }
  private var model: ObjectModel { layout.model }
  private var dialect: Dialect { layout.dialect }

  init(_ selection: GraphSelection, _ layout: TransferLayout, _ db: Database, _ run: MoveRun) {
    (self.selection, self.layout, self.db, self.run) = (selection, layout, db, run)
    keys = StagedKeys(selection.source, layout, run.generator)
  }

  /// The object in the store that the staged rows make up.
  func staged(_ object: ObjectID) throws -> ObjectID {
    let coding = KeyCoding(entity: layout.mapping[object.entity])
    let parts = try keys.key(of: object).enumerated().map { coding.decode($1, part: $0) }
    return ObjectID(object.entity, key: ObjectKey(parts))
  }

  /// Stages everything that is meant.
  func stage() throws {
    for table in layout.store.tables {
      let writer = try writer(of: table)
      for object in try selection.objects(of: table.root) { try stage(object, with: writer) }
    }
    for reference in layout.store.references { try stageLists(of: reference) }
    for join in layout.store.joins { try stage(join) }
    try run.report(progress)
  }

  /// Stages what identifies others and is not meant itself.
  func stageIdentityEnds() throws {
    let ends = try selection.identityEnds()
    for table in layout.store.tables {
      let own = ends.filter { model.rootEntity(of: $0.entity) == table.root }
      if own.isEmpty { continue }
      let writer = try writer(of: table)
      for object in own { try stage(object, with: writer) }
    }
  }

  // MARK: Rows

  private func writer(of table: TablePlan) throws -> ObjectRowWriter {
    let schema = layout.source!.schema[table.schema.name]!
    return try ObjectRowWriter(
      table, schema.columns.map(\.name), keys, layout.mapping, into: statement(inserting: schema))
  }

  private func statement(inserting table: TableSchema) throws -> RawStatement {
    let insert = Insert(
      into: layout.source!.sql(table.name), table.columns.map { dialect.name($0.name) },
      rows: "VALUES (\(table.columns.map { _ in "?" }.list))")
    return try statement(insert.text(dialect))
  }

  /// Texts are bound byte for byte, also behind a zero.
  private func statement(_ sql: String) throws -> RawStatement {
    RawStatement(try db.makeStatement(sql: sql), in: db)
  }

  private func stage(_ object: ObjectID, with writer: ObjectRowWriter) throws {
    if progress.count % 1000 == 0 { try run.report(progress) }
    if let path = try emptyPath(in: object) { return skipped.append((object, path)) }
    try writer.write(object)
    progress.objects[object.entity, default: 0] += 1
  }

  /// The part of an object's identity that is a part of its key, too, and leads nowhere: no row can hold that.
  private func emptyPath(in object: ObjectID) throws -> IdentityPath? {
    guard layout.policy.unidentified == .skipped, layout.cut == nil else { return nil }
    let map = layout.mapping[object.entity]
    return try layout.identities[object.entity]?.paths.first { path in
      guard let step = path.steps.first, case .foreignKey(let key) = map.relationships[step.name],
        key.columns.contains(where: { map.keyPart(of: $0) != nil })
      else { return false }
      return try source.destinations(step.name, of: object).isEmpty
    }
  }

  // MARK: Lists

  /// Gives members what only the owner of their list knows: the order, and the reference where they have no relationship
  /// of their own.
  private func stageLists(of reference: RowReference) throws {
    let key = reference.key
    guard let list = reference.backward, reference.forward == nil || key.orderColumn != nil else { return }
    let table = layout.store.table(of: key.entity)
    let columns = (reference.forward == nil ? key.columns : []) + [key.orderColumn].compactMap { $0 }
    let isRow = Condition.equal(
      table.keyColumns.map { dialect.name($0.name) }, table.keyColumns.map { _ in "?" })
    let update = Update(layout.source!.sql(table.schema.name), columns.map { (dialect.name($0), "?") }).where(
      isRow)
    let statement = try self.statement(update.text(dialect))
    for owner in try selection.objects(of: list.entity) {
      try run.checkCancellation()
      let own = reference.forward == nil ? try keys.values(key.references, of: owner) : []
      for (place, member) in try source.destinations(list.name, of: owner).enumerated()
      where selection.contains(member) {
        let position = key.orderColumn == nil ? [] : [(place + 1).databaseValue]
        try statement.run(own + position + keys.key(of: member))
      }
    }
  }

  // MARK: Pairs

  private func stage(_ join: TableJoin) throws {
    let ends = join.ends.filter { $0.relationship != nil }
    // The second order needs an update of each pair, so the first is written with it.
    let sides = ends.filter { $0.mapping.orderColumn != nil } + ends.filter { $0.mapping.orderColumn == nil }
    let schema = layout.source!.schema[join.schema.name]!
    let names = schema.columns.map(\.name.sqlName)
    let insert = try statement(inserting: schema)
    try eachPair(of: sides[0].relationship!, sides[0].mapping) { pair in
      var row = Array(repeating: DatabaseValue.null, count: names.count)
      for (column, value) in pair { row[names.firstIndex(of: column.sqlName)!] = value }
      try insert.run(row)
    }
    guard let other = sides.dropFirst().first, let order = other.mapping.orderColumn else { return }
    let columns = other.mapping.columns + other.mapping.destinationColumns
    let isPair = Condition.equal(columns.map(dialect.name), columns.map { _ in "?" })
    let update = Update(layout.source!.sql(join.schema.name), [(dialect.name(order), "?")]).where(isPair)
    let statement = try self.statement(update.text(dialect))
    try eachPair(of: other.relationship!, other.mapping) { pair in
      try statement.run([pair.last!.value] + pair.dropLast().map(\.value))
    }
  }

  /// Goes through the pairs of a relationship: the columns of both ends, and the position in the list.
  private func eachPair(
    of relationship: RelationshipDescription, _ mapping: JoinTableMapping,
    _ body: ([(column: String, value: DatabaseValue)]) throws -> Void
  ) throws {
    for owner in try selection.objects(of: relationship.entity) {
      try run.checkCancellation()
      let own = zip(mapping.columns, try keys.values(mapping.references, of: owner))
      for (place, member) in try source.destinations(relationship.name, of: owner).enumerated()
      where selection.contains(member) {
        let other = zip(
          mapping.destinationColumns, try keys.values(mapping.destinationReferences, of: member))
        let position = mapping.orderColumn.map { [($0, (place + 1).databaseValue)] } ?? []
        try body(Array(own) + Array(other) + position)
      }
    }
  }
}
