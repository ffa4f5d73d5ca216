/// What a trigger makes of a column.
package struct TriggerFormula: Sendable, Equatable {
  package enum Kind: Sendable {
    /// A value for each new row, whatever the column held: `label = 'List ' || NEW.id`.
    case set
    /// A number of rows, or something else that is made of them anew: `n = (SELECT count(*) ...)`.
    case counted
    /// Something for each new row, on top of what the column held: `n = n + 1`.
    case added
  }

  package let column: String
  package let kind: Kind
  /// Whether the expression is of this column alone.
  let isWhole: Bool
  /// The expression, and what chooses the rows; empty for the new row.
  private let value: [SQLToken]
  private let rows: [SQLToken]

  init(_ column: String, _ kind: Kind, isWhole: Bool = true, value: [SQLToken], rows: [SQLToken] = []) {
    self.column = column
    self.kind = kind
    self.isWhole = isWhole
    self.value = value
    self.rows = rows
  }
}

// MARK: Proofs

extension TriggerFormula {
  /// Asks whether rows that exist hold what the trigger would have made of them, which a formula alone cannot tell: a
  /// balance can have an opening value, and what new rows begin with may be changed later.
  ///
  /// The body's names mean the row that is changed; those of the new row are replaced by ones that no table has.
  ///
  /// ```sql
  /// SELECT sum(CASE WHEN held IS NOT 0 THEN 1 END), sum(CASE WHEN held IS NOT expected THEN 1 END) FROM (
  ///   SELECT coalesce("cards", 0) AS held, coalesce(0 + (
  ///     SELECT sum(0 + 1) FROM (SELECT "board_id" AS "new board_id" FROM "card") WHERE id = "new board_id"), 0) AS expected
  ///   FROM (SELECT * FROM "board" LIMIT 1000) AS "board")
  /// ```
  ///
  /// - Parameters:
  ///   - source: the table that the trigger is on.
  ///   - target: the table of the column.
  ///   - start: what new rows hold in the column; a number where the trigger counts.
  ///   - count: how many rows of the target are looked at.
  /// - Returns: selects how many rows hold something that is not the start, and how many hold something else than the
  ///   trigger would have made; nil where that cannot be asked.
  package func proof(
    from source: TableSchema, to target: TableSchema, start: String, rows count: Int, _ dialect: Dialect
  ) -> String? {
    // What counts on whenever it is asked is not asked.
    let isCounting = value.contains { ["nextval", "setval"].contains($0.name) }
    guard isWhole, !isCounting, let name = target.column(column)?.name, !value.isEmpty else { return nil }
    let new = Select(
      source.columns.map { "\(dialect.name($0.name)) AS \(Self.new($0.name, dialect))" },
      from: From(dialect.table(source.name)))
    if rows.isEmpty {
      let row = From(new.limited(to: count), as: "n", dialect: dialect)
      let held = Self.new(name, dialect)
      return answer(
        Select(["\(held) AS held", "(\(text(value, dialect))) AS expected"], from: row), start: "NULL",
        dialect)
    }
    guard rows[0].isWord("WHERE") else { return nil }
    let isChosen = Condition.sql("(\(text(rows.dropFirst(), dialect)))")
    func made(_ sql: String) -> String {
      "(\(Select([sql], from: From(new, as: "n", dialect: dialect)).where(isChosen).limited(to: 1).text(dialect)))"
    }
    let alias = target.name.split(separator: ".").last.map(String.init) ?? target.name
    let own = From(
      Select(["*"], from: From(dialect.table(target.name))).limited(to: count), as: dialect.name(alias),
      dialect: dialect)
    let column = dialect.name(name)
    let (held, expected) =
      switch kind {
      case .set: (column, made(text(value, dialect)))
      // What any one of the new rows makes of it is what all make of it.
      case .counted: ("coalesce(\(column), 0)", "coalesce(\(made(text(value, dialect))), \(start))")
      case .added:
        (
          "coalesce(\(column), 0)",
          "\(start) + coalesce(\(made("sum(\(text(value, dialect, replacing: self.column)))")), 0)"
        )
      }
    return answer(
      Select(["\(held) AS held", "\(expected) AS expected"], from: own),
      start: kind == .set ? "NULL" : start, dialect)
  }

  private func answer(_ rows: Select, start: String, _ dialect: Dialect) -> String {
    func number(_ condition: Condition) -> String {
      "coalesce(sum(CASE WHEN \(condition.text) THEN 1 ELSE 0 END), 0)"
    }
    return Select(
      [number(dialect.different("held", start)), number(dialect.different("held", "expected"))],
      from: From(rows, as: "p", dialect: dialect)
    ).text(dialect)
  }

  private static func new(_ column: String, _ dialect: Dialect) -> String {
    dialect.name("new \(column.sqlName)")
  }

  /// Tokens as the body writes them, with the columns of the new row under their other names.
  ///
  /// - Parameter column: one that is replaced by 0, whatever row of the table is named before it.
  private func text(_ tokens: some Sequence<SQLToken>, _ dialect: Dialect, replacing column: String? = nil)
    -> String
  {
    let tokens = Array(tokens)
    var text = ""
    var place = 0
    while place < tokens.count {
      let isQualified = place + 2 < tokens.count && tokens[place + 1].text == "."
      let last = isQualified ? place + 2 : place
      if isQualified, tokens[place].name == "new" {
        text += Self.new(tokens[last].name, dialect)
      } else if tokens[last].name == column {
        text += "0"
      } else {
        text += tokens[place...last].map(\.text).joined()
      }
      if last + 1 < tokens.count {
        text += tokens[last].text.base[tokens[last].text.endIndex..<tokens[last + 1].text.startIndex]
      }
      place = last + 1
    }
    return text
  }
}
