import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The statements that change objects which are there already, or were made by another row: pure text.
///
/// What several rows say of one object is first put together in a table of changes, in the order of the rows.
struct ImportUpdating {
  let writing: ImportWriting
  private var staged: StagedTable { writing.staged }
  private var isUpdate: Bool { writing.existing == .update }

  /// The values that rows can change, by their number.
  private var attributes: [Int] {
    let identifying = staged.entity.identifying
    return staged.columns.indices.filter {
      staged.columns[$0].keyPart == nil && !identifying.contains(staged.entity.attributes[$0].name)
        && !(staged.table.column(staged.columns[$0].column)?.isGenerated ?? false)
    }
  }

  private var references: [Int] {
    let identifying = staged.entity.identifying
    return staged.entity.references.indices.filter {
      !identifying.contains(staged.entity.references[$0].relationship.name)
    }
  }

  private func parts(_ reference: Int) -> [String] {
    staged.foreignKeys[reference].columns.indices.map { "f\(reference)_\($0)" }
  }

  var isEmpty: Bool { attributes.isEmpty && references.isEmpty }

  var create: String {
    let key = SQL.list(staged.keyParts)
    let columns =
      ["number INTEGER", "made INTEGER"] + staged.keyParts + attributes.map { "a\($0)" }
      + references.flatMap(parts)
      + staged.masks
    return "CREATE TEMP TABLE \(staged.changes)(\(SQL.list(columns)), PRIMARY KEY(\(key))) WITHOUT ROWID"
  }

  /// Gathers what rows say of objects that were there before, and of those that several rows mean.
  func fill(_ matches: ImportMatches) -> String {
    let keys = staged.keyParts.map { "m.\($0)" }
    let foreign = references.flatMap { i in
      staged.referenced(i, writing.all[staged.entity.references[i].destination])
    }
    let selected =
      ["s.number", "m.made"] + keys + attributes.map { "s.a\($0)" } + foreign + staged.masks.map { "s.\($0)" }
    let matching = ImportMatching(
      staged: staged, all: writing.all, model: writing.model, schema: writing.schema)
    let taken =
      attributes.map { i in
        isUpdate
          ? "a\(i) = CASE WHEN \(staged.isAbsent(i, "excluded")) THEN a\(i) ELSE excluded.a\(i) END"
          : "a\(i) = coalesce(a\(i), excluded.a\(i))"
      }
      + references.flatMap(parts).map {
        isUpdate ? "\($0) = coalesce(excluded.\($0), \($0))" : "\($0) = coalesce(\($0), excluded.\($0))"
      } + staged.masks.map { "\($0) = \($0) & excluded.\($0)" }
    let update = taken.isEmpty ? "NOTHING" : "UPDATE SET \(SQL.list(taken))"
    return "INSERT INTO temp.\(staged.changes) SELECT \(SQL.list(selected)) FROM temp.\(staged.map) m "
      + "CROSS JOIN temp.\(staged.rows) s ON s.number = m.number\(matching.references("s")) "
      + "WHERE \(gathered(matches)) ORDER BY m.number "
      + "ON CONFLICT(\(SQL.list(staged.keyParts))) DO \(update)"
  }

  private func gathered(_ matches: ImportMatches) -> String {
    let isShared = "m.first IN (SELECT first FROM temp.\(staged.later))"
    if writing.existing == .keep { return "m.made AND \(isShared)" }
    return matches.hasLater ? "(NOT m.made OR \(isShared))" : "NOT m.made"
  }

  /// The new value of an attribute: `t` is the stored row, `e` what the rows say; what the import made itself has
  /// nothing that they must not replace.
  private func value(_ attribute: Int, made: Bool) -> String {
    let stored = SQL.column("t", staged.columns[attribute].column)
    return isUpdate || made
      ? "CASE WHEN \(staged.isAbsent(attribute, "e")) THEN \(stored) ELSE e.a\(attribute) END"
      : "coalesce(\(stored), e.a\(attribute))"
  }

  private func value(_ part: String, _ column: String, made: Bool) -> String {
    let stored = SQL.column("t", column)
    return isUpdate || made ? "coalesce(e.\(part), \(stored))" : "coalesce(\(stored), e.\(part))"
  }

  private func changes(made: Bool) -> [(column: String, value: String)] {
    attributes.map { (staged.columns[$0].column, value($0, made: made)) }
      + references.flatMap { i in
        zip(staged.foreignKeys[i].columns, parts(i)).map { ($0, value($1, $0, made: made)) }
      }
  }

  private func differs(made: Bool) -> String {
    changes(made: made).map { "\(SQL.column("t", $0.column)) IS NOT \($0.value)" }.joined(separator: " OR ")
  }

  private var isRow: String {
    SQL.equal(
      staged.mapping.keyColumns.map { SQL.column("t", $0) }, staged.keyParts.map { "e.\($0)" })
  }

  private func rows(made: Bool) -> String { "FROM temp.\(staged.changes) WHERE \(made ? "" : "NOT ")made" }

  /// How many objects differ.
  func count(made: Bool) -> String {
    "SELECT count(*) FROM (SELECT * \(rows(made: made))) e CROSS JOIN \(SQL.main(staged.table.name)) AS t "
      + "ON \(isRow) WHERE \(differs(made: made))"
  }

  /// Changes the objects that differ.
  ///
  /// - Parameter made: those that the import made itself, or those that were there before.
  func update(made: Bool) -> String {
    var sets = changes(made: made).map { (SQL.name($0.column), $0.value) }
    if let date = dateOfChange(made: made) { sets = sets.filter { $0.0 != date.column } + [date] }
    var assignments = sets.map { "\($0.0) = \($0.1)" }
    for i in references {
      guard let column = staged.foreignKeys[i].orderColumn else { continue }
      let moved = zip(staged.foreignKeys[i].columns, parts(i)).map {
        "\(SQL.column("t", $0)) IS NOT \(value($1, $0, made: made))"
      }.joined(separator: " OR ")
      let owner = parts(i).map { "e.\($0)" }
      let end = ImportWriting.end(of: column, in: staged.table.name, staged.foreignKeys[i].columns, owner)
      assignments.append(
        "\(SQL.name(column)) = CASE WHEN \(moved) THEN \(end) + e.o\(i) ELSE \(SQL.column("t", column)) END")
    }
    let positions = references.filter { staged.foreignKeys[$0].orderColumn != nil }.map { i in
      ", row_number() OVER (PARTITION BY \(SQL.list(parts(i))) ORDER BY number) AS o\(i)"
    }
    return "UPDATE \(SQL.main(staged.table.name)) AS t SET \(SQL.list(assignments)) "
      + "FROM (SELECT *\(positions.joined()) \(rows(made: made))) e "
      + "WHERE \(isRow) AND (\(differs(made: made)))"
  }

  /// The date of change: the run's instant, unless the rows give one.
  private func dateOfChange(made: Bool) -> (column: String, value: String)? {
    guard let name = writing.modified?.name, let column = staged.mapping.attributes[name]?.column else {
      return nil
    }
    guard let i = attributes.first(where: { staged.entity.attributes[$0].name == name }) else {
      return (SQL.name(column), ":now")
    }
    return (
      SQL.name(column), "CASE WHEN \(staged.isAbsent(i, "e")) THEN :now ELSE \(value(i, made: made)) END"
    )
  }
}
