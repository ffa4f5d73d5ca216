import MOCloneEngine
import MOCloneModel

/// Keeps the clones of earlier roots out of the closures of later ones.
extension ClosureRenderer {
  /// Notes the clones of a root.
  func noting(_ tablePlan: CloneTablePlan) -> String {
    let clones = Select(tablePlan.newKey("m"), from: From("\(dialect.temporary(tablePlan.map)) m"))
    return enter(tablePlan.noted, columns: tablePlan.oldColumns, rows: clones.text(dialect))
  }

  /// Whether a row `s` that a relationship leads to is no clone of an earlier root.
  func isNoClone(_ relationship: RelationshipDescription) -> Condition {
    layout.tablePlan(of: relationship.destination)?.isNoClone("s") ?? .always
  }
}
