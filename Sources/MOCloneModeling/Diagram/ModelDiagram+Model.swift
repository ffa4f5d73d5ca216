import MOCloneEngine
import MOCloneModel

extension ModelDiagram {
  /// The picture of a whole model.
  public init(_ model: ObjectModel) {
    name = model.name
    boxes = model.entities.map { Box($0, in: model) }
    let numbers = Dictionary(uniqueKeysWithValues: model.entities.enumerated().map { ($1.name, $0) })
    lines = model.entities.flatMap { entity -> [Line] in
      let parent = entity.parent.flatMap { numbers[$0] }.map {
        Line(source: $0, target: numbers[entity.name]!, ends: .inheritance)
      }
      let relationships = entity.relationships.compactMap { relationship -> Line? in
        guard relationship.leads(in: model), let target = numbers[relationship.destination] else {
          return nil
        }
        return Line(
          source: numbers[entity.name]!, target: target,
          ends: Ends(relationship, inverse: model.inverse(of: relationship)))
      }
      return [parent].compactMap { $0 } + relationships
    }
  }
}

extension RelationshipDescription {
  /// Whether the line of the pair begins at this side: at the one object of many, at the owner of a foreign key's row.
  fileprivate func leads(in model: ObjectModel) -> Bool {
    guard let inverse = model.inverse(of: self) else { return true }
    if isToMany != inverse.isToMany { return isToMany }
    let mapping = SchemaMapping(model)[entity].relationships[name]
    switch mapping {
    case .foreignKey: return false
    case .inverseForeignKey: return true
    case .join, nil: return qualifiedName <= inverse.qualifiedName
    }
  }

  fileprivate var cardinality: ModelDiagram.Cardinality {
    if isToMany { return (minCount ?? 0) > 0 ? .oneOrMore : .zeroOrMore }
    return isOptional ? .zeroOrOne : .one
  }
}

extension ModelDiagram.Ends {
  fileprivate init(_ relationship: RelationshipDescription, inverse: RelationshipDescription?) {
    self = .relationship(
      name: relationship.name, inverse: inverse?.name, source: inverse?.cardinality,
      target: relationship.cardinality)
  }
}

extension ModelDiagram.Box {
  fileprivate init(_ entity: EntityDescription, in model: ObjectModel) {
    name = entity.name
    isAbstract = entity.isAbstract
    attributes = entity.attributes.map { attribute in
      ModelDiagram.Attribute(
        name: attribute.name, type: attribute.type.rawValue + (attribute.isOptional ? "?" : ""),
        isUnique: entity.uniquenessConstraints.contains([attribute.name]), remarks: attribute.remarks(model))
    }
    let attributeNames = Set(attributes.map(\.name))
    constraints = entity.uniquenessConstraints
      .filter { $0.count > 1 || !attributeNames.contains($0[0]) }.map { $0.joined(separator: ", ") }
  }
}

extension AttributeDescription {
  fileprivate func remarks(_ model: ObjectModel) -> [String] {
    let kind = [
      isTransient ? "transient" : nil, derivation.map { $0 == .trigger ? "by triggers" : "derived" },
    ]
    return kind.compactMap { $0 } + userInfo.annotations(model.userInfoKeys)
  }
}

extension [String: String] {
  /// The annotations among the entries, in few words: `rebuild: uuid`, `exclude`, `followParent: id, else keep`.
  fileprivate func annotations(_ keys: AnnotationKeys) -> [String] {
    let fallback = self[keys.withoutParent].map { ", else \($0)" } ?? ""
    return [
      self[keys.exclude].map { _ in keys.exclude }, self[keys.rebuild].map { "\(keys.rebuild): \($0)" },
      self[keys.followParent].map { "\(keys.followParent): \($0)\(fallback)" },
    ].compactMap { $0 }
  }
}
