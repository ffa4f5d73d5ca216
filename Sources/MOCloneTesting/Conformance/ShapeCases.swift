import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// What is cloned, by the shape of the graph.
  static let shapeCases: [ConformanceCase] = [
    ConformanceCase("a single object gets a clone with its values") { make, found in
      let graph = try make(model(entity("Note", [attribute("name"), attribute("index", .integer32)])))
      let note = try graph.insert("Note", ["name": "a", "index": 7])
      try found.keepsOriginals(graph) {
        let copy = try Cloner().clone(object: note)
        found.expect(copy.id != note.id, "the clone has the original's key")
        found.equal(try copy.text("name"), "a", "name")
        found.equal(try copy.value("index"), 7, "index")
        found.equal(try graph.count("Note"), 2, "the number of notes")
      }
    },
    ConformanceCase("one-to-many: the members are cloned with their owner") { make, found in
      let graph = try make(notes())
      let note = try graph.insert("Note", ["name": "n"])
      for name in ["a", "b"] { try graph.insert("Item", ["name": .string(name), "note": note.reference]) }
      try found.keepsOriginals(graph) {
        let copy = try Cloner().clone(object: note)
        found.equal(try copy.texts("items", "name").sorted(), ["a", "b"], "the clone's items")
        found.equal(try graph.count("Item"), 4, "the number of items")
        found.equal(
          try copy.destinations("items").map { try $0.destination("note")!.id }, [copy.id, copy.id],
          "the owner of the new items")
      }
    },
    ConformanceCase("one-to-one: the partner is cloned and stays where it is") { make, found in
      let graph = try make(
        model(
          entity("Note", [attribute("name")], [one("detail", "Detail", inverse: "note")]),
          entity("Detail", [attribute("text")], [one("note", "Note", inverse: "detail")])))
      for root in ["Note", "Detail"] {
        let note = try graph.insert("Note", ["name": "n"])
        let detail = try graph.insert("Detail", ["text": "d"])
        try note.set(detail, for: "detail")
        try found.keepsOriginals(graph) {
          let copy = try Cloner().clone(object: root == "Note" ? note : detail)
          let relatedObject = try copy.destination(root == "Note" ? "detail" : "note")
          found.expect(
            relatedObject != nil && relatedObject != note && relatedObject != detail,
            "\(root): no new partner")
        }
      }
    },
    ConformanceCase("diamond: table, rows, columns and cells give four new cells, none half attached") {
      make, found in
      let graph = try make(diamond())
      let table = try makeDiamond(graph)
      try found.keepsOriginals(graph) {
        let copy = try Cloner().clone(object: table)
        let rows = try copy.destinations("rows")
        let columns = try copy.destinations("columns")
        let cells = try rows.flatMap { try $0.destinations("cells") }
        found.equal(try graph.count("Cell"), 8, "the number of cells")
        found.equal(Set(cells).count, 4, "the number of new cells")
        for cell in cells {
          found.expect(rows.contains(try cell.destination("row")!), "\(cell.id) is in no new row")
          found.expect(columns.contains(try cell.destination("column")!), "\(cell.id) is in no new column")
        }
      }
    },
    ConformanceCase("tree: every level below the root is cloned, the parent is shared") { make, found in
      let graph = try make(tree())
      let top = try graph.insert("Folder", ["name": "top"])
      let root = try graph.insert("Folder", ["name": "root", "parent": top.reference])
      let child = try graph.insert("Folder", ["name": "child", "parent": root.reference])
      try graph.insert("Folder", ["name": "leaf", "parent": child.reference])
      try found.keepsOriginals(graph) {
        let copy = try Cloner().clone(object: root)
        found.equal(try copy.destination("parent"), top, "the clone's parent")
        found.equal(try copy.texts("children", "name"), ["child"], "the children")
        let leaves = try copy.destinations("children").flatMap { try $0.texts("children", "name") }
        found.equal(leaves, ["leaf"], "the grandchildren")
        found.equal(try graph.count("Folder"), 7, "the number of folders")
        found.equal(try top.destinations("children").count, 2, "the children of the shared parent")
      }
    },
    ConformanceCase("cycle: it closes among the clones, and the root reached again is the new root") {
      make, found in
      let graph = try make(model(entity("Stop", [attribute("name")], [one("next", "Stop")])))
      let stops = try ["a", "b", "c"].map { try graph.insert("Stop", ["name": .string($0)]) }
      for (i, stop) in stops.enumerated() { try stop.set(stops[(i + 1) % 3], for: "next") }
      try found.keepsOriginals(graph) {
        let copy = try Cloner().clone(object: stops[0])
        let again = try copy.destination("next")?.destination("next")?.destination("next")
        found.equal(again, copy, "the fourth stop")
        found.equal(try graph.count("Stop"), 6, "the number of stops")
      }
    },
    ConformanceCase("required cycle of two: both clones refer to each other") { make, found in
      let graph = try make(
        model(
          entity("King", [attribute("name")], [one("queen", "Queen", optional: false)]),
          entity("Queen", [attribute("name")], [one("king", "King", optional: false)])))
      // A store that checks at once cannot hold the first of the two.
      guard let king = try? graph.insert("King", ["name": "k"]) else { return }
      let queen = try graph.insert("Queen", ["king": king.reference])
      try king.set(queen, for: "queen")
      try found.keepsOriginals(graph) {
        let copy = try Cloner().clone(object: king)
        found.equal(try copy.destination("queen")?.destination("king"), copy, "the queen's king")
        found.expect(try copy.destination("queen") != queen, "the queen is shared")
      }
    },
    ConformanceCase("two relationships between two entities: each keeps its own members") { make, found in
      let graph = try make(
        model(
          entity(
            "Board", [attribute("name")],
            [many("todo", "Card", inverse: "todoBoard"), many("done", "Card", inverse: "doneBoard")]),
          entity(
            "Card", [attribute("name")],
            [one("todoBoard", "Board", inverse: "todo"), one("doneBoard", "Board", inverse: "done")])))
      let board = try graph.insert("Board", ["name": "b"])
      let other = try graph.insert("Board", ["name": "other"])
      try graph.insert("Card", ["name": "t", "todoBoard": board.reference])
      try graph.insert("Card", ["name": "d", "doneBoard": board.reference])
      try graph.insert("Card", ["name": "x", "todoBoard": board.reference, "doneBoard": board.reference])
      try graph.insert("Card", ["name": "y", "todoBoard": board.reference, "doneBoard": other.reference])
      try found.keepsOriginals(graph) {
        let copy = try Cloner().clone(object: board)
        found.equal(try copy.texts("todo", "name").sorted(), ["t", "x", "y"], "todo")
        found.equal(try copy.texts("done", "name").sorted(), ["d", "x"], "done")
        found.equal(try other.texts("done", "name"), ["y", "y"], "done of the other board")
        found.equal(try graph.count("Card"), 8, "the number of cards")
      }
    },
    ConformanceCase("to-many without inverse: the members belong to one owner each") { make, found in
      let graph = try make(
        model(
          entity("Box", [attribute("name")], [many("things", "Thing", ordered: true)]),
          entity("Thing", [attribute("name")])))
      let box = try graph.insert("Box", ["name": "b"])
      let things = try ["c", "a", "b"].map { try graph.insert("Thing", ["name": .string($0)]) }
      try box.setDestinations(things, for: "things")
      try found.keepsOriginals(graph) {
        let copy = try Cloner().clone(object: box)
        found.equal(try copy.texts("things", "name"), ["c", "a", "b"], "the clone's things")
        let thing = try Cloner().clone(object: things[0])
        found.equal(try box.destinations("things"), things, "the original's things")
        found.expect(try !copy.destinations("things").contains(thing), "a thing cloned alone is in a box")
      }
    },
  ]

  static func longChain(_ length: Int) -> ConformanceCase {
    ConformanceCase("a chain of \(length) objects, one a generation") { make, found in
      let graph = try make(model(entity("Link", [attribute("number", .integer64)], [one("next", "Link")])))
      var next: ManagedObject?
      for number in 0..<length {
        let values = ["number": .integer(Int64(number)), "next": next?.reference ?? .null]
        next = try graph.insert("Link", values)
      }
      try graph.save()
      let copy = try Cloner().clone(object: next!)
      found.equal(try graph.count("Link"), 2 * length, "the number of links")
      found.equal(try copy.value("number"), .integer(Int64(length - 1)), "the number of the first link")
      found.expect(try copy.destination("next") != next!.destination("next"), "the chain is shared")
    }
  }

  static func notes() throws -> ObjectModel {
    try model(
      entity("Note", [attribute("name")], [many("items", "Item", inverse: "note", delete: .cascade)]),
      entity(
        "Item", [attribute("name")], [one("note", "Note", inverse: "items", optional: false)]))
  }

  static func tree() throws -> ObjectModel {
    try model(
      entity(
        "Folder", [attribute("name")],
        [many("children", "Folder", inverse: "parent"), one("parent", "Folder", inverse: "children")]))
  }

  static func diamond() throws -> ObjectModel {
    try model(
      entity(
        "Table", [attribute("name")],
        [many("rows", "Row", inverse: "table"), many("columns", "Column", inverse: "table")]),
      entity(
        "Row", [], [one("table", "Table", inverse: "rows"), many("cells", "Cell", inverse: "row")]),
      entity(
        "Column", [], [one("table", "Table", inverse: "columns"), many("cells", "Cell", inverse: "column")]),
      entity(
        "Cell", [attribute("text")],
        [one("row", "Row", inverse: "cells"), one("column", "Column", inverse: "cells")]))
  }

  static func makeDiamond(_ graph: any ObjectGraph) throws -> ManagedObject {
    let table = try graph.insert("Table", ["name": "t"])
    let rows = try (0..<2).map { _ in try graph.insert("Row", ["table": table.reference]) }
    let columns = try (0..<2).map { _ in try graph.insert("Column", ["table": table.reference]) }
    for row in rows {
      for column in columns {
        try graph.insert("Cell", ["row": row.reference, "column": column.reference])
      }
    }
    return table
  }
}
