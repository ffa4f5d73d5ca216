import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// A request that gives the root an owner which the clone would reach, or whose list it joins.
  static let givenOwnerCases: [ConformanceCase] = [
    ConformanceCase("set: a root given to the ordered list it comes from keeps its original's place") {
      make, found in
      try checkList(make, found, holdsRoot: true, expected: ["b", "root", "a", "b", "root", "a"])
    },
    ConformanceCase("set: a root given to another ordered list stands behind the clones that join it") {
      make, found in
      try checkList(make, found, holdsRoot: false, expected: ["a", "b", "a", "b", "root"])
    },
    ConformanceCase("set: what the root is given is linked, in the clone or outside it, and counted once") {
      make, found in
      let graph = try make(folders())
      let lists = try ["l", "m"].map { try graph.insert("List", ["name": .string($0)]) }
      let root = try graph.insert("Folder", ["list": lists[0].reference])
      let child = try graph.insert("Folder", ["list": lists[1].reference])
      try root.add(child, to: "children")
      let requests: [(CloneRequest, [String: Int])] = [
        (CloneRequest(), ["List": 2]), (CloneRequest(set: ["list": lists[1].reference]), ["List": 1]),
        (CloneRequest(unset: ["list"]), ["List": 1]),
        (CloneRequest(count: 2, set: ["parent": child.reference]), ["List": 2, "Folder": 1]),
      ]
      for (request, linked) in requests {
        let made = try Cloner().clone(object: root, request: request)
        found.equal(made.linked, linked, "what was linked with \(request.set)")
      }
    },
    ConformanceCase("count: copies are alike though the root is given an owner inside the clone") {
      make, found in
      let graph = try make(folders())
      let root = try graph.insert("Folder", ["name": "root"])
      let child = try graph.insert("Folder", ["name": "child"])
      try root.add(child, to: "children")
      let request = CloneRequest(count: 3, set: ["parent": child.reference])
      let made = try Cloner().clone(object: root, request: request)
      found.equal(made.cloned, ["Folder": 6], "what was cloned")
      for copy in made.roots {
        let children = try graph.destinations("children", of: copy)
        found.equal(try children.map { try graph.value("name", of: $0) }, ["child"], "children of a copy")
        found.equal(try graph.destinations("parent", of: copy), [child.id], "the owner of a copy")
      }
    },
  ]

  /// A root with two children, all of which lie in one ordered list; the children link to it.
  private static func checkList(
    _ make: GraphMaker, _ found: Findings, holdsRoot: Bool, expected: [String]
  ) throws {
    let graph = try make(folders())
    let list = try graph.insert("List", ["name": "list"])
    let folders = try ["root", "a", "b"].map { try graph.insert("Folder", ["name": .string($0)]) }
    try folders[0].setDestinations([folders[1], folders[2]], for: "children")
    try list.setDestinations(
      holdsRoot ? [folders[2], folders[0], folders[1]] : [folders[1], folders[2]], for: "folders")
    let request = CloneRequest(set: ["list": list.reference])
    try Cloner().clone(object: folders[0], request: request)
    found.equal(try list.texts("folders", "name"), expected, "the list")
  }

  private static func folders() throws -> ObjectModel {
    try model(
      entity(
        "Folder", [attribute("name")],
        [
          many("children", "Folder", inverse: "parent"), one("parent", "Folder", inverse: "children"),
          one("list", "List", inverse: "folders"),
        ]),
      entity("List", [attribute("name")], [many("folders", "Folder", inverse: "list", ordered: true)]))
  }
}
