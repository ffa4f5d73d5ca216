import MOCloneSQL

/// The settings of a session by which the server writes values so that a connection can read them.
enum PostgresSettings {
  private static let own: KeyValuePairs = [
    "DateStyle": "ISO", "TimeZone": "UTC", "IntervalStyle": "iso_8601", "bytea_output": "hex",
    "extra_float_digits": "1", "standard_conforming_strings": "on",
    // How many rows temporary tables hold is guessed, and compiling a statement takes longer than most of them.
    "jit": "off",
  ]

  /// Sessions of others may have these too; what they show of notices would be about tables that their owner does not know.
  private static let ofOthers: KeyValuePairs = ["client_encoding": "UTF8", "client_min_messages": "warning"]

  /// Makes the settings: `SET SESSION`, or `SET LOCAL` until the transaction ends.
  ///
  /// - Parameter lockTimeout: how long a statement waits for a lock; no time at all counts as a millisecond, because 0 is no end.
  static func statements(_ verb: String, isBorrowed: Bool = false, lockTimeout: Duration? = nil) -> String {
    let milliseconds = lockTimeout.map { max($0 / .milliseconds(1), 1).rounded() }
    let timeout = milliseconds.map { [("lock_timeout", "\(Int(min($0, 2e9)))ms")] } ?? []
    return (Array(own) + (isBorrowed ? Array(ofOthers) : []) + timeout)
      .map { "\(verb) \($0.0) = '\($0.1)'" }.joined(separator: "; ")
  }

  /// Selects a statement that gives a transaction of somebody else's the settings that it has now.
  static let restoring: String = {
    let names = (Array(own) + Array(ofOthers)).map { Dialect.postgres.text($0.0) }
    let calls = names.map { "format('set_config(%L, %L, true)', \($0), current_setting(\($0)))" }
    return "SELECT concat_ws(', ', \(calls.list))"
  }()
}
