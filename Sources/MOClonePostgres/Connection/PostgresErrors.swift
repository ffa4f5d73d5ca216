import Foundation
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Puts failures of the server itself into words that say what to do.
package enum PostgresErrors {
  /// The error as the library throws it; any other one stays as it is.
  package static func translated(_ error: any Error) -> any Error {
    if let error = error as? ClosureError { return error.error }
    guard let error = error as? PostgresError else { return error }
    return CloneError([failure(for: error)], underlying: error)
  }

  /// Runs a body whose errors are told so.
  package static func translating<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw translated(error) }
  }

  private static func failure(for error: PostgresError) -> CloneError.Failure {
    switch error.kind {
    case .commitUnknown(let transaction):
      return .init(
        .storeFailed,
        "the connection was lost during COMMIT, and whether the transaction was committed is unknown "
          + "(\(error.message))",
        help: (transaction.map { "ask the server with \"SELECT pg_xact_status('\($0)')\"" }
          ?? "look for the clone")
          + " before you run this again"
      )
    case .connection: return .init(connectionCode(error), connectionMessage(error))
    case .statement: return statementFailure(error)
    }
  }

  /// The state of an error for a database that does not exist.
  static let noDatabase = "3D000"

  private static func connectionCode(_ error: PostgresError) -> DiagnosticCode {
    if error.sqlState == noDatabase { return .noSuchStore }
    // 53300 and 57P03: too many connections, and a server that starts.
    return ["53300", "57P03"].contains(error.sqlState) ? .storeBusy : .storeFailed
  }

  private static func connectionMessage(_ error: PostgresError) -> String {
    switch error.sqlState {
    case "08001", "28P01", "28000", "0A000", noDatabase:
      return "the database cannot be opened: \(text(error))"
    default: return "the connection to the server was lost: \(text(error))"
    }
  }

  private static func statementFailure(_ error: PostgresError) -> CloneError.Failure {
    switch error.sqlState {
    case "55P03":
      return .init(
        .storeBusy,
        "another transaction holds a lock on what is needed",
        help:
          "try again later, or wait longer with --timeout; without it, 'lock_timeout' of the role or the database says "
          + "how long: \(text(error))"
      )
    case "40P01":
      return .init(
        .storeBusy, "another transaction and this one waited for each other",
        help: "try again: \(text(error))")
    case "40001":
      return .init(.storeBusy, "another transaction changed the same rows", help: "try again: \(text(error))")
    case "57014":
      return .init(
        .storeFailed,
        "the server ended a statement",
        help: "if it took too long, raise 'statement_timeout' of the role or the database: \(text(error))"
      )
    case "25P04":
      return .init(
        .storeFailed,
        "the server ended a transaction that took too long",
        help: "raise 'transaction_timeout' of the role or the database: \(text(error))"
      )
    case "25P03", "57P05":
      return .init(
        .storeFailed,
        "the server ended the session because it waited too long",
        help: "raise its time limits for idle sessions: \(text(error))"
      )
    case "25P02":
      return .init(
        .storeFailed,
        "a statement of the open transaction has failed before, so nothing more can be done in it",
        help: "roll it back: \(text(error))"
      )
    case "25006":
      return .init(.storeReadOnly, "the database is read-only (a replica, or set so): \(text(error))")
    case "42501" where error.origin == "check_enable_rls":
      return .init(
        .rowSecurity, "row-level security would hide rows of a table: \(text(error))", help: seeingEveryRow)
    case "42501" where error.statement?.hasPrefix("UPDATE") == true:
      return .init(
        .storeReadOnly,
        "the right UPDATE is missing, which is needed to change values and to give clones those back that "
          + "triggers have changed",
        help: "grant it to the role: \(text(error))"
      )
    case "42501":
      // The server names the table alone.
      return .init(
        .storeReadOnly, "a right is missing: \(text(error))",
        help: "`moclone validate --store` names the rights that the role lacks, and of which columns")
    case "53100": return .init(.storeFull, "the server's disk is full; nothing was changed")
    case "42P01", "42703", "3F000":
      return .init(.storeMismatch, "the database does not match the model: \(text(error))")
    case "42P07": return .init(.storeExists, "a table already exists: \(text(error))")
    case "26000", "42P05":
      return .init(
        .storeFailed,
        "the session was another one than before, as with a pooler in transaction mode that shows the numbers of "
          + "the server's processes",
        help: "connect to the server itself, or to the pooler in session mode: \(text(error))"
      )
    case "XX001", "XX002": return .init(.storeDamaged, "the database is damaged: \(text(error))")
    case "22P02", "22P05", "22003", "22007", "22008":
      // What a COPY writes was read from a store or a file; any other value is one of the call.
      let isOfRow = error.statement?.hasSuffix("FROM STDIN") == true
      return .init(
        isOfRow ? .constraintFailed : .invalidValue,
        "a value does not fit the column that it is meant for: \(text(error))")
    case _ where error.refusesRow:
      return .init(.constraintFailed, "the database refused a row\(place(error)): \(text(error))")
    default: return .init(.storeFailed, "the database failed: \(error.description)")
    }
  }

  /// Who is let see all that a table holds.
  static let seeingEveryRow =
    "connect as a role with BYPASSRLS, or as the owner of the table where it has no FORCE ROW LEVEL SECURITY"

  /// Where the row was refused, as the fields tell.
  private static func place(_ error: PostgresError) -> String {
    let table = error.table.map { " of the table '\($0)'" } ?? ""
    let column = error.column.map { ", column '\($0)'" } ?? ""
    let constraint = error.constraint.map { " by '\($0)'" } ?? ""
    let type = error.table == nil ? error.dataType.map { " with a value of the type '\($0)'" } ?? "" : ""
    return table + column + type + constraint
  }

  private static func text(_ error: PostgresError) -> String {
    [error.message, error.detail.map { "(\($0))" }, error.hint.map { "Hint: \($0)" }].compactMap { $0 }
      .joined(separator: " ")
  }
}
