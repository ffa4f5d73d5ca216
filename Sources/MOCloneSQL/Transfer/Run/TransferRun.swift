import MOCloneEngine
import MOCloneModel

/// Moves rows into a store by the five steps, inside a transaction that the caller opened: what is meant is reached, what
/// is the same is found, what cannot be is refused, then all is written.
///
/// The number of statements depends on the model alone, but where one query has no room for all of its ways; memory is
/// what the database keeps of temporary tables.
package final class TransferRun {
  package let layout: TransferLayout
  let db: any TransferConnection
  let statements: any StatementRunning
  let watch: RunWatch
  let modified: ModifiedRule
  /// What puts rows into the tables of the source; nil where a store is attached.
  let staging: (any RowStaging)?
  /// What looks after indexes while rows are written.
  let loading: any BulkLoading
  /// Whether references of the caller's own wait for rows.
  let hadPendingReferences: Bool
  /// What kept unique values from making room for each other, where the last that were to be exchanged could not be.
  var obstacle: ForeignKeyName?
  var states: [TransferState]
  var report: TransferReport
  var options: TransferOptions { watch.options }
  var policy: TransferPolicy { layout.policy }
  var dialect: Dialect { layout.dialect }
  /// The keys of rows, by what is known of them so far.
  var keys: TransferKeys { TransferKeys(layout: layout, states: states) }

  /// - Parameter rebuildsIndexes: whether indexes may be dropped and made anew around many rows.
  package convenience init(
    _ layout: TransferLayout, in db: any TransferConnection, watch: RunWatch, rebuildsIndexes: Bool = false
  ) throws {
    try self.init(layout, in: db, watch: watch, staging: nil, rebuildsIndexes: rebuildsIndexes)
  }

  init(
    _ layout: TransferLayout, in db: any TransferConnection, watch: RunWatch, staging: (any RowStaging)?,
    rebuildsIndexes: Bool
  ) throws {
    self.db = db
    self.layout = layout
    self.staging = staging
    self.watch = watch
    loading = rebuildsIndexes ? db.bulkLoad() : PlainLoading()
    modified = watch.options.modified
    statements = db.statements(watch)
    hadPendingReferences = try db.hasPendingReferences
    states = layout.streams.map { stream in
      var state = TransferState()
      state.isMapped = stream.newKey == .written
      return state
    }
    report = TransferReport(layout.policy.operation, isDryRun: watch.options.isDryRun)
  }

  /// Runs a body with the functions of a run.
  package func prepared<T>(_ body: () throws -> T) throws -> T {
    do {
      return try db.generating(by: options.generator, statements, body: body)
    } catch { throw db.explained(error) }
  }

  /// Copies the objects of an attached store, or of a graph that is staged first.
  ///
  /// - Returns: what was done, or would be.
  /// - Throws: `CloneError` with everything that was found; the caller then rolls back.
  package func copy() throws -> TransferReport {
    try prepared {
      try db.deferForeignKeys()
      let dangling = try reach()
      let totals = try options.progress == nil ? [:] : totals()
      try watch.enter(.finding, of: totals)
      try match()
      try check()
      if !dangling.isEmpty { report.dangling = dangling }
      try count()
      let outside = try countOutside()
      try watch.enter(.writing, of: totals)
      try write()
      if let outside {
        report.cloned = report.created?.merging(outside, uniquingKeysWith: -).filter { $0.value > 0 }
      }
      try clear()
      return report
    }
  }

  /// What the source holds that the store does not, as it is before anything is written.
  package func differences() throws -> [String] {
    try prepared {
      staging?.objects.lost = []
      _ = try reach()
      try match()
      defer { try? clear() }
      return try differ() + (staging?.objects.lost ?? [])
    }
  }

  /// The key that an object of the source has in the store.
  package func newKey(of object: ObjectID) throws -> ObjectID {
    let object = try staging?.staged(object) ?? object
    let stream = layout.stream(of: object.entity)
    let coding = KeyCoding(entity: stream.table.map)
    let old = stream.keys.columns.enumerated().map { i, column in
      dialect.cast(dialect.parameter("old\(i)"), dialect.columnType(column))
    }
    statements.bind("old", parts: coding.encode(object.key))
    let row = try statements.row(Select(keys.moved(stream, old: old), from: nil))!
    return ObjectID(object.entity, key: coding.decode(row, from: 0))
  }

  private func clear() throws {
    // Keys are asked for when all is done.
    guard layout.subtree == nil else { return }
    for table in layout.temporaryTables { try statements.execute(table.clear) }
  }
}
