/// What a query reads: a table or another query, and what is joined to it.
package struct From: Equatable, Sendable {
  package enum Kind: Sendable {
    /// The left side is scanned first.
    case ordered
    /// In whatever order the database likes.
    case inner
    /// Rows without a related row stay.
    case left
  }

  package struct Join: Equatable, Sendable {
    var kind: Kind
    var rows: String
    var condition: Condition

    /// - Parameter rows: a table or a query in parentheses, with its alias.
    package static func ordered(_ rows: String, on condition: Condition) -> Join {
      Join(kind: .ordered, rows: rows, condition: condition)
    }

    /// On a further condition as well.
    package func on(_ condition: Condition) -> Join {
      Join(kind: kind, rows: rows, condition: self.condition && condition)
    }

    package static func inner(_ rows: String, on condition: Condition) -> Join {
      Join(kind: .inner, rows: rows, condition: condition)
    }

    package static func left(_ rows: String, on condition: Condition) -> Join {
      Join(kind: .left, rows: rows, condition: condition)
    }
  }

  private var rows: String
  private var joins: [Join]

  /// - Parameter rows: a table or a query in parentheses, with its alias.
  package init(_ rows: String, joins: [Join] = []) {
    self.rows = rows
    self.joins = joins
  }

  package static func + (from: From, joins: [Join]) -> From { From(from.rows, joins: from.joins + joins) }

  package func text(_ dialect: Dialect) -> String {
    joins.reduce(rows) { text, join in
      let word =
        switch join.kind {
        case .ordered: dialect.orderedJoin
        case .inner: "JOIN"
        case .left: "LEFT JOIN"
        }
      return "\(text) \(word) \(join.rows) ON \(join.condition.text)"
    }
  }
}

/// A query as a value: renderers add to its clauses, in whatever order, and it is written once.
///
/// ```swift
/// Select(["count(*)"], from: rows).where(condition).limited(to: 1)
/// ```
package struct Select: Equatable, Sendable {
  package private(set) var columns: [String]
  /// Nil where the columns are values.
  var from: From?
  var condition: Condition = .always
  var grouping: [String] = []
  /// What holds of the groups.
  var having = Condition.always
  var order: [String] = []
  package var isOrdered: Bool { !order.isEmpty }
  /// LIMIT and what follows.
  var limit = ""

  package init(_ columns: [String], from: From?) {
    self.columns = columns
    self.from = from
  }

  package func `where`(_ condition: Condition) -> Select { with { $0.condition = $0.condition && condition } }

  /// Each row with those of a table that a condition ties to it.
  package func joined(_ rows: String, on tie: Condition) -> Select {
    with { $0.from = $0.from.map { $0 + [.ordered(rows, on: tie)] } ?? From(rows) }
  }

  package func joined(_ join: From.Join) -> Select { with { $0.from = $0.from.map { $0 + [join] } } }

  package func grouped(by columns: [String]) -> Select { with { $0.grouping = columns } }

  package func ordered(by columns: [String]) -> Select { with { $0.order = columns } }

  package func having(_ condition: Condition) -> Select { with { $0.having = $0.having && condition } }

  package func limited(to count: Int) -> Select { limited(to: "\(count)") }

  package func limited(to count: String) -> Select { with { $0.limit = "LIMIT \(count)" } }

  /// Without the first rows.
  package func skipping(_ count: String, dialect: Dialect) -> Select {
    with { $0.limit = "\(dialect.unlimited)OFFSET \(count)" }
  }

  /// Its rows, each once.
  package func distinct(_ dialect: Dialect) -> Select {
    Select(["DISTINCT *"], from: From(self, as: "rows", dialect: dialect))
  }

  /// Its first row for each value of some columns, which they are in the order of.
  package func firstOfEach(_ keys: [String], dialect: Dialect) -> Select {
    guard dialect.hasTypes else { return grouped(by: keys).ordered(by: keys) }
    return with(["DISTINCT ON (\(keys.list)) " + columns[0]] + columns.dropFirst()).ordered(by: keys)
  }

  /// The same with other columns.
  /// How many rows there are, of which the query lists some.
  package var counted: Select {
    with { select in
      select.columns = ["count(*)"]
      select.order = []
      select.limit = ""
    }
  }

  package func with(_ columns: [String]) -> Select { with { $0.columns = columns } }

  private func with(_ change: (inout Select) -> Void) -> Select {
    var select = self
    change(&select)
    return select
  }

  package func text(_ dialect: Dialect) -> String {
    var text = "SELECT \(columns.list)"
    if let from { text += " FROM " + from.text(dialect) }
    if condition != .always { text += " WHERE " + condition.text }
    if !grouping.isEmpty { text += " GROUP BY " + grouping.list }
    if having != .always { text += " HAVING " + having.text }
    if !order.isEmpty { text += " ORDER BY " + order.list }
    if !limit.isEmpty { text += " " + limit }
    return text
  }
}

/// Several queries whose rows come one after another.
package struct Union: Sendable {
  /// As many as SQLite takes in one query.
  static let mostParts = 500
  /// As many as a statement has where several can do: what is kept of the tables that a statement reads grows with their
  /// square, and SQLite reads no more than a thousand in a chain of conditions.
  static let fewParts = 50

  var parts: [Select]
  /// Whether rows that several of them have come once.
  var dropsDuplicates = false
  var order: [String] = []

  package func text(_ dialect: Dialect) -> String {
    guard parts.count <= Self.mostParts else { return grouped(dialect).text(dialect) }
    let union = parts.map { $0.text(dialect) }.joined(separator: dropsDuplicates ? " UNION " : " UNION ALL ")
    return order.isEmpty ? union : union + " ORDER BY " + order.list
  }

  /// The same rows from queries each of which has as many parts as it can.
  private func grouped(_ dialect: Dialect) -> Union {
    let groups = parts.inGroups(of: Self.mostParts).map { parts in
      let group = Union(parts: parts, dropsDuplicates: dropsDuplicates)
      return Select(["*"], from: From(group, as: "part", dialect: dialect))
    }
    return Union(parts: groups, dropsDuplicates: dropsDuplicates, order: order)
  }
}

extension [String] {
  /// Values under other names, as a query selects them: `s."id" AS k0`.
  func named(_ names: [String]) -> [String] { zip(self, names).map { "\($0) AS \($1)" } }
}

extension Array {
  /// One after another in groups of as many as may be together.
  func inGroups(of most: Int) -> [[Element]] {
    stride(from: 0, to: count, by: most).map { Array(self[$0..<Swift.min($0 + most, count)]) }
  }
}

extension From {
  /// The rows of a query.
  package init(_ query: Union, as alias: String, dialect: Dialect) {
    self.init("(\(query.text(dialect))) \(alias)")
  }

  package init(_ query: Select, as alias: String, dialect: Dialect) {
    self.init("(\(query.text(dialect))) \(alias)")
  }
}
