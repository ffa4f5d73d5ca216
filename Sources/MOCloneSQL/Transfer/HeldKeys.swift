import MOCloneEngine
import MOCloneModel

/// Numbers that references of the store hold although no row has them: a new object with such a key would be taken for
/// what they once referred to.
package struct HeldKeys: Sendable {
  /// Each selects the greatest number above the parameter `after`, up to `last`, that references of one kind hold.
  package let queries: [Select]

  /// - Parameter table: one whose key is a number.
  package init(of table: TablePlan, in store: StoreLayout) {
    let dialect = store.dialect
    let key = table.keyColumns.map(\.name)
    func held(_ column: String, rows: String, where condition: Condition) -> Select {
      let value = dialect.column("x", column)
      let range = "\(value) > \(dialect.parameter("after")) AND \(value) <= \(dialect.parameter("last"))"
      return Select([value], from: From("\(rows) x")).where(.sql(range) && condition)
        .ordered(by: ["\(value) DESC"]).limited(to: 1)
    }
    let referrers = store.referrers(to: table).filter {
      $0.references.map(\.sqlName) == key.map(\.sqlName)
    }
    queries =
      key.count == 1
      ? referrers.map {
        held($0.columns[0], rows: dialect.table($0.table.name), where: $0.isHeld("x"))
      } : []
  }
}
