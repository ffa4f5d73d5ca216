import MOCloneEngine
import MOCloneModel

/// The dates of change of rows that an operation writes: what sets them, and what they were before.
package struct DateOfChange: Sendable {
  private let layout: StoreLayout
  /// Nil where no operation changes the rows, but a person one of them.
  private let rule: ModifiedRule?
  /// The dates before; nil of tables whose rows are not looked at again.
  private let before: [RowSet?]

  /// - Parameter keepsBefore: whether rows are looked at again after some have been written: only the dates that they
  ///   had before tell which is newest.
  package init(_ layout: StoreLayout, rule: ModifiedRule?, keepsBefore: Bool = false) {
    self.layout = layout
    self.rule = rule
    before = layout.tables.map { table in
      let columns = keepsBefore ? layout.dateColumns(table, modified: rule) : []
      guard !columns.isEmpty else { return nil }
      let definitions = columns.enumerated().map { place, name in
        layout.dialect.definition("d\(place)", as: table.schema.column(name)!)
      }
      return RowSet("dates_\(table.index)", of: table, noting: definitions)
    }
  }

  package var setUp: [String] { before.compactMap { $0 }.flatMap(\.setUp) }

  /// The columns that hold dates of change.
  func columns(_ table: TablePlan) -> [String] { layout.dateColumns(table, modified: rule) }

  /// The statements that change rows of a table, and their dates with them.
  ///
  /// - Parameters:
  ///   - renewals: what has to be done before that where the change makes other keys of them.
  ///   - values: adds what is assigned.
  func change(
    _ table: TablePlan, as alias: String, where condition: Condition, renewals: [String] = [],
    values: (Update) -> Update
  ) -> [String] {
    let touch = rule.map { layout.touch(table, alias: alias, modified: $0) } ?? []
    let dates = touch.map { (layout.dialect.name($0.column), $0.value) }
    let update = values(Update("\(table.sql) AS \(alias)", assignments: dates)).where(condition)
      .onConflict(table.schema.conflict)
    return keep(table, alias: alias, where: condition) + renewals + [update.text(layout.dialect)]
  }

  /// Notes the dates of rows that are about to be written, those that are not noted yet.
  private func keep(_ table: TablePlan, alias: String, where condition: Condition) -> [String] {
    guard let before = before[table.index] else { return [] }
    let dates = columns(table)
    let rows = Select(
      table.key(alias) + layout.dialect.columns(alias, dates), from: table.rows(alias))
    return [before.add(rows.where(condition), noting: dates.indices.map { "d\($0)" })]
  }

  /// The rows of a table whose dates are noted; nil where none can be.
  func noted(_ table: TablePlan) -> RowSet? { before[table.index] }

  /// Leads from the rows `s` to their dates before.
  func joins(_ table: TablePlan) -> [From.Join] {
    before[table.index].map { [.left("\($0.sql) d", on: .equal($0.key("d"), table.key("s")))] } ?? []
  }

  /// The value of a column of the rows `s` before the operation.
  func value(_ column: String, _ table: TablePlan) -> String {
    let own = layout.dialect.column("s", column)
    guard before[table.index] != nil, let place = columns(table).firstIndex(of: column) else { return own }
    return "(\(Condition.isNull("d.k0").choose(own, else: "d.d\(place)")))"
  }
}

extension StoreLayout {
  /// Assignments that set the date of change of rows, in those of the table's entities that have one.
  package func touch(
    _ table: TablePlan, alias: String, modified: ModifiedRule
  ) -> [(column: String, value: String)] {
    dated(table, modified: modified).sorted { $0.key < $1.key }.map { name, entities in
      let column = column(modified, entity: entities[0])!
      let date = table.schema.instant(dialect.value(.date(modified.instant), as: column), in: column, dialect)
      let own = dialect.column(alias, name)
      return (name, table.isKind(entities, alias: alias).choose(date, else: own))
    }
  }

  /// The columns that `touch` sets.
  package func dateColumns(_ table: TablePlan, modified: ModifiedRule?) -> [String] {
    modified.map { dated(table, modified: $0).keys.sorted() } ?? []
  }

  /// The entities of a table that have a date of change, by its column.
  private func dated(_ table: TablePlan, modified: ModifiedRule) -> [String: [String]] {
    let entities = table.entities.filter {
      modified.attribute(of: $0, in: model) != nil && column(modified, entity: $0) != nil
    }
    return Dictionary(grouping: entities, by: { column(modified, entity: $0)!.column })
  }

  /// The column of the date of change; nil where it cannot be written.
  private func column(_ modified: ModifiedRule, entity: String) -> AttributeColumn? {
    guard let column = mapping[entity].attributes[modified.name], column.keyPart == nil,
      !table(of: entity).schema.isGenerated(column.column)
    else { return nil }
    return column
  }
}

extension TableSchema {
  /// The present instant as a column keeps it: one of whole seconds gets those, and so does one of numbers that is declared
  /// INTEGER.
  package func instant(_ value: String, in column: AttributeColumn, _ dialect: Dialect) -> String {
    guard !dialect.hasTypes else { return value }
    return switch column.dates {
    case .unix, .referenceDate:
      self.column(column.column)?.affinity == "INTEGER" ? "CAST(\(value) AS INTEGER)" : value
    case .iso8601Seconds: "substr(\(value), 1, 19) || 'Z'"
    case .sqliteSeconds: "substr(\(value), 1, 19)"
    case .iso8601, .sqlite, .day, .unixMilliseconds: value
    }
  }
}
