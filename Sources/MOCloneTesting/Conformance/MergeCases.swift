import Foundation
import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// What stays of duplicates that refer to each other, stand in lists, or belong to each other.
  static let mergeCases: [ConformanceCase] = [
    ConformanceCase("merge: what lies below its own double comes to what the double lies below") {
      make, found in
      for fills in [true, false] {
        let graph = try merging(make(boards()))
        let root = try card(graph, "root", day: 1)
        let double = try card(graph, "a", day: 1, ["above": root.reference])
        let stays = try card(graph, "a", day: 2, ["above": double.reference])
        try graph.dedupe(DedupeRequest(entities: ["Card"], identifiedBy: byTitle, fills: fills))
        found.equal(try stays.destination("above")?.text("title"), fills ? "root" : nil, "what it lies below")
      }
    },
    ConformanceCase("merge: a double that lies below another double gives no place in the tree") {
      make, found in
      let graph = try merging(make(boards()))
      let root = try card(graph, "root", day: 1)
      let last = try card(graph, "a", day: 1, ["above": root.reference])
      try card(graph, "a", day: 2, ["above": last.reference])
      let stays = try card(graph, "a", day: 3)
      try graph.dedupe(DedupeRequest(entities: ["Card"], identifiedBy: byTitle))
      found.equal(try stays.destination("above")?.text("title"), "root", "what it lies below")
    },
    ConformanceCase("merge: what refers to its own double by a one-to-one reference refers to nothing") {
      make, found in
      for days in [[2, 1], [1, 2]] {
        let graph = try merging(
          make(
            model(
              entity(
                "Node", [attribute("title"), attribute("modified", .date)],
                [one("next", "Node", inverse: "previous"), one("previous", "Node", inverse: "next")]))))
        let nodes = try days.map { try graph.insert("Node", ["title": "a", "modified": day($0)]) }
        try nodes[0].set(nodes[1], for: "next")
        try graph.dedupe(DedupeRequest(entities: ["Node"], identifiedBy: ["Node": ["title"]]))
        let left = try graph.objects("Node")
        found.equal(left.count, 1, "the number of nodes")
        for end in ["next", "previous"] {
          found.equal(try left[0].destination(end)?.text("title"), nil, "the \(end) node")
        }
      }
    },
    ConformanceCase("merge: a list holds a merged member where its double stood, whichever of them stays") {
      make, found in
      for days in [(1, 2), (2, 1)] {
        let graph = try merging(make(boards()))
        let board = try graph.insert("Board", ["name": "b"])
        try card(graph, "a", day: days.0, ["board": board.reference])
        try card(graph, "x", day: 1, ["board": board.reference])
        try card(graph, "a", day: days.1)
        try graph.dedupe(DedupeRequest(entities: ["Card"], identifiedBy: byTitle))
        found.equal(try board.texts("cards", "title"), ["a", "x"], "the cards of the board")
      }
    },
    ConformanceCase("merge: lists become one that holds each member once, where it stands first") {
      make, found in
      for days in [(1, 2), (2, 1)] {
        let graph = try merging(make(boards()))
        let boards = try [2, 1].map { try graph.insert("Board", ["name": "b", "modified": day($0)]) }
        for (title, day, board) in [("a", days.0, 0), ("x", 1, 0), ("a", days.1, 1), ("y", 1, 1)] {
          try card(graph, title, day: day, ["board": boards[board].reference])
        }
        try graph.dedupe(DedupeRequest(entities: ["Board", "Card"], identifiedBy: byTitle))
        found.equal(try boards[0].texts("cards", "title"), ["a", "x", "y"], "the cards of the board")
      }
    },
    ConformanceCase("merge: a list that holds several doubles holds what stays where the first of them stood")
    {
      make, found in
      // The double that stays is the last one, the first one, or in no list.
      for days in [[1, 1, 2], [2, 1, 1], [1, 1, 1, 2]] {
        let graph = try merging(make(boards()))
        let board = try graph.insert("Board", ["name": "b", "modified": day(1)])
        for (title, place) in [("x", 0), ("a", 0), ("y", 0), ("a", 1), ("z", 0), ("a", 2)] {
          let number = title == "a" ? days[place] : 1
          try card(graph, title, day: number, ["board": board.reference])
          let tag = try graph.insert("Tag", ["name": .string(title), "modified": day(number)])
          try board.add(tag, to: "tags")
        }
        if days.count > 3 {
          try card(graph, "a", day: days[3])
          try graph.insert("Tag", ["name": "a", "modified": day(days[3])])
        }
        try graph.dedupe(DedupeRequest(entities: ["Card", "Tag"], identifiedBy: byTitle))
        found.equal(try board.texts("cards", "title"), ["x", "a", "y", "z"], "the cards of the board")
        found.equal(try board.texts("tags", "name"), ["x", "a", "y", "z"], "the tags of the board")
      }
    },
    ConformanceCase("merge: a member that only changes its place in a list keeps its date of change") {
      make, found in
      let graph = try merging(make(boards()))
      let board = try graph.insert("Board", ["name": "b", "modified": day(1)])
      for (title, number) in [("a", 1), ("x", 1), ("a", 2)] {
        try card(graph, title, day: number, ["board": board.reference])
      }
      try graph.dedupe(DedupeRequest(entities: ["Card"], identifiedBy: byTitle))
      let cards = try board.destinations("cards")
      found.equal(try cards.map { try $0.text("title") }, ["a", "x"], "the cards of the board")
      found.equal(try cards.map { try $0.value("modified") }, [day(2), day(1)], "their dates of change")
    },
    ConformanceCase("merge: without filling a member that is in no list takes no place of its doubles") {
      make, found in
      let graph = try merging(make(boards()))
      let board = try graph.insert("Board", ["name": "b", "modified": day(1)])
      for (title, number) in [("a", 1), ("x", 1), ("a", 1)] {
        try card(graph, title, day: number, ["board": board.reference])
      }
      let stays = try card(graph, "a", day: 2)
      try graph.dedupe(DedupeRequest(entities: ["Card"], identifiedBy: byTitle, fills: false))
      found.equal(try board.texts("cards", "title"), ["x"], "the cards of the board")
      found.equal(try stays.destination("board")?.id, nil, "the board of what stays")
    },
    ConformanceCase("merge: lists of a tree hold merged members where the first of their doubles stood") {
      make, found in
      // What stays is in no list, in that of the same object, or in that of an object that goes.
      for place in [nil, "P", "P2"] {
        let graph = try merging(make(nodes()))
        var objects: [String: ManagedObject] = [:]
        func add(_ name: String, _ title: String, day number: Int, below parent: String?) throws {
          var values: [String: AttributeValue] = ["title": .string(title), "modified": day(number)]
          if let parent { values["above"] = objects[parent]!.reference }
          objects[name] = try graph.insert("Node", values)
        }
        try add("P", "p", day: 2, below: nil)
        try add("P2", "p", day: 1, below: nil)
        for title in ["x", "a", "b"] { try add(title, title, day: 1, below: "P") }
        try add("c", "c", day: 1, below: "P2")
        try add("a2", "a", day: 2, below: place)
        try add("d", "d", day: 1, below: "P2")
        try graph.dedupe(DedupeRequest(entities: ["Node"], identifiedBy: ["Node": ["title"]]))
        found.equal(
          try objects["P"]!.texts("below", "title"), ["x", "a", "b", "c", "d"],
          "what lies below with one in \(place ?? "no list")")
      }
    },
    ConformanceCase("merge: what lies below itself stays there, and doubles that lie below it do not") {
      make, found in
      let graph = try merging(make(nodes()))
      let first = try graph.insert("Node", ["title": "a", "modified": day(1)])
      let stays = try graph.insert("Node", ["title": "a", "modified": day(2)])
      try stays.setDestinations([first, graph.insert("Node", ["title": "b"]), stays], for: "below")
      try graph.dedupe(DedupeRequest(entities: ["Node"], identifiedBy: ["Node": ["title"]]))
      found.equal(try stays.texts("below", "title"), ["b", "a"], "what lies below")
    },
    ConformanceCase("merge: what stays has the main one of what belonged to its double") { make, found in
      let graph = try merging(make(customers()))
      try fillCustomers(graph)
      try graph.dedupe(DedupeRequest(entities: ["Customer"], identifiedBy: ["Customer": ["kind"]]))
      let left = try graph.objects("Customer")
      found.equal(left.count, 1, "how many customers stay")
      found.equal(try left[0].destination("main")?.text("name"), "d", "the main contact")
      found.equal(try left[0].texts("contacts", "name").sorted(), ["a", "b", "c", "d"], "the contacts")
    },
    ConformanceCase("merge: of two main ones that of what stays is the main one, and both are kept") {
      make, found in
      let graph = try merging(make(customers()))
      try fillCustomers(graph)
      let (customer, contact) = (try graph.objects("Customer")[0], try graph.objects("Contact")[0])
      try customer.set(contact, for: "main")
      let report = try graph.dedupe(
        DedupeRequest(entities: ["Customer"], identifiedBy: ["Customer": ["kind"]]))
      found.equal(report.merged, ["Customer": 1], "what was merged")
      let left = try graph.objects("Customer")
      let main = ["x": "a", "y": "d"][try left[0].text("name")]
      found.equal(try left[0].destination("main")?.text("name"), main, "the main contact")
      found.equal(try left[0].texts("contacts", "name").sorted(), ["a", "b", "c", "d"], "the contacts")
    },
    ConformanceCase("merge: a one-to-one object that stays and loses what goes to another one is listed") {
      make, found in
      let graph = try merging(make(agents()))
      for (number, name) in ["a", "a", "a", "b"].enumerated() {
        try graph.insert(
          "Customer", ["name": .string(name), "note": .string("\(number)"), "modified": day(number)])
      }
      // The contacts of 'b' are agents of customers that become one; the best of them stays its agent.
      for customer: Int64 in [1, 2] {
        try graph.insert("Contact", ["customer": 4, "agentOf": .integer(customer)])
      }
      let report = try graph.dedupe(
        DedupeRequest(entities: ["Customer"], identifiedBy: ["Customer": ["name"]]))
      let givenUp = Dictionary(
        uniqueKeysWithValues: (report.skipped ?? []).map { ($0.place, $0.givenUp ?? [:]) })
      found.equal(
        givenUp, ["Customer 1": ["agent": "1", "note": "0"], "Customer 2": ["note": "1"]], "what is given up")
      found.equal(
        report.skipped?.first { $0.place == "Customer 1" }?.reason.prefix { $0 != "d" }, "'agent', 'note' ",
        "the reason")
      let contacts = try graph.objects("Contact")
      found.equal(
        try contacts.map { try $0.destination("agentOf")?.text("note") }, [nil, "2"], "whose agents they are")
    },
    ConformanceCase("merge: of one-to-one objects that are merged themselves that of the best owner stays") {
      make, found in
      // Customers become one, and contacts of one phone; the last one stays. A contact has a customer, a phone, and one
      // whose agent it is.
      let cases: [(customers: Int, rows: [(Int64, String, Int64?)], agent: Int, loser: Int?)] = [
        (2, [(1, "p", 1), (1, "p", nil), (2, "q", 2)], 3, 1),
        (2, [(1, "p", 1), (1, "p", nil), (2, "q", 2), (1, "q", nil)], 4, 1),
        (2, [(2, "p", 2), (2, "p", nil), (1, "q", 1), (2, "q", nil)], 2, 3),
        (3, [(1, "p", 1), (1, "p", nil), (1, "q", 2)], 3, 1),
        (2, [(1, "p", 1), (1, "p", nil)], 2, nil),
      ]
      for (customers, rows, agent, loser) in cases {
        let graph = try merging(make(agents()))
        for number in 1...customers { try graph.insert("Customer", ["name": "a", "modified": day(number)]) }
        for (number, (customer, phone, agentOf)) in rows.enumerated() {
          try graph.insert(
            "Contact",
            [
              "phone": .string(phone), "modified": day(number), "customer": .integer(customer),
              "agentOf": agentOf.map { .integer($0) } ?? .null,
            ])
        }
        let report = try graph.dedupe(
          DedupeRequest(
            entities: ["Customer", "Contact"],
            identifiedBy: ["Customer": ["name"], "Contact": ["customer", "phone"]]))
        let left = try graph.objects("Contact").filter { try $0.destination("agentOf") != nil }
        found.equal(left.map(\.id.description), ["Contact \(agent)"], "the agent")
        let givenUp = (report.skipped ?? []).map { [$0.place: $0.givenUp ?? [:]] }
        let lost = loser.map { [["Contact \($0)": ["agentOf": "\(customers)"]]] } ?? []
        found.equal(givenUp, lost, "what is given up by \(rows)")
      }
    },
    ConformanceCase("merge: a tie that the merge itself makes is merged, one that was there is left alone") {
      make, found in
      let graph = try merging(make(boards()))
      let boards = try [2, 1].map { try graph.insert("Board", ["name": "b", "modified": day($0)]) }
      for (title, board) in [("made", 0), ("made", 1), ("there", 0), ("there", 0)] {
        try card(graph, title, day: 1, ["board": boards[board].reference])
      }
      let identities: IdentityRequest = ["Board": ["name"], "Card": ["title", "board"]]
      let report = try graph.dedupe(DedupeRequest(entities: ["Board"], identifiedBy: identities, tie: .skip))
      found.equal(report.merged, ["Board": 1, "Card": 1], "what was merged")
      found.equal(report.skipped?.map(\.place), ["Card 3, Card 4"], "what was left alone")
      found.equal(try boards[0].texts("cards", "title").sorted(), ["made", "there", "there"], "the cards")
    },
    ConformanceCase("merge: a tie is left alone and dates are what they were where keys change with an owner")
    {
      make, found in
      let modified = attribute("modified", .date)
      var slot = entity(
        "Slot", [attribute("code", optional: false, column: "code"), attribute("label"), modified],
        [one("box", "Box", inverse: "slots", optional: false)])
      slot.primaryKey = [KeyColumn("box_id"), KeyColumn("code")]
      for looksAgain in [true, false] {
        let graph = try merging(
          make(
            model(
              entity(
                "Box", [attribute("name"), modified],
                [many("slots", "Slot", inverse: "box"), many("notes", "Note", inverse: "box")]), slot,
              entity("Note", [attribute("title")], [one("box", "Box", inverse: "notes")]))))
        let boxes = try [2, 1].map { try graph.insert("Box", ["name": "b", "modified": day($0)]) }
        for (code, box) in [("a", 0), ("b", 1)] {
          try graph.insert(
            "Slot",
            ["code": .string(code), "label": "l", "modified": day(1), "box": boxes[box].reference])
        }
        var identities: IdentityRequest = ["Box": ["name"], "Slot": ["label"]]
        // What is identified by the boxes has the merge look again.
        if looksAgain { identities.paths["Note"] = ["title", "box"] }
        let report = try graph.dedupe(
          DedupeRequest(entities: ["Box", "Slot"], identifiedBy: identities, tie: .skip))
        found.equal(report.merged, ["Box": 1], "what was merged")
        found.equal(report.skipped?.count, 1, "how often the tie was named")
        found.equal(try boxes[0].texts("slots", "code").sorted(), ["a", "b"], "the slots of the box")
        let place = report.skipped?.first?.place ?? ""
        for slot in try boxes[0].destinations("slots") {
          found.expect(place.contains("\(slot.id)"), "\(slot.id), as it is named now, is not in '\(place)'")
        }
      }
    },
    ConformanceCase("merge: a reference that fills what stays leads to the key that its object gets") {
      make, found in
      var slot = entity(
        "Slot", [attribute("code", optional: false, column: "code"), attribute("label")],
        [one("box", "Box", inverse: "slots", optional: false), many("mainOf", "Box", inverse: "main")])
      slot.primaryKey = [KeyColumn("box_id"), KeyColumn("code")]
      let main = RelationshipDescription(
        name: "main", destination: "Slot", isOptional: true, inverse: "mainOf",
        columns: [
          ForeignKeyColumn("main_box", references: "box_id"),
          ForeignKeyColumn("main_code", references: "code"),
        ])
      let graph = try merging(
        make(
          model(
            entity(
              "Box", [attribute("name"), attribute("modified", .date)],
              [main, many("slots", "Slot", inverse: "box")]), slot)))
      let boxes = try [2, 1].map { try graph.insert("Box", ["name": "b", "modified": day($0)]) }
      let made = try graph.insert("Slot", ["code": "a", "label": "l", "box": boxes[1].reference])
      try boxes[1].set(made, for: "main")
      try graph.dedupe(DedupeRequest(entities: ["Box"], identifiedBy: ["Box": ["name"]]))
      found.equal(try boxes[0].destination("main")?.text("label"), "l", "the main slot")
      found.equal(try boxes[0].texts("slots", "label"), ["l"], "the slots")
    },
    ConformanceCase("merge: ordered members of both ends' duplicates stand once, where they stand first") {
      make, found in
      let graph = try merging(make(boards()))
      let boards = try [2, 1].map { try graph.insert("Board", ["name": "b", "modified": day($0)]) }
      let tags = try [("t", 1), ("x", 1), ("t", 2)].map {
        try graph.insert("Tag", ["name": .string($0.0), "modified": day($0.1)])
      }
      for tag in tags.prefix(2) { try boards[0].add(tag, to: "tags") }
      for tag in [tags[2], tags[1]] { try boards[1].add(tag, to: "tags") }
      try graph.dedupe(DedupeRequest(entities: ["Board", "Tag"], identifiedBy: byTitle))
      found.equal(try boards[0].texts("tags", "name"), ["t", "x"], "the tags of the board")
    },
    ConformanceCase("merge: of three owners' one-to-one objects one stays") { make, found in
      let graph = try merging(make(boards()))
      for number in 1...3 {
        let board = try graph.insert("Board", ["name": "b", "modified": day(number)])
        guard number < 3 else { continue }
        try graph.insert("Cover", ["title": .string("c\(number)"), "board": board.reference])
      }
      let report = try graph.dedupe(DedupeRequest(entities: ["Board", "Cover"], identifiedBy: byTitle))
      found.equal(report.merged, ["Board": 2, "Cover": 1], "what went")
      let board = try graph.objects("Board")[0]
      found.equal(try board.destination("cover")?.text("title"), "c1", "the cover of the board")
    },
    ConformanceCase(
      "merge: one-to-one objects of one-to-one objects become one with these, or the merge is refused"
    ) {
      make, found in
      for colours in [["red", "red"], ["red", "blue"]] {
        let graph = try merging(
          make(
            model(
              entity("Lamp", [attribute("colour")], [one("desk", "Desk", inverse: "lamp")]),
              entity("Person", [attribute("name")], [one("desk", "Desk", inverse: "person")]),
              entity(
                "Desk", [attribute("code")],
                [one("person", "Person", inverse: "desk"), one("lamp", "Lamp", inverse: "desk")]))))
        for (code, colour) in zip(["d", "e"], colours) {
          let desk = try graph.insert("Desk", ["code": .string(code)])
          try graph.insert("Person", ["name": "a"]).set(desk, for: "desk")
          try graph.insert("Lamp", ["colour": .string(colour)]).set(desk, for: "desk")
        }
        let request = DedupeRequest(
          entities: ["Person", "Desk"], identifiedBy: ["Person": ["name"], "Desk": ["code"]])
        if colours[0] != colours[1] {
          try found.refuses(.uniqueValue, "lamps of one desk that differ", leaving: graph) {
            try graph.dedupe(request)
          }
          continue
        }
        found.equal(try graph.dedupe(request).merged, ["Desk": 1, "Lamp": 1, "Person": 1], "what went")
        let desk = try graph.objects("Person")[0].destination("desk")
        found.equal(try desk?.text("code"), "d", "the desk")
        found.equal(try desk?.destination("lamp")?.text("colour"), "red", "the lamp")
      }
    },
    ConformanceCase(
      "merge: owners do not become one where a partner becomes another object by its own identity"
    ) {
      make, found in
      // The cover with the title belongs to the board that goes, to the one that stays, or to another one that goes.
      for (titles, days) in [(["b", "a"], [2, 1]), (["a", "b"], [2, 1]), (["a", "b"], [1, 1])] {
        let graph = try merging(make(boards()))
        if days == [1, 1] { try graph.insert("Board", ["name": "b", "modified": day(3)]) }
        try graph.insert("Cover", ["title": "a"])
        for (title, number) in zip(titles, days) {
          let board = try graph.insert("Board", ["name": "b", "modified": day(number)])
          try graph.insert("Cover", ["title": .string(title), "board": board.reference])
        }
        let request = DedupeRequest(entities: ["Board", "Cover"], identifiedBy: byTitle)
        try found.refuses(.uniqueValue, "covers that are to be one and two", leaving: graph) {
          try graph.dedupe(request)
        }
        try graph.dedupe(DedupeRequest(entities: ["Cover"], identifiedBy: byTitle))
        found.equal(
          try graph.dedupe(request).merged, ["Board": days == [1, 1] ? 2 : 1, "Cover": 1], "what went")
      }
    },
    ConformanceCase("merge: objects of a sub-entity are left alone with those of its parent") { make, found in
      let graph = try merging(make(boards()))
      for entity in ["Card", "Task", "Task"] { try graph.insert(entity, ["title": "a"]) }
      let report = try graph.dedupe(DedupeRequest(identifiedBy: byTitle))
      found.equal(report.merged, nil, "what went")
      found.equal(report.skipped?.map(\.place), ["Card 1, Task 2, Task 3"], "what was left alone")
    },
    ConformanceCase("merge: what gains nothing keeps its date of change") { make, found in
      let graph = try merging(make(boards()))
      let board = try graph.insert("Board", ["name": "b", "modified": day(1)])
      let cover = try graph.insert("Cover", ["title": "c", "board": board.reference])
      let cards = try [2, 1].map { try card(graph, "a", day: $0) }
      for tag in ["t", "u"] {
        let tag = try graph.insert("Tag", ["name": .string(tag), "modified": day(1)])
        try board.add(tag, to: "tags")
      }
      let report = try graph.dedupe(DedupeRequest(identifiedBy: byTitle))
      found.equal(report.updated, nil, "what was updated")
      found.equal(try cards[0].value("modified"), day(2), "the date of the card that stays")
      found.equal(try board.value("modified"), day(1), "the date of the board")
      found.equal(try cover.destination("board")?.id, board.id, "the board of the cover")
    },
    ConformanceCase("merge: the values that are given up are listed, those that fill a null are not") {
      make, found in
      for fills in [true, false] {
        let graph = try merging(
          make(
            model(
              entity("Shelf", [attribute("name")], [many("books", "Book", inverse: "shelf")]),
              entity(
                "Book",
                [
                  attribute("title"), attribute("colour"), attribute("size", .integer32),
                  attribute("modified", .date),
                ],
                [one("shelf", "Shelf", inverse: "books")]))))
        let shelves = try ["s", "s", "t"].map { try graph.insert("Shelf", ["name": .string($0)]) }
        for (number, colour, size, shelf) in [(1, "red", 7, 0), (2, "blue", 8, 2), (3, "blue", nil, 1)] {
          try graph.insert(
            "Book",
            [
              "title": "a", "colour": .string(colour), "size": size.map { .integer(Int64($0)) } ?? .null,
              "shelf": shelves[shelf].reference, "modified": day(number),
            ])
        }
        let report = try graph.dedupe(
          DedupeRequest(
            entities: ["Shelf", "Book"], identifiedBy: ["Shelf": ["name"], "Book": ["title"]], fills: fills))
        let givenUp = Dictionary(
          uniqueKeysWithValues: (report.skipped ?? []).map { ($0.place, $0.givenUp ?? [:]) })
        found.equal(
          givenUp,
          [
            "Book 1": ["colour": "red", "size": "7"],
            "Book 2": fills ? ["shelf": "3"] : ["shelf": "3", "size": "8"],
          ], "what is given up")
        found.equal(
          report.skipped?.first { $0.place == "Book 1" }?.reason.prefix { $0 != "d" }, "'colour', 'size' ",
          "the reason")
      }
    },
  ]

  private static let byTitle: IdentityRequest = [
    "Card": ["title"], "Board": ["name"], "Tag": ["name"], "Cover": ["title"],
  ]

  private static func merging(_ graph: any ObjectGraph) throws -> any TransferGraph {
    guard let graph = graph as? any TransferGraph else {
      throw CloneError(.invalidValue, "this graph merges no duplicates")
    }
    return graph
  }

  private static func day(_ day: Int) -> AttributeValue {
    .date(Date(timeIntervalSinceReferenceDate: Double(day) * 86_400))
  }

  @discardableResult
  private static func card(
    _ graph: any ObjectGraph, _ title: String, day: Int, _ values: [String: AttributeValue] = [:]
  ) throws -> ManagedObject {
    try graph.insert(
      "Card", values.merging(["title": .string(title), "modified": self.day(day)]) { own, _ in own })
  }

  private static func nodes() throws -> ObjectModel {
    try model(
      entity(
        "Node", [attribute("title"), attribute("modified", .date)],
        [one("above", "Node", inverse: "below"), many("below", "Node", inverse: "above", ordered: true)]))
  }

  /// Customers with contacts, of which one can be the agent of a customer and says so.
  private static func agents() throws -> ObjectModel {
    let modified = attribute("modified", .date)
    let agentOf = RelationshipDescription(
      name: "agentOf", destination: "Customer", isOptional: true, inverse: "agent",
      columns: [ForeignKeyColumn("agent_of")])
    return try model(
      entity(
        "Customer", [attribute("name"), attribute("note"), modified],
        [many("contacts", "Contact", inverse: "customer"), one("agent", "Contact", inverse: "agentOf")]),
      entity(
        "Contact", [attribute("phone"), modified],
        [one("customer", "Customer", inverse: "contacts"), agentOf]))
  }

  /// Boards with ordered cards and tags and a cover; cards in a tree, some of which are tasks.
  private static func boards() throws -> ObjectModel {
    let modified = attribute("modified", .date)
    return try model(
      entity(
        "Board", [attribute("name"), modified],
        [
          many("cards", "Card", inverse: "board", ordered: true),
          many("tags", "Tag", inverse: "boards", ordered: true), one("cover", "Cover", inverse: "board"),
        ]),
      entity(
        "Card", [attribute("title"), modified],
        [
          one("board", "Board", inverse: "cards"), one("above", "Card", inverse: "below"),
          many("below", "Card", inverse: "above"),
        ]),
      entity("Task", parent: "Card"),
      entity("Tag", [attribute("name"), modified], [many("boards", "Board", inverse: "tags")]),
      entity("Cover", [attribute("title")], [one("board", "Board", inverse: "cover")]))
  }
}
