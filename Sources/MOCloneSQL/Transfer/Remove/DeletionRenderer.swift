import MOCloneEngine
import MOCloneModel

/// The statements that delete a set of objects by the delete rules of their relationships; how many there are depends
/// on the model alone.
package struct DeletionRenderer {
  package let layout: StoreLayout
  /// For each table the keys of what goes.
  package let gone: [RowSet]
  private let cascades: CascadeRenderer
  private let dates: DateOfChange
  var dialect: Dialect { layout.dialect }

  /// - Parameter dates: sets the date of change of what loses a reference.
  package init(_ layout: StoreLayout, dates: DateOfChange) {
    self.layout = layout
    self.dates = dates
    gone = layout.tables.map { RowSet("gone_\($0.index)", of: $0) }
    cascades = CascadeRenderer(layout, gone: gone)
  }

  package var setUp: [String] { gone.flatMap(\.setUp) + cascades.setUp }
  package var cleanUp: [String] { gone.map(\.clear) + cascades.cleanUp }

  /// Adds everything that cascades lead to.
  package var closure: [String] { cascades.statements }

  /// The statement that adds what a query selects, a key a row.
  package func add(_ query: Select, to table: TablePlan) -> String { gone[table.index].add(query) }

  /// The rows `x` that refer to what goes, the rows `s`.
  func members(_ reference: RowReference) -> From {
    let owner = layout.table(of: reference.key.destination)
    let member = layout.table(of: reference.entity)
    let key = reference.key
    let tie = Condition.equal(dialect.columns("x", key.columns), dialect.columns("s", key.references))
    return gone[owner.index].rows("g", with: "s") + [
      // Siblings may keep other references in the same columns.
      .ordered("\(member.sql) x", on: tie && layout.holds(reference, "x"))
    ]
  }

  /// The references that become null as the objects go, each with a query that counts the rows that stay.
  package var nullified: [(name: String, rows: Select)] {
    layout.references.compactMap { reference in
      let member = layout.table(of: reference.entity)
      guard reference.backward?.deleteRule != .noAction || reference.onDelete(in: member) == "SET NULL" else {
        return nil
      }
      let rows = Select(["count(*)"], from: members(reference)).where(!gone[member.index].has("x"))
      return (reference.relationship.qualifiedName, rows)
    }
  }

  // MARK: Writing

  /// What empties a reference, or a join table, from outside.
  package struct Release {
    package let statements: [String]
    /// Counts the rows that still refer to what goes.
    package let left: Select
    package let table: TableSchema
  }

  /// Empties what refers to the objects from outside.
  package var releases: [Release] { releases(of: layout.references) + layout.joins.flatMap(release) }

  package func releases(of references: [RowReference]) -> [Release] { references.compactMap(release) }

  private func release(_ reference: RowReference) -> Release? {
    let columns = layout.columns(emptying: reference)
    guard reference.backward?.deleteRule != .noAction, !columns.isEmpty else { return nil }
    let member = layout.table(of: reference.entity)
    let isRequired = columns.contains { member.schema.column($0)?.isRequired ?? true }
    // RESTRICT is checked at once, also among rows that all go.
    let all = reference.onDelete(in: member) == "RESTRICT" && !isRequired
    let found = Select(member.key("x"), from: members(reference))
      .where(all ? .always : !gone[member.index].has("x"))
    let emptied = columns + [reference.orderColumn].compactMap { $0 }
    let change = dates.change(member, as: "u", where: .among(member.key("u"), query: found, dialect: dialect))
    {
      $0.setting(emptied.map { (dialect.name($0), "NULL") })
    }
    return Release(statements: change, left: found.with(["count(*)"]), table: member.schema)
  }

  private func release(_ join: TableJoin) -> [Release] {
    join.ends.filter { $0.relationship?.deleteRule != .noAction }.map { end in
      let set = gone[layout.table(of: end.entity).index]
      let found = Select(dialect.columns("s", end.mapping.references), from: set.rows("g", with: "s"))
      let refers = Condition.among(end.mapping.columns.map(dialect.name), query: found, dialect: dialect)
      let table = dialect.table(end.mapping.table)
      return Release(
        statements: [Delete(table).where(refers).text],
        left: Select(["count(*)"], from: From(table)).where(refers), table: join.schema)
    }
  }

  /// Deletes the objects, members before their owners.
  package var deletion: [String] {
    let edges = layout.references.map {
      (from: layout.table(of: $0.entity).index, to: layout.table(of: $0.key.destination).index)
    }
    return Components(count: layout.tables.count, edges: edges).ordered.flatMap { places in
      let deletions = places.map { Delete("\(layout.tables[$0].sql) AS s").where(gone[$0].holds("s")).text }
      let isCycle = places.count > 1 && layout.dialect.insertsTogether
      return isCycle ? [Delete.together(deletions)] : deletions
    }
  }
}

extension RowReference {
  /// What the database does with a row of a table as what it refers to goes; nil where it knows nothing of that.
  func onDelete(in table: TablePlan) -> String? { declared(in: table)?.onDelete }

  func declared(in table: TablePlan) -> ForeignKeySchema? {
    table.schema.foreignKey(on: key.columns)
  }
}
