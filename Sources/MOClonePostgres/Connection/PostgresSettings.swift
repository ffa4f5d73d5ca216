import MOCloneSQL

/// The settings of a session by which the server writes values so that a connection can read them.
enum PostgresSettings {
  private static let own: KeyValuePairs = [
    "DateStyle": "ISO", "TimeZone": "UTC", "IntervalStyle": "iso_8601", "bytea_output": "hex",
    "extra_float_digits": "1", "standard_conforming_strings": "on", "array_nulls": "on",
    // How many rows temporary tables hold is guessed, and compiling a statement takes longer than most of them.
    "jit": "off",
  ]

  /// Sessions of others may have these too; what they show of notices would be about tables that their owner does not know.
  private static let ofOthers: KeyValuePairs = ["client_encoding": "UTF8", "client_min_messages": "warning"]

  /// Makes the settings until the transaction ends.
  static func local(isBorrowed: Bool, _ lockTimeout: Duration? = nil) -> String {
    (Array(own) + (isBorrowed ? Array(ofOthers) : []) + limit(lockTimeout))
      .map { "SET LOCAL \($0.0) = '\($0.1)'" }.joined(separator: "; ")
  }

  /// Selects whether the session has a process of its own, and makes the settings until its end where it has.
  static func session(ofProcess process: Int32, _ lockTimeout: Duration?) -> String {
    let settings = (Array(own) + limit(lockTimeout)).map {
      "set_config('\($0.0)', '\($0.1)', pg_backend_pid() <> \(process))"
    }
    return "SELECT \((["pg_backend_pid() = \(process)"] + settings).list)"
  }

  /// How long a statement waits for a lock; no time at all counts as a millisecond, because 0 is no end.
  private static func limit(_ lockTimeout: Duration?) -> [(String, String)] {
    let milliseconds = lockTimeout.map { max($0 / .milliseconds(1), 1).rounded() }
    return milliseconds.map { [("lock_timeout", "\(Int(min($0, 2e9)))ms")] } ?? []
  }

  /// Selects a statement that gives a transaction of somebody else's the settings that it has now.
  static let restoring: String = {
    let names = (Array(own) + Array(ofOthers)).map { Dialect.postgres.text($0.0) }
    let calls = names.map { "format('set_config(%L, %L, true)', \($0), current_setting(\($0)))" }
    return "SELECT concat_ws(', ', \(calls.list))"
  }()
}
