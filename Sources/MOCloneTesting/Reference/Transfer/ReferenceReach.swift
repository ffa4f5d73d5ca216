import MOCloneEngine
import MOCloneModel

/// What a request leaves out.
struct ReferenceExclusions {
  let model: ObjectModel
  private let names: [(entity: String?, name: String)]
  /// The relationships that identities lead over.
  private var identifying: Set<String> = []

  init(_ texts: [String], _ model: ObjectModel, identity: ReferenceIdentity? = nil) {
    self.model = model
    names = texts.map { text in
      let parts = text.split(separator: ".").map(String.init)
      return (parts.count == 2 ? parts[0] : nil, parts.last!)
    }
    for entity in model.entities {
      for path in identity?.names(of: entity.name)?.names ?? [] {
        var place = entity.name
        for step in path.split(separator: ".").map(String.init) {
          guard let relationship = model.relationship(step, of: place) else { break }
          identifying.insert(relationship.qualifiedName)
          place = relationship.destination
        }
      }
    }
  }

  func excludes(_ attribute: AttributeDescription, of entity: String) -> Bool {
    names.contains { other, name in
      name == attribute.name && (other.map { model.isKind(entity, of: $0) } ?? true)
    }
  }

  /// What the columns of attributes that are left out hold in a new row.
  func defaults(of map: EntityMapping) -> [String: RawValue] {
    let excluded = model.attributes(of: map.entity).filter { excludes($0, of: map.entity) }
    return excluded.reduce(into: [:]) { values, attribute in
      guard let column = map.attributes[attribute.name] else { return }
      values[column.column] = ReferenceNotations.raw(attribute.defaultValue ?? .null, column)
    }
  }

  /// A relationship is left out with its inverse, unless it is required or identifies objects.
  func excludes(_ relationship: RelationshipDescription) -> Bool {
    if isNamed(relationship) { return true }
    guard let inverse = model.inverse(of: relationship), isNamed(inverse) else { return false }
    return ![relationship, inverse].contains { side in
      !side.isOptional || identifying.contains(side.qualifiedName)
    }
  }

  private func isNamed(_ relationship: RelationshipDescription) -> Bool {
    names.contains { other, name in
      name == relationship.name
        && (other.map {
          model.isKind(relationship.entity, of: $0) || model.isKind($0, of: relationship.entity)
        }
          ?? true)
    }
  }

  /// Whether one of the two sides is not left out.
  func forms(_ sides: RelationshipDescription?...) -> Bool {
    sides.contains { side in side.map { !excludes($0) } ?? false }
  }
}

/// The objects that a copy takes along: those asked for, what they own, and what all of these refer to.
struct ReferenceReach {
  typealias Place = StorePicture.Place

  private let source: StorePicture
  private let exclusions: ReferenceExclusions
  private var model: ObjectModel { source.model }

  init(_ source: StorePicture, _ exclusions: ReferenceExclusions) {
    self.source = source
    self.exclusions = exclusions
  }

  func objects(_ request: CopyRequest) -> [Place] {
    let all = model.entities.filter { $0.parent == nil }.flatMap { source.objects(of: $0.name) }
    var named = request.entities.isEmpty ? request.filters.map(\.entity) : request.entities
    if named.isEmpty && request.limit == nil { return all }
    if named.isEmpty { named = model.entities.filter { $0.parent == nil }.map(\.name) }
    var roots: [Place] = []
    for entity in named {
      let filters = request.filters.filter { model.isKind(entity, of: $0.entity) }
      let matching = source.objects(of: entity).filter { object in filters.allSatisfy { holds($0, object) } }
      roots += matching.prefix(request.limit ?? .max)
    }
    let members = closure(of: roots) { owned(by: $0) }
    let reached = closure(of: members.map { Access(object: $0) }) { referred(by: $0) }
    let objects = Set(reached.map(\.object))
    return all.filter(objects.contains)
  }

  /// An object that is referred to; nothing is followed back over the pairs that it was reached by.
  private struct Access: Hashable {
    var object: Place
    var pairs: String?
  }

  private func holds(_ filter: CopyFilter, _ object: Place) -> Bool {
    let attribute = model.attribute(filter.attribute, of: source.entity(of: object))!
    let column = source.mapping[source.entity(of: object)].attributes[attribute.name]!.column
    let value = source.value(attribute, of: object)
    if case .string(let a)? = value, case .string(let b) = filter.value,
      source.isNoCase(column, in: object.table)
    {
      return ReferenceIdentity.folded(a) == ReferenceIdentity.folded(b)
    }
    return value == filter.value
  }

  private func closure<Element: Hashable>(of roots: [Element], _ next: (Element) -> [Element]) -> [Element] {
    var found = roots
    var seen = Set(roots)
    var place = 0
    while place < found.count {
      found += next(found[place]).filter { seen.insert($0).inserted }
      place += 1
    }
    return found
  }

  /// Over relationships whose other side is to-one, and over those that lie in the rows of what is owned.
  private func owned(by object: Place) -> [Place] {
    relationships(of: object).filter { relationship in
      if let inverse = model.inverse(of: relationship) { return !inverse.isToMany }
      return relationship.isToMany && !isJoined(relationship)
    }.flatMap { source.destinations($0, of: object) }
  }

  /// To-one, where the foreign key lies in the row itself, and many-to-many.
  private func referred(by access: Access) -> [Access] {
    relationships(of: access.object).flatMap { relationship -> [Access] in
      let destinations = source.destinations(relationship, of: access.object)
      switch source.mapping[relationship.entity].relationships[relationship.name]! {
      case .inverseForeignKey: return []
      case .foreignKey: return destinations.map { Access(object: $0) }
      case .join:
        if let inverse = model.inverse(of: relationship), access.pairs == inverse.qualifiedName { return [] }
        return destinations.map { Access(object: $0, pairs: relationship.qualifiedName) }
      }
    }
  }

  private func relationships(of object: Place) -> [RelationshipDescription] {
    model.relationships(of: source.entity(of: object)).filter { !exclusions.excludes($0) }
  }

  private func isJoined(_ relationship: RelationshipDescription) -> Bool {
    if case .join = source.mapping[relationship.entity].relationships[relationship.name]! {
      true
    } else {
      false
    }
  }
}
