import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

/// What keeps an import from being done is what its dry run says.
@Suite("Dry runs of imports")
struct DryRunTests {
  private static let model = """
    version: 1
    name: Goods
    entities:
      Article:
        attributes: {name: String, code: Integer 32?, country: String?, price: Double?}
        relationships: {box: {destination: Box, optional: true, inverse: article, column: box_id}}
        uniquenessConstraints: [[name], [code]]
      Box:
        attributes: {label: String}
        relationships: {article: {destination: Article, optional: true, inverse: box}}
        uniquenessConstraints: [[label]]
    """

  /// A store that asks for more than the model says, with the article 'Milk' of code 1 in the box 'A'.
  private static let schema = """
    CREATE TABLE country(code TEXT PRIMARY KEY);
    CREATE TABLE box(id INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE);
    CREATE TABLE article(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, code INTEGER UNIQUE,
      country TEXT REFERENCES country(code), price REAL NOT NULL CHECK (price < 100),
      box_id INTEGER REFERENCES box(id));
    CREATE TRIGGER t BEFORE INSERT ON article WHEN NEW.name = 'Poison' BEGIN SELECT raise(ABORT, 'no poison'); END;
    INSERT INTO country VALUES ('CH');
    INSERT INTO box VALUES (1, 'A');
    INSERT INTO article VALUES (1, 'Milk', 1, 'CH', 2, 1);
    """

  private static let mapping = """
    entity: Article
    attributes: {name: '@name', code: '@code', country: '@country', price: '@price'}
    relationships: {box: {attributes: {label: '@box'}}}
    """

  private static let good = "Oats,7,CH,3,B"
  /// Rows of which each is refused by another rule, and a word of the refusal.
  private static let refused = [
    ("Bread,1,CH,3,", "'code'"), ("Bread,2,XX,3,", "references a missing 'country'"),
    ("Bread,2,CH,,", "NOT NULL"), ("Bread,2,CH,300,", "CHECK"), ("Poison,2,CH,3,", "no poison"),
    ("Bread,2,CH,3,A", "belong to two objects"),
  ]

  /// The store in a file, and its bytes with all that lies beside it.
  private struct Store {
    let folder: TemporaryFolder
    let model: ObjectModel
    var path: String { folder.file("goods.sqlite").path }

    init(_ journal: String) throws {
      folder = try TemporaryFolder()
      model = try ObjectModel(yaml: DryRunTests.model)
      let queue = try DatabaseQueue(path: folder.file("goods.sqlite").path)
      try queue.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA journal_mode = \(journal)")
        try db.execute(sql: DryRunTests.schema)
      }
      try queue.close()
    }

    func graph(isReadOnly: Bool) throws -> SQLiteGraph {
      try SQLiteGraph(path: path, model: model, isReadOnly: isReadOnly)
    }

