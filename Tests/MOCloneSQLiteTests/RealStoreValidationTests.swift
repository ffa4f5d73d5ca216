import MOCloneKit
import Testing

/// Databases that others made beside their models; skipped where they are not at hand.
@Suite struct RealStoreValidationTests {
  private func findings(_ name: String, _ model: ObjectModel) throws -> [Diagnostic] {
    try SQLiteGraph(path: RealData.path(name), model: model, isReadOnly: true).storeFindings()
  }

  private func sample(_ name: String) throws -> ObjectModel {
    try ObjectModel(yaml: RealData.sample(name))
  }

  @Test(.ifPresent("chinook")) func chinookAgreesWithItsModel() throws {
    let found = try findings("chinook", sample("Chinook"))
    #expect(found.isEmpty, "\(found.map(\.message))")
  }

  @Test(.ifPresent("northwind")) func northwindLacksIndexesOnly() throws {
    let found = try findings("northwind", sample("Northwind"))
    #expect(Set(found.map(\.code)) == [.missingIndex] && found.count == 10, "\(found.map(\.message))")
    #expect(
      found.contains { $0.help == "CREATE INDEX \"Orders_on_CustomerID\" ON \"Orders\" (\"CustomerID\")" })
    // What no clone follows is worth a note.
    #expect(found.count { $0.severity == .note } == 3)
  }

  @Test(.ifPresent("sakila_schema_only")) func sakilaHasTriggersAndTablesBeyondAModelOfItsStores() throws {
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
    let found = try findings("sakila_schema_only", model)
    let codes = Dictionary(grouping: found, by: \.code).mapValues(\.count)
    #expect(codes[.insertTrigger] == 2)
    #expect(codes[.unmappedColumn] == 2)
    #expect(codes[.unmappedTable] == 1)
    // Rentals, payments, staff and inventory belong to stores or customers.
    #expect((codes[.unknownReference] ?? 0) >= 4, "\(found.map(\.message))")
    #expect(found.allSatisfy { $0.severity < .error }, "\(found.map(\.message))")
  }
}
