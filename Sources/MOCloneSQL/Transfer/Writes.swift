import MOCloneEngine
import MOCloneModel

/// SQL that writes what was found out: the one place that knows what new objects hold and what becomes of those that were
/// there.
package struct Writes: Sendable {
  package let layout: TransferLayout
  package let keys: TransferKeys
  let modified: ModifiedRule
  var policy: TransferPolicy { layout.policy }
  var dialect: Dialect { layout.dialect }
  var lists: ListEnds { ListEnds(keys) }

  package init(_ layout: TransferLayout, _ states: [TransferState], _ modified: ModifiedRule) {
    self.layout = layout
    self.modified = modified
    keys = TransferKeys(layout, states)
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
      table.column($0.column)?.isGenerated != true && seen.insert($0.column.sqlName).inserted
    }
  }

  // MARK: Dates of change

  /// The run's instant as a column holds it.
  func now(_ column: AttributeColumn) -> String { dialect.parameter(Self.now(StorageForm(column))) }

  /// The name of the parameter for the run's instant in a form of storage.
  package static func now(_ form: StorageForm) -> String { "now_\(form.name)" }

  /// The date of change of the objects `t`, where a table has one that can be written.
  func dateOfChange(_ table: TablePlan) -> Value? {
    let holders = table.entities.filter { modified.attribute(of: $0, in: layout.model) != nil }
    guard let first = holders.first, let column = layout.mapping[first].attributes[modified.name],
      column.keyPart == nil, table.schema.column(column.column)?.isGenerated != true
    else { return nil }
    let value = table.isKind(holders, "t").choose(now(column), else: dialect.column("t", column.column))
    return Value(column: column.column, sql: value)
  }
}

/// What becomes of unique values that objects are to swap: a statement compares them row by row, so one cannot do it.
package struct SwappingUpdate: Sendable {
  package let statement: String
  /// Puts values that no row has in place of unique ones that are about to change; nil where none is unique.
  package let parking: String?
}
