import Foundation
import MOCloneKit
import MOCloneTesting
import Testing

/// A random file of orders, and what was drawn for it.
private struct RandomOrders: CustomTestStringConvertible {
  let seed: UInt64
  let lines: [String]
  let existing: ExistingPolicy
  var testDescription: String { "seed \(seed)" }

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    self.seed = seed
    existing = ExistingPolicy.allCases.randomElement(using: &random)!
    lines = (0..<Int.random(in: 1...12, using: &random)).map { _ in Self.order(&random) }
  }

  private static func order(_ random: inout SplitMix64) -> String {
    var members = ["\"number\": \(Int.random(in: 1...6, using: &random))"]
    if Bool.random(using: &random) { members.append("\"note\": \(value(&random))") }
    if Bool.random(using: &random) { members.append("\"rush\": \(Bool.random(using: &random))") }
    if Int.random(in: 0..<3, using: &random) > 0 { members.append("\"customer\": \(value(&random))") }
    let lines = (0..<Int.random(in: 0...3, using: &random)).map { _ in line(&random) }
    return "{\((members + ["\"lines\": [\(lines.joined(separator: ", "))]"]).joined(separator: ", "))}"
  }

  private static func line(_ random: inout SplitMix64) -> String {
    var members = ["\"position\": \(Int.random(in: 1...4, using: &random))"]
    if Bool.random(using: &random) {
      members.append("\"quantity\": \(Int.random(in: 0...9, using: &random))")
    }
    if Bool.random(using: &random) {
      members.append("\"article\": \"\(["Milk", "Bread", "Salt"].randomElement(using: &random)!)\"")
      if Bool.random(using: &random) { members.append("\"price\": \(Int.random(in: 1...3, using: &random))") }
      let tags = (0..<Int.random(in: 0...2, using: &random)).map { _ in value(&random) }
      members.append("\"tags\": [\(tags.joined(separator: ", "))]")
    }
    return "{\(members.joined(separator: ", "))}"
  }

  private static func value(_ random: inout SplitMix64) -> String {
    ["null", "\"\"", "\"a\"", "\"b\"", "\"c\""].randomElement(using: &random)!
  }

  /// Fills a graph with what was there before.
  func prepared(_ backend: Backend) throws -> any ImportingGraph {
    var random = SplitMix64(seed: seed &+ 1_000_000)
    let graph = try backend.shop()
    for name in ["a", "b"] where Bool.random(using: &random) {
      try graph.insert("Customer", ["name": .string(name)])
    }
    for name in ["Milk", "Salt"] where Bool.random(using: &random) {
      try graph.insert("Article", ["name": .string(name), "price": Bool.random(using: &random) ? 7 : .null])
    }
    for number in 1...3 where Bool.random(using: &random) {
      let order = try graph.insert("Order", ["number": .integer(Int64(number)), "note": "old"])
      let line = try graph.insert("Line", ["position": 1, "order": order.id.key.parts[0]])
      if Bool.random(using: &random), let article = try graph.objects("Article").first {
        try line.set(article, for: "article")
      }
    }
    try graph.save()
    return graph
  }

  var text: String { lines.joined(separator: "\n") }
  var options: ImportOptions { ImportOptions(existing: existing) }
  static let mapping = ordersMapping.replacing("rows: orders\n", with: "")
  static let transferOptions = TransferOptions(
    generator: ValueGenerator(now: { Date(timeIntervalSince1970: 1000) }, uuid: { UUID() }))
}

@Suite("Random imports")
struct RandomImportTests {
  private static let seeds = (1...(ProcessInfo.processInfo.environment["MOCLONE_LONG"] == nil ? 30 : 3000))
    .map { RandomOrders(seed: UInt64($0)) }

  @Test("Both graphs come out the same, with the same report", arguments: seeds)
  private func same(_ orders: RandomOrders) throws {
    let graphs = try Backend.allCases.map { try orders.prepared($0) }
    let results = try graphs.map { graph in
      var report = try graph.importText(
        orders.text, .ndjson, RandomOrders.mapping, orders.options,
        transferOptions: RandomOrders.transferOptions)
      report.skipped = report.skipped?.map {
        .init(place: String($0.place.split(separator: ".").last!), reason: $0.reason)
      }
      return (report, try graph.lines())
    }
    #expect(results[0].1 == results[1].1, "\(orders.existing)\n\(orders.text)")
    #expect(results[0].0 == results[1].0, "\(orders.existing)\n\(orders.text)")
  }

  @Test("An import done twice is one done once", arguments: Array(seeds.prefix(30)))
  private func twice(_ orders: RandomOrders) throws {
    for backend in Backend.allCases {
      let graph = try orders.prepared(backend)
      func run() throws -> TransferReport {
        try graph.importText(
          orders.text, .ndjson, RandomOrders.mapping, ImportOptions(),
          transferOptions: RandomOrders.transferOptions)
      }
      _ = try run()
      let once = try graph.lines()
      let second = try run()
      #expect(second.changes == 0, "\(backend)\n\(orders.text)")
      #expect(try graph.lines() == once)
    }
  }

  @Test("A failure at any row leaves nothing", arguments: Array(seeds.prefix(10)))
  private func failure(_ orders: RandomOrders) throws {
    for backend in Backend.allCases {
      let graph = try orders.prepared(backend)
      let before = try graph.lines()
      for place in orders.lines.indices {
        var lines = orders.lines
        lines[place] = "{\"number\": \"x\"}"
        #expect(throws: CloneError.self) {
          try graph.importText(lines.joined(separator: "\n"), .ndjson, RandomOrders.mapping, orders.options)
        }
        #expect(try graph.lines() == before)
      }
    }
  }
}
