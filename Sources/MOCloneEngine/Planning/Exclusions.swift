import MOCloneModel

/// The names that a request leaves out, of relationships and attributes alike.
struct Exclusions {
  struct Name: Hashable {
    /// What the user wrote.
    var text: String
    /// Nil for the properties of all entities.
    var entity: String?
    var property: String

    func matches(_ property: String, of entity: String, in model: ObjectModel) -> Bool {
      self.property == property && (self.entity.map { model.isKind(entity, of: $0) } ?? true)
    }
  }

  let everywhere: [Name]
  let atRoot: [Name]
  private let model: ObjectModel

  init(request: CloneRequest, model: ObjectModel) {
    everywhere = request.exclude.map { Name($0, in: model) }
    atRoot = request.excludeAtRoot.map { Name($0, in: model) }
    self.model = model
  }

  static func none(_ model: ObjectModel) -> Exclusions {
    Exclusions(request: CloneRequest(), model: model)
  }

  /// The name, as the user wrote it, that leaves out a property of an entity.
  func name(excluding property: String, of entity: String, isRoot: Bool) -> String? {
    (everywhere + (isRoot ? atRoot : [])).first { matches($0, property: property, entity: entity) }?.text
  }

  func matches(_ name: Name, property: String, entity: String) -> Bool {
    name.matches(property, of: entity, in: model)
  }
}

extension Exclusions.Name {
  /// An entity may be written in another case.
  init(_ text: String, in model: ObjectModel) {
    let followed = FollowedAttribute(text)
    self.init(
      text: text, entity: followed.entity.map { (try? model.entityName($0)) ?? $0 },
      property: followed.attribute)
  }
}
