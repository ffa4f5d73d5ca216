import Foundation

/// Filling, and looking at a clone.
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
      item.values["datas"] = (0..<content.datasOfItem).map { k in
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
