import Foundation
import MOCloneKit
import TestSupport
import Testing

@Suite("Following a full set of rows")
struct SyncTests {
  /// Channels with programmes that go with them; a group of channels.
  private static let model = try! ObjectModel(
    name: "Radio",
    entities: [
      EntityDescription(
        name: "Channel",
        attributes: [
          AttributeDescription(name: "name", type: .string),
          AttributeDescription(name: "baseURL", type: .uri, isOptional: true),
          AttributeDescription(name: "displayName", type: .string, isOptional: true),
          AttributeDescription(name: "country", type: .string, isOptional: true, defaultValue: "DE"),
          AttributeDescription(name: "started", type: .date, isOptional: true),
          AttributeDescription(name: "fee", type: .decimal, isOptional: true),
          AttributeDescription(name: "modified", type: .date, isOptional: true),
        ],
        relationships: [
          RelationshipDescription(
            name: "programmes", destination: "Programme", isToMany: true, inverse: "channel",
            deleteRule: .cascade),
          RelationshipDescription(name: "group", destination: "Group", isOptional: true, inverse: "channels"),
        ], uniquenessConstraints: [["name"]]),
      EntityDescription(
        name: "Programme", attributes: [AttributeDescription(name: "title", type: .string)],
        relationships: [
          RelationshipDescription(name: "channel", destination: "Channel", inverse: "programmes")
        ]),
      EntityDescription(
        name: "Group", attributes: [AttributeDescription(name: "name", type: .string)],
        relationships: [
          RelationshipDescription(
            name: "channels", destination: "Channel", isToMany: true, inverse: "group", deleteRule: .deny)
        ]),
    ])

  private let start = Date(timeIntervalSinceReferenceDate: 0)

  /// One and Two with a programme each, changed long ago.
  private func graphs() throws -> [any SyncingGraph] {
    let graphs: [any SyncingGraph] = [MemoryGraph(model: Self.model), try SQLiteGraph.temporary(Self.model)]
    for graph in graphs {
      for name in ["one", "two"] {
        let channel = try graph.insert(
          "Channel",
          [
            "name": .string(name), "baseURL": .string("http://\(name)"), "displayName": .string("My \(name)"),
            "modified": .date(start),
          ])
        try graph.insert("Programme", ["title": "News", "channel": channel.id.key.parts[0]])
      }
      try graph.save()
    }
    return graphs
  }

  private func lines(_ graph: any SyncingGraph) throws -> [String] {
    try graph.objects("Channel").map { channel in
      try ["name", "baseURL", "displayName", "country"].map { try channel.value($0).description }
        .joined(separator: " ")
    }
  }

  private func names(_ graph: any SyncingGraph) throws -> [String] {
    try graph.objects("Channel").map { try $0.value("name").description }
  }

  @Test("The address is overwritten and the name on display kept; what is new is made, what is gone deleted")
  func channels() throws {
    for graph in try graphs() {
      let first = try graph.objectIDs("Channel")[0]
      let report = try graph.sync(
        entity: "Channel",
        from: [
          "one": ["baseURL": "https://one", "displayName": "One"],
          "three": ["baseURL": "https://three", "displayName": "Three"],
        ], overwriting: ["baseURL"])
      #expect(try lines(graph) == ["one https://one My one DE", "three https://three Three DE"])
      #expect(try graph.objectIDs("Channel")[0] == first)
      #expect(try graph.count("Programme") == 1)
      #expect(report.created == ["Channel": 1])
      #expect(report.updated == ["Channel": 1])
      #expect(report.deleted == ["Channel": 1, "Programme": 1])
      #expect(report.unchanged == nil)
      for channel in try graph.objects("Channel") {
        guard case .date(let modified) = try channel.value("modified") else { throw CancellationError() }
        #expect(modified.timeIntervalSinceNow > -60)
      }
    }
  }

  @Test("Of an unchanged set nothing is written, whatever its values look like")
  func unchanged() throws {
    for graph in try graphs() {
      let rows: [AttributeValue: [String: AttributeValue]] = [
        "one": ["baseURL": "http://one", "started": "2025-01-31T12:00:00.000Z", "fee": "1.50"],
        "two": ["baseURL": "http://two", "started": .null],
      ]
      let names = ["baseURL", "started", "fee"]
      #expect(try graph.sync(entity: "Channel", from: rows, overwriting: names).updated == ["Channel": 1])
      let before = try lines(graph)
      var again = rows
      again["one"]!["started"] = "2025-01-31T13:00:00+01:00"
      again["one"]!["fee"] = "1.5"
      let report = try graph.sync(entity: "Channel", from: again, overwriting: names)
      #expect(report.unchanged == ["Channel": 2])
      #expect(report.changes == 0)
      #expect(try lines(graph) == before)
    }
  }

