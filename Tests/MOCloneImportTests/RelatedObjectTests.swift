import GRDB
import MOCloneKit
import TestSupport
import Testing

@Suite("One-to-one partners that rows of a file replace")
struct RelatedObjectTests {
  enum Store: CaseIterable {
    case memory, sqlite, sqliteUnique

    /// Customer a with the card 1, and b with the card 2.
    func graph(_ model: ObjectModel) throws -> any ImportingGraph {
      let graph: any ImportingGraph
      switch self {
      case .memory: graph = try Backend.memory.graph(model)
      case .sqlite: graph = try Backend.sqlite.graph(model)
      case .sqliteUnique:
        let queue = try DatabaseQueue()
        try queue.write {
          try $0.execute(
            sql: """
              CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
              CREATE TABLE card(id INTEGER PRIMARY KEY, code TEXT NOT NULL,
                owner_id INTEGER UNIQUE REFERENCES customer);
              """)
        }
        graph = SQLiteGraph(queue, model: model)
      }
      try graph.importText("name,code\na,1\nb,2\n", .csv, RelatedObjectTests.mapping)
      return graph
    }
  }

  private static let mapping =
    "entity: Customer\nattributes: {name: '@name'}\nrelationships: {card: {attributes: {code: '@code'}}}"

  private static func model(required: Bool = false, identified: Bool = true) throws -> ObjectModel {
    try ObjectModel(yaml: "version: 1\n" + SharedModel.cards(required: required, identified: identified))
  }

  private func update(_ rows: String..., in graph: any ImportingGraph) throws -> [String] {
    try graph.importText(
      "name,code\n" + rows.joined(separator: "\n"), .csv, Self.mapping, ImportOptions(existing: .update))
    return try cards(graph)
  }

  /// The cards with their owners.
  private func cards(_ graph: any ImportingGraph) throws -> [String] {
    try graph.objects("Card").map { card in
      let owner = try card.destination("owner")?.value("name").description ?? "-"
      return "\(try card.value("code")) \(owner)"
    }.sorted()
  }

  @Test("The object that had the partner is without it", arguments: Store.allCases)
  func released(_ store: Store) throws {
    let graph = try store.graph(Self.model())
    #expect(try update("a,3", in: graph) == ["1 -", "2 b", "3 a"])
    #expect(try update("a,2", in: graph) == ["1 -", "2 a", "3 -"])
    #expect(try update("b,1", "c,2", in: graph) == ["1 b", "2 c", "3 -"])
    #expect(try update("b,2", "c,1", in: graph) == ["1 c", "2 b", "3 -"])
  }

  @Test("So it is where nothing identifies it", arguments: Store.allCases)
  func unidentified(_ store: Store) throws {
    let graph = try store.graph(Self.model(identified: false))
    #expect(try update("a,3", "c,4", in: graph) == ["1 -", "2 b", "3 a", "4 c"])
  }

  @Test(
    "What requires its partner keeps it, unless its own row gives it another one", arguments: Store.allCases)
  func required(_ store: Store) throws {
    let graph = try store.graph(Self.model(required: true))
    #expect(throws: CloneError.self) { try update("a,3", in: graph) }
    #expect(throws: CloneError.self) { try update("a,2", in: graph) }
    #expect(try cards(graph) == ["1 a", "2 b"])
    #expect(try update("b,1", "a,2", in: graph) == ["1 b", "2 a"])
  }

  @Test("Two rows that give one partner to two objects are refused", arguments: Store.allCases)
  func givenTwice(_ store: Store) throws {
    let graph = try store.graph(Self.model())
    #expect(throws: CloneError.self) { try update("c,3", "c,4", in: graph) }
    #expect(throws: CloneError.self) { try update("a,1", "a,3", in: graph) }
    #expect(try cards(graph) == ["1 a", "2 b"])
  }

  @Test("Without an update nothing is taken away", arguments: Store.allCases, [ExistingPolicy.keep, .fill])
  func kept(_ store: Store, _ existing: ExistingPolicy) throws {
    let graph = try store.graph(Self.model())
    #expect(throws: CloneError.self) {
      try graph.importText("name,code\na,3\n", .csv, Self.mapping, ImportOptions(existing: existing))
    }
    #expect(try cards(graph) == ["1 a", "2 b"])
  }

  @Test(
    "What to do about an object that belongs to another one already is said, and works",
    arguments: [Store.memory, .sqlite])
  func advice(_ store: Store) throws {
    func help(_ existing: ExistingPolicy, _ rows: String, in graph: any ImportingGraph) -> String? {
      let error = #expect(throws: CloneError.self) {
        try graph.importText("name,code\n" + rows, .csv, Self.mapping, ImportOptions(existing: existing))
      }
      return error?.failures.first?.help
    }
    let graph = try store.graph(Self.model())
    #expect(
      help(.keep, "a,3\n", in: graph)
        == "pass --existing update to take it away from the object that has it, and give Customer 1 to one object "
        + "only")
    let twice = help(.update, "c,3\nc,4\n", in: graph)
    #expect(twice?.hasPrefix("give Customer ") == true && twice?.hasSuffix(" to one object only") == true)
    #expect(try update("a,3", in: graph) == ["1 -", "2 b", "3 a"])
    let required = try store.graph(Self.model(required: true))
    #expect(
      help(.update, "a,2\n", in: required) == "give the object that has Customer 1 another one first")
    #expect(try update("b,1", "a,2", in: required) == ["1 b", "2 a"])
  }
}
