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
  /// The attributes as each entity declares them.
  let attributes: [AttributeDescription]
  /// The relationships as each entity declares them, those that do not resolve included.
  let relationships: [RelationshipDescription]
  /// The relationships that resolve.
  let soundRelationships: [RelationshipDescription]
  /// The attributes that have annotations.
  private(set) var annotatedAttributes: [Annotated<AttributeDescription>] = []
  /// Annotated attributes that are stored, and whose keys are spelt right: what a misspelt one leads to is not said.
  private(set) var storedAnnotatedAttributes: [Annotated<AttributeDescription>] = []
  /// Those outside the key, where annotations have their usual meaning.
  private(set) var plainAnnotatedAttributes: [Annotated<AttributeDescription>] = []
  /// The relationships that have annotations, those that do not resolve included.
  private(set) var annotatedRelationships: [Annotated<RelationshipDescription>] = []

  init(_ model: ObjectModel, keys: AnnotationKeys) {
    self.model = model
    self.keys = keys
    let named = model.withUniqueNames()
    sound = named.withSoundRelationships()
    mapping = SchemaMapping(sound)
    entityNames = model.entities.map(\.name)
    orphans = Set(
      model.entities.filter { $0.parent != nil && model.lineage(of: $0.name).count == 1 }.map(\.name))
    lacksRelationships = model.relationshipCount != sound.relationshipCount
    attributes = sound.entities.flatMap(\.attributes)
    relationships = model.firstDeclarations.flatMap(\.relationships)
    soundRelationships = sound.entities.flatMap(\.relationships)
    annotatedAttributes = attributes.filter { !$0.userInfo.isEmpty }.map(annotated)
      .filter { !$0.annotations.isEmpty }
    storedAnnotatedAttributes = annotatedAttributes.filter {
      !$0.property.isTransient && $0.annotations.misspelt.isEmpty
    }
    plainAnnotatedAttributes = storedAnnotatedAttributes.filter { !isInKey($0.property) }
    annotatedRelationships = relationships.filter { !$0.userInfo.isEmpty }.map(annotated)
      .filter { !$0.annotations.isEmpty }
  }

  /// Entities by their first declaration.
  var entities: [EntityDescription] { sound.entities }

  /// Whether everything that an entity inherits is known.
  func isComplete(_ entity: String) -> Bool {
    !orphans.contains(model.rootEntity(of: entity))
  }
}

extension FindingList {
  /// `did you mean 'items'?`, or nothing.
  func question(_ name: String, _ names: [String]) -> String? {
    didYouMean(nearest(to: name, in: names))
  }
}

extension ObjectModel {
  var relationshipCount: Int { entities.reduce(0) { $0 + $1.relationships.count } }

  var firstDeclarations: [EntityDescription] {
    var seen: Set<String> = []
    return entities.filter { seen.insert($0.name).inserted }
  }

  /// The first declaration of each name, where an inherited one comes before an entity's own.
  fileprivate func withUniqueNames() -> ObjectModel {
    let unique = firstDeclarations.map { entity in
      var seen = Set(inheritedNames(of: entity.name))
      var copy = entity
      copy.attributes = entity.attributes.filter { seen.insert($0.name).inserted }
      copy.relationships = entity.relationships.filter { seen.insert($0.name).inserted }
      return copy
    }
    let isSame =
      unique.count == entities.count
      && zip(unique, entities).allSatisfy {
        $0.attributes.count == $1.attributes.count && $0.relationships.count == $1.relationships.count
      }
    return isSame ? self : with(unique)
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

  private func with(_ entities: [EntityDescription]) -> ObjectModel {
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
