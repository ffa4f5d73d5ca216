import Foundation
import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Models as JSON")
struct ModelCodingTests {
  static let samples = ["HealthNotes", "Chinook", "Northwind"]

  static func sample(_ name: String) throws -> ObjectModel {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try ObjectModel(contentsOf: root.appendingPathComponent("Models/\(name).yml"))
  }

  private func decode(_ text: String) throws -> ObjectModel {
    try JSONDecoder().decode(ObjectModel.self, from: Data(text.utf8))
  }

  @Test(arguments: samples)
  func samplesSurviveJSON(name: String) throws {
    let model = try Self.sample(name)
    let data = try JSONEncoder().encode(model)
    #expect(try JSONDecoder().decode(ObjectModel.self, from: data) == model)
    #expect(try ObjectModel(yaml: String(decoding: data, as: UTF8.self)) == model)
  }

  @Test(arguments: samples)
  func samplesHaveNoFindings(name: String) throws {
    let findings = ModelValidator.validate(try Self.sample(name))
    #expect(findings.filter { $0.severity == .error }.isEmpty)
  }

  @Test func everythingSurvivesJSON() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: All
        userInfoKeys: {exclude: leaveOut}
        store: {naming: grdb, primaryKey: pk, dates: unix, uuids: text, unmapped: refuse}
        entities:
          Base: {abstract: true, table: base, discriminator: {column: kind}, configurations: [Cloud]}
          Sub:
            parent: Base
            renamedFrom: Old
            userInfo: {a: '1'}
            discriminator: {value: sub}
            attributes:
              name: {type: String, default: 'a "b"', min: 1, max: 20, pattern: '.*', renamedFrom: title}
              day: {type: Date, default: 2025-01-31T12:34:56.789Z, storage: sqlite, column: d}
              uid: {type: UUID, storage: blob, userInfo: {rebuild: uuid}}
              price: {type: Decimal, default: 12345678901234567890.123456789, min: -0.12345678901234567890123}
              total: {type: Double?, transient: true}
              upper: {type: String?, derived: true}
              count: {type: Integer 64, default: 0, max: 9007199254740993, derived: trigger}
            relationships:
              pages: {destination: Page, toMany: true, minCount: 1, maxCount: 9, ordered: true, inverse: sub,
                deleteRule: cascade, orderColumn: place}
            uniquenessConstraints: [[uid], [name, day]]
          Page:
            primaryKey: [{column: pk, generate: uuid}]
            relationships:
              sub: {destination: Sub, inverse: pages, optional: true, column: {column: s, references: pk}}
              tags: {destination: Tag, toMany: true, inverse: pages,
                joinTable: {table: pt, column: p, inverseColumn: t}}
          Tag: {relationships: {pages: {destination: Page, toMany: true, inverse: tags}}}
        """)
    let text = String(decoding: try JSONEncoder().encode(model), as: UTF8.self)
    #expect(try decode(text) == model)
    #expect(try ObjectModel(yaml: text) == model)
  }

  @Test func defaultsAreNotWritten() throws {
    let model = try ObjectModel(name: "M", entities: [EntityDescription(name: "A")])
    let text = String(decoding: try JSONEncoder().encode(model), as: UTF8.self)
    #expect(text.count == #"{"version":1,"name":"M","entities":{"A":{}}}"#.count)
    #expect(try decode(text) == model)
  }

  @Test func shortFormsAndNumbersAreUnderstood() throws {
    let model = try decode(
      """
      {"version": 1, "name": "M", "entities": {"A": {"primaryKey": "k", "table": "t", "attributes":
      {"n": "Integer 16?", "i": {"type": "Double", "default": 1.5}, "b": {"type": "Boolean", "default": true}}}}}
      """)
    #expect(model.entity("A")?.primaryKey == [KeyColumn("k")])
    #expect(model.attribute("n", of: "A")?.isOptional == true)
    #expect(model.attribute("i", of: "A")?.defaultValue == 1.5)
    #expect(model.attribute("b", of: "A")?.defaultValue == true)
  }

  @Test func faultsAreFoundAsInAFile() throws {
    let text =
      #"{"version": 1, "entities": {"A": {"tabel": "t", "relationships": {"b": {"destination": "B"}}}}}"#
    let error = try #require(throws: ModelError.self) { try decode(text) }
    #expect(
      error.diagnostics.map(\.code).sorted { $0.rawValue < $1.rawValue } == [
        .unknownDestination, .unknownKey,
      ])
    #expect(error.diagnostics.allSatisfy { $0.range == nil })
  }

  @Test func whatIsNoJSONIsADecodingError() {
    #expect(throws: DecodingError.self) { try decode("{") }
  }
}
