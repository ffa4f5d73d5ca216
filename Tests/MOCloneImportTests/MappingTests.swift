import MOCloneKit
import Testing

@Suite("The mapping file")
struct MappingTests {
  private func findings(_ yaml: String) throws -> String {
    do {
      try ImportMapping(yaml: yaml, path: "map.yml").check(against: shopModel())
      return ""
    } catch let error as ModelError { return error.description }
  }

  @Test("Values, constants, nested rows and relationships are read")
  func reading() throws {
    let mapping = try ImportMapping(yaml: ordersMapping)
    #expect(mapping.root.entity == "Order" && mapping.root.rows == "orders")
    #expect(mapping.root.attributes["number"] == .field("number"))
    let lines = try #require(mapping.root.relationships["lines"])
    #expect(lines.relationships["article"]?.relationships["tags"]?.attributes["name"] == .field(""))
    let constants = try ImportMapping(
      yaml: "entity: Order\nattributes: {note: plain, number: '@@x', rush: ~}\nset: {note: '@y'}")
    #expect(
      constants.root.attributes == [
        "note": .constant("plain"), "number": .constant("@x"), "rush": .constant(nil),
      ])
    #expect(constants.root.set == ["note": .constant("@y")])
  }

  @Test("Unknown keys and wrong kinds are all told at their places, with the nearest name")
  func format() throws {
    let text = try findings(
      "entiti: Order\nattributes: [a]\nrelationships: {lines: 3}\ndelimiter: ab\nx-note: free\n")
    #expect(
      text.contains("map.yml:1:1: error: A mapping has no key 'entiti'")
        && text.contains("did you mean 'entity'?"))
    #expect(text.contains("map.yml:2:13: error: 'attributes' must be a map"))
    #expect(text.contains("map.yml:3:24: error: 'lines' must be a map"))
    #expect(text.contains("map.yml:4:12: error: 'delimiter' must be one ASCII character"))
    #expect(!text.contains("x-note"))
    #expect(try findings("attributes: {}").contains("A mapping needs the key 'entity'"))
    #expect(try findings("").contains("The file contains no mapping"))
    #expect(try findings("version: 2\nentity: Order").contains("Version '2' is unknown"))
  }

  @Test("Names that the model does not have are all told at their places, with the nearest name")
  func names() throws {
    let text = try findings(
      """
      entity: Order
      attributes: {numbr: '@a', customer: '@c', rush: maybe}
      set: {number: ~}
      relationships:
        custommer: {attributes: {name: '@a'}}
        lines:
          entity: Tag
          attributes: {position: '@p'}
        customer: {}
      """)
    #expect(
      text.contains("map.yml:2:14: error: Order has no attribute 'numbr'")
        && text.contains("did you mean 'number'?"))
    #expect(
      text.contains("Order has no attribute 'customer'")
        && text.contains("move 'customer' to 'relationships'"))
    #expect(
      text.contains("'maybe' is not a valid Boolean for 'rush', which is required; expected true or false"))
    #expect(
      text.contains("map.yml:3:7: error: Null is not a valid Integer 32 for 'number', which is required"))
    #expect(text.contains("map.yml:5:3: error: Order has no relationship 'custommer'"))
    #expect(text.contains("'Tag' is not the destination 'Line' or one of its sub-entities"))
    #expect(text.contains("'customer' has no attributes"))
    #expect(try findings("entity: Oder\n").contains("did you mean 'Order'?"))
    #expect(try findings("entity: Place\nattributes: {text: '@a'}").contains("Place is abstract"))
  }

  @Test("What a mapping lacks for the identity of its objects is told before a row is read")
  func identity() throws {
    let graph = try Backend.memory.shop()
    let text = message {
      try graph.importText(
        "note\n", .csv,
        "entity: Order\nattributes: {note: '@note'}\nrelationships: {lines: {attributes: {quantity: '@q'}}}")
    }
    #expect(text.contains("Order is identified by number, but the mapping gives no 'number'"))
    #expect(text.contains("Line is identified by order, position, but the mapping gives no 'position'"))
  }

  @Test("Nested rows of CSV, and rows without a path in XML, are refused")
  func formats() throws {
    let graph = try Backend.memory.shop()
    #expect(message { try graph.importText("", .csv, ordersMapping) }.contains("CSV does not support"))
    let flat = "entity: Tag\nattributes: {name: '@name'}"
    #expect(
      message { try graph.importText("<r/>", .xml, flat) }.contains("the XML element of a row is not named"))
    #expect(
      message { try graph.importText("", .ndjson, "rows: a\n" + flat) }.contains(
        "every line of ndjson is a row"))
  }
}
