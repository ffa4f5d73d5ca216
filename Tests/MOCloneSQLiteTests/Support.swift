import Foundation
import GRDB
import MOCloneKit

/// A model of notes with their items, small enough to read beside a test.
func notesModel() throws -> ObjectModel {
  try ObjectModel(
    name: "Notes", store: StoreOptions(primaryKey: "pk"),
    entities: [
      EntityDescription(
        name: "Note",
        attributes: [
          AttributeDescription(name: "id", type: .uuid, userInfo: ["rebuild": "uuid"], column: "uuid"),
          AttributeDescription(name: "name", type: .string),
          AttributeDescription(
            name: "createDate", type: .date, isOptional: true, userInfo: ["rebuild": "now"]),
          AttributeDescription(
            name: "index", type: .integer32, defaultValue: 0, userInfo: ["exclude": ""]),
        ],
        relationships: [
          RelationshipDescription(name: "items", destination: "Item", isToMany: true, inverse: "note"),
          RelationshipDescription(
            name: "memos", destination: "Memo", isToMany: true, isOrdered: true, inverse: "note"),
        ], uniquenessConstraints: [["id"]]),
      EntityDescription(
        name: "Item",
        attributes: [
          AttributeDescription(name: "name", type: .string),
          AttributeDescription(
            name: "noteID", type: .uuid, isOptional: true,
            userInfo: ["followParent": "id", "withoutParent": "keep"], column: "note_uuid"),
        ],
        relationships: [
          RelationshipDescription(name: "note", destination: "Note", isOptional: true, inverse: "items"),
          RelationshipDescription(name: "tags", destination: "Tag", isToMany: true, inverse: "items"),
        ]),
      EntityDescription(
        name: "Memo", attributes: [AttributeDescription(name: "text", type: .string, isOptional: true)],
        relationships: [
          RelationshipDescription(name: "note", destination: "Note", isOptional: true, inverse: "memos")
        ]),
      EntityDescription(
        name: "Tag", attributes: [AttributeDescription(name: "name", type: .string)],
        relationships: [
          RelationshipDescription(name: "items", destination: "Item", isToMany: true, inverse: "tags")
        ]),
    ])
}

/// An empty store of a model, in memory.
func makeStore(_ model: ObjectModel) throws -> DatabaseQueue {
  let queue = try DatabaseQueue()
  try queue.write { try SchemaWriter(model).create(in: $0) }
  return queue
}

func makeGraph(_ model: ObjectModel) throws -> SQLiteGraph {
  SQLiteGraph(try makeStore(model), model: model)
}
