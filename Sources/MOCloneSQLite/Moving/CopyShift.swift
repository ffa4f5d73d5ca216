import GRDB
import MOCloneEngine
import MOCloneSQL

/// The numbers of new objects: they begin above the greatest one ever used, and the distances between them stay.
struct CopyShift {
  private let table: CopyTable
  private let key: String
  /// Whether only what was reached is copied.
  private let isPartial: Bool

  init(_ table: CopyTable, isPartial: Bool) {
    self.table = table
    self.isPartial = isPartial
    key = SQL.name(table.map.keyColumns[0])
  }

  /// What is added to a number of the source.
  ///
  /// - Throws: `CloneError` (`no-room-for-keys`).
  func distance(in db: Database) throws -> Int64 {
    let (own, rows) =
      isPartial
      ? ("k0", "\(SQL.temp(CopyReach.name)) WHERE t = \(table.index)") : (key, table.sourceName)
    guard table.newKey == .number,
      let least = try Int64.fetchOne(db, sql: "SELECT min(\(own)) FROM \(rows)"),
      let last = try Int64.fetchOne(db, sql: "SELECT max(\(own)) FROM \(rows)")
    else { return 0 }
    let greatest = try table.target.greatestNumber(in: table.map.keyColumns[0], of: table.root, db)
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
}
