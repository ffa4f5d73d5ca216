import MOCloneEngine
import MOCloneModel

/// A statement that finds what a run must refuse; its rows are keys of originals.
package struct RunCheck: Sendable {
  package enum Subject: Sendable, Equatable {
    case unknownDiscriminator
    case missingAncestor(attribute: String, entity: String, slot: Int)
    case leftEmpty(relationship: RelationshipDescription, entity: String)
    /// A required attribute that follows a null.
    case followsNull(attribute: String, entity: String)
    case keyNeedsValue
    /// Values that the model says are unique, and that the clone would repeat.
    case repeated(constraint: [String], entity: String)
    /// A clone that is gone when all are written.
    case gone
    /// A part of the key is that of a relationship that would be empty.
    case emptyKey(column: String, relationship: String, entity: String)
    /// A column that a relationship references would be empty in the destination's clone.
    case emptyReferenced(column: String, relationship: RelationshipDescription, entity: String)
    /// A generated column that holds another value than was counted on.
    case generated(column: String)
    /// A number of a key that cannot be counted further.
    case noRoom(column: String)
    /// References that share a column, and need another value of it each.
    case disagreement(column: String, relationship: RelationshipDescription, entity: String)

    package var isRepeated: Bool {
      if case .repeated = self { true } else { false }
    }
  }

  package var subject: Subject
  package var family: Int
  /// Selects the key's columns of one original, and for `unknownDiscriminator` the value found.
  package var sql: String
}