    func bytes() throws -> Data { try Data(contentsOf: folder.file("goods.sqlite")) }
  }

  private func csv(_ rows: String...) -> String {
    (["name,code,country,price,box"] + rows).joined(separator: "\n") + "\n"
  }

  private static let dry = TransferOptions(isDryRun: true)

  @Test(
    "Meets every constraint, key and trigger that the import meets", arguments: refused, ["WAL", "DELETE"])
  func refusals(_ row: (text: String, reason: String), _ journal: String) throws {
    // An update takes the box from the article that has it.
    let isTaken = row.reason == "belong to two objects"
    for existing in isTaken ? [ExistingPolicy.keep] : [.keep, .update] {
      let store = try Store(journal)
      let graph = try store.graph(isReadOnly: false)
      // The text stands behind the name of a file that is another one each time.
      func text(_ options: TransferOptions) -> String {
        message {
          try graph.importText(
            csv(Self.good, row.text), .csv, Self.mapping, ImportOptions(existing: existing),
            transferOptions: options)
        }.replacing(/^.*rows/, with: "rows")
      }
      let before = try (store.bytes(), graph.lines())
      let planned = text(Self.dry)
      #expect(planned.contains(row.reason), "\(planned)")
      #expect(try store.bytes() == before.0)
      #expect(try graph.lines() == before.1)
      #expect(text(TransferOptions()) == planned)
      #expect(try graph.lines() == before.1)
    }
  }

  @Test("Needs no more than to read the store, and leaves every byte of it", arguments: ["WAL", "DELETE"])
  func readOnly(_ journal: String) throws {
    let store = try Store(journal)
    let before = try store.bytes()
    let graph = try store.graph(isReadOnly: true)
    let report = try graph.importText(
      csv(Self.good, "Milk,9,CH,1,A"), .csv, Self.mapping, ImportOptions(existing: .update),
      transferOptions: Self.dry)
    #expect(report.dryRun && report.created == ["Article": 1, "Box": 1] && report.updated == ["Article": 1])
    try graph.close()
    #expect(try store.bytes() == before)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: store.folder.path).filter {
        $0.hasSuffix("journal")
      }.isEmpty)
  }

  @Test("Locks nobody out")
  func unlocked() throws {
    let store = try Store("WAL")
    let graph = try store.graph(isReadOnly: true)
    let other = try DatabaseQueue(path: store.path)
    try other.inTransaction(.immediate) { db in
      try db.execute(sql: "UPDATE article SET price = 5")
      #expect(
        try graph.importText(csv(Self.good), .csv, Self.mapping, transferOptions: Self.dry).created?[
          "Article"] == 1)
      return .commit
    }
  }

  @Test(
    "In the caller's transaction it is taken back, and the import is refused by the same rules",
    arguments: refused)
  func callersTransaction(_ row: (text: String, reason: String)) throws {
    let store = try Store("DELETE")
    let queue = try DatabaseQueue(path: store.path)
    try queue.inTransaction { db in
      try SQLiteGraph.with(db, model: store.model) { graph in
        try graph.insert("Article", ["name": "Mine", "price": 1])
        let before = try graph.lines()
        let report = try graph.importText(csv(Self.good), .csv, Self.mapping, transferOptions: Self.dry)
        #expect(report.created == ["Article": 1, "Box": 1])
        #expect(try graph.lines() == before)
        for run in [Self.dry, TransferOptions()] {
          let text = message {
            try graph.importText(csv(Self.good, row.text), .csv, Self.mapping, transferOptions: run)
          }
          #expect(text.contains(row.reason), "\(text)")
          #expect(try graph.lines() == before)
        }
      }
      #expect(try Bool.fetchOne(db, sql: "PRAGMA defer_foreign_keys") == false)
      return .commit
    }
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM article") } == 2)
  }

  @Test("Where a caller only reads, a dry run sees what the caller sees")
  func callersRead() throws {
    let store = try Store("WAL")
    let pool = try DatabasePool(path: store.path)
    let (created, count) = try pool.read { db in
      try SQLiteGraph.with(db, model: store.model) { graph in
        let report = try graph.importText(csv(Self.good), .csv, Self.mapping, transferOptions: Self.dry)
        return (report.created, try graph.count("Article"))
      }
    }
    #expect(created == ["Article": 1, "Box": 1] && count == 1)
  }

  @Test("In memory it finds the same related objects that are taken")
  func memory() throws {
    let graph = MemoryGraph(model: try ObjectModel(yaml: Self.model))
    try graph.importText(csv("Milk,1,CH,2,A"), .csv, Self.mapping)
    let before = try graph.lines()
    let (row, reason) = try #require(Self.refused.last)
    for run in [Self.dry, TransferOptions()] {
      let text = message {
        try graph.importText(csv(Self.good, row), .csv, Self.mapping, transferOptions: run)
      }
      #expect(text.contains(reason), "\(text)")
      #expect(try graph.lines() == before)
    }
  }
}
