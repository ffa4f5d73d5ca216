import MOCloneEngine
import MOCloneModel

/// Attributes that the store's triggers keep (`derived: trigger`), in graphs that have no triggers: what is written there is
/// the default, once.
extension ConformanceSuite {
  static let keptCloningCases: [ConformanceCase] = [
    ConformanceCase("kept by triggers: clones begin with the default, in a tree and where they are linked") {
      make, found in
      let graph = try make(counted())
      let tag = try graph.insert("Tag", ["name": "t"])
      let root = try graph.insert("Folder", ["name": "r"])
      let child = try graph.insert("Folder", ["name": "c", "parent": root.reference])
      for (folder, count) in [(root, 5), (child, 7)] {
        try folder.setValue(.integer(Int64(count)), for: "count")
        try folder.setValue("words", for: "search")
        try folder.setDestinations([tag], for: "tags")
      }
      try tag.setValue(9, for: "count")
      try found.keepsOriginals(graph) {
        let copy = try Cloner().clone(object: root)
        let copies = try [copy] + copy.destinations("children")
        found.equal(copies.count, 2, "the number of copies")
        found.equal(try copies.map { try $0.value("count") }, [0, 0], "the numbers")
        found.equal(try copies.map { try $0.value("search") }, [.null, .null], "the search columns")
        found.equal(try copies.flatMap { try $0.destinations("tags") }, [tag, tag], "the tags")
      }
      found.equal(try tag.value("count"), 9, "the number of the linked tag")
      try found.unchanged(graph) {
        try found.refuses(.invalidValue, "a value given to a clone") {
          try Cloner().clone(object: root, request: CloneRequest(set: ["count": 3]))
        }
        try found.refuses(.invalidValue, "a value given to a new object") {
          try graph.insert("Folder", ["name": "n", "count": 3])
        }
      }
    }
  ]

  static let keptTransferCases: [ConformanceCase] = [
    ConformanceCase("kept by triggers: a copy makes the default, and what exists keeps its own") {
      make, found in
      let (source, target) = try (make(counted()), make(counted()))
      for (graph, names) in [(source, ["a", "b"]), (target, ["a"])] {
        for name in names {
          let folder = try graph.insert("Folder", ["name": .string(name)])
          try folder.setValue(graph === source ? 5 : 3, for: "count")
          if graph === source { try folder.setValue("words", for: "search") }
        }
      }
      let request = CopyRequest(identifiedBy: byName, overwrites: true)
      let report = try copying(target).copyObjects(from: source, request, options: TransferOptions())
      found.equal(report.created, ["Folder": 1], "what was made")
      found.equal(report.updated, nil, "what was changed")
      found.equal(try numbers(target), ["a": 3, "b": 0], "the numbers")
      found.equal(
        try copying(target).differences(from: source, identifiedBy: byName), [], "what differs")
      let seeded = try copying(target).seed(from: source, identifiedBy: byName, options: TransferOptions())
      found.equal(seeded.updated, nil, "what the seed filled")
      found.equal(
        try target.objects("Folder").map { try $0.value("search") }, [.null, .null], "the search columns")
    },
    ConformanceCase(
      "kept by triggers: a sync makes the default, and neither writes it nor takes it from rows"
    ) {
      make, found in
      guard let graph = try make(counted()) as? any SyncingGraph else { return }
      try graph.insert("Folder", ["name": "a"]).setValue(3, for: "count")
      let request = SyncRequest(entity: "Folder", identifiedBy: byName)
      try found.unchanged(graph) {
        var overwriting = request
        overwriting.overwriting = ["count"]
        let error = try found.refuses(.invalidValue, "overwriting the number") {
          try graph.sync(overwriting, from: [["name": "a"]])
        }
        found.expect("\(error!)".contains("'count'"), "the error names something else: \(error!)")
        try found.refuses(.invalidValue, "a number in a row") {
          try graph.sync(request, from: [["name": "a", "count": 8]])
        }
        try found.refuses(.invalidValue, "objects found by the number") {
          try graph.sync(
            SyncRequest(entity: "Folder", identifiedBy: ["Folder": ["count"]]), from: [["name": "a"]])
        }
      }
      let report = try graph.sync(request, from: [["name": "a"], ["name": "b"]])
      found.equal(report.unchanged, ["Folder": 1], "what is unchanged")
      found.equal(try numbers(graph), ["a": 3, "b": 0], "the numbers")
    },
    ConformanceCase("kept by triggers: of duplicates it decides nothing, and fills nothing") { make, found in
      guard let graph = try make(counted()) as? any TransferGraph else { return }
      let folders = try ["a", "a"].map { try graph.insert("Folder", ["name": .string($0)]) }
      try folders[0].setValue(9, for: "count")
      try folders[1].setValue("words", for: "search")
      let request = DedupeRequest(entities: ["Folder"], identifiedBy: byName)
      let report = try graph.dedupe(request, options: TransferOptions())
      found.equal(report.merged, ["Folder": 1], "what was merged")
      found.equal(try graph.objects("Folder"), [folders[0]], "what stays")
      found.equal(try folders[0].value("count"), 9, "its number")
      found.equal(try folders[0].value("search"), .null, "its search column")
    },
  ]

  private static let byName: IdentityRequest = ["Folder": ["name"], "Tag": ["name"]]

  private static func numbers(_ graph: any ObjectGraph) throws -> [String: AttributeValue] {
    let folders = try graph.objects("Folder").map { (try $0.text("name"), try $0.value("count")) }
    return Dictionary(uniqueKeysWithValues: folders)
  }

  /// A tree of folders with tags, of which triggers keep numbers and words.
  private static func counted() throws -> ObjectModel {
    func kept(
      _ name: String, _ type: AttributeType, default standard: AttributeValue? = nil
    ) -> AttributeDescription {
      AttributeDescription(
        name: name, type: type, isOptional: standard == nil, defaultValue: standard, derivation: .trigger)
    }
    return try model(
      entity(
        "Folder",
        [
          attribute("name"), attribute("modified", .date), kept("count", .integer64, default: 0),
          kept("search", .string),
        ],
        [
          many("children", "Folder", inverse: "parent"), one("parent", "Folder", inverse: "children"),
          many("tags", "Tag", inverse: "folders"),
        ]),
      entity(
        "Tag", [attribute("name"), kept("count", .integer64, default: 0)],
        [many("folders", "Folder", inverse: "tags")]))
  }
}
