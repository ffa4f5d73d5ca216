import Foundation
import MOCloneKit

/// Files of items in no order, each with a unit and two places that others share; and the model that they fit.
struct ItemFiles {
  static let (units, shelves, aisles) = (20, 200, 1000)
  let rows: Int
  let scratch: Scratch

  func path(_ format: FileFormat) -> String { scratch.path("items-\(rows).\(format.rawValue)") }
  var model: String { scratch.path("items.yml") }

  func mapping(_ format: FileFormat) -> String { scratch.path("items-\(format.rawValue).yml") }

  /// Makes the model, the mappings and the files.
  func make() throws {
    try Self.model.write(toFile: model, atomically: true, encoding: .utf8)
    for format in [FileFormat.csv, .ndjson, .xml] {
      let rows = format == .xml ? "rows: item\n" : ""
      try (rows + Self.mapping).write(toFile: mapping(format), atomically: true, encoding: .utf8)
      try make(format)
    }
  }

  private func make(_ format: FileFormat) throws {
    guard FileManager.default.createFile(atPath: path(format), contents: nil) else {
      throw BenchmarkError("'\(path(format))' cannot be made")
    }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path(format)))
    var text = format == .csv ? "name,quantity,unit,home,shop\n" : format == .xml ? "<items>\n" : ""
    for i in 0..<rows {
      text += line(shuffled(i), format)
      guard text.utf8.count > 1 << 20 else { continue }
      try file.write(contentsOf: Data(text.utf8))
      text = ""
    }
    try file.write(contentsOf: Data((text + (format == .xml ? "</items>\n" : "")).utf8))
    try file.close()
  }

  /// Another order of the numbers: a step that has no divisor in common with their count.
  private func shuffled(_ i: Int) -> Int {
    var step = 618_033
    while Self.divisor(step, rows) > 1 { step += 1 }
    return i * step % rows
  }

  private static func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }

  private func line(_ i: Int, _ format: FileFormat) -> String {
    let name = "Item " + String(repeating: "0", count: max(0, 7 - String(i).count)) + String(i)
    let (quantity, unit) = (i % 97, "unit \(i % Self.units)")
    let (home, shop) = ("Shelf \(i * 7 % Self.shelves)", "Aisle \(i * 13 % Self.aisles)")
    switch format {
    case .ndjson:
      return
        "{\"name\": \"\(name)\", \"quantity\": \(quantity), \"unit\": \"\(unit)\", \"home\": \"\(home)\", \"shop\": \"\(shop)\"}\n"
    case .xml:
      return
        "  <item name=\"\(name)\" quantity=\"\(quantity)\" unit=\"\(unit)\" home=\"\(home)\" shop=\"\(shop)\"/>\n"
    default: return "\(name),\(quantity),\(unit),\(home),\(shop)\n"
    }
  }

  /// Looks whether a store holds what the files say.
  func check(_ path: String, _ name: String) throws {
    let checks = try StoreChecks(path, of: name)
    try checks.expect("SELECT count(DISTINCT name) FROM item", rows)
    try checks.expect("SELECT sum(quantity) FROM item", (0..<rows).reduce(0) { $0 + $1 % 97 })
    try checks.expect("SELECT count(*) FROM unit", min(rows, Self.units))
    try checks.expect(
      """
      SELECT count(*) FROM item i JOIN unit u ON u.id = i.unit_id JOIN location h ON h.id = i.location_at_home_id
      JOIN location s ON s.id = i.location_at_shop_id
      WHERE u.name = 'unit ' || (substr(i.name, 6) % \(Self.units))
        AND h.stored_in = 'Shelf ' || (substr(i.name, 6) * 7 % \(Self.shelves))
        AND s.aisle = 'Aisle ' || (substr(i.name, 6) * 13 % \(Self.aisles))
      """, rows)
    try checks.expectForeignKeysHold()
  }
}

extension ItemFiles {
  private static let mapping = """
    entity: Item
    attributes: {name: '@name', quantity: '@quantity'}
    set: {listed: false}
    relationships:
      unit:           {attributes: {name: '@unit'}}
      locationAtHome: {attributes: {storedIn: '@home'}}
      locationAtShop: {attributes: {aisle: '@shop'}}
    """

  private static let model = """
    version: 1
    name: Items
    entities:
      Item:
        attributes: {name: String, quantity: Integer 32, listed: Boolean}
        relationships:
          unit:           {destination: Unit, optional: true, inverse: items}
          locationAtHome: {destination: LocationAtHome, optional: true, inverse: items}
          locationAtShop: {destination: LocationAtShop, optional: true, inverse: items}
        uniquenessConstraints: [[name]]
      Unit:
        attributes: {name: String}
        relationships: {items: {destination: Item, toMany: true, inverse: unit}}
        uniquenessConstraints: [[name]]
      Location: {abstract: true}
      LocationAtHome:
        parent: Location
        attributes: {storedIn: String}
        relationships: {items: {destination: Item, toMany: true, inverse: locationAtHome}}
        uniquenessConstraints: [[storedIn]]
      LocationAtShop:
        parent: Location
        attributes: {aisle: String}
        relationships: {items: {destination: Item, toMany: true, inverse: locationAtShop}}
        uniquenessConstraints: [[aisle]]
    """
}
