import GRDB
import MOCloneEngine

/// The numbers of new objects: they begin above the greatest one ever used, and the distances between them stay.
struct CopyShift {
  private let table: CopyTable
  private let key: String

  init(_ table: CopyTable) {
    self.table = table
    key = SQL.name(table.map.keyColumns[0])
  }

  /// What is added to a number of the source.
  ///
  /// - Throws: `CloneError` (`no-room-for-keys`).
  func distance(in db: Database) throws -> Int64 {
    guard table.newKey == .number,
      let least = try Int64.fetchOne(db, sql: "SELECT min(\(key)) FROM \(table.sourceName)"),
      let last = try Int64.fetchOne(db, sql: "SELECT max(\(key)) FROM \(table.sourceName)")
    else { return 0 }
    let greatest = try greatest(in: db)
    let (first, isTooGreat) = greatest.addingReportingOverflow(1)
    let (shift, isTooFar) = first.subtractingReportingOverflow(least)
    guard !isTooGreat, !isTooFar, !last.addingReportingOverflow(shift).overflow else {
      throw CloneError(
        .noRoomForKeys,
        "the table '\(table.target.name)' has used the key \(greatest), so there is no room above it for those of the "
          + "source, up to \(last)", entity: table.root)
    }
    return shift
  }

  private func greatest(in db: Database) throws -> Int64 {
    let there = try Int64.fetchOne(db, sql: "SELECT max(\(key)) FROM \(table.targetName)") ?? 0
    guard table.target.isAutoincrement else { return max(there, 0) }
    let used = try Int64.fetchOne(
      db, sql: "SELECT seq FROM main.sqlite_sequence WHERE name = ?", arguments: [table.target.name])
    return max(there, used ?? 0, 0)
  }
}