  @Test("Without --overwriting nothing stored is changed; an absent value is not null, null is")
  func absent() throws {
    for graph in try graphs() {
      let none = try graph.sync(entity: "Channel", from: ["one": ["baseURL": "x"], "two": [:]])
      #expect(none.unchanged == ["Channel": 2] && none.changes == 0)
      let report = try graph.sync(
        entity: "Channel", from: ["one": ["displayName": .null], "two": [:]], overwriting: ["displayName"])
      #expect(report.updated == ["Channel": 1])
      #expect(try lines(graph) == ["one http://one null DE", "two http://two My two DE"])
    }
  }

  @Test("A scope limits what is compared, and new objects belong to it")
  func scope() throws {
    for graph in try graphs() {
      try graph.insert("Channel", ["name": "drei", "country": "CH"])
      let report = try graph.sync(
        entity: "Channel", from: ["vier": ["displayName": "Vier"]], scope: ["country": "CH"],
        isConfirmed: true)
      #expect(report.deleted == ["Channel": 1])
      #expect(try names(graph) == ["one", "two", "vier"])
      #expect(try lines(graph).last == "vier null Vier CH")
      #expect(throws: CloneError.self) {
        try graph.sync(entity: "Channel", from: ["five": ["country": "DE"]], scope: ["country": "CH"])
      }
    }
  }

  @Test("No rows, and more deletions than meant, are refused and change nothing")
  func refusals() throws {
    for graph in try graphs() {
      for name in ["three", "four"] { try graph.insert("Channel", ["name": .string(name)]) }
      func refusal(_ rows: [String], most: Int? = nil) -> DiagnosticCode? {
        let values = Dictionary(
          uniqueKeysWithValues: rows.map { (AttributeValue.string($0), [String: AttributeValue]()) })
        let error = #expect(throws: CloneError.self) {
          try graph.sync(entity: "Channel", from: values, maxDeletions: most)
        }
        return error?.code
      }
      #expect(refusal([]) == .emptyInput)
      #expect(refusal(["one"]) == .tooManyDeletions)
      #expect(refusal(["one", "two", "three"], most: 0) == .tooManyDeletions)
      #expect(try names(graph) == ["one", "two", "three", "four"])
      let kept = try graph.sync(entity: "Channel", from: [:], deletes: false)
      #expect(kept.changes == 0)
      let half = try graph.sync(entity: "Channel", from: ["one": [:], "two": [:]])
      #expect(half.deleted == ["Channel": 2])
      try graph.sync(entity: "Channel", from: [:], isConfirmed: true)
      #expect(try names(graph) == [])
    }
  }

  @Test(
    "Rows whose objects would go with others are listed up to twenty, and how many more there are is said")
  func manyAlong() throws {
    let folders = try ObjectModel(yaml: "version: 1\nname: Files\n" + SharedModel.namedTree)
    let graphs: [any SyncingGraph] = [MemoryGraph(model: folders), try SQLiteGraph.temporary(folders)]
    for graph in graphs {
      let parent = try graph.insert("Folder", ["name": "all"])
      let names = (1...25).map { AttributeValue.string("folder \($0)") }
      for name in names { try graph.insert("Folder", ["name": name]).set(parent, for: "parent") }
      try graph.save()
      let error = #expect(throws: CloneError.self) {
        try graph.sync(SyncRequest(entity: "Folder"), from: names.map { ["name": $0] })
      }
      #expect(error?.failures.count == 21 && error?.failures.allSatisfy { $0.code == .deleteDenied } == true)
      #expect(error?.failures.last?.problem == "5 more rows are refused")
    }
  }

  @Test("Equal keys are an error with their rows, and so are null keys; stored doubles are refused")
  func keys() throws {
    for graph in try graphs() {
      let request = SyncRequest(entity: "Channel", identifiedBy: ["Channel": ["displayName"]])
      let error = #expect(throws: CloneError.self) {
        try graph.sync(
          request, from: [["displayName": "a", "name": "1"], ["displayName": "b"], ["displayName": "a"]])
      }
      #expect(error?.code == .duplicateIdentity)
      #expect("\(error!)".contains("row 1, 3"))
      let count = try graph.count("Channel")
      let empty = #expect(throws: CloneError.self) {
        try graph.sync(
          request,
          from: [["displayName": "My one"], ["displayName": ""], ["name": "x"], ["displayName": "My two"]])
      }
      #expect(empty?.code == .badRow)
      #expect(empty?.failures.count == 2)
      #expect("\(empty!)".contains("row 2:") && "\(empty!)".contains("row 3:"))
      #expect(try graph.count("Channel") == count)
      try graph.insert("Channel", ["name": "double", "displayName": "My one"])
      let double = #expect(throws: CloneError.self) {
        try graph.sync(request, from: [["displayName": "My one"], ["displayName": "My two"]])
      }
      #expect(double?.code == .ambiguousIdentity)
    }
  }

  @Test("A value to be overwritten that no row gives is refused; unique values can be swapped")
  func overwriting() throws {
    for graph in try graphs() {
      let missing = #expect(throws: CloneError.self) {
        try graph.sync(
          SyncRequest(entity: "Channel", overwriting: ["baseURL"]), from: [["name": "one"], ["name": "two"]])
      }
      #expect(missing?.code == .invalidValue)
      #expect("\(missing!)".contains("'baseURL'"))
    }
    let model = try ObjectModel(
      name: "Seats",
      entities: [
        EntityDescription(
          name: "Guest",
          attributes: [
            AttributeDescription(name: "name", type: .string),
            AttributeDescription(name: "seat", type: .integer32),
          ], uniquenessConstraints: [["name"], ["seat"]])
      ])
    for graph in [MemoryGraph(model: model), try SQLiteGraph.temporary(model)] as [any SyncingGraph] {
      for (name, seat) in [("a", 1), ("b", 2), ("c", 3)] as [(AttributeValue, AttributeValue)] {
        try graph.insert("Guest", ["name": name, "seat": seat])
      }
      let rows: [[String: AttributeValue]] = [
        ["name": "a", "seat": 2], ["name": "b", "seat": 3], ["name": "c", "seat": 1],
      ]
      let report = try graph.sync(SyncRequest(entity: "Guest", overwriting: ["seat"]), from: rows)
      #expect(report.updated == ["Guest": 3])
      #expect(try graph.objects("Guest").map { try $0.value("seat") } == [2, 3, 1])
    }
  }

  @Test("A row whose object lies outside of the predicate is refused, and makes no second one")
  func outOfScope() throws {
    for graph in try graphs() {
      let channel = try graph.objects("Channel")[0]
      let name = try channel.value("name")
      let count = try graph.count("Channel")
      let error = #expect(throws: CloneError.self) {
        try graph.sync(
          SyncRequest(entity: "Channel", scope: ["displayName": "of none"], isConfirmed: true),
          from: [["name": name]])
      }
      #expect(error?.code == .badRow)
      #expect(try graph.count("Channel") == count)
    }
  }

  @Test("Relationships are given by key, and kept where they are not overwritten")
  func references() throws {
    for graph in try graphs() {
      let groups = try ["a", "b"].map { try graph.insert("Group", ["name": .string($0)]) }
      let channels = try graph.objects("Channel")
      for channel in channels { try channel.set(groups[0], for: "group") }
      let rows: [AttributeValue: [String: AttributeValue]] = [
        "one": ["group": "2"], "two": ["group": .null], "three": ["group": 2],
      ]
      let kept = try graph.sync(entity: "Channel", from: rows)
      #expect(kept.created == ["Channel": 1] && kept.updated == nil)
      #expect(
        try graph.objects("Channel").map { try $0.destination("group") } == [groups[0], groups[0], groups[1]])
      #expect(
        try graph.sync(entity: "Channel", from: rows, overwriting: ["group"]).updated == ["Channel": 2])
      #expect(
        try graph.objects("Channel").map { try $0.destination("group") } == [groups[1], nil, groups[1]])
      let before = try lines(graph)
      #expect(throws: CloneError.self) {
        try graph.sync(
          entity: "Channel", from: ["one": ["group": 9], "two": [:], "three": [:]], overwriting: ["group"])
      }
      #expect(try lines(graph) == before)
    }
  }

  @Test("A dry run tells the same and changes nothing")
  func dryRun() throws {
    for graph in try graphs() {
      let before = try lines(graph)
      let rows: [AttributeValue: [String: AttributeValue]] = [
        "one": ["baseURL": "https://one"], "three": [:],
      ]
      var planned = try graph.sync(
        entity: "Channel", from: rows, overwriting: ["baseURL"], options: TransferOptions(isDryRun: true))
      #expect(planned.dryRun)
      #expect(try lines(graph) == before)
      planned.dryRun = false
      #expect(try graph.sync(entity: "Channel", from: rows, overwriting: ["baseURL"]) == planned)
    }
  }

  @Test("What a request names wrongly is said all at once, with the nearest names")
  func wrongNames() throws {
    for graph in try graphs() {
      let error = #expect(throws: CloneError.self) {
        try graph.sync(
          entity: "Channel", from: ["one": [:]], overwriting: ["baseUrl", "name"], scope: ["contry": "x"])
      }
      let text = "\(error!)"
      #expect(text.contains("did you mean 'baseURL'") && text.contains("did you mean 'country'"))
      #expect(text.contains("'name' identifies Channel"))
      #expect(throws: CloneError.self) {
        try graph.sync(entity: "Channel", from: ["one": ["baseUrl": "x"]])
      }
      #expect(throws: CloneError.self) { try graph.sync(entity: "Programme", from: ["one": [:]]) }
      #expect(throws: CloneError.self) {
        try graph.sync(entity: "Channel", from: ["one": ["started": "soon"]])
      }
    }
  }

  @Test(
    "What is in the key is not overwritten, an attribute or a relationship", arguments: ["code", "tenant"])
  func keys(name: String) throws {
    let model = try ObjectModel(
      name: "Customers",
      entities: [
        EntityDescription(
          name: "Tenant",
          relationships: [
            RelationshipDescription(
              name: "customers", destination: "Customer", isToMany: true, inverse: "tenant")
          ]),
        EntityDescription(
          name: "Customer",
          attributes: [
            AttributeDescription(name: "code", type: .string),
            AttributeDescription(name: "email", type: .string),
          ],
          relationships: [
            RelationshipDescription(name: "tenant", destination: "Tenant", inverse: "customers")
          ], primaryKey: [KeyColumn("tenant_id"), KeyColumn("code")]),
      ])
    let error = #expect(throws: CloneError.self) {
      let identity: IdentityRequest = ["Customer": ["email"]]
      return try SyncPlan(
        model, SyncRequest(entity: "Customer", identifiedBy: identity, overwriting: [name]))
    }
    #expect(error?.code == .invalidValue && "\(error!)".contains("'\(name)' is in the key of Customer"))
  }

  @Test("Random sets: both graphs hold the same, and a second sync changes nothing")
  func random() throws {
    for seed in UInt64(0)..<12 {
      var random = Numbers(state: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
      let graphs = try graphs()
      var rows: [AttributeValue: [String: AttributeValue]] = [:]
      for _ in 0..<20 {
        for name in (0..<12).map({ "c\($0)" }) where random.next() % 3 > 0 {
          var values: [String: AttributeValue] = [:]
          for attribute in ["baseURL", "displayName", "country"] where random.next() % 3 > 0 {
            values[attribute] = random.next() % 5 == 0 ? .null : .string("v\(random.next() % 3)")
          }
          rows[.string(name)] = values
        }
        for name in rows.keys.sorted(by: { $0.description < $1.description }) where random.next() % 6 == 0 {
          rows[name] = nil
        }
        let names = random.next() % 4 == 0 ? [] : ["baseURL", "country"]
        let reports = try graphs.map {
          try $0.sync(entity: "Channel", from: rows, overwriting: names, isConfirmed: true)
        }
        #expect(reports[0] == reports[1], "seed \(seed)")
        #expect(try lines(graphs[0]) == lines(graphs[1]), "seed \(seed)")
        let again = try graphs[1].sync(entity: "Channel", from: rows, overwriting: names, isConfirmed: true)
        #expect(again.changes == 0, "seed \(seed)")
      }
    }
  }

  private struct Numbers {
    var state: UInt64

    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state >> 11
    }
  }
}
