import MOCloneEngine
import MOCloneModel

/// A statement that finds what a run must refuse; its rows are keys of originals.
package struct RunCheck: Sendable {
  package var tablePlan: Int
  /// The entity of the originals; nil where it is that of the table plan.
  package var entity: String?
  /// Whether it finds values that the model says are unique, and that the clone would repeat.
  package var isOfUniqueValues = false
  /// Selects the key's columns of one original, and what else the failure speaks of.
  package var sql: String
  /// What is said of an original that was found, and of what was selected beside its key.
  package var failure: @Sendable (ObjectID, [StoredValue]) -> CloneError.Failure
}

/// Renders the checks between closure and write.
package struct CheckRenderer {
  package let layout: CloneLayout
  private var plan: ClonePlan { layout.plan }
  private var dialect: Dialect { layout.dialect }

  package var checks: [RunCheck] {
    let kinds =
      [discriminator, ancestors] + (layout.hasLateKeys ? [] : [followedNulls])
      + [keys, repeated, ownKeys, keysOfOtherSides]
    return layout.tablePlans.flatMap { tablePlan in kinds.flatMap { $0(tablePlan) } }
  }

  /// Those that look at new keys and at other values that rows refer to, which can be settled late.
  package var settledChecks: [RunCheck] {
    let late = layout.hasLateKeys ? [noRoom, followedNulls, emptyKeys] : []
    return layout.tablePlans.flatMap { tablePlan in (late + [emptyReferenced]).flatMap { $0(tablePlan) } }
  }

  /// A number above the greatest integer would be no integer.
  private func noRoom(_ tablePlan: CloneTablePlan) -> [RunCheck] {
    guard !tablePlan.hasRowidKey else { return [] }
    return tablePlan.keyColumns.indices.filter { tablePlan.sources(ofPart: $0).contains(where: \.isCounted) }
      .map {
        let (name, table, column) = (tablePlan.name, tablePlan.table.name, tablePlan.keyColumns[$0].name)
        return check(tablePlan, where: .sql(dialect.isNoInteger(tablePlan.at("m", "n\($0)")))) { _ in
          .noRoom(in: column, of: table, entity: name)
        }
      }
  }

  private func discriminator(_ tablePlan: CloneTablePlan) -> [RunCheck] {
    guard let column = tablePlan.discriminator else { return [] }
    return [
      RunCheck(
        tablePlan: tablePlan.index,
        sql: Select(tablePlan.old("m") + [dialect.column("s", column)], from: layout.rows(of: tablePlan))
          .where(.isNull(tablePlan.at("m", "entity"))).limited(to: 1).text(dialect)
      ) { .unknownDiscriminator(AttributeValue(raw: $1[0]), object: $0, column: column) }
    ]
  }

  private func ancestors(_ tablePlan: CloneTablePlan) -> [RunCheck] {
    tablePlan.nodes.filter { !$0.isRoot }.flatMap { node in
      node.attributes.compactMap { planned in
        guard case .followParent(let slot, let sources, .error) = planned.rule, sources != .root else {
          return nil
        }
        let isMissing: Condition =
          sources == .none ? .always : .sql("\(kind(planned, node: node, tablePlan: tablePlan)) = 0")
        let found = Variant(node).condition("m", in: tablePlan) && isMissing
        let (attribute, followed) = (planned.attribute.name, plan.slots[slot])
        return check(tablePlan, entity: node.entity, where: found) {
          .missingAncestor(attribute, of: $0.entity, slot: followed, object: $0)
        }
      }
    }
  }

  /// How a followed value is to be read; 0 where there is none.
  private func kind(_ planned: AttributePlan, node: PlanNode, tablePlan: CloneTablePlan) -> String {
    tablePlan.isDirect
      ? ValueRenderer(layout: layout).followed(planned, of: node).kind
      : tablePlan.at("m", "k\(tablePlan.storedIndex(planned.attribute.name)!)")
  }

  /// A column can be null in the table, as those of a sub-entity are, so the store does not always refuse it.
  private func followedNulls(_ tablePlan: CloneTablePlan) -> [RunCheck] {
    return tablePlan.variants.flatMap { variant -> [RunCheck] in
      let node = tablePlan.nodes(of: variant)[0]
      return node.attributes.compactMap { planned -> RunCheck? in
        guard !planned.attribute.isOptional,
          case .followParent(let slot, let sources, let fallback) = planned.rule,
          sources != .none, sources != .root || !isRebuilt(slot)
        else { return nil }
        let value = ValueRenderer(layout: layout).written(planned, of: node, in: tablePlan)
        // What has no ancestor to follow is refused for that.
        let follows: Condition =
          fallback == .error && sources == .carried
          ? .sql("\(kind(planned, node: node, tablePlan: tablePlan)) <> 0") : .always
        let isNull = variant.condition("m", in: tablePlan) && .isNull("(\(value))") && follows
        let attribute = planned.attribute.name
        return layout.check(
          tablePlan, entity: node.entity, among: layout.rows(of: tablePlan), where: isNull
        ) { CloneError.requiredLeftEmpty(attribute, of: $0).failures[0] }
      }
    }
  }

  /// Whether what is followed is always a new value of the root's, which is never null.
  private func isRebuilt(_ slot: Int) -> Bool {
    plan.nodes.filter(\.isRoot).allSatisfy { root in
      root.attributes.contains { planned in
        guard case .rebuild = planned.rule else { return false }
        return planned.attribute.name == plan.slots[slot].attribute
      }
    }
  }

  /// A key that is copied as a whole would be the original's own.
  private func keys(_ tablePlan: CloneTablePlan) -> [RunCheck] {
    let isGiven = tablePlan.any { tablePlan.keySources[$0.entity] == [.given] ? .always : .never }
    guard isGiven != .never else { return [] }
    let isSame = isGiven && dialect.same(tablePlan.at("m", "n0"), tablePlan.old("m")[0])
    let column = tablePlan.keyColumns[0].name
    return [check(tablePlan, where: isSame) { .keyNeedsValue($0, column: column) }]
  }

  /// Looks at the map alone, where there is one.
  func check(
    _ tablePlan: CloneTablePlan, entity: String? = nil, where condition: Condition,
    failure: @escaping @Sendable (ObjectID) -> CloneError.Failure
  ) -> RunCheck {
    let map = tablePlan.form == .row ? nil : From(dialect.temporary(tablePlan.map) + " m")
    let objects = tablePlan.isDirect ? layout.rows(of: tablePlan) : map
    return layout.check(tablePlan, entity: entity, among: objects, where: condition, failure: failure)
  }

  /// Required to-one relationships whose key is in the clone's own row.
  private func ownKeys(_ tablePlan: CloneTablePlan) -> [RunCheck] {
    layout.referenceRenderers(of: tablePlan).flatMap { renderer -> [RunCheck] in
      guard let relationship = renderer.reference.forward, !relationship.isOptional else { return [] }
      return tablePlan.variants.compactMap { variant in
        guard renderer.holds(variant), !isGiven(relationship, variant: variant, in: tablePlan) else {
          return nil
        }
        let isEmpty = !renderer.isKept(variant) && variant.condition("m", in: tablePlan)
        guard isEmpty != .never else { return nil }
        let source = layout.rows(of: tablePlan) + renderer.joins
        let isLost = renderer.referencesSomething && isEmpty
        return layout.check(tablePlan, entity: variant.entity, among: source, where: isLost) {
          .leftEmpty(relationship, of: $0)
        }
      }
    }
  }

  private func isGiven(
    _ relationship: RelationshipDescription, variant: Variant, in tablePlan: CloneTablePlan
  ) -> Bool {
    variant.isRoot && tablePlan.nodes(of: variant)[0].plan(of: relationship)?.given != nil
  }
}
