import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Puts failures of the database itself into words that say what to do.
package enum StoreErrors {
  package static func translated(_ error: DatabaseError) -> any Error {
    let error = error.reasoned
    let message = error.message ?? "SQLite error \(error.resultCode.rawValue)"
    switch error.resultCode {
    case .SQLITE_BUSY where Cancellation.isCancelled: return CancellationError()
    case .SQLITE_BUSY, .SQLITE_LOCKED:
      return CloneError(
        .storeBusy,
        "the store is locked by another connection", help: "try again later, or wait longer with --timeout",
        underlying: error)
    case .SQLITE_FULL:
      return CloneError(
        .storeFull, "the disk is full; nothing was changed",
        help:
          "make room for the store, and for temporary files in '\(FileManager.default.temporaryDirectory.path)', "
          + "or set TMPDIR to another folder", underlying: error)
    case .SQLITE_READONLY, .SQLITE_PERM:
      return CloneError(.storeReadOnly, "the store is read-only: \(message)", underlying: error)
    case .SQLITE_CORRUPT, .SQLITE_NOTADB:
      return CloneError(
        .storeDamaged, "the store is damaged or not a SQLite database: \(message)", underlying: error)
    case .SQLITE_CANTOPEN:
      return CloneError(.storeFailed, "the store cannot be opened: \(message)", underlying: error)
    case .SQLITE_IOERR where error.sql?.hasPrefix("COMMIT") == true:
      return CloneError(
        .storeFailed,
        "the store failed during COMMIT, and whether the transaction was committed is unknown (\(message))",
        help: "look for what it wrote before you run this again", underlying: error)
    case .SQLITE_CONSTRAINT:
      return CloneError(.constraintFailed, "the store refused a row: \(message)", underlying: error)
    case .SQLITE_INTERRUPT: return CancellationError()
    case .SQLITE_ERROR where message.hasPrefix("no such table") || message.hasPrefix("no such column"):
      return CloneError(.storeMismatch, "the store does not match the model: \(message)", underlying: error)
    case .SQLITE_ERROR where message.hasPrefix("too many levels of trigger recursion"):
      return CloneError(
        .storeFailed,
        "an ON DELETE CASCADE or a trigger of the store goes deeper than 1,000 levels, which SQLite refuses",
        help: "delete the objects of the deepest levels first", underlying: error)
    case .SQLITE_ERROR where Missing(message) != nil:
      let missing = Missing(message)
      return CloneError(
        .storeFailed, missing?.sentence("the store") ?? message, help: missing?.help, underlying: error)
    case .SQLITE_ERROR where message == "no query solution":
      return CloneError(
        .storeFailed, "the key of a table is sorted by a collation that only the app has",
        help: "do this from code, on a connection that has the collation", underlying: error)
    default:
      return CloneError(
        .storeFailed, "the store failed: \(error.withBeginningOfStatement.description)", underlying: error)
    }
  }
}

extension DatabaseError {
  /// The error with the reason that its code has: a connection was not told of what fails in a copy of its database, and
  /// says that it has no error.
  fileprivate var reasoned: DatabaseError {
    guard message == DatabaseError(resultCode: .SQLITE_OK).message else { return self }
    return DatabaseError(resultCode: extendedResultCode, sql: sql)
  }

  /// The error with as much of its statement as a message has room for.
  fileprivate var withBeginningOfStatement: DatabaseError {
    guard let sql, sql.count > 300 else { return self }
    return DatabaseError(resultCode: extendedResultCode, message: message, sql: "\(sql.prefix(300))...")
  }

  /// The error of a file that is removed then, so that it does not matter whether a transaction there was committed.
  var ofDraft: DatabaseError { DatabaseError(resultCode: extendedResultCode, message: message) }

  /// Whether a copy of a database failed in what is read for it, and not in what it writes.
  var isOfReading: Bool {
    [.SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode)
      || extendedResultCode == .SQLITE_IOERR_READ
  }
}
