import Foundation

/// The notes as classes written for them, cloned by methods written for them, with a dictionary as memo.
enum MemoryByClasses {
  final class Note {
    var uuid: UUID
    var name: String
    var createDate: Date
    var items: [Item] = []
    var memos: [Memo] = []

    init(uuid: UUID, name: String, createDate: Date) {
      self.uuid = uuid
      self.name = name
      self.createDate = createDate
    }
  }

  final class Item {
    var uuid: UUID
    var noteUUID: UUID?
    var name: String
    var payload: String
    unowned(unsafe) let note: Note
    var datas: [ItemData] = []

    init(uuid: UUID, name: String, payload: String, note: Note) {
      self.uuid = uuid
      noteUUID = note.uuid
      self.name = name
      self.payload = payload
      self.note = note
    }
  }

  final class ItemData {
    var createDate: Date
    var value: Double
    var text: String?
    unowned(unsafe) let item: Item

    init(createDate: Date, value: Double, text: String?, item: Item) {
      self.createDate = createDate
      self.value = value
      self.text = text
      self.item = item
    }
  }

  final class Memo {
    var text: String
    unowned(unsafe) let note: Note
    var tags: [Tag] = []

    init(text: String, note: Note) {
      self.text = text
      self.note = note
    }
  }

  final class Tag {
    let name: String
    var memos: [Memo] = []

    init(name: String) { self.name = name }
  }
}

// MARK: - Cloning

extension MemoryByClasses {
  /// One clone of each object, however often it is met.
  struct Cloner {
    private var clones: [ObjectIdentifier: AnyObject]
    private let uuids: UUIDSource
    private let now = Date()

    init(objects: Int, uuids: UUIDSource = UUIDSource()) {
      clones = Dictionary(minimumCapacity: objects)
      self.uuids = uuids
    }

    mutating func clone(_ note: Note) -> Note {
      if let known = clones[ObjectIdentifier(note)] { return unsafeDowncast(known, to: Note.self) }
      let new = Note(uuid: uuids.next(), name: note.name, createDate: now)
      clones[ObjectIdentifier(note)] = new
      new.items.reserveCapacity(note.items.count)
      for item in note.items { new.items.append(clone(item, of: new)) }
      new.memos.reserveCapacity(note.memos.count)
      for memo in note.memos { new.memos.append(clone(memo, of: new)) }
      return new
    }

    private mutating func clone(_ item: Item, of note: Note) -> Item {
      if let known = clones[ObjectIdentifier(item)] { return unsafeDowncast(known, to: Item.self) }
      let new = Item(uuid: uuids.next(), name: item.name, payload: item.payload, note: note)
      clones[ObjectIdentifier(item)] = new
      new.datas.reserveCapacity(item.datas.count)
      for data in item.datas { new.datas.append(clone(data, of: new)) }
      return new
    }

    private mutating func clone(_ data: ItemData, of item: Item) -> ItemData {
      if let known = clones[ObjectIdentifier(data)] { return unsafeDowncast(known, to: ItemData.self) }
      let new = ItemData(createDate: now, value: data.value, text: data.text, item: item)
      clones[ObjectIdentifier(data)] = new
      return new
    }

    private mutating func clone(_ memo: Memo, of note: Note) -> Memo {
      if let known = clones[ObjectIdentifier(memo)] { return unsafeDowncast(known, to: Memo.self) }
      let new = Memo(text: memo.text, note: note)
      clones[ObjectIdentifier(memo)] = new
      new.tags = memo.tags
      for tag in new.tags { tag.memos.append(new) }
      return new
    }
  }
}

extension Work {
  static let memoryByClasses = Work(name: "memory-classes") { input in
    let content = NotesContent(objects: input.size)
    let note = MemoryByClasses.note(content)
    var cloner = MemoryByClasses.Cloner(objects: content.objects)
    var clone: MemoryByClasses.Note?
    let duration = ContinuousClock().measure { clone = cloner.clone(note) }
    try MemoryByClasses.check(note, clone!)
    return duration
  }
}
