import GRDB
import MOCloneKit
import TestSupport
import Testing

@Suite("Objects that are mentioned before their own row")
struct MentionTests {
  private static func model() throws -> ObjectModel {
    try ObjectModel(
      yaml: """
        version: 1
        name: Authors
        entities:
          Author:
            attributes: {name: String?, born: Integer 32?, known: {type: Boolean, default: false}, modified: Date?}
            relationships:
              boss: {destination: Author, optional: true, inverse: minions}
              minions: {destination: Author, toMany: true, inverse: boss}
              books: {destination: Book, toMany: true, inverse: author, deleteRule: cascade}
            uniquenessConstraints: [[name]]
          Book:
            attributes: {title: String?}
            relationships: {author: {destination: Author, optional: true, inverse: books}}
            uniquenessConstraints: [[author, title]]
        """)
  }

  private static let mapping = """
    entity: Author
    attributes: {name: '@name', born: '@born', known: '@known', modified: '@modified'}
    relationships: {boss: {attributes: {name: '@boss'}}}
    """

  private static let rows = [
    "Ann,1,true,2020-01-01T00:00:00Z,Bob", "Bob,2,true,2021-01-01T00:00:00Z,Ann", "Cid,3,,,Dan",
    "Bob,9,false,,",
  ]

  private func imported(
    _ rows: [String], _ existing: ExistingPolicy, _ backend: Backend
  ) throws -> any ImportingGraph {
    let graph = try backend.graph(Self.model())
    let report = try graph.importText(
      "name,born,known,modified,boss\n" + rows.joined(separator: "\n"), .csv, Self.mapping,
      ImportOptions(existing: existing),
      transferOptions: TransferOptions(
        generator: ValueGenerator(now: { .init(timeIntervalSince1970: 0) }, uuid: { .init() })))
    #expect(report.created == ["Author": 4] && report.updated == nil && report.found == nil)
    return graph
  }

  @Test("A new object has the values of its own row, wherever that stands", arguments: Backend.allCases)
  func ownRow(_ backend: Backend) throws {
    for existing in [ExistingPolicy.keep, .fill] {
      let graph = try imported(Self.rows, existing, backend)
      let bob = try #require(try graph.objects("Author").first { try $0.value("name") == "Bob" })
      #expect(try bob.value("born") == 2 && bob.value("known") == true)
      #expect(try bob.value("modified").description.hasPrefix("2021"))
      #expect(try bob.destination("boss")?.value("name") == "Ann")
      // Ann comes first or last, and Bob's second row after his first one.
      let other = try imported([1, 3, 2, 0].map { Self.rows[$0] }, existing, backend)
      #expect(try other.lines() == graph.lines())
    }
  }

  @Test("Of stored objects a row fills nothing that is kept", arguments: Backend.allCases)
  func stored(_ backend: Backend) throws {
    let graph = try backend.graph(Self.model())
    try graph.insert("Author", ["name": "Bob"])
    let csv = "name,born,known,modified,boss\nAnn,1,,,Bob\nBob,2,true,,Ann\n"
    let report = try graph.importText(csv, .csv, Self.mapping)
    #expect(report.found == ["Author": 1] && report.updated == nil)
    let bob = try #require(try graph.objects("Author").first { try $0.value("name") == "Bob" })
    #expect(try bob.value("born") == .null && bob.destination("boss") == nil)
  }

  private let books = """
    entity: Book
    attributes: {title: '@title'}
    relationships: {author: {attributes: {name: '@by'}}}
    """

  @Test("A row whose identity lies in an empty relationship is a bad row", arguments: Backend.allCases)
  func emptyRelationship(_ backend: Backend) throws {
    let graph = try backend.graph(Self.model())
    let csv = "title,by\nT,Ann\nU,\nV,Bob\n"
    let text = message { try graph.importText(csv, .csv, books) }
    #expect(
      text.contains(
        "rows.csv:3:1: Book is identified by author, title, which is null or empty, so no object is inserted")
    )
    #expect(try graph.count("Book") == 0 && graph.count("Author") == 0)
    let rejects = try TestFile("", "rejects")
    let report = try graph.importText(
      csv, .csv, books, ImportOptions(badRows: .skip(rejects: rejects.path)))
    #expect(report.created == ["Author": 2, "Book": 2])
    #expect(report.skipped?.count == 1)
    let rejected = try String(contentsOfFile: rejects.path, encoding: .utf8)
    #expect(rejected.contains("\nU,,\"Book is identified by") && rejected.split(separator: "\n").count == 2)
  }

  @Test("A trigger that swallows changes or pairs is named, and nothing is imported")
  func ignored() throws {
    let model = try shopModel()
    let queue = try DatabaseQueue()
    try queue.write { try SchemaWriter(model).create(in: $0) }
    let graph = SQLiteGraph(queue, model: model)
    try graph.insert("Article", ["name": "Milk", "price": 1])
    let update = ImportOptions(existing: .update)
    let mapping = """
      entity: Article
      attributes: {name: '@name', price: '@price'}
      relationships: {tags: {attributes: {name: '@tag'}}}
      """
    for trigger in [
      "BEFORE UPDATE ON article BEGIN SELECT raise(ignore)",
      "BEFORE INSERT ON article_tag BEGIN SELECT raise(ignore)",
      "AFTER INSERT ON article_tag BEGIN DELETE FROM article_tag",
    ] {
      try queue.write { try $0.execute(sql: "CREATE TRIGGER quiet \(trigger); END") }
      let error = #expect(throws: CloneError.self) {
        try graph.importText("name,price,tag\nMilk,2,cold\n", .csv, mapping, update)
      }
      #expect(error?.code == .rowCount, "\(trigger)")
      #expect(try graph.count("Tag") == 0)
      try queue.write { try $0.execute(sql: "DROP TRIGGER quiet") }
    }
  }
}
