import MOCloneModel

/// A property by the entity that declares it.
struct PropertyName: Hashable, Comparable {
  var entity: String
  var name: String

  init(_ attribute: AttributeDescription) {
    (entity, name) = (attribute.entity, attribute.name)
  }

  init(_ relationship: RelationshipDescription) {
    (entity, name) = (relationship.entity, relationship.name)
  }

  init(entity: String, name: String) {
    (self.entity, self.name) = (entity, name)
  }

  static func < (a: Self, b: Self) -> Bool { (a.entity, a.name) < (b.entity, b.name) }
}
