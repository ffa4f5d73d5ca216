import MOCloneKit
import Testing

@Suite("Objects whose keys a merge of others would make equal")
struct DedupeCollisionTests {
  /// Lines are identified by nothing but the order and the product that their key consists of.
  private static let model = try! ObjectModel(
    yaml: """
      version: 1
      name: Orders
      entities:
        Product:
          attributes: {name: String}
          relationships: {lines: {destination: Line, toMany: true, inverse: product, deleteRule: cascade}}
        Order:
          attributes: {number: Integer 32}
          relationships: {lines: {destination: Line, toMany: true, inverse: order, deleteRule: cascade}}
        Line:
          primaryKey: [order_id, product_id]
          attributes: {quantity: Integer 32?, note: String?}
          relationships:
            order: {destination: Order, inverse: lines, column: order_id}
            product: {destination: Product, inverse: lines, column: product_id}
      """)

  /// Two products of one name, each with a line in the same order.
  private func graphs(_ quantities: [AttributeValue], notes: [AttributeValue]) throws -> [any TransferGraph] {
    let graphs: [any TransferGraph] = [MemoryGraph(model: Self.model), try SQLiteGraph.temporary(Self.model)]
    for graph in graphs {
      try graph.insert("Order", ["number": 1])
      for i in 0...1 {
        try graph.insert("Product", ["name": "Milk"])
        try graph.insert(
          "Line",
          ["order": 1, "product": .integer(Int64(i) + 1), "quantity": quantities[i], "note": notes[i]])
      }
    }
    return graphs
  }

  private let byName: IdentityRequest = ["Product": ["name"]]

  @Test("Where their values differ the merge is refused with the list, asked for in whatever way but by name")
  func differing() throws {
    for graph in try graphs([12, 10], notes: [.null, .null]) {
      for entities in [["Product"], []] {
        for isDryRun in [true, false] {
          let error = #expect(throws: CloneError.self) {
            try graph.dedupe(
              DedupeRequest(entities: entities, identifiedBy: byName),
              options: TransferOptions(isDryRun: isDryRun))
          }
          #expect(error?.code == .uniqueValue)
          #expect("\(error!)".contains(" and Line "))
          #expect(try graph.count("Product") == 2)
          #expect(try graph.objects("Line").map { try $0.value("quantity") } == [12, 10])
        }
      }
    }
  }

  @Test("Where they hold the same, or one holds what the other lacks, they become one")
  func equal() throws {
    for graph in try graphs([12, 12], notes: [.null, "cold"]) {
      let report = try graph.dedupe(DedupeRequest(entities: ["Product"], identifiedBy: byName))
      #expect(report.merged == ["Product": 1, "Line": 1])
      let lines = try graph.objects("Line")
      #expect(try lines.map { try $0.value("quantity") } == [12])
      #expect(try lines.map { try $0.value("note") } == ["cold"])
    }
  }

  @Test("Who names them wants one of them to stay")
  func named() throws {
    for graph in try graphs([12, 10], notes: [.null, .null]) {
      let report = try graph.dedupe(DedupeRequest(entities: ["Product", "Line"], identifiedBy: byName))
      #expect(report.merged == ["Product": 1, "Line": 1])
      #expect(try graph.objects("Line").map { try $0.value("quantity") } == [10])
    }
  }
}
