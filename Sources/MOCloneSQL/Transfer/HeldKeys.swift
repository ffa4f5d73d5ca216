import MOCloneEngine
import MOCloneModel

/// Numbers that references of the store hold although no row has them: a new object with such a key would be taken for
/// what they once referred to. Clones pass over them by `DanglingReferences`.
package struct HeldKeys: Sendable {
  /// Each selects the greatest number above the parameter `after`, up to `last`, that references of one kind hold.
  package let queries: [Select]

  /// - Parameter table: one whose key is a number.
  package init(of table: TablePlan, in store: StoreLayout) {
    let dialect = store.dialect
    let key = table.keyColumns.map(\.name.sqlName)
    let referrers = store.referrers(to: table).filter {
      key.count == 1 && $0.references.map(\.sqlName) == key
    }
    queries = referrers.map { referrer in
      let value = dialect.column("x", referrer.columns[0])
      let range = "\(value) > \(dialect.parameter("after")) AND \(value) <= \(dialect.parameter("last"))"
      return Select([value], from: From("\(dialect.table(referrer.table.name)) x"))
        .where(.sql(range) && referrer.isHeld("x")).ordered(by: ["\(value) DESC"]).limited(to: 1)
    }
  }
}
