import Foundation
import GRDB
import MOCloneKit
import MOCloneTesting
import Synchronization
import TestSupport
import Testing

/// The statements of a connection, in their order, without the numbers of the runs in the names of tables.
private final class StatementLog: Sendable {
  private let statements = Mutex<[String]>([])

  init(_ queue: DatabaseQueue) {
    queue.writeWithoutTransaction { db in
      db.trace { event in
        guard case .statement(let statement) = event else { return }
        let text = statement.sql.replacing(/moclone_import\d+_/, with: "moclone_import_")
        self.statements.withLock { $0.append(text) }
      }
    }
  }

  /// What has come since the last call: how many rows were staged, and all other statements.
  func take() -> (staged: Int, others: [String]) {
    let all = statements.withLock { statements in
      defer { statements = [] }
      return statements
    }
    func isStaging(_ statement: String) -> Bool {
      statement.hasPrefix("INSERT INTO temp.\"moclone_import_") && statement.contains("VALUES (?")
    }
    let staged = all.filter(isStaging).reduce(0) { $0 + $1.components(separatedBy: "(?").count - 1 }
    return (staged, all.filter { !isStaging($0) })
  }
}

@Suite("Statements of imports")
struct ImportStatementTests {
  private static let mapping = ordersMapping.replacing("rows: orders\n", with: "")

  /// Orders of one customer each out of three, with two lines each.
  private func orders(_ count: Int) -> String {
    (0..<count).map { i in
      let lines = (0..<2).map { k in
        "{\"position\": \(k), \"quantity\": \(i % 9), \"article\": \"a\((i + k) % 5)\", \"tags\": [\"t\(i % 4)\"]}"
      }
      return "{\"number\": \(i), \"customer\": \"c\(i % 3)\", \"lines\": [\(lines.joined(separator: ", "))]}"
    }.joined(separator: "\n")
  }

  /// The statements of an import into an empty store, and of the same once more.
  private func statements(
    _ count: Int, _ existing: ExistingPolicy
  ) throws -> [(staged: Int, others: [String])] {
    let queue = try DatabaseQueue()
    let model = try shopModel()
    try queue.write { try SchemaWriter(model).create(in: $0) }
    let log = StatementLog(queue)
    let graph = SQLiteGraph(queue, model: model)
    return try (0..<2).map { _ in
      try graph.importText(
        orders(count), .ndjson, Self.mapping, ImportOptions(existing: existing),
        transferOptions: TransferOptions(generator: fixedGenerator()))
      return log.take()
    }
  }

  @Test(
    "Those that find and write are the same for ten rows and for a thousand; each row is staged once",
    arguments: ExistingPolicy.allCases)
  func sameForAnyNumber(_ existing: ExistingPolicy) throws {
    let few = try statements(10, existing)
    let many = try statements(1000, existing)
    for (few, many) in zip(few, many) {
      #expect(few.others.count == many.others.count)
      #expect(Set(few.others).symmetricDifference(many.others).sorted() == [])
      #expect(few.others.count < 250)
      // Of each row an order, two lines, two articles, a tag of each and what ties the two; and three customers.
      #expect(few.staged == 9 * 10 + 3 && many.staged == 9 * 1000 + 3)
    }
  }

  @Test(
    "From ten thousand new objects on, indexes that are not unique are dropped and made again: two statements each"
  )
  func indexes() throws {
    let model = try ObjectModel(yaml: "version: 1\n" + SharedModel.goods())
    let mapping = """
      entity: Item
      attributes: {name: '@name'}
      relationships: {unit: {attributes: {name: '@unit'}}}
      """
    let found = try [10, 9_999, 10_000, 20_000].map { count in
      let queue = try DatabaseQueue()
      try queue.write { try SchemaWriter(model).create(in: $0) }
      let log = StatementLog(queue)
      let csv = "name,unit\n" + (0..<count).map { "n\($0),u\($0 % 7)\n" }.joined()
      try SQLiteGraph(queue, model: model).importText(csv, .csv, mapping)
      return log.take()
    }
    #expect(found.map(\.staged) == [10 + 7, 9_999 + 7, 10_000 + 7, 20_000 + 7])
    #expect(found.allSatisfy { $0.others.contains { $0.hasPrefix("PRAGMA foreign_keys = OFF") } })
    #expect(found[0].others == found[1].others)
    #expect(found[2].others == found[3].others)
    let more = Set(found[2].others).subtracting(found[0].others)
    #expect(more.filter { $0.hasPrefix("DROP INDEX") }.count == 1)
    #expect(more.filter { $0.hasPrefix("CREATE INDEX") }.count == 1)
  }
}
