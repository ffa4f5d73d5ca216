import Foundation

/// Filling, and looking at a clone.
extension MemoryByClasses {
  static func note(_ content: NotesContent) -> Note {
    let note = Note(uuid: UUID(), name: "Note", createDate: NotesContent.date)
    let tags = (0..<NotesContent.tags).map { Tag(name: "tag \($0)") }
    for i in 0..<content.items {
      let item = Item(uuid: UUID(), name: "Item \(i)", payload: content.payload(i), note: note)
      for k in 0..<content.datasOfItem {
        item.datas.append(
          ItemData(
            createDate: NotesContent.date, value: content.value(i, k), text: content.text(i), item: item))
      }
      note.items.append(item)
    }
    for i in 0..<content.memos {
      let memo = Memo(text: "Memo \(i)", note: note)
      memo.tags = content.tagNumbers(ofMemo: i).map { tags[$0] }
      for tag in memo.tags { tag.memos.append(memo) }
      note.memos.append(memo)
    }
    return note
  }

  static func check(_ note: Note, _ clone: Note) throws {
    let itemsFit = zip(note.items, clone.items).allSatisfy { item, new in
      item !== new && item.name == new.name && item.payload == new.payload && new.uuid != item.uuid
        && new.noteUUID == clone.uuid && new.note === clone && item.datas.count == new.datas.count
        && zip(item.datas, new.datas).allSatisfy { data, new in
          data !== new && data.value == new.value && data.text == new.text
            && new.createDate == clone.createDate
        }
    }
    let memosFit = zip(note.memos, clone.memos).allSatisfy { memo, new in
      memo !== new && memo.text == new.text && zip(memo.tags, new.tags).allSatisfy { $0 === $1 }
    }
    guard note.items.count == clone.items.count, note.memos.count == clone.memos.count, itemsFit, memosFit
    else { throw BenchmarkError("the class graph: a clone is not what it must be") }
  }
}
