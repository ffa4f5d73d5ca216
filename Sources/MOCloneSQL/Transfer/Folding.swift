import MOCloneEngine
import MOCloneModel

/// SQL that makes one row of the staged rows of one identity: what they say is put together in the first, as if one came
/// after the other, and whatever refers to the others refers to the first.
package struct Folding {
  private let layout: TransferLayout
  private let stream: RowStream
  private let rows: StagedRows
  private let later: TemporaryTable
  private var dialect: Dialect { layout.dialect }

  /// - Parameter match: of staged rows.
  package init(_ match: Match, in layout: TransferLayout) {
    self.layout = layout
    stream = match.stream
    rows = match.stream.staged!
    later = layout.temporary(
      "later\(stream.index)",
      columns: ["number \(layout.dialect.numberKey)", "first \(layout.dialect.types.integer)"])
    find = later.insert(["number", "first"], match.later)
    identities = match.identities
    identifying = Set(match.parts.compactMap { $0.column?.name.sqlName })
  }

  private let identities: TemporaryTable
  /// The columns that identify the rows, which equal rows can write in several ways.
  private let identifying: Set<String>

  package var setUp: [String] { later.setUp }

  /// Notes the rows whose identity an earlier row has already.
  package let find: String

  /// Puts what later rows say into the first of each identity.
  package func fold(by existing: ExistingPolicy) -> String {
    let names = ["number"] + rows.content.dropLast()
    let said = said(by: existing)
    let values = rows.values.enumerated().map { i, value in
      existing == .update && !isIdentifying(rows.columns[i])
        ? "\(value) = \(rows.isGiven(i, "excluded").choose("excluded.\(value)", else: "r.\(value)"))"
        : "\(value) = coalesce(r.\(value), excluded.\(value))"
    }
    let references = rows.references.map { reference in
      existing == .update
        ? "\(reference) = coalesce(excluded.\(reference), r.\(reference))"
        : "\(reference) = coalesce(r.\(reference), excluded.\(reference))"
    }
    let masks = rows.masks.map { "\($0) = r.\($0) & excluded.\($0)" }
    let taken = values + references + masks
    let insert = Insert(into: rows.table.sql + " AS r", names, rows: said.text(dialect)).text(dialect)
    return insert + " ON CONFLICT(number) DO "
      + (taken.isEmpty ? "NOTHING" : "UPDATE SET \(taken.list)")
  }

  /// What the later rows say, in their order. A typed database folds no row into one twice in a statement, so there those
  /// of one object are one.
  private func said(by existing: ExistingPolicy) -> Select {
    let all = Select([], from: later.rows("l"))
      .joined("\(rows.table.sql) s", on: .equal(["s.number"], ["l.number"])).where(.sql("TRUE"))
    guard layout.dialect.hasTypes else {
      return all.with(["l.first"] + rows.content.dropLast().map { "s.\($0)" }).ordered(by: ["l.number"])
    }
    func taken(_ column: String, isLast: Bool, where condition: Condition) -> String {
      let order = "ORDER BY l.number" + (isLast ? " DESC" : "")
      return "(array_agg(s.\(column) \(order)) FILTER (WHERE \(condition.text)))[1]"
    }
    let values = rows.values.enumerated().map { i, value in
      existing == .update && !isIdentifying(rows.columns[i])
        ? taken(value, isLast: true, where: rows.isGiven(i, "s"))
        : taken(value, isLast: false, where: .isNotNull("s.\(value)"))
    }
    let references = rows.references.map {
      taken($0, isLast: existing == .update, where: .isNotNull("s.\($0)"))
    }
    return all.with(
      ["l.first", "min(s.line)"] + values + references + rows.masks.map { "bit_and(s.\($0))" }
    ).grouped(by: ["l.first"])
  }

  /// What identifies an object is that of its first row.
  private func isIdentifying(_ column: StagedRows.Column) -> Bool {
    column.isOwn && identifying.contains(column.schema.name.sqlName)
  }

  /// Removes the later rows, and leads what refers to them to the first.
  package var settle: [String] {
    let numbers = Select(["number"], from: later.rows("l"))
    func isLater(_ column: String) -> Condition { .sql("\(column) IN (\(numbers.text(dialect)))") }
    func first(_ column: String) -> String {
      "(\(Select(["l.first"], from: later.rows("l")).where(.equal(["l.number"], [column])).text(dialect)))"
    }
    func lead(_ table: TemporaryTable, column: String) -> String {
      Update("\(table.sql) AS s", assignments: [(column, first("s.\(column)"))]).where(isLater("s.\(column)"))
        .text(
          dialect)
    }
    let references = layout.streams.flatMap { other in
      other.references.filter { $0.destination == stream.index }.map {
        lead(other.staged!.table, column: $0.columns[0])
      }
    }
    let joinRows = layout.joinRows.flatMap { joinRows in
      joinRows.ends.filter { $0.stream == stream.index }.map {
        lead(layout.staged(joinRows), column: $0.columns[0])
      }
    }
    return [
      Delete(rows.table.sql).where(isLater("number")).text,
      Delete(identities.sql).where(isLater("k0")).text,
    ] + references + joinRows + [later.clear]
  }
}
