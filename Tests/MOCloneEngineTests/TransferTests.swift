import Foundation
import MOCloneEngine
import MOCloneModel
import MOCloneYAML
import Testing

@Suite("Moving data into a graph in memory")
struct TransferTests {
  /// Boards with a cover (one-to-one), cards (ordered), and labels (pairs).
  private static let model = try! ObjectModel(
    yaml: """
      version: 1
      name: Boards
      entities:
        Board:
          attributes: {code: String, price: Decimal?, modified: Date?}
          relationships:
            cards: {destination: Card, toMany: true, ordered: true, inverse: board}
            cover: {destination: Cover, optional: true, inverse: board}
          uniquenessConstraints: [[code]]
        Card:
          attributes: {title: String, price: Decimal?, modified: Date?}
          relationships:
            board: {destination: Board, optional: true, inverse: cards}
            labels: {destination: Label, toMany: true, inverse: cards}
        Label:
          attributes: {name: String?}
          relationships: {cards: {destination: Card, toMany: true, inverse: labels}}
        Cover:
          attributes: {text: String}
          relationships: {board: {destination: Board, inverse: cover, column: board_id}}
      """)
  private static let instant = Date(timeIntervalSinceReferenceDate: 1_000_000)
  private static let options = TransferOptions(generator: ValueGenerator(now: { instant }, uuid: { UUID() }))

  private let graph = MemoryGraph(model: TransferTests.model)

  private func codes() throws -> [String] {
    try graph.objects("Board").map { try $0.value("code").description }
  }

  @Test("What a sync deletes changes the objects that referred to it, and no other")
  func datesOfDeletions() throws {
    let boards = try ["a", "b", "c"].map { try graph.insert("Board", ["code": .string($0)]) }
    let cards = try boards.map { try graph.insert("Card", ["title": "t", "board": $0.id.key.reference]) }
    try graph.sync(entity: "Board", from: ["a": [:], "b": [:]], options: Self.options)
    #expect(try cards.map { try $0.value("modified") } == [.null, .null, .date(Self.instant)])
    #expect(try cards[2].destination("board") == nil)
  }

