import CPostgreSQL
import CPostgreSQLLoader
import Foundation
import MOCloneEngine

/// Where a PostgreSQL database is: a URI, `key=value` pairs, a service, or what libpq's environment says.
///
/// ```swift
/// try PostgresLocation("postgresql://localhost/notes")
/// try PostgresLocation("host=/var/run/postgresql dbname=notes")
/// try PostgresLocation("service=notes")
/// ```
/// What a location leaves out, libpq takes from its environment (`PGHOST`, `PGPASSWORD`, `~/.pgpass`).
public struct PostgresLocation: Sendable, Hashable {
  /// What the location says itself, by libpq's keywords.
  let options: [String: String]
  private let secrets: Set<String>
  /// How long a statement waits for a lock; nil where the server's setting says it.
  public var lockTimeout: Duration?

  /// The name of the database, if the location says it.
  package var database: String? { options["dbname"] }

  /// Whether the location says something that must not be shown.
  package var hasPassword: Bool { !secrets.isEmpty }

  /// The database that libpq's environment names.
  public init() {
    options = [:]
    secrets = []
  }

  /// Reads a URI or `key=value` pairs; an empty string is libpq's environment.
  ///
  /// - Throws: `CloneError` where libpq cannot read the text; the message has no password.
  public init(_ text: String) throws {
    var message: UnsafeMutablePointer<CChar>?
    if let failure = moclone_libpq_failure() { throw Self.missingLibrary(String(cString: failure)) }
    guard let found = PQconninfoParse(text, &message) else {
      defer { PQfreemem(message) }
      throw Self.unreadable(message.map { String(cString: $0) } ?? "out of memory")
    }
    defer { PQconninfoFree(found) }
    self.init(found)
    // Of `postgresql://me:a/b@host/notes` libpq takes the password for a port and a database.
    if Self.isURI(text), ["host", "port", "dbname"].contains(where: { options[$0]?.contains("@") == true }) {
      throw Self.unreadable("it has a second '@'; write special characters of a password as in %40 and %2F")
    }
  }

  /// Where an open connection leads.
  init(of connection: OpaquePointer) {
    guard let found = PQconninfo(connection) else {
      self.init()
      return
    }
    defer { PQconninfoFree(found) }
    self.init(found)
  }

  /// - Parameter found: options of libpq, of which the last has no keyword.
  private init(_ found: UnsafeMutablePointer<PQconninfoOption>) {
    var options: [String: String] = [:]
    var secrets: Set<String> = []
    var next = found
    while let keyword = next.pointee.keyword {
      defer { next += 1 }
      guard let value = next.pointee.val else { continue }
      let name = String(cString: keyword)
      options[name] = String(cString: value)
      if String(cString: next.pointee.dispchar) == "*" { secrets.insert(name) }
    }
    self.options = options
    self.secrets = secrets
  }

  /// Whether a text is a location rather than the name of a file: a URI of PostgreSQL, or pairs that begin with a
  /// keyword of libpq.
  public static func isPostgres(_ text: String) -> Bool {
    if isURI(text) { return true }
    guard let end = text.firstIndex(of: "=") else { return false }
    return keywords.contains(text[..<end].trimmingCharacters(in: .whitespaces))
  }

  private static func isURI(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  private static let keywords: Set<String> = {
    var keywords: Set<String> = []
    guard moclone_libpq_failure() == nil, let all = PQconndefaults() else { return [] }
    defer { PQconninfoFree(all) }
    var next = all
    while let keyword = next.pointee.keyword {
      keywords.insert(String(cString: keyword))
      next += 1
    }
    return keywords
  }()

  private static func missingLibrary(_ reason: String) -> CloneError {
    CloneError(
      .storeFailed,
      "stores in PostgreSQL need the library libpq, which cannot be loaded (\(reason))",
      help: "install it, on Debian as the package libpq5")
  }

  /// What libpq quotes may be part of a password.
  private static func unreadable(_ reason: String) -> CloneError {
    let parts = reason.trimmingCharacters(in: .whitespacesAndNewlines).split(
      separator: "\"", omittingEmptySubsequences: false)
    let shown = parts.indices.map { $0 % 2 == 0 ? String(parts[$0]) : "..." }.joined(separator: "\"")
    return CloneError(
      .storeFailed,
      "the location of the PostgreSQL database cannot be read: \(shown)",
      help: "write 'postgresql://user@host/database' or 'host=... dbname=...'")
  }
}

extension PostgresLocation: CustomStringConvertible {
  /// The location as libpq reads it, without passwords.
  public var description: String {
    let shown = options.filter { !secrets.contains($0.key) }.sorted { $0.key < $1.key }
    guard !shown.isEmpty else { return "postgresql://" }
    return shown.map { "\($0)=\(Self.quoted($1))" }.joined(separator: " ")
  }

  private static func quoted(_ value: String) -> String {
    guard value.isEmpty || value.contains(where: { $0.isWhitespace || $0 == "'" || $0 == "\\" }) else {
      return value
    }
    return "'" + value.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
