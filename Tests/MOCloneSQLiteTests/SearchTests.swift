import GRDB
import MOCloneKit
import Synchronization
import Testing

/// Copies look rows up in their temporary tables by indexes: without them their time grows with the square of the rows.
@Suite("How copies search their temporary tables")
struct SearchTests {
  enum Work: String, CaseIterable {
    case everything, selection, subtree, subtreeWithKeys
  }

  private static let yaml = """
    entities:
      Shelf:
        attributes: {number: Integer 64}
        relationships:
          books: {destination: Book, toMany: true, inverse: shelf}
        uniquenessConstraints: [[number]]
      Book:
        attributes: {title: String}
        relationships:
          shelf: {destination: Shelf, inverse: books, column: shelf_id}
          pages: {destination: Page, toMany: true, inverse: book}
          words: {destination: Word, toMany: true, inverse: books, joinTable: {table: book_word, column: book_id, inverseColumn: word_id}}
      Page:
        attributes: {text: String}
        relationships: {book: {destination: Book, inverse: pages, column: book_id}}
      Word:
        attributes: {word: String}
        relationships: {books: {destination: Book, toMany: true, inverse: words}}
        uniquenessConstraints: [[word]]
    """

  private func source(_ model: ObjectModel) throws -> MemoryGraph {
    let graph = MemoryGraph(model: model)
    let shelf = try graph.insert("Shelf", ["number": 7])
    let word = try graph.insert("Word", ["word": "w"])
    for number in 0..<3 {
      let book = try graph.insert("Book", ["title": "b", "shelf": shelf.id.key.parts[0]])
      try graph.insert("Page", ["text": "t\(number)", "book": book.id.key.parts[0]])
      try graph.addDestination(word.id, to: "words", of: book.id)
    }
    return graph
  }

  @Test(
    "Each search of a table of what was reached, found or made uses all of its key", arguments: Work.allCases)
  func searches(_ work: Work) throws {
    let store = try StoreFixture(Self.yaml, "")
    let graph = SQLiteGraph(store.writer, model: store.model)
    try store.writer.write { try SchemaWriter(store.model).create(in: $0) }
    let source = try source(store.model)
    let statements = Mutex<[String]>([])
    store.writer.writeWithoutTransaction { db in
      db.trace { event in
        guard case .statement(let statement) = event else { return }
        statements.withLock { $0.append(statement.sql) }
      }
    }
    let plan = try ClonePlan(model: store.model, entity: "Shelf")
    let shelf = try #require(try source.objects("Shelf").first)
    switch work {
    case .everything: try graph.copy(from: source)
    case .selection:
      try graph.copy(from: source, CopyRequest(entities: ["Book"], identifiedBy: [:], limit: 2))
    case .subtree, .subtreeWithKeys:
      let request = SubtreeRequest(missing: .create, keepsKeys: work == .subtreeWithKeys)
      try graph.clone(plan, roots: [shelf.id], from: source, request)
    }
    let steps = try store.writer.writeWithoutTransaction { db in
      db.trace(options: [])
      return try statements.withLock { $0 }.filter { $0.contains(" AS k0") || $0.contains("q.k0") }
        .flatMap {
          try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + $0.replacing(/:\w+/, with: "1")).map {
            $0["detail"] as String
          }
        }
    }
    let searches = steps.filter { $0.contains(/^(SCAN|SEARCH) q\b/) }
    #expect(work == .everything || !searches.isEmpty)
    #expect(searches.allSatisfy { $0.hasSuffix("(t=? AND k0=?)") }, "\(searches)")
  }
}