/// Renders the checks between closure and write.
package struct CheckRenderer {
  package let layout: CloneLayout
  private var plan: ClonePlan { layout.plan }
  private var dialect: Dialect { layout.dialect }

  package var checks: [RunCheck] {
    let kinds =
      [discriminator, ancestors] + (layout.hasLateKeys ? [] : [followedNulls])
      + [keys, repeated, ownKeys, partnersKeys]
    return layout.families.flatMap { family in kinds.flatMap { $0(family) } }
  }

  /// Those that look at new keys and at other values that rows refer to, which can be settled late.
  package var settledChecks: [RunCheck] {
    let late = layout.hasLateKeys ? [noRoom, followedNulls, emptyKeys] : []
    return layout.families.flatMap { family in (late + [emptyReferenced]).flatMap { $0(family) } }
  }

  /// A number above the greatest integer would be no integer.
  private func noRoom(_ family: Family) -> [RunCheck] {
    guard !family.hasRowidKey else { return [] }
    return family.keyColumns.indices.filter { family.sources(ofPart: $0).contains(where: \.isCounted) }.map {
      RunCheck(
        subject: .noRoom(column: family.keyColumns[$0].name), family: family.index,
        sql: first(family, where: .sql(dialect.isNoInteger(family.at("m", "n\($0)")))))
    }
  }

  private func discriminator(_ family: Family) -> [RunCheck] {
    guard let column = family.discriminator else { return [] }
    return [
      RunCheck(
        subject: .unknownDiscriminator, family: family.index,
        sql: Select(family.old("m") + [dialect.column("s", column)], from: layout.rows(of: family))
          .where(.isNull(family.at("m", "entity"))).limited(to: 1).text(dialect))
    ]
  }

  private func ancestors(_ family: Family) -> [RunCheck] {
    family.nodes.filter { !$0.isRoot }.flatMap { node in
      node.attributes.compactMap { planned in
        guard case .followParent(let slot, let sources, .error) = planned.rule, sources != .root else {
          return nil
        }
        let isMissing: Condition = sources == .none ? .always : .sql("\(kind(planned, node, family)) = 0")
        let found = Variant(node).condition("m", in: family) && isMissing
        return RunCheck(
          subject: .missingAncestor(attribute: planned.attribute.name, entity: node.entity, slot: slot),
          family: family.index, sql: first(family, where: found))
      }
    }
  }

  /// How a followed value is to be read; 0 where there is none.
  private func kind(_ planned: AttributePlan, _ node: PlanNode, _ family: Family) -> String {
    family.isDirect
      ? ValueRenderer(layout: layout).followed(planned, of: node).kind
      : family.at("m", "k\(family.storedIndex(planned.attribute.name)!)")
  }

  /// Columns of a sub-entity can be null in the table, so the store does not always refuse it.
  private func followedNulls(_ family: Family) -> [RunCheck] {
    return family.variants.flatMap { variant -> [RunCheck] in
      let node = family.nodes(of: variant)[0]
      return node.attributes.compactMap { planned -> RunCheck? in
        guard !planned.attribute.isOptional, case .followParent(_, _, .rule) = planned.rule else {
          return nil
        }
        let value = ValueRenderer(layout: layout).written(planned, of: node, in: family)
        let isNull = variant.condition("m", in: family) && .isNull("(\(value))")
        return RunCheck(
          subject: .followsNull(attribute: planned.attribute.name, entity: node.entity), family: family.index,
          sql: layout.firstOriginal(of: family, among: layout.rows(of: family), where: isNull))
      }
    }
  }

  /// A key that is copied as a whole would be the original's own.
  private func keys(_ family: Family) -> [RunCheck] {
    let isGiven = family.any("m") { family.keySources[$0.entity] == [.given] ? .always : .never }
    guard isGiven != .never else { return [] }
    let isSame = isGiven && dialect.same(family.at("m", "n0"), family.old("m")[0])
    return [RunCheck(subject: .keyNeedsValue, family: family.index, sql: first(family, where: isSame))]
  }

  func first(_ family: Family, where condition: Condition) -> String {
    let map = family.form == .row ? nil : From(dialect.temporary(family.map) + " m")
    let objects = family.isDirect ? layout.rows(of: family) : map
    return layout.firstOriginal(of: family, among: objects, where: condition)
  }

  /// Required to-one relationships whose key lies in the clone's own row.
  private func ownKeys(_ family: Family) -> [RunCheck] {
    layout.references[family.index].indices.flatMap { i -> [RunCheck] in
      guard let relationship = layout.references[family.index][i].forward, !relationship.isOptional
      else { return [] }
      let renderer = ReferenceRenderer(layout: layout, family: family, index: i)
      return family.variants.compactMap { variant in
        guard renderer.holds(variant), !isGiven(relationship, variant, family) else { return nil }
        let isEmpty = !renderer.isKept(variant) && variant.condition("m", in: family)
        guard isEmpty != .never else { return nil }
        let source = layout.rows(of: family) + renderer.joins
        let isLost = renderer.isThere && isEmpty
        return RunCheck(
          subject: .leftEmpty(relationship: relationship, entity: variant.entity), family: family.index,
          sql: layout.firstOriginal(of: family, among: source, where: isLost))
      }
    }
  }

  private func isGiven(_ relationship: RelationshipDescription, _ variant: Variant, _ family: Family) -> Bool
  {
    variant.isRoot && family.nodes(of: variant)[0].plan(of: relationship)?.given != nil
  }

  /// Required to-one relationships whose key lies in the partner's row.
  private func partnersKeys(_ family: Family) -> [RunCheck] {
    family.variants.flatMap { variant in
      plan.model.relationships(of: variant.entity).compactMap { relationship in
        guard !relationship.isToMany, !relationship.isOptional,
          case .inverseForeignKey(let key) = layout.mapping[variant.entity].relationships[relationship.name]
        else { return nil }
        return partnersKey(relationship, key, variant, family)
      }
    }
  }

  private func partnersKey(
    _ relationship: RelationshipDescription, _ key: ForeignKeyMapping, _ variant: Variant, _ family: Family
  ) -> RunCheck? {
    let asking = Asking(layout: layout)
    let own = asking.asks(relationship, variant, "m", in: family)
    var isKept = Condition.never
    var joins: [From.Join] = []
    if let partner = layout.family(of: key.entity) {
      let isCloned = family.nodes(of: variant).allSatisfy {
        $0.plan(of: relationship)?.rule == .clone
      }
      if isCloned { return nil }
      if partner.isDirect {
        // Over this relationship alone it is reached.
        isKept = own
      } else {
        let other = asking.asks(plan.model.inverse(of: relationship), anyIn: partner, "y")
        isKept = .isNotNull("y.seq") && (own || other)
        joins = [.left("\(dialect.temporary(partner.map)) y", on: .equal(partner.old("y"), partner.key("q")))]
      }
    }
    let isPartner =
      Condition.equal(
        key.references.map { dialect.column("s", $0) }, key.columns.map { dialect.column("q", $0) })
      && layout.holders.condition(key, "q")
    let partner = From.Join.ordered("\(dialect.table(layout.mapping[key.entity].table)) q", on: isPartner)
    let isEmpty = variant.condition("m", in: family) && !isKept
    return RunCheck(
      subject: .leftEmpty(relationship: relationship, entity: variant.entity), family: family.index,
      sql: layout.firstOriginal(
        of: family, among: layout.rows(of: family) + ([partner] + joins), where: isEmpty))
  }
}
