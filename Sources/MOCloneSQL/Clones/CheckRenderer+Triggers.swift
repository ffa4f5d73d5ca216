import MOCloneEngine
import MOCloneModel

/// Finds what triggers have made of clones; run when all are written.
extension CheckRenderer {
  /// Clones that a trigger has deleted again.
  var gone: [RunCheck] {
    layout.tablePlans.filter { !$0.isDirect }.map { tablePlan in
      let table = tablePlan.table.name
      let map = From(layout.dialect.temporary(tablePlan.map) + " m", joins: [written(tablePlan)])
      return RunCheck(
        tablePlan: tablePlan.index,
        sql: layout.firstOriginal(of: tablePlan, among: map, where: .isNull(tablePlan.key("w")[0]))
      ) { original, _ in .gone(original, table: table) }
    }
  }

  /// Clones that a trigger has given another destination.
  var moved: [RunCheck] {
    layout.tablePlans.filter { !$0.isDirect }.flatMap { tablePlan in
      let writer = WriteRenderer(layout: layout, tablePlan: tablePlan)
      return layout.references[tablePlan.index].compactMap { reference -> RunCheck? in
        let columns = reference.key.columns.filter(writer.columns.contains)
        guard tablePlan.table.rewritesNewRows(columns) else { return nil }
        let isOther = columns.map { column in
          let value = tablePlan.choose("m") { writer.value(of: column, $0) }
          return layout.dialect.different(layout.dialect.column("w", column), value)
        }.any
        let (table, name) = (tablePlan.table.name, (reference.forward ?? reference.relationship).name)
        return RunCheck(
          tablePlan: tablePlan.index,
          sql: layout.firstOriginal(
            of: tablePlan, among: writer.source + [written(tablePlan)], where: isOther)
        ) { original, _ in .moved(original, relationship: name, table: table) }
      }
    }
  }

  /// The row `w` of the clone of an object `m`; null where there is none.
  private func written(_ tablePlan: CloneTablePlan) -> From.Join {
    let new = tablePlan.keyColumns.indices.map { tablePlan.newKey("m", part: $0) }
    return .left(
      layout.dialect.table(tablePlan.table.name) + " w", on: .equal(tablePlan.key("w"), new))
  }
}
