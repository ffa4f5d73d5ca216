/// A condition that may be settled when the SQL is rendered.
package enum Condition: Equatable, Sendable {
  case always, never
  case sql(String)

  /// `a.x = b.y AND ...` for columns in step.
  package static func equal(_ a: [String], _ b: [String]) -> Condition {
    zip(a, b).map { .sql("\($0) = \($1)") }.all
  }

  package static func among(_ value: String, values: [String]) -> Condition {
    .sql("\(value) IN (\(values.list))")
  }

  /// Whether columns hold together what some row of a query does.
  package static func among(_ columns: [String], query: Select, dialect: Dialect) -> Condition {
    .sql("(\(columns.list)) IN (\(query.text(dialect)))")
  }

  package static func exists(_ query: Select, _ dialect: Dialect) -> Condition {
    .sql("EXISTS (\(query.text(dialect)))")
  }

  /// Whether there is a row of which a condition holds.
  package static func exists(
    in rows: From, where condition: Condition = .always, _ dialect: Dialect
  ) -> Condition {
    .exists(Select(["1"], from: rows).where(condition), dialect)
  }

  package static func isNull(_ value: String) -> Condition { .sql("\(value) IS NULL") }

  package static func isNotNull(_ value: String) -> Condition { .sql("\(value) IS NOT NULL") }

  package static func || (a: Condition, b: Condition) -> Condition {
    switch (a, b) {
    case (.always, _), (_, .always): .always
    case (.never, let other), (let other, .never): other
    case (.sql(let a), .sql(let b)): .sql("(\(a) OR \(b))")
    }
  }

  package static func && (a: Condition, b: Condition) -> Condition {
    switch (a, b) {
    case (.never, _), (_, .never): .never
    case (.always, let other), (let other, .always): other
    case (.sql(let a), .sql(let b)): .sql("\(a) AND \(b)")
    }
  }

  package static prefix func ! (condition: Condition) -> Condition {
    switch condition {
    case .always: .never
    case .never: .always
    case .sql(let sql): .sql("NOT (\(sql))")
    }
  }

  /// The condition as SQL that is never null.
  package var text: String {
    switch self {
    case .always: "TRUE"
    case .never: "FALSE"
    case .sql(let sql): sql
    }
  }

  /// `yes` where the condition holds, else `no`.
  package func choose(_ yes: String, else no: String) -> String {
    switch self {
    case .always: yes
    case .never: no
    case .sql(let sql): yes == no ? yes : "CASE WHEN \(sql) THEN \(yes) ELSE \(no) END"
    }
  }
}

extension [Condition] {
  /// Whether one of them holds, without a parenthesis for each: SQLite reads no more than a hundred in one another.
  package var any: Condition {
    if contains(.always) { return .always }
    let texts = compactMap { if case .sql(let sql) = $0 { sql } else { nil } }
    return texts.count > 1
      ? .sql("(\(texts.chained(by: "OR")))") : texts.first.map(Condition.sql) ?? .never
  }

  /// Whether each of them holds.
  package var all: Condition {
    if contains(.never) { return .never }
    let texts = compactMap { if case .sql(let sql) = $0 { sql } else { nil } }
    return texts.isEmpty ? .always : .sql(texts.chained(by: "AND"))
  }
}

extension [String] {
  /// `a OR b OR c`; many of them as a tree, for each one of a chain lies deeper in SQLite than the one behind it, and it
  /// reads a thousand at most.
  package func chained(by sign: String) -> String {
    let most = 100
    guard count > most else { return joined(separator: " \(sign) ") }
    return stride(from: 0, to: count, by: most).map { start in
      "(" + self[start..<Swift.min(start + most, count)].joined(separator: " \(sign) ") + ")"
    }.chained(by: sign)
  }
}
