import Foundation
import MOCloneKit
import Testing

@Suite("What decides between duplicates, and what counts as a change")
struct DedupeRuleTests {
  /// Boards with a cover (one-to-one) and an owner.
  private static let model = try! ObjectModel(
    yaml: """
      version: 1
      name: Boards
      entities:
        Owner:
          attributes: {name: String}
          relationships: {boards: {destination: Board, toMany: true, inverse: owner}}
        Board:
          attributes: {name: String, price: Decimal?, note: String?, modified: Date?}
          relationships:
            owner: {destination: Owner, optional: true, inverse: boards}
            cover: {destination: Cover, optional: true, inverse: board, deleteRule: cascade}
        Cover:
          attributes: {title: String, color: String?}
          relationships: {board: {destination: Board, optional: true, inverse: cover, column: board_id}}
      """)

  private let byName: IdentityRequest = ["Board": ["name"], "Owner": ["name"], "Cover": ["title"]]
  private let now = Date(timeIntervalSinceReferenceDate: 700_000_000)

  private func graphs() throws -> [any TransferGraph & SyncingGraph] {
    [MemoryGraph(model: Self.model), try SQLiteGraph.temporary(Self.model)]
  }

  private var options: TransferOptions {
    TransferOptions(generator: ValueGenerator(now: { [now] in now }, uuid: { UUID() }))
  }

  private func day(_ day: Int) -> AttributeValue {
    .date(Date(timeIntervalSinceReferenceDate: Double(day) * 86_400))
  }

  private func values(_ graph: any ObjectGraph, _ entity: String, _ name: String) throws -> [AttributeValue] {
    try graph.objects(entity).map { try $0.value(name) }
  }

