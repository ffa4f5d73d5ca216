import MOCloneEngine
import MOCloneModel

/// A foreign key in the rows of a table plan, with the relationships that read it from either end.
package struct RowReference: Sendable, Equatable {
  package var key: ForeignKeyMapping
  /// The to-one relationship of the row's entity.
  package var forward: RelationshipDescription?
  /// The relationship of the destination that leads to the row.
  package var backward: RelationshipDescription?

  package var orderColumn: String? { key.orderColumn }

  /// The entity whose rows hold the key, sub-entities included.
  package var entity: String { key.entity }

  /// Whether a sibling entity of the table keeps a reference to something else in one of the columns, so that SQL cannot
  /// declare either of them.
  package func isDivided(among references: [RowReference], _ model: ObjectModel) -> Bool {
    let root = model.rootEntity(of: entity)
    // All entities of the table inherit from its root.
    guard root != entity else { return false }
    return references.contains { other in
      other.key.destination != key.destination && model.rootEntity(of: other.entity) == root
        && !model.isKind(other.entity, of: entity) && !model.isKind(entity, of: other.entity)
        && other.key.columns.contains { part(in: $0) != nil }
    }
  }

  /// Every foreign key of the model that is in the rows of a root entity's table.
  package static func all(in root: String, model: ObjectModel, mapping: SchemaMapping) -> [RowReference] {
    all(model: model, mapping: mapping).filter { model.rootEntity(of: $0.key.entity) == root }
  }

  /// Every foreign key of the model, join tables left out.
  package static func all(model: ObjectModel, mapping: SchemaMapping) -> [RowReference] {
    model.entities.flatMap(\.relationships).compactMap { reference(of: $0, model, mapping: mapping) }
  }

  /// Those in the rows of each table plan.
  package static func all(
    in tablePlans: [CloneTablePlan], plan: ClonePlan, mapping: SchemaMapping
  ) -> [[RowReference]] {
    let known = Dictionary(grouping: all(model: plan.model, mapping: mapping)) {
      plan.model.rootEntity(of: $0.key.entity)
    }
    return tablePlans.map { known[$0.name] ?? [] }
  }

  private static func reference(
    of relationship: RelationshipDescription, _ model: ObjectModel, mapping: SchemaMapping
  ) -> RowReference? {
    let inverse = model.inverse(of: relationship)
    switch mapping[relationship.entity].relationships[relationship.name] {
    case .foreignKey(let key):
      return RowReference(key: key, forward: relationship, backward: inverse)
    case .inverseForeignKey(let key) where inverse == nil:
      return RowReference(key: key, forward: nil, backward: relationship)
    default: return nil
    }
  }
}
