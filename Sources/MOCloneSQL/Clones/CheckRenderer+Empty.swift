import MOCloneEngine
import MOCloneModel

/// Finds clones to which nothing could refer, since a value by which rows refer to them would be null.
extension CheckRenderer {
  /// Parts of keys that are foreign keys of relationships which the clone does not have.
  func emptyKeys(_ tablePlan: CloneTablePlan) -> [RunCheck] {
    tablePlan.keyColumns.indices.flatMap { part in
      tablePlan.variants.compactMap { variant in
        guard case .relationship(let name, _) = tablePlan.keySources[variant.entity]![part] else {
          return nil
        }
        let isEmpty = variant.condition("m", in: tablePlan) && .isNull(tablePlan.at("m", "n\(part)"))
        let column = tablePlan.keyColumns[part].name
        return check(tablePlan, entity: variant.entity, where: isEmpty) {
          .emptyKey(column, relationship: name, object: $0)
        }
      }
    }
  }

  /// References to columns beside the key that a rule or the request leaves empty.
  func emptyReferenced(_ tablePlan: CloneTablePlan) -> [RunCheck] {
    layout.referenceRenderers(of: tablePlan).flatMap { renderer -> [RunCheck] in
      let key = renderer.reference.key
      guard let destination = renderer.destination else { return [] }
      return key.references.indices.filter { canBeEmpty(key.references[$0], in: destination) }.flatMap {
        part in
        tablePlan.variants.compactMap { emptyReferenced(renderer, part, of: $0, in: tablePlan) }
      }
    }
  }

  private func emptyReferenced(
    _ renderer: ReferenceRenderer, _ part: Int, of variant: Variant, in tablePlan: CloneTablePlan
  ) -> RunCheck? {
    guard renderer.holds(variant), !renderer.isGiven(variant) else { return nil }
    let isEmpty =
      variant.condition("m", in: tablePlan) && renderer.refersInside(variant)
      && .isNull("(\(renderer.value(part, variant)))")
    guard isEmpty != .never else { return nil }
    let relationship = renderer.reference.relationship
    let column = renderer.reference.key.references[part]
    let rows = layout.rows(of: tablePlan) + renderer.joins
    return layout.check(tablePlan, entity: variant.entity, among: rows, where: isEmpty) {
      .emptyReferenced(column, by: relationship, object: $0)
    }
  }

  /// Whether a clone of a table plan can hold null in a column in which its original holds a value.
  private func canBeEmpty(_ column: String, in tablePlan: CloneTablePlan) -> Bool {
    if tablePlan.keyPart(column) != nil { return false }
    if tablePlan.settledIndex(column) != nil { return true }
    return tablePlan.nodes.contains { node in
      node.attributes.contains { planned in
        layout.mapping[node.entity].holds(planned.attribute.name, in: column)
          && planned.attribute.isOptional && planned.rule.canEmpty
      }
    }
  }
}

extension AttributeRule {
  /// Whether a clone can have nothing where its original has a value.
  fileprivate var canEmpty: Bool {
    switch self {
    case .copy, .rebuild, .key: false
    case .exclude(let value): value == .null
    // Plans that set other values share their statements.
    case .set, .followParent: true
    }
  }
}
