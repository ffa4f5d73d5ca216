import MOCloneEngine
import MOCloneModel

/// Finds clones to which nothing could refer, since a value by which rows refer to them would be null.
extension CheckRenderer {
  /// Parts of keys that are foreign keys of relationships which the clone does not have.
  func emptyKeys(_ family: Family) -> [RunCheck] {
    family.keyColumns.indices.flatMap { part in
      family.variants.compactMap { variant in
        guard case .relationship(let name, _) = family.keySources[variant.entity]![part] else { return nil }
        let isEmpty = variant.condition("m", in: family) && .isNull(family.at("m", "n\(part)"))
        return RunCheck(
          subject: .emptyKey(
            column: family.keyColumns[part].name, relationship: name, entity: variant.entity),
          family: family.index, sql: first(family, where: isEmpty))
      }
    }
  }

  /// References to columns beside the key that a rule or the request leaves empty.
  func emptyReferenced(_ family: Family) -> [RunCheck] {
    layout.references[family.index].indices.flatMap { i -> [RunCheck] in
      let renderer = ReferenceRenderer(layout: layout, family: family, index: i)
      let key = layout.references[family.index][i].key
      guard let destination = renderer.destination else { return [] }
      return key.references.indices.filter { canBeEmpty(key.references[$0], in: destination) }.flatMap {
        part in
        family.variants.compactMap { emptyReferenced(renderer, part, of: $0, in: family) }
      }
    }
  }

  private func emptyReferenced(
    _ renderer: ReferenceRenderer, _ part: Int, of variant: Variant, in family: Family
  ) -> RunCheck? {
    guard renderer.holds(variant), !renderer.isGiven(variant) else { return nil }
    let isEmpty =
      variant.condition("m", in: family) && renderer.refersInside(variant)
      && .isNull("(\(renderer.value(part, variant)))")
    guard isEmpty != .never else { return nil }
    let reference = layout.references[family.index][renderer.index]
    return RunCheck(
      subject: .emptyReferenced(
        column: reference.key.references[part], relationship: (reference.forward ?? reference.backward)!,
        entity: variant.entity), family: family.index,
      sql: layout.firstOriginal(
        of: family, among: layout.rows(of: family) + renderer.joins, where: isEmpty))
  }

  /// Whether a clone of a family can hold null in a column in which its original holds a value.
  private func canBeEmpty(_ column: String, in family: Family) -> Bool {
    if family.keyPart(column) != nil { return false }
    if family.settledIndex(column) != nil { return true }
    return family.nodes.contains { node in
      node.attributes.contains { planned in
        layout.mapping[node.entity].attributes[planned.attribute.name]?.column.sqlName == column.sqlName
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
