import CPostgreSQL
import Foundation

/// An error of a PostgreSQL server or of the connection to it, in the fields in which the server tells it.
public struct PostgresError: Error, Sendable, Equatable {
  /// What failed.
  public enum Kind: Sendable, Equatable {
    case statement
    /// The connection: it could not be opened, or it was lost.
    case connection
    /// The connection was lost while a transaction was committed, and nobody can tell whether it was.
    ///
    /// `SELECT pg_xact_status('...')` with the transaction's number answers as soon as the server does again; the number is
    /// nil where the connection was lost before the server could tell it.
    case commitUnknown(transaction: String?)
  }

  /// What failed.
  public var kind = Kind.statement
  /// The five characters of SQLSTATE, as in `23505`.
  public var sqlState: String
  /// The primary message.
  public var message: String
  /// More about the error, where the server tells more.
  public var detail: String?
  /// What the server proposes to do.
  public var hint: String?
  /// The schema of the table or type that the error is about.
  public var schema: String?
  /// The table that the error is about.
  public var table: String?
  /// The column that the error is about.
  public var column: String?
  /// The data type that the error is about, for instance a domain.
  public var dataType: String?
  /// The constraint that was violated.
  public var constraint: String?
  /// Where in the statement the error is, in characters from 1.
  public var position: Int?
  /// The statement as it was sent.
  public var statement: String?
  /// What the server was at, as in `COPY note, line 2, column state: "x"`.
  public var context: String?
  /// The function of the server that found the error.
  var origin: String?

  init(_ kind: Kind = .statement, sqlState: String, message: String) {
    self.kind = kind
    self.sqlState = sqlState
    self.message = message
  }

  init(_ result: PostgresResult, statement: String?) {
    func field(_ code: Character) -> String? {
      PQresultErrorField(result.pointer, Int32(code.asciiValue!)).map { String(cString: $0) }
    }
    // An error of libpq's own has no fields: the connection is lost.
    let state = field("C")
    self.init(
      state == nil ? .connection : .statement, sqlState: state ?? "08006",
      message: field("M") ?? Self.line(String(cString: PQresultErrorMessage(result.pointer))))
    if state?.hasPrefix("57P") == true { kind = .connection }
    detail = field("D")
    hint = field("H")
    schema = field("s")
    table = field("t")
    column = field("c")
    dataType = field("d")
    constraint = field("n")
    position = field("P").flatMap { Int($0) }
    context = field("W")
    origin = field("R")
    self.statement = statement
  }

  /// What libpq says in lines of its own, as one, without its guess at why a server closed the connection.
  static func line(_ said: String) -> String {
    let guess = [
      "This probably means the server terminated abnormally", "before or while processing the request.",
    ]
    return said.split(whereSeparator: \.isNewline)
      .map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !guess.contains($0) }.joined(separator: "; ")
  }
}

extension PostgresError: CustomStringConvertible {
  /// The message with detail and hint, and SQLSTATE.
  public var description: String {
    let parts = [message, detail.map { "(\($0))" }, hint.map { "Hint: \($0)" }, "[\(sqlState)]"]
    return parts.compactMap { $0 }.joined(separator: " ")
  }
}
