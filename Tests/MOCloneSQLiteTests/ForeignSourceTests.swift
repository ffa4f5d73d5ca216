import GRDB
import MOCloneKit
import TestSupport
import Testing

/// Stores of other programs that hold what a graph of the model would refuse.
@Suite("Copies and subtrees from stores that do not enforce the model")
struct ForeignSourceTests {
  private static let model = """
    entities:
      Note:
        attributes: {name: String}
        uniquenessConstraints: [[name]]
      LongNote: {parent: Note, attributes: {more: String?}}
      Board: {attributes: {name: String}, relationships: {cards: {destination: Card, toMany: true, inverse: board}}}
      Card:
        attributes: {name: String}
        relationships:
          board: {destination: Board, inverse: cards}
          items: {destination: Item, toMany: true, inverse: card}
        uniquenessConstraints: [[name]]
      Tag:
        attributes: {name: String}
        relationships: {items: {destination: Item, toMany: true, inverse: tags}}
        uniquenessConstraints: [[name]]
      Item:
        attributes: {name: String}
        relationships:
          card: {destination: Card, optional: true, inverse: items}
          tags: {destination: Tag, toMany: true, inverse: items,
            joinTable: {table: item_tag, column: item_id, inverseColumn: tag_id}}
    """
  private static let tables = """
    CREATE TABLE note(id INTEGER PRIMARY KEY, entity TEXT, name TEXT, more TEXT);
    CREATE TABLE board(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE card(id INTEGER PRIMARY KEY, name TEXT, board_id INTEGER NOT NULL);
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, card_id INTEGER);
    CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE item_tag(item_id INTEGER, tag_id INTEGER, PRIMARY KEY(item_id, tag_id));

    """

  private func graph(_ sql: String) throws -> SQLiteGraph {
    let store = try StoreFixture(Self.model, Self.tables + sql)
    return SQLiteGraph(store.writer, model: store.model)
  }

  @Test("Objects of several entities with one identity are refused with their list")
  func severalEntities() throws {
    let source = try graph("INSERT INTO note VALUES (3, 'Note', 'a', NULL), (4, 'LongNote', 'a', 'm');")
    for joins in [false, true] {
      let error = #expect(throws: CloneError.self) {
        try graph("").copyObjects(
          from: source, CopyRequest(joinsDuplicates: joins), options: TransferOptions())
      }
      #expect(error?.code == (joins ? .identityOfOtherEntity : .ambiguousIdentity))
      if !joins { for key in ["Note 3", "Note 4"] { #expect("\(error!)".contains(key), "\(error!)") } }
    }
  }

  // MARK: Linked objects with dangling references

  /// What the items of a target refer to once an item of card 1, whose board does not exist, came there.
  private func clone(_ missing: MissingPolicy, keepsKeys: Bool, into sql: String) throws -> (
    items: [String], report: TransferReport
  ) {
    let source = try graph("INSERT INTO card VALUES (1, 'c', 99); INSERT INTO item VALUES (1, 'i', 1);")
    let target = try StoreFixture(Self.model, Self.tables + sql)
    let result = try SQLiteGraph(target.writer, model: target.model).clone(
      source.plan("Item", CloneRequest()), roots: [source.object("Item", key: 1).id], from: source,
      SubtreeRequest(missing: missing, keepsKeys: keepsKeys))
    let rows = try target.rows("SELECT i.name, c.name FROM item i LEFT JOIN card c ON c.id = i.card_id")
    return (rows, result.report)
  }

  @Test(
    "A linked object whose required reference dangles is found, left out or missing",
    arguments: [false, true])
  func linkedObjects(keepsKeys: Bool) throws {
    let there = "INSERT INTO board VALUES (5, 'b'); INSERT INTO card VALUES (7, 'c', 5);"
    for missing in MissingPolicy.allCases {
      #expect(try clone(missing, keepsKeys: keepsKeys, into: there).items == ["i|c"])
    }
    #expect(try clone(.null, keepsKeys: keepsKeys, into: "").items == ["i|-"])
    for (missing, code) in [
      (MissingPolicy.fail, DiagnosticCode.missingLinked), (.create, .requiredLeftEmpty),
    ] {
      let error = #expect(throws: CloneError.self) { try clone(missing, keepsKeys: keepsKeys, into: "") }
      #expect(error?.code == code)
    }
  }

  @Test("The dangling references of members are counted, whatever becomes of keys", arguments: [false, true])
  func countedReferences(keepsKeys: Bool) throws {
    let source = try graph("INSERT INTO item VALUES (1, 'i', 99);")
    let result = try graph("").clone(
      source.plan("Item", CloneRequest()), roots: [source.object("Item", key: 1).id], from: source,
      SubtreeRequest(keepsKeys: keepsKeys))
    #expect(result.report.dangling == ["Item.card": 1])
  }

  @Test("A join row that held the key of an object before it came is its pair")
  func heldPairs() throws {
    let source = try graph(
      "INSERT INTO item VALUES (1, 'i', NULL); INSERT INTO tag VALUES (1, 't'); INSERT INTO item_tag VALUES (1, 1);"
    )
    let target = try StoreFixture(
      Self.model, Self.tables + "INSERT INTO tag VALUES (4, 't'); INSERT INTO item_tag VALUES (1, 4);")
    try SQLiteGraph(target.writer, model: target.model).clone(
      source.plan("Item", CloneRequest()), roots: [source.object("Item", key: 1).id], from: source,
      SubtreeRequest(keepsKeys: true))
    #expect(
      try target.rows("SELECT i.name, p.tag_id FROM item i JOIN item_tag p ON p.item_id = i.id") == ["i|4"])
  }

  // MARK: Stores that the app has attached itself

  @Test(
    "Objects come from a store that the app has attached to the target's connection",
    arguments: ["delete", "wal"], [false, true])
  func attachedStores(journal: String, isSubtree: Bool) throws {
    let folder = try TemporaryFolder()
    let archive = folder.file("archive.sqlite").path
    let stored = try DatabaseQueue(path: archive)
    try stored.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = \(journal)") }
    let source = try StoreFixture(Self.model, Self.tables + "INSERT INTO tag VALUES (1, 't');", in: stored)
    let queue = try DatabaseQueue(path: folder.file("store.sqlite").path)
    let target = try StoreFixture(Self.model, Self.tables, in: queue)
    try queue.writeWithoutTransaction {
      try $0.execute(sql: "ATTACH DATABASE ? AS archive", arguments: [archive])
    }
    let (from, to) = (
      SQLiteGraph(source.writer, model: source.model), SQLiteGraph(queue, model: target.model)
    )
    if isSubtree {
      try to.clone("Tag", roots: [from.object("Tag", key: 1).id], from: from)
    } else {
      try to.copy(from: from)
    }
    #expect(try target.rows("SELECT name FROM main.tag") == ["t"])
    #expect(try target.rows("SELECT name FROM archive.tag") == ["t"])
  }
}
