import MOCloneEngine
import MOCloneModel

// Rows that are written as they stand need not be staged and then written once more, which takes as long again.
extension StoreStaging {
  /// The same with the rows of a subtree in the store's own tables, of those that are empty and whose new objects are the
  /// rows value by value, as far as can be told before they are read.
  ///
  /// What is refused there is staged elsewhere again: only so is everything found that is to be told.
  func inPlace() throws -> StoreStaging {
    // Triggers may look at other tables, whose rows would be there earlier or later.
    guard let selection, layout.subtree != nil, targets.allSatisfy(\.triggers.isEmpty) else { return self }
    try selection.find()
    isFound = true
    let writes = Writes(layout, states: try expectedStates(selection), modified: options.modified)
    let tables =
      layout.streams.filter(writes.keepsRows).map(\.table.schema)
      + layout.joinRows.filter(writes.keepsRows).map(\.join.schema)
    let names = try tables.filter(isFree).map(\.name.sqlName)
    guard !names.isEmpty, let staging = try rebuilt(layout.staging(inPlace: Set(names))) else { return self }
    staging.isFound = true
    return staging
  }

  /// What will be known of the streams where nothing is found: which of them have objects outside the subtree.
  private func expectedStates(_ selection: SourceSelection) throws -> [TransferState] {
    try zip(layout.streams, tables).map { stream, table in
      var state = TransferState()
      state.isMapped = stream.newKey == .written
      state.hasLinked = try selection.hasLinked(table.table)
      return state
    }
  }

  private var targets: [TableSchema] {
    layout.streams.map(\.table.schema) + layout.joinRows.map(\.join.schema)
  }

  /// Whether a table has no rows and takes those of one stream.
  private func isFree(_ table: TableSchema) throws -> Bool {
    guard targets.filter({ $0.name.sqlName == table.name.sqlName }).count == 1 else { return false }
    return try db.statements(nil).row(
      Select(["1"], from: From("\(layout.dialect.table(table.name)) t")).limited(to: 1)) == nil
  }
}
