import MOCloneEngine
import MOCloneModel

/// SQL that writes what was found out: the one place that knows what new objects hold and what becomes of those that were
/// there.
package struct Writes: Sendable {
  package let layout: TransferLayout
  package let keys: TransferKeys
  let modified: ModifiedRule
  /// The tables that are written, and what their triggers do meanwhile.
  let written: [TableSchema]
  let updates: InsertUpdates
  var policy: TransferPolicy { layout.policy }
  var dialect: Dialect { layout.dialect }
  var lists: ListEnds { ListEnds(keys) }

  package init(_ layout: TransferLayout, states: [TransferState], modified: ModifiedRule) {
    self.layout = layout
    self.modified = modified
    keys = TransferKeys(layout: layout, states: states)
    written = layout.streams.map(\.table.schema) + layout.joinRows.map(\.join.schema)
    updates = InsertUpdates(into: written)
  }

  /// The statements that note where lists end, before anything is written.
  package var listEnds: [String] { lists.setUp }

  /// A column of the store's table and what is written there.
  struct Value {
    var column: String
    var sql: String
  }

  /// The first of each column, generated ones left out.
  func written(_ values: [Value], in table: TableSchema) -> [Value] {
    var seen: Set<String> = []
    return values.filter {
      !table.isGenerated($0.column) && seen.insert($0.column.sqlName).inserted
    }
  }

  // MARK: Dates of change

  /// The run's instant as a column holds it.
  func now(_ column: AttributeColumn, in table: TableSchema) -> String {
    table.instant(dialect.value(.date(modified.instant), as: column), in: column, dialect)
  }

  /// The dates of change of the objects `t`.
  func datesOfChange(_ table: TablePlan) -> [Value] {
    layout.store.touch(table, alias: "t", modified: modified).map { Value(column: $0.column, sql: $0.value) }
  }
}

/// What becomes of unique values that objects are to swap: a statement compares them row by row, so one cannot do it.
package struct SwappingUpdate: Sendable {
  package let statements: [String]
  /// Ways to make room, each some statements: they put values that no row has in place of unique ones that are about to
  /// change, and, where a column does not take those, nulls. None where none is unique.
  package let parking: [[String]]
}
