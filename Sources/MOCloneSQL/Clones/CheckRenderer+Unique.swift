import MOCloneEngine
import MOCloneModel

/// Finds clones that would repeat what the model says is unique, where the store has no unique index that refuses them.
extension CheckRenderer {
  func repeated(_ tablePlan: CloneTablePlan) -> [RunCheck] {
    let writer = WriteRenderer(layout: layout, tablePlan: tablePlan)
    return tablePlan.variants.flatMap { variant in
      constraints(of: variant.entity).compactMap { constraint -> RunCheck? in
        let columns = constraint.flatMap(layout.mapping[variant.entity].columns)
        let original = { layout.dialect.column("s", $0) }
        guard !columns.isEmpty, !tablePlan.table.isUnique(columns),
          columns.allSatisfy({ writer.value(of: $0, variant) == original($0) })
        else { return nil }
        let isRepeated = columns.map { .isNotNull(original($0)) }
          .reduce(variant.condition("m", in: tablePlan)) { $0 && $1 }
        let help = layout.plan.model.advice(
          repeating: constraint, of: variant.entity, canBeRoot: tablePlan.hasRoot,
          computed: layout.computed(constraint, of: variant.entity, in: tablePlan.table))
        var check = layout.check(
          tablePlan, entity: variant.entity, among: layout.rows(of: tablePlan), where: isRepeated
        ) {
          CloneError.notMadeUnique(constraint, of: $0.entity, value: "the same", original: $0, help: help)
            .failures[0]
        }
        check.isOfUniqueValues = true
        return check
      }
    }
  }

  private func constraints(of entity: String) -> [[String]] {
    layout.plan.model.entities.filter { layout.plan.model.isKind(entity, of: $0.name) }
      .flatMap(\.uniquenessConstraints)
  }
}