  @Test("Numbers decide a tie as numbers, not as texts", arguments: [["9.5", "10.25"], ["10.25", "9.5"]])
  func decimals(_ prices: [String]) throws {
    for graph in try graphs() {
      for price in prices {
        try graph.insert("Board", ["name": "a", "price": .decimal(try #require(Decimal(string: price)))])
      }
      try graph.dedupe(DedupeRequest(entities: ["Board"], identifiedBy: byName))
      #expect(try values(graph, "Board", "price").map(\.description) == ["9.5"])
    }
  }

  @Test("Which of several equally good losers fills is decided by values, whatever becomes of ties")
  func losers() throws {
    for tie in DedupeRequest.Tie.allCases {
      for notes in [["a", "b"], ["b", "a"]] {
        for graph in try graphs() {
          for note in notes {
            try graph.insert("Board", ["name": "x", "note": .string(note), "modified": day(1)])
          }
          try graph.insert("Board", ["name": "x", "modified": day(2)])
          try graph.dedupe(DedupeRequest(entities: ["Board"], identifiedBy: byName, tie: tie))
          #expect(try values(graph, "Board", "note") == ["a"])
        }
      }
    }
  }

  @Test("A date of change is no value to be filled: nothing has changed")
  func dates() throws {
    for graph in try graphs() {
      try graph.insert("Board", ["name": "x", "note": "n", "price": .decimal(1)])
      try graph.insert("Board", ["name": "x", "modified": day(1)])
      let report = try graph.dedupe(
        DedupeRequest(entities: ["Board"], identifiedBy: byName, keep: .fullest), options: options)
      #expect(report.updated == nil)
      #expect(try values(graph, "Board", "modified") == [.null])
    }
  }

  @Test("Partners of what becomes one are never left alone as a tie, and none vanishes")
  func tiedRelatedObjects() throws {
    for graph in try graphs() {
      for (number, color) in ["red", "blue"].enumerated() {
        try graph.insert("Board", ["name": "x", "modified": day(number)])
        try graph.insert(
          "Cover",
          ["title": .string("t\(number)"), "color": .string(color), "board": .integer(Int64(number + 1))])
      }
      var request = DedupeRequest(entities: ["Board"], identifiedBy: ["Board": ["name"]], tie: .skip)
      let error = #expect(throws: CloneError.self) { try graph.dedupe(request) }
      #expect(error?.code == .uniqueValue)
      #expect(try graph.count("Cover") == 2)
      request = DedupeRequest(
        entities: ["Board", "Cover"], identifiedBy: ["Board": ["name"], "Cover": ["board"]], tie: .skip)
      let report = try graph.dedupe(request)
      #expect(report.skipped?.map(\.place) == ["Cover 2"] && report.deleted == nil)
      #expect(report.merged == ["Board": 1, "Cover": 1])
      #expect(try values(graph, "Cover", "title") == ["t0"])
    }
  }

  @Test(
    "Where partners would become one, the advice names them as it works: by their own identity, else by another",
    arguments: [
      (["name"], ["name"], ", so"), ([], ["captainOf"], " (--by Person=captainOf), so"),
      ([], ["name"], " (--by Person=ATTRIBUTE), so"),
    ] as [([String], [String], String)])
  func adviceOnRelatedObjects(own: [String], by: [String], advice: String) throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: Teams
        entities:
          Person:
            attributes: {name: String}
            relationships:
              teams: {destination: Team, toMany: true, inverse: owner, deleteRule: cascade}
              captainOf: {destination: Team, optional: true, inverse: captain}
          Team:
            attributes: {name: String}
            relationships:
              owner: {destination: Person, inverse: teams, column: owner_id}
              captain: {destination: Person, optional: true, inverse: captainOf, column: captain_id}
        """)
    for graph in [MemoryGraph(model: model), try SQLiteGraph.temporary(model)] as [any TransferGraph] {
      for name in ["a", "x", "y"] { try graph.insert("Person", ["name": .string(name)]) }
      for captain: Int64 in [2, 3] {
        try graph.insert("Team", ["name": "red", "owner": 1, "captain": .integer(captain)])
      }
      // By its owner a team cannot identify the owner.
      var request: IdentityRequest = ["Team": by == ["captainOf"] ? ["name"] : ["owner", "name"]]
      if !own.isEmpty { request.paths["Person"] = own }
      for entities in [["Team"], []] {
        let error = #expect(throws: CloneError.self) {
          try graph.dedupe(DedupeRequest(entities: entities, identifiedBy: request))
        }
        #expect(error?.code == .uniqueValue)
        let help = entities.isEmpty ? "name the entities to merge, Person among them" : "name Person too"
        #expect(error?.failures.first?.help?.contains(help + advice) == true, "\(error!)")
      }
      request.paths["Person"] = by
      let report = try graph.dedupe(DedupeRequest(entities: ["Team", "Person"], identifiedBy: request))
      #expect(report.merged == ["Team": 1, "Person": 1])
      #expect(try values(graph, "Person", "name") == ["a", "x"])
    }
  }

  @Test(
    "A tie that is left alone is not given up with its owner: its members are named only for their own identity"
  )
  func tiedDuplicates() throws {
    for graph in try graphs() {
      for (number, color) in ["red", "blue"].enumerated() {
        try graph.insert("Board", ["name": "x", "modified": day(number)])
        try graph.insert(
          "Cover", ["title": "t", "color": .string(color), "board": .integer(Int64(number + 1))])
      }
      var request = DedupeRequest(identifiedBy: ["Board": ["name"], "Cover": ["title"]], tie: .skip)
      let error = #expect(throws: CloneError.self) { try graph.dedupe(request) }
      #expect(error?.code == .uniqueValue)
      #expect(try graph.count("Board") == 2)
      request.tie = .leastKey
      #expect(try graph.dedupe(request).merged == ["Board": 1, "Cover": 1])
    }
  }

  @Test("Duplicates whose owners do not become one are refused: one owner would lose its other")
  func crossingRelatedObjects() throws {
    for graph in try graphs() {
      // The covers of 'a' and 'b' are alike, and so are both boards 'a'.
      for name in ["a", "a", "b"] { try graph.insert("Board", ["name": .string(name)]) }
      for board in [2, 3] { try graph.insert("Cover", ["title": "t", "board": .integer(Int64(board))]) }
      let error = #expect(throws: CloneError.self) {
        try graph.dedupe(DedupeRequest(entities: ["Board", "Cover"], identifiedBy: byName))
      }
      #expect(error?.code == .uniqueValue)
      #expect("\(error!)".contains("'cover' of Board"))
      #expect(try graph.count("Board") == 3)
      #expect(try graph.count("Cover") == 2)
    }
  }

  @Test("So are they where what stays has no owner, and only one of theirs could be filled")
  func crossingFills() throws {
    for graph in try graphs() {
      for name in ["a", "a", "b"] { try graph.insert("Board", ["name": .string(name)]) }
      try graph.insert("Cover", ["title": "t", "color": "red"])
      for board in [2, 3] { try graph.insert("Cover", ["title": "t", "board": .integer(Int64(board))]) }
      let error = #expect(throws: CloneError.self) {
        try graph.dedupe(DedupeRequest(entities: ["Board", "Cover"], identifiedBy: byName))
      }
      #expect(error?.code == .uniqueValue)
      #expect("\(error!)".contains("'cover' of Board"))
      #expect(try graph.count("Cover") == 3)
    }
  }

  @Test("What loses a reference as duplicates are deleted has its date of change set")
  func emptiedByDedupe() throws {
    let graph = try SQLiteGraph.temporary(Self.model)
    for owner in 1...2 {
      try graph.insert("Owner", ["name": "Ann"])
      try graph.insert(
        "Board", ["name": .string("b\(owner)"), "owner": .integer(Int64(owner)), "modified": day(1)])
    }
    _ = try graph.dedupe(
      DedupeRequest(entities: ["Owner"], identifiedBy: byName, merge: .none), options: options)
    #expect(try graph.objects("Board").map { try $0.destination("owner") == nil } == [false, true])
    #expect(try values(graph, "Board", "modified") == [day(1), .date(now)])
  }

  @Test(
    "What loses a reference as a sync deletes has its date of change set; what a person deletes sets none")
  func emptiedBySync() throws {
    for deletes in [false, true] {
      let graph = try SQLiteGraph.temporary(Self.model)
      for (number, name) in ["Ann", "Bea", "Cyd"].enumerated() {
        try graph.insert("Owner", ["name": .string(name)])
        try graph.insert(
          "Board", ["name": .string(name), "owner": .integer(Int64(number + 1)), "modified": day(1)])
      }
      if deletes {
        try graph.delete([ObjectID("Owner", key: ObjectKey([.integer(3)]))])
      } else {
        _ = try graph.sync(
          SyncRequest(entity: "Owner", identifiedBy: ["Owner": ["name"]]),
          from: [["name": "Ann"], ["name": "Bea"]],
          options: options)
      }
      #expect(try graph.objects("Board")[2].destination("owner") == nil)
      #expect(try values(graph, "Board", "modified") == [day(1), day(1), deletes ? day(1) : .date(now)])
    }
  }
}