  @Test("A subtree comes into another graph although unique values of the source are taken there by nobody")
  func uniqueValuesOfTheSource() throws {
    let board = try graph.insert("Board", ["code": "a"])
    let target = MemoryGraph(model: Self.model)
    let plan = try ClonePlan(model: Self.model, entity: "Board")
    try target.clone(plan, roots: [board.id], from: graph, options: Self.options)
    #expect(try target.objects("Board").map { try $0.value("code") } == ["a"])
    let error = #expect(throws: CloneError.self) {
      try target.clone(plan, roots: [board.id], from: graph, options: Self.options)
    }
    #expect(error?.code == .uniqueValue)
    #expect(try target.count("Board") == 1)
  }

  @Test("A linked object that nothing identifies is made where linked objects are")
  func linkedWithoutIdentity() throws {
    let card = try graph.insert("Card", ["title": "t"])
    try card.add(try graph.insert("Label", ["name": "red"]), to: "labels")
    let target = MemoryGraph(model: Self.model)
    let plan = try ClonePlan(model: Self.model, entity: "Card")
    for keepsKeys in [true, false] {
      let request = SubtreeRequest(missing: .create, keepsKeys: keepsKeys)
      let result = try target.clone(plan, roots: [card.id], from: graph, request, options: Self.options)
      #expect(try target.destinations("labels", of: result.roots[0]).count == 1)
    }
  }

  @Test("Decimals decide a tie as numbers")
  func decimalTies() throws {
    for price in ["100", "20"] {
      let value = AttributeValue.decimal(Decimal(string: price)!)
      try graph.insert("Card", ["title": "same", "price": value])
    }
    _ = try graph.dedupe(
      DedupeRequest(entities: ["Card"], identifiedBy: ["Card": ["title"]]), options: Self.options)
    #expect(try graph.objects("Card").map { try $0.value("price") } == [.decimal(20)])
  }

  @Test(
    "Whose owner stays keeps its one-to-one object, whichever has more values; nothing differing is given up")
  func oneToOneObjects() throws {
    for (code, price) in [("a", AttributeValue.null), ("b", 1)] {
      let board = try graph.insert("Board", ["code": .string(code), "price": price])
      try graph.insert("Cover", ["text": .string(code), "board": board.id.key.reference])
    }
    let request = DedupeRequest(entities: ["Cover"], identifiedBy: ["Cover": ["text"]])
    #expect(try graph.dedupe(request, options: Self.options).changes == 0)
    for cover in try graph.objects("Cover") { try cover.setValue("same", for: "text") }
    let error = #expect(throws: CloneError.self) { try graph.dedupe(request, options: Self.options) }
    #expect(error?.code == .uniqueValue)
    #expect("\(error!)".contains("Board 1 and Board 2"))
    #expect(try graph.count("Cover") == 2)
  }

  @Test(
    "Members that come to another list by a merge take the positions of their doubles, in a list of thousands"
  )
  func positions() throws {
    let count = 2_000
    try graph.atomically {
      for code in ["a", "b"] {
        let board = try graph.insert("Board", ["code": .string(code), "price": 1])
        for number in 0..<count {
          let price: AttributeValue = code == "a" ? .decimal(1) : .null
          try graph.insert(
            "Card", ["title": .string("\(number)"), "price": price, "board": board.id.key.reference])
        }
      }
    }
    let request = DedupeRequest(
      identifiedBy: ["Board": ["price"], "Card": ["board", "title"]], keep: .fullest)
    let report = try graph.dedupe(request, options: Self.options)
    #expect(report.merged == ["Board": 1, "Card": count])
    let board = try #require(try graph.objects("Board").first)
    #expect(
      try board.destinations("cards").map { try $0.value("title").description } == (0..<count).map { "\($0)" }
    )
  }

  @Test("A copy that cannot be done leaves the graph as it was, and a dry run does always")
  func nothingHappens() throws {
    try graph.insert("Board", ["code": "a"])
    let source = MemoryGraph(model: Self.model)
    for (code, price) in [("b", AttributeValue.decimal(1)), ("a", .decimal(2))] {
      try source.insert("Board", ["code": .string(code), "price": price])
    }
    let report = try graph.copy(from: source, options: TransferOptions(isDryRun: true))
    #expect((report.created, report.found) == (["Board": 1], ["Board": 1]))
    #expect(try codes() == ["a"])
    let byPrice = CopyRequest(identifiedBy: ["Board": ["price"]])
    let error = #expect(throws: CloneError.self) { try graph.copy(from: source, byPrice) }
    #expect(error?.code == .uniqueValue)
    #expect(try codes() == ["a"])
    let dry = #expect(throws: CloneError.self) {
      try graph.copy(from: source, byPrice, options: TransferOptions(isDryRun: true))
    }
    #expect(dry == error)
  }

  @Test("Numbers that are counted within an owner are counted within its copy")
  func countedKeys() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: Orders
        entities:
          Order:
            attributes: {code: String}
            relationships: {lines: {destination: Line, toMany: true, inverse: order}}
            uniquenessConstraints: [[code]]
          Line:
            primaryKey: [order_id, {column: number, generate: max}]
            attributes: {text: String, number: {type: Integer 64, column: number}}
            relationships: {order: {destination: Order, inverse: lines, column: order_id}}
        """)
    let (source, target) = (MemoryGraph(model: model), MemoryGraph(model: model))
    for code in ["a", "b"] {
      let order = try source.insert("Order", ["code": .string(code)])
      for text in ["x", "y"] {
        try source.insert("Line", ["text": .string(text), "order": order.id.key.reference])
      }
    }
    try target.copy(from: source, CopyRequest(identifiedBy: ["Line": ["order", "text"]]))
    #expect(try target.objects("Line").map { try $0.value("number") } == [1, 2, 1, 2])
  }
}
