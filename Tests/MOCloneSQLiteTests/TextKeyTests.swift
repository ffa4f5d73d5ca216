import Foundation
import GRDB
import MOCloneKit
import Testing

/// Keys that people choose, in stores that make none.
@Suite("Texts that are keys")
struct TextKeyTests {
  private static let model = """
    entities:
      Country:
        primaryKey: {column: code, generate: uuid}
        attributes: {code: {type: String, column: code}, title: String?}
        relationships: {cities: {destination: City, toMany: true, inverse: country}}
      City:
        attributes: {name: String}
        relationships: {country: {destination: Country, optional: true, inverse: cities, column: country}}
        uniquenessConstraints: [[name]]
    """

  private static let tables = """
    CREATE TABLE country(code TEXT PRIMARY KEY, title TEXT);
    CREATE TABLE city(id INTEGER PRIMARY KEY, name TEXT UNIQUE, country TEXT REFERENCES country);
    """

  private func store(_ rows: String) throws -> StoreFixture {
    try StoreFixture(Self.model, Self.tables + rows)
  }
  private func graph(_ store: StoreFixture) -> SQLiteGraph { SQLiteGraph(store.writer, model: store.model) }

  @Test("They identify objects in copies and seeds, and stay what they are")
  func identities() throws {
    let source = try store(
      "INSERT INTO country VALUES ('CH', 'Swiss'), ('NO', 'Norway'); INSERT INTO city VALUES (1, 'Bern', 'CH');"
    )
    let target = try store("INSERT INTO country VALUES ('CH', 'Swiss');")
    let report = try graph(target).seed(from: graph(source))
    #expect(report.created == ["Country": 1, "City": 1])
    #expect(try target.rows("SELECT * FROM country ORDER BY 1") == ["CH|Swiss", "NO|Norway"])
    #expect(try target.rows("SELECT name, country FROM city") == ["Bern|CH"])
    #expect(try graph(target).lacking(of: graph(source), seeded: report) == [])
    #expect(try graph(target).copy(from: graph(source)).created == [:])
  }

  @Test("They identify objects in a graph in memory, too")
  func memory() throws {
    let source = try store("INSERT INTO country VALUES ('CH', 'Swiss'), ('NO', 'Norway');")
    let target = MemoryGraph(model: source.model)
    for _ in 0..<2 { try target.copy(from: graph(source)) }
    #expect(try target.objects("Country").map { try $0.value("code") }.count == 2)
  }

  @Test("A clone gets a UUID")
  func cloned() throws {
    let store = try store("INSERT INTO country VALUES ('CH', 'Swiss');")
    try store.clone("Country", "CH")
    #expect(try store.rows("SELECT length(code), title FROM country ORDER BY 1") == ["2|Swiss", "36|Swiss"])
  }

  @Test("A key that the store makes, and that is an attribute, keeps a source from being removed")
  func renewed() throws {
    let model = Self.model.replacing("type: String, column: code", with: "type: UUID, column: code")
    let rows = "INSERT INTO country VALUES ('A0000000-0000-4000-8000-000000000001', 'x');"
    let source = try StoreFixture(model, Self.tables + rows)
    let target = try StoreFixture(model, Self.tables + rows)
    let report = try graph(target).seed(from: graph(source))
    #expect(
      try graph(target).lacking(of: graph(source), seeded: report)
        == ["Country: 'code' is its key, so new objects may have other values; pass --by Country=code"])
    let request: IdentityRequest = ["Country": ["code"]]
    let named = try graph(target).seed(from: graph(source), identifiedBy: request)
    #expect(try graph(target).lacking(of: graph(source), identifiedBy: request, seeded: named) == [])
  }
}
