/// What the checks read: the model as written, and the part of it whose names all lead somewhere.
///
/// Checks that reason over several places read `sound`, so that one misspelt name gives one finding.
struct ModelChecks {
  /// The model as written.
  let model: ObjectModel
  /// The model without second uses of a name and without relationships that do not resolve.
  let sound: ObjectModel
  let keys: AnnotationKeys
  let mapping: SchemaMapping
  /// Entities whose parent does not exist or is its own descendant, so what they inherit is unknown.
  let orphans: Set<String>
  /// Whether `sound` lacks relationships, so what can be reached is unknown.
  let lacksRelationships: Bool
  /// As written, for suggestions.
  let entityNames: [String]
  let suggestions = FindingList()
  /// The first declaration of each name.
  let declared: [EntityDescription]
  /// Entities in which two properties have one name, counting inherited ones.
  let ambiguous: [EntityDescription]
  private(set) var annotatedAttributes: [Annotated<AttributeDescription>] = []
  /// Annotated attributes that an operation writes, and whose keys are spelt right: what a misspelt one leads to is not said.
  private(set) var storedAnnotatedAttributes: [Annotated<AttributeDescription>] = []
  /// Those outside the key, where annotations have their usual meaning.
  private(set) var plainAnnotatedAttributes: [Annotated<AttributeDescription>] = []
  /// The relationships that have annotations, those that do not resolve included.
  private(set) var annotatedRelationships: [Annotated<RelationshipDescription>] = []

  init(_ model: ObjectModel, keys: AnnotationKeys) {
    self.model = model
    self.keys = keys
    declared = model.firstDeclarations
    ambiguous = declared.filter { !model.hasUniqueNames($0) }
    let isUnique = ambiguous.isEmpty && declared.count == model.entities.count
    let named = isUnique ? model : model.withUniqueNames()
    sound = named.withSoundRelationships()
    mapping = SchemaMapping(sound)
    entityNames = model.entities.map(\.name)
    orphans = Set(
      model.entities.filter { $0.parent != nil && model.lineage(of: $0.name).count == 1 }.map(\.name))
    lacksRelationships = model.relationshipCount != sound.relationshipCount
    annotatedAttributes = annotated(among: attributes)
    storedAnnotatedAttributes = annotatedAttributes.filter {
      $0.property.takesAnnotations && $0.annotations.misspelt.isEmpty
    }
    plainAnnotatedAttributes = storedAnnotatedAttributes.filter { !isInKey($0.property) }
    annotatedRelationships = annotated(among: relationships)
  }

  /// Entities by their first declaration.
  var entities: [EntityDescription] { sound.entities }

  /// The attributes as each entity declares them.
  var attributes: some Collection<AttributeDescription> { entities.lazy.flatMap(\.attributes) }

  /// The relationships as each entity declares them, those that do not resolve included.
  var relationships: some Collection<RelationshipDescription> { declared.lazy.flatMap(\.relationships) }

  /// The relationships that resolve.
  var soundRelationships: some Collection<RelationshipDescription> {
    entities.lazy.flatMap(\.relationships)
  }

  /// Entities of which not all is known: what they inherit, or where their relationships and those to them lead.
  var unclearEntities: Set<String> {
    guard lacksRelationships || !orphans.isEmpty else { return [] }
    let sound = Set(soundRelationships.map(\.path))
    let unsound = relationships.filter { !sound.contains($0.path) }
    let named = Set(unsound.flatMap { [$0.entity, $0.destination] })
    return Set(
      entities.map(\.name).filter { entity in
        !isComplete(entity) || !named.isDisjoint(with: model.lineage(of: entity))
          || model.concreteEntities(of: entity).contains { named.contains($0) }
      })
  }

  /// The entity that a part of the model is in and, of a relationship, the one that it leads to.
  func entities(touchedBy path: ModelPath) -> [String] {
    let keys = path.components
    guard keys.count > 3, keys[2] == "relationships",
      let relationship = model.entity(keys[1])?.relationships.first(where: { $0.name == keys[3] })
    else { return [keys[1]] }
    return [keys[1]] + model.concreteEntities(of: relationship.destination)
  }

  /// Whether everything that an entity inherits is known.
  func isComplete(_ entity: String) -> Bool {
    !orphans.contains(model.rootEntity(of: entity))
  }
}

extension FindingList {
  /// `did you mean 'items'?`, or nothing.
  func question(_ name: String, names: [String]) -> String? {
    didYouMean(nearest(to: name, in: names))
  }
}

extension ObjectModel {
  var relationshipCount: Int { entities.reduce(0) { $0 + $1.relationships.count } }

  var firstDeclarations: [EntityDescription] { entities.uniqued { $0.name } }

  /// The first declaration of each name, where an inherited one comes before an entity's own.
  fileprivate func withUniqueNames() -> ObjectModel {
    with(
      firstDeclarations.map { entity in
        var seen = Set(inheritedNames(of: entity.name))
        var copy = entity
        copy.attributes = entity.attributes.filter { seen.insert($0.name).inserted }
        copy.relationships = entity.relationships.filter { seen.insert($0.name).inserted }
        return copy
      })
  }

  fileprivate func hasUniqueNames(_ entity: EntityDescription) -> Bool {
    var seen = Set(inheritedNames(of: entity.name))
    return entity.attributes.allSatisfy { seen.insert($0.name).inserted }
      && entity.relationships.allSatisfy { seen.insert($0.name).inserted }
  }

  fileprivate func withSoundRelationships() -> ObjectModel {
    if entities.allSatisfy({ $0.relationships.allSatisfy(resolves) }) { return self }
    return with(
      entities.map { entity in
        var copy = entity
        copy.relationships = entity.relationships.filter(resolves)
        return copy
      })
  }

  func with(_ entities: [EntityDescription]) -> ObjectModel {
    ObjectModel(unvalidated: name, userInfoKeys: userInfoKeys, store: store, entities: entities)
  }

  /// The names of the properties that an entity has from its parents.
  func inheritedNames(of entity: String) -> [String] {
    lineage(of: entity).dropFirst().compactMap { self.entity($0) }.flatMap {
      $0.attributes.map(\.name) + $0.relationships.map(\.name)
    }
  }

  /// Whether a relationship's destination exists, and its inverse, if it names one, leads back.
  private func resolves(_ relationship: RelationshipDescription) -> Bool {
    guard index.number[relationship.destination] != nil else { return false }
    guard relationship.inverse != nil else { return true }
    guard let inverse = inverse(of: relationship) else { return false }
    return (inverse.entity, inverse.name) != (relationship.entity, relationship.name)
      && inverse.inverse == relationship.name
      && inverse.destination == relationship.entity && inverse.entity == relationship.destination
  }
}
