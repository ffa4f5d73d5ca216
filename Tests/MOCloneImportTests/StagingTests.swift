import Foundation
import GRDB
import MOCloneKit
import Testing

/// Rows on their way from the thread that reads them to the one that stages them.
@Suite("Staging of rows")
struct StagingTests {
  private let mapping = "entity: Article\nattributes: {name: '@name', price: '@price'}"

  @Test("Texts of every length arrive whole and in their order, over many batches")
  func texts() throws {
    let graph = try SQLiteGraph.temporary(shopModel())
    // Longer than a batch has room for, empty, and many short ones.
    let notes = [300_000, 0, 1, 262_144, 262_145, 131_072, 5].enumerated().map { i, count in
      String(repeating: String(i), count: count)
    }
    let rows = (0..<10_000).map { "\($0),\(notes[$0 % 1000 < notes.count ? $0 % 1000 : 6])" }
    try graph.importText(
      "number,note\n" + rows.joined(separator: "\n"), .csv,
      "entity: Order\nattributes: {number: '@number', note: '@note'}")
    let orders = try graph.objects("Order")
    #expect(orders.count == 10_000)
    for (i, order) in orders.enumerated() where i % 1000 < 10 {
      let note = notes[i % 1000 < notes.count ? i % 1000 : 6]
      #expect(try order.value("note") == (note.isEmpty ? .null : .string(note)), "\(i)")
    }
  }

  @Test("What a row cannot be staged for is thrown, and the connection is as before")
  func failure() throws {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      // Too few pages for these rows.
      try db.execute(sql: "PRAGMA temp_store = MEMORY; PRAGMA temp.max_page_count = 40")
    }
    let queue = try DatabaseQueue(configuration: configuration)
    let model = try shopModel()
    try queue.write { try SchemaWriter(model).create(in: $0) }
    let graph = SQLiteGraph(queue, model: model)
    let csv = "name,price\n" + (0..<100_000).map { "Article \($0),1\n" }.joined()
    let text = message { try graph.importText(csv, .csv, mapping) }
    #expect(text.contains("the disk is full"), "\(text)")
    #expect(try graph.count("Article") == 0)
    #expect(try graph.importText("name,price\na,1\n", .csv, mapping).created == ["Article": 1])
  }

  @Test("A cancelled task leaves nothing, wherever it is cancelled", arguments: [1, 2, 20])
  func cancelled(_ reports: Int) async throws {
    let queue = try DatabaseQueue()
    let model = try shopModel()
    try await queue.write { try SchemaWriter(model).create(in: $0) }
    let csv = "name,price\n" + (0..<100_000).map { "Article \($0),1\n" }.joined()
    let file = try TestFile(csv, "csv")
    let text = mapping
    let task = Task {
      let options = TransferOptions(progress: { progress in
        if progress.count >= reports * 4096 { withUnsafeCurrentTask { $0?.cancel() } }
      })
      try SQLiteGraph(queue, model: model).importFile(
        file.path, mapping: ImportMapping(yaml: text), transferOptions: options)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    let count = try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM article") }
    #expect(count == 0)
  }
}
