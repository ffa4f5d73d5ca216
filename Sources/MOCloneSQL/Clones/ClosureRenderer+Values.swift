import MOCloneEngine
import MOCloneModel

/// The values that a map holds of the objects that are found.
extension ClosureRenderer {
  /// The values of `foundColumns`, by the entity of the row.
  func foundValues(
    _ tablePlan: CloneTablePlan, nodes: [PlanNode], parent: (tablePlan: CloneTablePlan, alias: String)?
  ) -> [String] {
    var sql: [String] = []
    if tablePlan.hasCopy { sql.append(dialect.parameter("copy")) }
    if tablePlan.hasGeneration {
      sql.append(parent.map { "\($0.tablePlan.isPaired ? "w" : $0.alias).gen + 1" } ?? "0")
    }
    if tablePlan.hasParent { sql.append(parent.map { $0.tablePlan.at($0.alias, "seq") } ?? "NULL") }
    if tablePlan.hasEntity { sql.append(entityNumber(tablePlan, nodes: nodes)) }
    sql += tablePlan.key("s")
    if !tablePlan.hasRowidKey {
      sql += tablePlan.keyColumns.enumerated().map { part, column in
        byEntity(tablePlan, nodes: nodes) { dialect.cast(newKey(part, tablePlan, $0), as: column) }
      }
    }
    for stored in tablePlan.stored {
      func found(_ node: PlanNode) -> ValueRenderer.Followed {
        node.attributes.first { $0.attribute.name == stored.name }.map {
          values.found($0, of: node, parent: parent)
        } ?? ValueRenderer.Followed(value: "NULL", kind: "1")
      }
      sql.append(byEntity(tablePlan, nodes: nodes) { dialect.cast(found($0).value, stored.mapType) })
      if stored.hasKind { sql.append(byEntity(tablePlan, nodes: nodes) { found($0).kind }) }
    }
    for slot in tablePlan.slots {
      let carried = parent.map { values.slot(slot, in: $0.tablePlan, alias: $0.alias) }
      sql += [dialect.cast(carried?.value ?? "NULL", ValueRenderer.carriedType), carried?.kind ?? "0"]
    }
    return sql
  }

  /// The new value of a part of a key that is not simply counted; references follow after the closure.
  private func newKey(_ part: Int, _ tablePlan: CloneTablePlan, _ node: PlanNode) -> String {
    if let given = givenKey(part, node: node) { return given }
    return switch tablePlan.keySources[node.entity]![part] {
    case .uuid(let storage): dialect.newUUID(storage, tablePlan.keyColumns[part])
    case .copied, .given: tablePlan.key("s")[part]
    case .automatic where tablePlan.countsEntries && !node.isRoot: "NULL"
    case .automatic: tablePlan.keyColumns[part].next.map(dialect.newKey) ?? "NULL"
    case .rowid, .max, .relationship: "NULL"
    }
  }

  private func givenKey(_ part: Int, node: PlanNode) -> String? {
    node.attributes.lazy.compactMap { planned in
      let name = planned.attribute.name
      guard case .set = planned.rule, let column = mapping[node.entity].attributes[name],
        column.keyPart == part
      else { return nil }
      return dialect.parameter(plan.setParameter(name, as: column, in: mapping))
    }.first
  }

  /// Asked of a single entity too: null tells a mark that represents none.
  private func entityNumber(_ tablePlan: CloneTablePlan, nodes: [PlanNode]) -> String {
    choose(tablePlan, nodes.map { ($0.entity, String(tablePlan.entities.firstIndex(of: $0.entity)!)) })
  }

  func byEntity(_ tablePlan: CloneTablePlan, nodes: [PlanNode], sql: (PlanNode) -> String) -> String {
    let choices = nodes.map { ($0.entity, sql($0)) }
    return Set(choices.map(\.1)).count > 1 ? choose(tablePlan, choices) : choices[0].1
  }

  private func choose(_ tablePlan: CloneTablePlan, _ choices: [(String, String)]) -> String {
    let cases = choices.map { "WHEN \(dialect.text(mapping[$0].discriminator!.value)) THEN \($1)" }
    return "CASE \(dialect.column("s", tablePlan.discriminator!)) \(cases.joined(separator: " ")) END"
  }
}
