// Ten lines: a graph in memory, a note with two items, its clone.
import Foundation
import MOCloneKit

let models = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
  "../../Models")
let model = try ObjectModel(contentsOf: models.appendingPathComponent("HealthNotes.yml"))
let graph = MemoryGraph(model: model)
let note = try graph.insert("Note", ["id": .uuid(UUID()), "name": "Breakfast", "createDate": .date(Date())])
for name in ["Oats", "Milk"] {
  try note.add(graph.insert("Item", ["name": .string(name), "noteID": note.value("id")]), to: "items")
}
let copy = try Cloner().clone(object: note)
print(try copy.destinations("items").map { try $0.value("name") }, try graph.count("Item"))
