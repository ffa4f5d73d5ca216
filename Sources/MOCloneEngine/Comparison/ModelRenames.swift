import MOCloneModel

/// The names that a new model says have changed, by `renamedFrom`.
///
/// The old model is compared under the new names, with its own tables and columns: the data stay where they are.
struct ModelRenames {
  private let old: ObjectModel
  private let new: ObjectModel
  /// Entities by their old names.
  private var entities: [String: String] = [:]
  /// By the old name of the entity that declares them: attributes by their old names.
  private var attributes: [String: [String: String]] = [:]

  init(old: ObjectModel, new: ObjectModel) {
    self.old = old
    self.new = new
    entities = Self.fitting(
      new.entities.filter { old.entity($0.name)?.renamedFrom != $0.renamedFrom }.map {
        ($0.name, $0.renamedFrom)
      },
      had: old.entities.map(\.name), has: new.entities.map(\.name))
    let formerNames = Dictionary(entities.map { ($1, $0) }) { first, _ in first }
    for entity in new.entities {
      let formerName = formerNames[entity.name] ?? entity.name
      guard let former = old.entity(formerName) else { continue }
      let known = Dictionary(former.attributes.map { ($0.name, $0.renamedFrom) }) { first, _ in first }
      attributes[formerName] = Self.fitting(
        entity.attributes.filter { known[$0.name] ?? nil != $0.renamedFrom }.map {
          ($0.name, $0.renamedFrom)
        },
        had: former.attributes.map(\.name), has: entity.attributes.map(\.name))
    }
  }

  /// The renames by former names: of what existed, to names that were free or are given up by another rename, as where two
  /// swap theirs.
  private static func fitting(
    _ claims: [(name: String, former: String?)], had: [String], has: [String]
  ) -> [String: String] {
    let (had, has) = (Set(had), Set(has))
    var names: [String: String] = [:]
    for (name, former) in claims {
      if let former, former != name, had.contains(former), names[former] == nil { names[former] = name }
    }
    while true {
      let taken = Set(names.values)
      let fitting = names.filter { former, name in
        (!has.contains(former) || taken.contains(former)) && (!had.contains(name) || names[name] != nil)
      }
      if fitting.count == names.count { return names }
      names = fitting
    }
  }

  private var isEmpty: Bool { entities.isEmpty && attributes.values.allSatisfy(\.isEmpty) }

  // MARK: The changes

  var changes: [CloneDifference.Change] {
    let (was, now) = (SchemaMapping(old), SchemaMapping(new))
    let renamedEntities = entities.map { former, name in
      CloneDifference.Change(
        kind: .renamed, subject: name, before: "\(former) in the table '\(was[former].table)'",
        after: "\(name) in the table '\(now[name].table)'")
    }
    let renamedAttributes = attributes.flatMap { former, names in
      names.map { oldName, newName in
        let entity = entities[former] ?? former
        return CloneDifference.Change(
          kind: .renamed, subject: "\(entity).\(newName)", before: place(oldName, mapping: was[former]),
          after: place(newName, mapping: now[entity]))
      }
    }
    return renamedEntities + renamedAttributes
  }

  private func place(_ attribute: String, mapping: EntityMapping) -> String {
    let column = mapping.attributes[attribute].map { " in the column '\($0.column)'" } ?? ""
    return "\(mapping.entity).\(attribute)\(column)"
  }

  // MARK: The old model

  var renamedOld: ObjectModel {
    if isEmpty { return old }
    let mapping = SchemaMapping(old)
    return ObjectModel(
      unvalidated: old.name, userInfoKeys: old.userInfoKeys, store: old.store,
      entities: old.entities.map { renamed($0, mapping: mapping[$0.name]) }, extensions: old.extensions)
  }

  private func renamed(_ entity: EntityDescription, mapping: EntityMapping) -> EntityDescription {
    var copy = entity
    copy.name = name(entity.name)
    copy.parent = entity.parent.map(name)
    if entity.parent == nil { copy.table = mapping.table }
    if let value = mapping.discriminator?.value {
      copy.discriminator = DiscriminatorDescription(column: entity.discriminator?.column, value: value)
    }
    copy.attributes = entity.attributes.map { renamed($0, mapping: mapping) }
    copy.relationships = entity.relationships.map { renamed($0, mapping: mapping) }
    copy.uniquenessConstraints = entity.uniquenessConstraints.map { names in
      names.map { name(ofAttribute: $0, in: old.lineage(of: entity.name)) }
    }
    return copy
  }

  private func renamed(_ attribute: AttributeDescription, mapping: EntityMapping) -> AttributeDescription {
    var copy = attribute
    copy.name = name(ofAttribute: attribute.name, in: [attribute.entity])
    copy.column = mapping.attributes[attribute.name]?.column ?? attribute.column
    let key = old.userInfoKeys.followParent
    if let text = attribute.userInfo[key] {
      let meant = new.attribute(copy.name, of: name(attribute.entity))?.userInfo[
        new.userInfoKeys.followParent]
      copy.userInfo[key] = meant.flatMap { mayMean(text, newText: $0) ? $0 : nil } ?? text
    }
    return copy
  }

  private func renamed(
    _ relationship: RelationshipDescription, mapping: EntityMapping
  ) -> RelationshipDescription {
    var copy = relationship
    copy.destination = name(relationship.destination)
    // Which side has the foreign key may follow from the entities' names.
    if let key = mapping.foreignKey(relationship.name), !relationship.isToMany {
      copy.columns = zip(key.columns, key.references).map { ForeignKeyColumn($0, references: $1) }
    }
    return copy
  }

  /// Whether what an attribute follows now is what it followed, under its new names.
  private func mayMean(_ text: String, newText: String) -> Bool {
    let (was, now) = (FollowedAttribute(text), FollowedAttribute(newText))
    guard was.entity.map(name) == now.entity else { return false }
    return was.attribute == now.attribute
      || attributes.values.contains { $0[was.attribute] == now.attribute }
  }

  private func name(_ entity: String) -> String { entities[entity] ?? entity }

  private func name(ofAttribute name: String, in lineage: [String]) -> String {
    lineage.lazy.compactMap { attributes[$0]?[name] }.first ?? name
  }
}
