import MOCloneEngine
import MOCloneModel

/// Finds what triggers have made of clones; run when all are written.
extension CheckRenderer {
  /// Clones that a trigger has deleted again.
  var gone: [RunCheck] {
    layout.tablePlans.filter { !$0.isDirect }.map { tablePlan in
      let table = tablePlan.table.name
      let map = From(layout.dialect.temporary(tablePlan.map) + " m", joins: [written(tablePlan)])
      return layout.check(tablePlan, among: map, where: .isNull(tablePlan.key("w")[0])) {
        .gone($0, table: table)
      }
    }
  }

  /// Clones that a trigger has given another destination, or another value by which others reference them.
  var moved: [RunCheck] {
    layout.tablePlans.filter { !$0.isDirect && !$0.table.triggers.isEmpty }.flatMap { tablePlan in
      let writer = WriteRenderer(layout: layout, tablePlan: tablePlan)
      let own = layout.references[tablePlan.index].compactMap { reference in
        changed(reference.key.columns, by: writer, name: reference.relationship.name)
      }
      return own
        + layout.tablePlans.flatMap { holder in
          layout.references[holder.index].indices.compactMap {
            referenced(by: $0, in: holder, writer: writer)
          }
        }
    }
  }

  /// Clones whose referenced columns a trigger has changed, where what referenced the original by them is cloned too.
  private func referenced(by place: Int, in holder: CloneTablePlan, writer: WriteRenderer) -> RunCheck? {
    let reference = layout.references[holder.index][place]
    let (key, dialect) = (reference.key, layout.dialect)
    guard writer.tablePlan.isReferenced(byValuesOf: key, in: layout.plan.model),
      ReferenceRenderer(layout: layout, tablePlan: holder, index: place).canBeInside
    else { return nil }
    let isCloned = Condition.equal(holder.old("k"), holder.key("r"))
    let rows = From(
      "\(dialect.table(holder.table.name)) r",
      joins: holder.isDirect ? [] : [.inner("\(dialect.temporary(holder.map)) k", on: isCloned)])
    let row = Select(["1"], from: rows)
      .where(.equal(dialect.columns("r", key.columns), dialect.columns("s", key.references)))
    return changed(
      key.references, by: writer, name: key.references.joined(separator: ", "),
      use: reference.relationship.qualifiedName, where: .exists(row, dialect))
  }

  /// Finds clones in which columns hold something else than was written.
  private func changed(
    _ columns: [String], by writer: WriteRenderer, name: String, use: String? = nil,
    where condition: Condition = .always
  ) -> RunCheck? {
    let (tablePlan, columns) = (writer.tablePlan, columns.filter(writer.columns.contains))
    guard tablePlan.table.rewritesNewRows(columns) else { return nil }
    let isOther = columns.map { column in
      let value = tablePlan.choose(writer.value(of: column))
      return layout.dialect.different(layout.dialect.column("w", column), value)
    }.any
    let table = tablePlan.table.name
    let rows = writer.source + [written(tablePlan)]
    return layout.check(tablePlan, among: rows, where: isOther && condition) {
      .moved($0, name: name, table: table, use: use)
    }
  }

  /// The row `w` of the clone of an object `m`; null where there is none.
  private func written(_ tablePlan: CloneTablePlan) -> From.Join {
    .left(
      layout.dialect.table(tablePlan.table.name) + " w", on: .equal(tablePlan.key("w"), tablePlan.newKey("m"))
    )
  }
}
