import Foundation

/// The notes as objects that hold their values by name, cloned over a description of their entities, as code on
/// key-value coding does.
enum MemoryByDictionaries {
  final class Object {
    let entity: Entity
    var values: [String: Any] = [:]

    init(_ entity: Entity) {
      self.entity = entity
    }
  }

  /// What the cloning code asks about an entity.
  final class Entity: Sendable {
    let attributes: [(name: String, rule: Rule)]
    let relationships: [Relationship]

    init(_ attributes: [(name: String, rule: Rule)], _ relationships: [Relationship] = []) {
      self.attributes = attributes
      self.relationships = relationships
    }
  }

  enum Rule: Sendable {
    case copy, uuid, now, noteUUID
  }

  struct Relationship: Sendable {
    let name: String
    let inverse: String
    /// Owned and cloned, or shared and linked.
    let isOwner: Bool
  }

  static let note = Entity(
    [("uuid", .uuid), ("name", .copy), ("createDate", .now)],
    [
      Relationship(name: "items", inverse: "note", isOwner: true),
      Relationship(name: "memos", inverse: "note", isOwner: true),
    ])
  static let item = Entity(
    [("uuid", .uuid), ("noteUUID", .noteUUID), ("name", .copy), ("payload", .copy)],
    [Relationship(name: "datas", inverse: "item", isOwner: true)])
  static let itemData = Entity([("createDate", .now), ("value", .copy), ("text", .copy)])
  static let memo = Entity(
    [("text", .copy)], [Relationship(name: "tags", inverse: "memos", isOwner: false)])
  static let tag = Entity([("name", .copy)])
}

// MARK: - Cloning

extension MemoryByDictionaries {
  struct Cloner {
    private var clones: [ObjectIdentifier: Object]
    private let uuids = UUIDSource()
    private let now = Date()
    private var noteUUID: UUID?

    init(objects: Int) {
      clones = Dictionary(minimumCapacity: objects)
    }

    mutating func clone(_ object: Object) -> Object {
      if let known = clones[ObjectIdentifier(object)] { return known }
      let new = Object(object.entity)
      clones[ObjectIdentifier(object)] = new
      var values = [String: Any](minimumCapacity: object.values.count)
      for (name, rule) in object.entity.attributes { values[name] = value(name, rule, object) }
      for relationship in object.entity.relationships {
        values[relationship.name] = members(relationship, object, new)
      }
      new.values = values
      return new
    }

    private mutating func value(_ name: String, _ rule: Rule, _ object: Object) -> Any? {
      switch rule {
      case .copy: return object.values[name]
      case .now: return now
      case .noteUUID: return noteUUID
      case .uuid:
        let uuid = uuids.next()
        if object.entity === note { noteUUID = uuid }
        return uuid
      }
    }

    private mutating func members(
      _ relationship: Relationship, _ object: Object, _ new: Object
    ) -> [Object]? {
      guard let members = object.values[relationship.name] as? [Object] else { return nil }
      guard relationship.isOwner else {
        for member in members { Members.of(member, relationship.inverse).list.append(new) }
        return members
      }
      var clones: [Object] = []
      clones.reserveCapacity(members.count)
      for member in members {
        let clone = clone(member)
        clone.values[relationship.inverse] = Owner(object: new)
        clones.append(clone)
      }
      return clones
    }
  }

  /// The way back, which keeps nothing alive.
  struct Owner {
    unowned(unsafe) let object: Object
  }

  /// A list that grows in its place.
  final class Members {
    var list: [Object] = []

    static func of(_ object: Object, _ name: String) -> Members {
      if let known = object.values[name] as? Members { return known }
      let new = Members()
      object.values[name] = new
      return new
    }
  }
}

extension Work {
  static let memoryByDictionaries = Work(name: "memory-dictionaries") { input in
    let content = NotesContent(objects: input.size)
    let note = MemoryByDictionaries.note(content)
    var cloner = MemoryByDictionaries.Cloner(objects: content.objects)
    var clone: MemoryByDictionaries.Object?
    let duration = ContinuousClock().measure { clone = cloner.clone(note) }
    try MemoryByDictionaries.check(note, clone!)
    return duration
  }
}
