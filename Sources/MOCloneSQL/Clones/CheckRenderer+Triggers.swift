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

  /// Clones that a trigger has given members of its own, beside those of their originals.
  var joined: [RunCheck] {
    let tables = layout.tablePlans.map(\.table)
    return layout.tablePlans.filter { !$0.isDirect && $0.table.gainsRows(byInsertsInto: tables) }.flatMap {
      members in
      layout.references[members.index].compactMap { reference -> RunCheck? in
        guard let owners = layout.tablePlan(of: reference.key.destination), !owners.isDirect else {
          return nil
        }
        let new = members.keyColumns.indices.map { members.newKey("y", part: $0) }
        let clone = Select(["1"], from: From(layout.dialect.temporary(members.map) + " y"))
          .where(.equal(new, members.key("t")))
        let isMember = Condition.equal(
          reference.key.columns.map { layout.dialect.column("t", $0) },
          reference.key.references.map { layout.dialect.column("w", $0) })
        let rows = From(
          layout.dialect.temporary(owners.map) + " m",
          joins: [
            written(owners), .ordered(layout.dialect.table(members.table.name) + " t", on: isMember),
          ])
        let (table, name) = (members.table.name, (reference.backward ?? reference.relationship).name)
        return RunCheck(
          tablePlan: owners.index,
          sql: layout.firstOriginal(of: owners, among: rows, where: !.exists(clone, layout.dialect))
        ) { original, _ in .joined(original, relationship: name, table: table) }
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
