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
    func held(_ column: String, rows: String, where condition: Condition = .always) -> Select {
      let value = dialect.column("x", column)
      let range = "\(value) > \(dialect.parameter("after")) AND \(value) <= \(dialect.parameter("last"))"
      return Select([value], from: From("\(rows) x")).where(.sql(range) && condition)
        .ordered(by: ["\(value) DESC"]).limited(to: 1)
    }
    func leads(_ references: [String]) -> Bool { references.map(\.sqlName) == key.map(\.sqlName) }
    let references = store.references.filter { reference in
      store.table(of: reference.key.destination) == table && leads(reference.key.references)
    }.map { reference in
      held(
        reference.key.columns[0], rows: store.table(of: reference.entity).sql,
        where: store.holds(reference, "x"))
    }
    let pairs = store.joins.flatMap { join in
      join.ends.filter { store.table(of: $0.entity) == table && leads($0.mapping.references) }.map {
        held($0.mapping.columns[0], rows: dialect.table(join.schema.name))
      }
    }
    queries = key.count == 1 ? references + pairs : []
  }
}
