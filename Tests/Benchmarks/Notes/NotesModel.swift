import MOCloneKit

/// Notes with items, five data an item, memos and two tag links a memo; `uuid`, `now` and `followParent` are in force.
enum NotesModel {
  static func model(prefix: String = "", payload: String = "Binary") throws -> ObjectModel {
    try ObjectModel(yaml: text(prefix: prefix, payload: payload))
  }

  /// - Parameters:
  ///   - prefix: stands before the name of every table.
  ///   - payload: the type of an item's payload.
  static func text(prefix: String = "", payload: String = "Binary") -> String {
    """
    version: 1
    name: Notes
    entities:
      Note:
        table: \(prefix)note
        attributes:
          uuid:       {type: UUID, userInfo: {rebuild: uuid}}
          name:       String
          createDate: {type: Date, userInfo: {rebuild: now}}
        relationships:
          items: {destination: Item, toMany: true, inverse: note, deleteRule: cascade}
          memos: {destination: Memo, toMany: true, inverse: note, deleteRule: cascade}
      Item:
        table: \(prefix)item
        attributes:
          uuid:     {type: UUID, userInfo: {rebuild: uuid}}
          noteUUID: {type: UUID, optional: true, userInfo: {followParent: Note.uuid, withoutParent: keep}}
          name:     String
          payload:  \(payload)
        relationships:
          note:  {destination: Note, inverse: items}
          datas: {destination: ItemData, toMany: true, inverse: item, deleteRule: cascade}
      ItemData:
        table: \(prefix)item_data
        attributes:
          createDate: {type: Date, userInfo: {rebuild: now}}
          value:      Double
          text:       String?
        relationships:
          item: {destination: Item, inverse: datas}
      Memo:
        table: \(prefix)memo
        attributes:
          text: String
        relationships:
          note: {destination: Note, inverse: memos}
          tags: {destination: Tag, toMany: true, inverse: memos, joinTable: {table: \(prefix)memo_tag, column: memo_id, inverseColumn: tag_id}}
      Tag:
        table: \(prefix)tag
        attributes:
          name: String
        relationships:
          memos: {destination: Memo, toMany: true, inverse: tags}
    """
  }
}
