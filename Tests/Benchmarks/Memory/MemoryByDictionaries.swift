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
    private var uuids = UUIDSource()
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

// MARK: - Filling and checking

extension MemoryByDictionaries {
  static func note(_ content: NotesContent) -> Object {
    let note = Object(Self.note)
    let uuid = UUID()
    note.values = ["uuid": uuid, "name": "Note", "createDate": NotesContent.date]
    let tags = (0..<NotesContent.tags).map { number in
      let tag = Object(Self.tag)
      tag.values["name"] = "tag \(number)"
      return tag
    }
    note.values["items"] = (0..<content.items).map { i in
      let item = Object(Self.item)
      item.values = [
        "uuid": UUID(), "noteUUID": uuid, "name": "Item \(i)", "payload": content.payload(i),
        "note": Owner(object: note),
      ]
      item.values["datas"] = (0..<NotesContent.datasOfItem).map { k in
        let data = Object(Self.itemData)
        data.values = [
          "createDate": NotesContent.date, "value": content.value(i, k), "text": content.text(i),
          "item": Owner(object: item),
        ]
        return data
      }
      return item
    }
    note.values["memos"] = (0..<content.memos).map { i in
      let memo = Object(Self.memo)
      let own = content.tagNumbers(ofMemo: i).map { tags[$0] }
      memo.values = ["text": "Memo \(i)", "note": Owner(object: note), "tags": own]
      for tag in own { Members.of(tag, "memos").list.append(memo) }
      return memo
    }
    return note
  }

  static func check(_ note: Object, _ clone: Object) throws {
    let itemsFit = zip(members(note, "items"), members(clone, "items")).allSatisfy { item, new in
      item !== new && isCopy(item, new, "name", String.self) && isCopy(item, new, "payload", String.self)
        && !isCopy(item, new, "uuid", UUID.self)
        && new.values["noteUUID"] as? UUID == clone.values["uuid"] as? UUID
        && zip(members(item, "datas"), members(new, "datas")).allSatisfy { data, new in
          data !== new && isCopy(data, new, "value", Double.self) && isCopy(data, new, "text", String.self)
        }
    }
    let memosFit = zip(members(note, "memos"), members(clone, "memos")).allSatisfy { memo, new in
      memo !== new && isCopy(memo, new, "text", String.self)
        && zip(members(memo, "tags"), members(new, "tags")).allSatisfy { $0 === $1 }
    }
    guard members(note, "items").count == members(clone, "items").count,
      members(note, "memos").count == members(clone, "memos").count, itemsFit, memosFit
    else { throw BenchmarkError("the dictionaries: a clone is not what it must be") }
  }

  private static func members(_ object: Object, _ name: String) -> [Object] {
    object.values[name] as? [Object] ?? []
  }

  private static func isCopy<T: Equatable>(_ a: Object, _ b: Object, _ name: String, _: T.Type) -> Bool {
    a.values[name] as? T == b.values[name] as? T
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
