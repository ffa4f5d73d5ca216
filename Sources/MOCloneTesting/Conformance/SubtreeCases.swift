import Foundation
import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// How a subtree comes from one store into another.
  static let subtreeCases: [TransferCase] = [
    TransferCase("subtree: a root that names one of those that belong to it, with its keys and with new ones")
    {
      make, found in
      for keepsKeys in [true, false] {
        let (source, target) = try make.pair(customers(), filling: fillCustomers)
        let other = try target.insert("Customer", ["name": "z"])
        try target.insert("Contact", ["name": "e", "customer": other.reference])
        let result = try cloneSubtree(source, [2], into: target, SubtreeRequest(keepsKeys: keepsKeys))
        let customer = ManagedObject(id: result.roots[0], graph: target)
        found.equal(try customer.destination("main")?.text("name"), "d", "the main contact")
        found.equal(try customer.texts("contacts", "name").sorted(), ["c", "d"], "its contacts")
      }
    },
    TransferCase("subtree: the clones hold what the annotations say, each of several copies") { make, found in
      let (source, target) = try make.pair(market(), filling: fillMarket)
      try fillMarket(target)
      let request = CloneRequest(exclude: ["tags"], count: 2, set: ["name": "Copy"])
      let result = try cloneSubtree(source, [2, 1], by: request, into: target)
      found.equal(result.roots.count, 4, "the number of copies")
      let copies = result.roots.map { ManagedObject(id: $0, graph: target) }
      found.equal(try copies.map { try $0.text("name") }, Array(repeating: "Copy", count: 4), "their names")
      found.equal(try copies.map { try $0.destinations("orders").count }, [1, 1, 2, 2], "their orders")
      found.equal(try Set(target.objects("Customer").map { try $0.value("uid") }).count, 6, "the UUIDs")
    },
    TransferCase("subtree: the root is given an object of the source, which is then found") { make, found in
      for isRequired in [false, true] {
        let (source, target) = try make.pair(market(required: isRequired), filling: fillMarket)
        let basel = try target.insert(
          "Town", ["name": "Basel", "country": target.insert("Country", ["name": "CH"]).reference])
        let request = CloneRequest(exclude: ["tags", "orders"], set: ["town": 2])
        let result = try cloneSubtree(source, [1], by: request, into: target)
        let ann = ManagedObject(id: result.roots[0], graph: target)
        found.equal(try ann.destination("town"), basel, "her town")
      }
    },
    TransferCase("subtree: a required relationship that clones would lose is refused as within one store") {
      make, found in
      var holder = one("man", "Man", inverse: "card")
      holder.columns = [ForeignKeyColumn("man_id")]
      let model = try model(
        entity("Country", [attribute("code")], [many("men", "Man", inverse: "country")], unique: [["code"]]),
        entity(
          "Man", [attribute("name")],
          [
            one("country", "Country", inverse: "men", optional: false),
            one("card", "Card", inverse: "man", optional: false),
            required("coins", "Coin", inverse: "man"), required("clubs", "Club", inverse: "men"),
          ]),
        entity("Card", [attribute("number")], [holder]),
        entity("Coin", [attribute("number")], [one("man", "Man", inverse: "coins")]),
        entity("Club", [attribute("name")], [many("men", "Man", inverse: "clubs")], unique: [["name"]]))
      for name in ["country", "card", "coins", "clubs"] {
        let (source, target) = try make.pair(model)
        for graph in [source, target] {
          try graph.insert("Country", ["code": "CH"])
          try graph.insert("Club", ["name": "c"])
        }
        let country = try source.objects("Country")[0]
        let man = try source.insert("Man", ["name": "a", "country": country.reference])
        for entity in ["Card", "Coin"] { try source.insert(entity, ["number": "1", "man": man.reference]) }
        try man.setDestinations(source.objects("Club"), for: "clubs")
        let error = try found.refuses(.requiredLeftEmpty, "a man without his \(name)", leaving: target) {
          try cloneSubtree(source, [man.id.key], of: "Man", by: CloneRequest(exclude: [name]), into: target)
        }
        found.equal(error?.failures.first?.property, name, "the relationship")
        found.equal(error?.failures.first?.object, man.id, "the original")
      }
    },
    TransferCase("subtree: a required list that would lose what the store does not have is refused") {
      make, found in
      let model = try model(
        entity("Man", [attribute("name")], [required("clubs", "Club", inverse: "men")]),
        entity("Club", [attribute("name")], [many("men", "Man", inverse: "clubs")], unique: [["name"]]))
      for keepsKeys in [false, true] {
        let (source, target) = try make.pair(model)
        let man = try source.insert("Man", ["name": "a"])
        try man.setDestinations(
          ["c", "d"].map { try source.insert("Club", ["name": .string($0)]) }, for: "clubs")
        let request = SubtreeRequest(missing: .null, keepsKeys: keepsKeys)
        let error = try found.refuses(.requiredLeftEmpty, "a man without clubs", leaving: target) {
          try copying(target).clone("Man", roots: [man.id], from: source, request)
        }
        found.equal(error?.failures.first?.property, "clubs", "the relationship")
        found.equal(error?.failures.first?.object, man.id, "the original")
        try target.insert("Club", ["name": "d"])
        try copying(target).clone("Man", roots: [man.id], from: source, request)
        found.equal(try target.objects("Man").flatMap { try $0.texts("clubs", "name") }, ["d"], "his clubs")
      }
    },
    TransferCase("subtree: keys and values are kept where that is asked; a key that is taken is refused") {
      make, found in
      let (source, target) = try make.pair(market(), filling: fillMarket)
      let request = SubtreeRequest(missing: .create, keepsKeys: true)
      let result = try cloneSubtree(source, [2], into: target, request)
      found.equal(result.roots, [try source.object("Customer", key: 2).id], "the root")
      found.equal(try target.objectIDs("Order"), [try source.object("Order", key: 3).id], "the orders")
      let (before, after) = (try source.object("Customer", key: 2), try target.object("Customer", key: 2))
      for name in ["uid", "name"] { found.equal(try after.value(name), try before.value(name), name) }
      try found.refuses(.uniqueValue, "the same key again", leaving: target) {
        try cloneSubtree(source, [2], into: target, request)
      }
      try target.insert("Customer", ["name": "next"])
      found.equal(try target.objectIDs("Customer").last?.key, 3, "the key of the next one")
      try cloneSubtree(source, [1], into: target, request)
      found.equal(try target.objectIDs("Customer").map(\.key), [1, 2, 3], "the keys with Ann's")
    },
    TransferCase("subtree: a member that others share does not bring them along") { make, found in
      let model = try model(
        entity("Folder", [attribute("name")], [many("notes", "Note", inverse: "folder")]),
        entity(
          "Note", [attribute("name")],
          [
            one("folder", "Folder", inverse: "notes"),
            many("parts", "Part", inverse: "notes", ["onClone": "clone"]),
          ]),
        entity(
          "Part", [attribute("name")],
          [many("notes", "Note", inverse: "parts"), one("cover", "Note")]))
      for keepsKeys in [false, true] {
        let (source, target) = try make.pair(model)
        let part = try source.insert("Part", ["name": "p"])
        for name in ["a", "b"] {
          let folder = try source.insert("Folder", ["name": .string(name)])
          let note = try source.insert("Note", ["name": .string(name), "folder": folder.reference])
          try note.add(part, to: "parts")
        }
        let result = try cloneSubtree(
          source, [1], of: "Folder", into: target, SubtreeRequest(missing: .fail, keepsKeys: keepsKeys))
        found.equal(result.report.created, ["Folder": 1, "Note": 1, "Part": 1], "what was made")
        found.equal(try target.objects("Part")[0].texts("notes", "name"), ["a"], "the part's notes")
      }
    },
    TransferCase("subtree: of several ways to an object only those it was reached in say what it brings") {
      make, found in
      let model = try model(
        entity(
          "Playlist", [attribute("name")],
          [
            many("tracks", "Track", inverse: "playlists", ["onClone": "clone"]),
            many("jingles", "Track", inverse: "jingleOf"),
          ]),
        entity(
          "Track", [attribute("name")],
          [many("playlists", "Playlist", inverse: "tracks"), one("jingleOf", "Playlist", inverse: "jingles")]
        ))
      for keepsKeys in [false, true] {
        let (source, target) = try make.pair(model)
        let lists = try ["mine", "old", "other"].map { try source.insert("Playlist", ["name": .string($0)]) }
        let song = try source.insert("Track", ["name": "song"])
        let jingle = try source.insert("Track", ["name": "jingle", "jingleOf": lists[0].reference])
        for list in lists.prefix(2) { try list.add(song, to: "tracks") }
        try lists[2].add(jingle, to: "tracks")
        let result = try cloneSubtree(
          source, [1], of: "Playlist", into: target, SubtreeRequest(missing: .create, keepsKeys: keepsKeys))
        found.equal(result.report.created, ["Playlist": 2, "Track": 2], "what was made")
        let root = ManagedObject(id: result.roots[0], graph: target)
        found.equal(try root.texts("tracks", "name"), ["song"], "the tracks")
        found.equal(
          try root.destinations("tracks")[0].texts("playlists", "name"), ["mine"], "the song's playlists")
        found.equal(
          try root.destinations("jingles")[0].texts("playlists", "name"), ["other"], "the jingle's playlists")
      }
    },
    TransferCase("subtree: with kept values nothing needs the ancestor that it follows") { make, found in
      let model = try model(
        entity("Note", [attribute("name")], [many("items", "Item", inverse: "note")]),
        entity(
          "Item", [attribute("noteName", ["followParent": "name"])], [one("note", "Note", inverse: "items")]))
      let (source, target) = try make.pair(model)
      let item = try source.insert("Item", ["noteName": "n"])
      try item.set(source.insert("Note", ["name": "n"]), for: "note")
      try found.refuses(.missingAncestor, "a new item without the note that it follows") {
        try copying(target).clone("Item", roots: [item.id], from: source, SubtreeRequest(missing: .null))
      }
      let result = try copying(target).clone(
        "Item", roots: [item.id], from: source, SubtreeRequest(missing: .null, keepsKeys: true))
      found.equal(result.roots, [item.id], "the root")
      found.equal(try target.objects("Item")[0].text("noteName"), "n", "its value")
    },
    TransferCase("subtree: a tree with a reference back to the root, in a cycle") { make, found in
      let model = try model(
        entity(
          "Folder", [attribute("name")],
          [
            one("parent", "Folder", inverse: "children"),
            many("children", "Folder", inverse: "parent", ordered: true), one("shortcut", "Folder"),
          ]))
      for keepsKeys in [false, true] {
        let (source, target) = try make.pair(model)
        let folders = try (0..<4).map { try source.insert("Folder", ["name": .string("f\($0)")]) }
        try folders[1].setDestinations([folders[3], folders[2]], for: "children")
        try folders[3].set(folders[1], for: "shortcut")
        let result = try cloneSubtree(
          source, [2], of: "Folder", into: target, SubtreeRequest(keepsKeys: keepsKeys))
        let root = ManagedObject(id: result.roots[0], graph: target)
        found.equal(result.report.created, ["Folder": 3], "what was made")
        found.equal(try root.texts("children", "name"), ["f3", "f2"], "the children")
        found.equal(try root.destinations("children")[0].destination("shortcut"), root, "the shortcut")
      }
    },
    TransferCase("subtree: a run that only looks says the same and changes nothing") { make, found in
      let (source, target) = try make.pair(market(), filling: fillMarket)
      for keepsKeys in [false, true] {
        let request = SubtreeRequest(missing: .create, keepsKeys: keepsKeys)
        try found.unchanged(target) {
          let report = try cloneSubtree(
            source, [1], into: target, request, options: TransferOptions(isDryRun: true)
          ).report
          found.equal(
            report.created,
            ["Customer": 1, "Order": 2, "Town": 1, "Country": 1, "Tag": 2, "Product": 2], "what would be made"
          )
          found.expect(report.dryRun, "the report does not say so")
        }
      }
    },
    TransferCase(
      "subtree: numbers of clones are counted within their owners there, also where they identify",
      exceptIntoMemory: integerKeys
    ) { make, found in
      for identifies in [false, true] {
        let (source, target) = try make.pair(issues(identified: identifies))
        let issue = try fillIssues(source, 10)[3]
        guard canPass(issue, from: source, into: target, found) else { continue }
        try target.insert("Project", ["name": "other"])
        try fillIssues(target, 3)
        for _ in 1...2 { try source.insert("Comment", ["issue": issue.id.key.asReference]) }
        func numbers(_ request: CloneRequest) throws -> [String] {
          let result = try cloneSubtree(source, [issue.id.key], of: "Issue", by: request, into: target)
          return try result.roots.map { id in
            let root = ManagedObject(id: id, graph: target)
            found.equal(try root.destination("project")?.text("name"), "a", "the project")
            found.equal(try root.texts("comments", "place").sorted(), ["1", "2"], "what follows it")
            let number = try root.text("number")
            found.equal(try root.texts("comments", "followed"), [number, number], "the number that follows")
            return number
          }
        }
        found.equal(try numbers(CloneRequest()), ["4"], "the number of a clone")
        found.equal(try numbers(CloneRequest(count: 3)).sorted(), ["5", "6", "7"], "those of three")
        found.equal(try numbers(CloneRequest(set: ["number": 20])), ["20"], "a number that is given")
        found.equal(try numbers(CloneRequest()), ["21"], "the number behind it")
        let empty = try make.target(issues(identified: identifies))
        guard holds(issue.id.key, empty, found) else { continue }
        let kept = try cloneSubtree(
          source, [issue.id.key], of: "Issue", into: empty, SubtreeRequest(missing: .create, keepsKeys: true))
        let root = ManagedObject(id: kept.roots[0], graph: empty)
        found.equal(try root.text("number"), "4", "a number that is kept with the key")
      }
    },
    TransferCase(
      "subtree: what is linked to keeps the number that identifies it, and clones are counted above",
      exceptIntoMemory: integerKeys
    ) { make, found in
      let (source, target) = try make.pair(issues(identified: true))
      let all = try fillIssues(source, 10)
      guard canPass(all[3], from: source, into: target, found) else { return }
      try target.insert("Project", ["name": "other"])
      try fillIssues(target, 3)
      try all[3].set(all[6], for: "cause")
      func copySubtree(_ missing: MissingPolicy) throws -> [String?] {
        let result = try cloneSubtree(
          source, [all[3].id.key], of: "Issue", into: target, SubtreeRequest(missing: missing))
        let root = ManagedObject(id: result.roots[0], graph: target)
        return [try root.text("number"), try root.destination("cause")?.text("number")]
      }
      found.equal(try copySubtree(.null), ["4", nil], "a clone without what it is linked to")
      found.equal(try copySubtree(.create), ["8", "7"], "a clone and what was made for it")
      found.equal(try copySubtree(.fail), ["9", "7"], "a clone and what was found")
    },
    TransferCase(
      "subtree: numbers that are whole keys are counted there, also where they identify",
      exceptInMemory: integerKeys
    ) { make, found in
      for identifies in [false, true] {
        let (source, target) = try make.pair(tickets(identified: identifies))
        for _ in 1...10 {
          let ticket = try source.insert("Ticket")
          try source.insert("Note", ["ticket": ticket.reference])
        }
        for _ in 1...3 { try target.insert("Ticket") }
        func numbers(_ keys: [ObjectKey], _ request: CloneRequest = CloneRequest()) throws -> [String] {
          let result = try cloneSubtree(source, keys, of: "Ticket", by: request, into: target)
          return try result.roots.map { id in
            let root = ManagedObject(id: id, graph: target)
            let number = try root.text("number")
            found.equal(try root.texts("notes", "about"), [number], "what follows it")
            return number
          }
        }
        found.equal(try numbers([7]), ["4"], "the number of a clone")
        found.equal(try numbers([9, 8]), ["5", "6"], "those of several keys")
        found.equal(try numbers([2], CloneRequest(count: 2)), ["7", "8"], "those of two copies")
        // Memory makes its keys itself.
        guard ![source, target].contains(where: found.isException) else { continue }
        found.equal(try numbers([7], CloneRequest(set: ["number": 20])), ["20"], "a number that is given")
        found.equal(try numbers([7]), ["21"], "the number behind it")
      }
    },
    TransferCase(
      "subtree: what is linked to keeps a whole key that identifies it, and clones get other numbers",
      exceptInMemory: integerKeys
    ) { make, found in
      let (source, target) = try make.pair(tickets(identified: true))
      guard !found.isException(target) else { return }
      let all = try (1...10).map { _ in try source.insert("Ticket") }
      for _ in 1...3 { try target.insert("Ticket") }
      try all[1].set(all[7], for: "cause")
      func copySubtree(_ missing: MissingPolicy) throws -> [String?] {
        let result = try cloneSubtree(
          source, [2], of: "Ticket", into: target, SubtreeRequest(missing: missing))
        let root = ManagedObject(id: result.roots[0], graph: target)
        return [try root.text("number"), try root.destination("cause")?.text("number")]
      }
      found.equal(try copySubtree(.null), ["4", nil], "a clone without what it is linked to")
      // Counted above the others, or taken from a sequence.
      var taken = ["1", "2", "3", "4", "8"]
      for (missing, what) in [(MissingPolicy.create, "what was made for it"), (.fail, "what was found")] {
        let numbers = try copySubtree(missing).compactMap(\.self)
        found.equal(numbers.last, "8", what)
        found.expect(numbers.count == 2 && !taken.contains(numbers[0]), "a clone beside \(what): \(numbers)")
        taken.append(numbers[0])
      }
    },
    TransferCase("subtree: a graph is not its own other store, and a cut-out sets nothing") { make, found in
      let graph = try make.source(market())
      try fillMarket(graph)
      try found.unchanged(graph) {
        try found.refuses(.invalidValue, "a cut into the source") {
          try cloneSubtree(graph, [1], into: graph)
        }
        let plan = try ClonePlan(
          model: graph.model, entity: "Customer", request: CloneRequest(set: ["name": "x"]))
        let (target, root) = (try copying(make.target(market())), try graph.object("Customer", key: 1).id)
        try found.refuses(.invalidValue, "a cut-out that sets something") {
          try target.clone(
            plan, roots: [root], from: graph, SubtreeRequest(keepsKeys: true), options: TransferOptions())
        }
      }
    },
  ]

  @discardableResult
  static func cloneSubtree(
    _ source: any ObjectGraph, _ keys: [ObjectKey], of entity: String = "Customer",
    by clone: CloneRequest = CloneRequest(), into target: any ObjectGraph,
    _ request: SubtreeRequest = SubtreeRequest(), options: TransferOptions = TransferOptions()
  ) throws -> SubtreeResult {
    let plan = try ClonePlan(model: source.model, entity: entity, request: clone)
    let roots = try keys.map { try source.object(entity, key: $0).id }
    return try copying(target).clone(plan, roots: roots, from: source, request, options: options)
  }

  private static let integerKeys = "keys there are integers"

  /// Whether a graph can have an object of a key.
  private static func holds(_ key: ObjectKey, _ graph: any ObjectGraph, _ found: Findings) -> Bool {
    key.parts.count == 1 || !found.isException(graph)
  }

  /// Whether a subtree can pass through a store of one of two graphs on its way.
  private static func canPass(
    _ object: ManagedObject, from source: any ObjectGraph, into target: any ObjectGraph, _ found: Findings
  ) -> Bool {
    (source as? any SubtreeGraph)?.passesEveryKey == true || holds(object.id.key, target, found)
  }

  /// Issues that are numbered within their projects, with comments that are numbered within them.
  private static func issues(identified: Bool) throws -> ObjectModel {
    var issue = entity(
      "Issue", [attribute("number", .integer64, optional: false)],
      [
        one("project", "Project", inverse: "issues", optional: false),
        many("comments", "Comment", inverse: "issue"), one("cause", "Issue", ["onClone": "link"]),
      ], unique: identified ? [["project", "number"]] : [])
    issue.primaryKey = [KeyColumn("project_id"), KeyColumn("number", generate: .max)]
    var owner = one("issue", "Issue", inverse: "comments", optional: false)
    owner.columns = [
      ForeignKeyColumn("issue_project", references: "project_id"),
      ForeignKeyColumn("issue_number", references: "number"),
    ]
    var comment = entity(
      "Comment",
      [
        attribute("place", .integer64, optional: false),
        attribute("followed", .integer64, ["followParent": "Issue.number", "withoutParent": "keep"]),
      ], [owner])
    comment.primaryKey = [
      KeyColumn("issue_project"), KeyColumn("issue_number"), KeyColumn("place", generate: .max),
    ]
    return try model(
      entity(
        "Project", [attribute("name")], [many("issues", "Issue", inverse: "project")], unique: [["name"]]),
      issue, comment)
  }

  /// Tickets whose keys are their numbers.
  private static func tickets(identified: Bool) throws -> ObjectModel {
    var ticket = entity(
      "Ticket", [attribute("number", .integer64, optional: false)],
      [many("notes", "Note", inverse: "ticket"), one("cause", "Ticket", ["onClone": "link"])],
      unique: identified ? [["number"]] : [])
    ticket.primaryKey = [KeyColumn("number", generate: .max)]
    let about = attribute("about", .integer64, ["followParent": "Ticket.number", "withoutParent": "keep"])
    return try model(ticket, entity("Note", [about], [one("ticket", "Ticket", inverse: "notes")]))
  }

  /// A project 'a' with some issues.
  @discardableResult
  private static func fillIssues(_ graph: any ObjectGraph, _ count: Int) throws -> [ManagedObject] {
    let project = try graph.insert("Project", ["name": "a"])
    return try (0..<count).map { _ in try graph.insert("Issue", ["project": project.reference]) }
  }

  /// Customers own their orders; towns, products and tags are shared.
  static func market(required: Bool = false) throws -> ObjectModel {
    try model(
      entity(
        "Customer", [attribute("name"), attribute("uid", .uuid, ["rebuild": "uuid"])],
        [
          many("orders", "Order", inverse: "customer", ordered: true),
          one("town", "Town", inverse: "customers", optional: !required),
          many("tags", "Tag", inverse: "customers"),
        ]),
      entity(
        "Order", [attribute("number", .integer32)],
        [one("customer", "Customer", inverse: "orders"), one("product", "Product", inverse: "orders")]),
      entity(
        "Product", [attribute("name")], [many("orders", "Order", inverse: "product")], unique: [["name"]]),
      entity(
        "Town", [attribute("name")],
        [
          many("customers", "Customer", inverse: "town"), one("mayor", "Person"),
          one("country", "Country", inverse: "towns", optional: false),
        ], unique: [["name", "country"]]),
      entity("Person", [attribute("name")]),
      entity("Country", [attribute("name")], [many("towns", "Town", inverse: "country")], unique: [["name"]]),
      entity(
        "Tag", [attribute("name")], [many("customers", "Customer", inverse: "tags", ordered: true)],
        unique: [["name"]]))
  }

  static func fillMarket(_ graph: any ObjectGraph) throws {
    let country = try graph.insert("Country", ["name": "CH"])
    let mayor = try graph.insert("Person", ["name": "m"])
    let towns = try ["Bern", "Basel"].map {
      try graph.insert("Town", ["name": .string($0), "country": country.reference])
    }
    try towns[0].set(mayor, for: "mayor")
    let products = try ["bread", "salt"].map { try graph.insert("Product", ["name": .string($0)]) }
    let tags = try ["new", "old"].map { try graph.insert("Tag", ["name": .string($0)]) }
    let customers = try ["Ann", "Bob"].map {
      try graph.insert("Customer", ["name": .string($0), "uid": .uuid(UUID()), "town": towns[0].reference])
    }
    for (number, product) in [products[0], products[1], products[0]].enumerated() {
      let order = try graph.insert(
        "Order", ["number": .integer(Int64(number) + 1), "product": product.reference])
      try order.set(customers[number / 2], for: "customer")
    }
    let orders = try graph.objects("Order")
    try customers[0].setDestinations([orders[1], orders[0]], for: "orders")
    try tags[0].setDestinations([customers[0]], for: "customers")
    try tags[1].setDestinations([customers[1], customers[0]], for: "customers")
  }
}

/// - Throws: `CloneError` where a graph takes nothing from others.
func copying(_ graph: any ObjectGraph) throws -> any CopyingGraph {
  guard let graph = graph as? any CopyingGraph else {
    throw CloneError(.invalidValue, "nothing can be copied into this graph")
  }
  return graph
}
