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
  package init(_ match: Match, _ layout: TransferLayout) {
    self.layout = layout
    stream = match.stream
    rows = match.stream.staged!
    later = layout.temporary("later\(stream.index)", ["number \(layout.dialect.numberKey)", "first INTEGER"])
    find = Insert(
      into: later.sql, ["number", "first"], rows: match.later.text(layout.dialect)
    ).text(layout.dialect)
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
    let said = Select(
      ["l.first"] + rows.content.dropLast().map { "s.\($0)" }, from: later.rows("l")
    ).joined("\(rows.table.sql) s", on: .equal(["s.number"], ["l.number"])).where(.sql("TRUE"))
      .ordered(by: ["l.number"])
    let values = rows.values.enumerated().map { i, value in
      existing == .update && !isIdentifying(rows.columns[i])
        ? "\(value) = \(rows.isGiven(i, "excluded").choose("excluded.\(value)", else: value))"
        : "\(value) = coalesce(\(value), excluded.\(value))"
    }
    let references = rows.references.map { reference in
      existing == .update
        ? "\(reference) = coalesce(excluded.\(reference), \(reference))"
        : "\(reference) = coalesce(\(reference), excluded.\(reference))"
    }
    let masks = rows.masks.map { "\($0) = \($0) & excluded.\($0)" }
    let taken = values + references + masks
    let insert = Insert(into: rows.table.sql, names, rows: said.text(dialect)).text(dialect)
    return insert + " ON CONFLICT(number) DO "
      + (taken.isEmpty ? "NOTHING" : "UPDATE SET \(taken.list)")
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
    func lead(_ table: TemporaryTable, _ column: String) -> String {
      Update("\(table.sql) AS s", [(column, first("s.\(column)"))]).where(isLater("s.\(column)")).text(
        dialect)
    }
    let references = layout.streams.flatMap { other in
      other.references.filter { $0.destination == stream.index }.map {
        lead(other.staged!.table, $0.columns[0])
      }
    }
    let pairs = layout.pairs.flatMap { pairs in
      pairs.ends.filter { $0.stream == stream.index }.map { lead(layout.staged(pairs), $0.columns[0]) }
    }
    return [
      Delete(rows.table.sql).where(isLater("number")).text,
      Delete(identities.sql).where(isLater("k0")).text,
    ] + references + pairs + [later.clear]
  }
}
