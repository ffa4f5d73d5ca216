import MOCloneEngine
import MOCloneModel

/// Stages objects one by one as rows of tables like the store's, with keys and references of their own.
final class ObjectStaging {
  let source: any ObjectReading
  let layout: TransferLayout
  let db: any TransferConnection
  let options: TransferOptions
  let keys: StagedKeys
  var progress = TransferProgress(.reading)
  /// Objects that are left out since a part of their key, which identifies them, has no destination.
  private(set) var skipped: [(object: ObjectID, path: IdentityPath)] = []
  /// `Author 1: born`: what came in otherwise than the source has it; nil where nobody asks.
  var lost: [String]?

  init(
    _ source: any ObjectReading, in layout: TransferLayout, db: any TransferConnection,
    options: TransferOptions
  ) {
    (self.source, self.layout, self.db, self.options) = (source, layout, db, options)
    keys = StagedKeys(source, in: layout, generator: options.generator)
  }

  /// The object in the store that the staged rows make up.
  func staged(_ object: ObjectID) throws -> ObjectID {
    let coding = KeyCoding(entity: layout.mapping[object.entity])
    let parts = try keys.key(of: object).enumerated().map { coding.decode($1, part: $0) }
    return ObjectID(object.entity, key: ObjectKey(parts))
  }

  func writer(of table: TablePlan) throws -> ObjectRowWriter {
    let schema = layout.source!.schema[table.schema.name]!
    return try ObjectRowWriter(
      table, columns: schema.columns.map(\.name), keys: keys, in: db, layout: layout,
      into: rowWriter(into: schema))
  }

  func rowWriter(into table: TableSchema) throws -> any RowWriting {
    let rows = try db.rowWriter(
      into: layout.source!.sql(table.name), table.columns.map { layout.dialect.name($0.name) })
    // Nothing else is done with the connection meanwhile: what is linked to has tables of its own.
    return layout.isInPlace(table) ? PipelinedRows(rows, width: table.columns.count) : rows
  }

  /// - Parameter values: what the row has beside what the object tells, by columns.
  func stage(_ object: ObjectID, with writer: ObjectRowWriter, values: [Int: StoredValue] = [:]) throws {
    if progress.count % 1000 == 0 { try options.report(progress) }
    if let path = try emptyPath(in: object) { return skipped.append((object, path)) }
    try writer.write(object, with: values)
    progress.objects[object.entity, default: 0] += 1
  }

  /// The part of an object's identity that is a part of its key, too, and references nothing: no row can hold that.
  private func emptyPath(in object: ObjectID) throws -> IdentityPath? {
    guard layout.policy.unidentified == .skipped, layout.subtree == nil else { return nil }
    let map = layout.mapping[object.entity]
    return try layout.identities[object.entity]?.paths.first { path in
      guard let step = path.steps.first, let key = map.foreignKey(step.name),
        key.columns.contains(where: { map.keyPart(of: $0) != nil })
      else { return false }
      return try source.destinations(step.name, of: object).isEmpty
    }
  }
}
