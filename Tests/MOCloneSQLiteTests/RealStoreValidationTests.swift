import Foundation
import GRDB
import MOCloneKit
import Testing

/// Where the databases that others made lie beside the package.
enum RealData {
  static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func path(_ name: String) -> String? {
    let file = package.deletingLastPathComponent().appending(path: "shared/data/sqlite/\(name).sqlite")
    if FileManager.default.fileExists(atPath: file.path) { return file.path }
    print("skipped: there is no \(file.path)")
    return nil
  }
}

/// Databases that others made beside their models; skipped where they are not at hand.
@Suite struct RealStoreValidationTests {
  private func findings(_ name: String, _ model: ObjectModel) throws -> [Diagnostic]? {
    guard let path = RealData.path(name) else { return nil }
    return try SQLiteGraph(path: path, model: model, isReadOnly: true).storeFindings()
  }

  private func sample(_ name: String) throws -> ObjectModel {
    try ObjectModel(contentsOf: RealData.package.appending(path: "Models/\(name).yml"))
  }

  @Test func chinookAgreesWithItsModel() throws {
    guard let found = try findings("chinook", sample("Chinook")) else { return }
    #expect(found.isEmpty, "\(found.map(\.message))")
  }

  @Test func northwindLacksIndexesOnly() throws {
    guard let found = try findings("northwind", sample("Northwind")) else { return }
    #expect(Set(found.map(\.code)) == [.missingIndex] && found.count == 10, "\(found.map(\.message))")
    #expect(
      found.contains { $0.help == "CREATE INDEX \"Orders_on_CustomerID\" ON \"Orders\" (\"CustomerID\")" })
    // What no clone follows is worth a note.
    #expect(found.count { $0.severity == .note } == 2)
  }

  @Test func sakilaHasTriggersAndTablesBeyondAModelOfItsStores() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: Sakila
        entities:
          Store:
            primaryKey: {column: store_id, generate: none}
            relationships: {customers: {destination: Customer, toMany: true, inverse: store}}
          Customer:
            primaryKey: {column: customer_id, generate: none}
            attributes: {firstName: String, lastName: String, active: String}
            relationships: {store: {destination: Store, inverse: customers}}
        """)
    guard let found = try findings("sakila_schema_only", model) else { return }
    let codes = Dictionary(grouping: found, by: \.code).mapValues(\.count)
    #expect(codes[.insertTrigger] == 2)
    #expect(codes[.unmappedColumn] == 2)
    #expect(codes[.unmappedTable] == 1)
    // Rentals, payments, staff and inventory belong to stores or customers.
    #expect((codes[.unknownReference] ?? 0) >= 4, "\(found.map(\.message))")
    #expect(found.allSatisfy { $0.severity < .error }, "\(found.map(\.message))")
  }
}
