import Foundation
import GRDB
import MOCloneKit
import Synchronization
import TestSupport

/// Work that moves data, on stores and files of some thousand rows that are the same each time.
struct TransferWork {
  enum Kind: String, CaseIterable {
    case copy, seed, dedupe, sync, importing
  }

  let kind: Kind
  let graph: SQLiteGraph
  let queue: DatabaseQueue
  private let folder: TemporaryFolder

  static let model = try! ObjectModel(
    yaml: """
      version: 1
      name: Shop
      entities:
        Item:
          attributes: {name: String, note: String?, modified: Date?}
          relationships: {parts: {destination: Part, toMany: true, inverse: item, deleteRule: cascade}}
        Part:
          attributes: {name: String}
          relationships: {item: {destination: Item, inverse: parts}}
      """)

  static let identities: IdentityRequest = ["Item": ["name"], "Part": ["name"]]

  /// - Parameter rows: how many items there are in what is moved; the store has half of them, or all twice.
  init(_ kind: Kind, rows: Int, traced trace: (@Sendable (String) -> Void)? = nil) throws {
    self.kind = kind
    folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      if let trace { db.trace { trace("\($0)") } }
    }
    queue = try DatabaseQueue(path: folder.path + "/store.sqlite", configuration: configuration)
    graph = SQLiteGraph(queue, model: Self.model)
    try Self.fill(queue, rows: rows / 2, times: kind == .dedupe ? 2 : 1)
    try Self.fill(DatabaseQueue(path: folder.path + "/source.sqlite"), rows: rows, times: 1)
    let lines = (1...rows).map { "Item \($0),new \($0)\n" }.joined()
    try ("name,note\n" + lines).write(toFile: folder.path + "/items.csv", atomically: true, encoding: .utf8)
  }

  private static func fill(_ queue: DatabaseQueue, rows: Int, times: Int) throws {
    try queue.write { db in
      try SchemaWriter(model).create(in: db)
      for time in 0..<times {
        try db.execute(
          sql: """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :rows)
            INSERT INTO item(id, name, note) SELECT :first + i, 'Item ' || i, iif(i % 2, NULL, 'old') FROM n;
            INSERT INTO part(name, item_id) SELECT 'Part ' || id, id FROM item WHERE id > :first
            """, arguments: ["rows": rows, "first": time * rows])
      }
    }
  }

  /// Does the work, on the graph of the store unless another one is named.
  @discardableResult
  func perform(_ transferOptions: TransferOptions = TransferOptions(), in other: SQLiteGraph? = nil) throws
    -> TransferReport?
  {
    let graph = other ?? self.graph
    switch kind {
    case .copy:
      return try graph.copy(
        from: source(), CopyRequest(identifiedBy: Self.identities), options: transferOptions)
    case .seed: return try graph.seed(from: source(), identifiedBy: Self.identities, options: transferOptions)
    case .dedupe:
      return try graph.dedupe(
        DedupeRequest(entities: ["Item"], identifiedBy: ["Item": ["name"]]), options: transferOptions)
    case .sync:
      let request = SyncRequest(entity: "Item", identifiedBy: ["Item": ["name"]], overwriting: ["note"])
      return try graph.sync(request, fromFile: folder.path + "/items.csv", options: transferOptions)
    case .importing:
      let mapping = try ImportMapping(yaml: "entity: Item\nattributes: {name: '@name', note: '@note'}")
      let options = ImportOptions(existing: .update, identifiedBy: ["Item": ["name"]])
      return try graph.importFile(
        folder.path + "/items.csv", mapping: mapping, options: options, transferOptions: transferOptions)
    }
  }

  private func source() throws -> SQLiteGraph {
    try SQLiteGraph(path: folder.path + "/source.sqlite", model: Self.model, isReadOnly: true)
  }

  /// Everything that the store holds, dates of change left out.
  func contents() throws -> [String] { try Self.contents(of: queue) }

  static func contents(of queue: DatabaseQueue) throws -> [String] {
    try queue.read { db in
      try ["SELECT id || name || ifnull(note, '-') FROM item", "SELECT name || item_id FROM part"].flatMap {
        try String.fetchAll(db, sql: $0 + " ORDER BY id")
      }
    }
  }
}

/// Counts how often a run is asked whether it is to end, and does something the nth time.
final class Looks: Sendable {
  private let count = Mutex(0)
  private let place: Int
  private let body: @Sendable () -> Bool

  /// - Parameters:
  ///   - place: the look from which on the body answers.
  ///   - body: whether the run is to end.
  init(from place: Int = .max, _ body: @escaping @Sendable () -> Bool = { true }) {
    self.place = place
    self.body = body
  }

  var number: Int { count.withLock { $0 } }

  func look() -> Bool {
    let number = count.withLock { count in
      count += 1
      return count
    }
    return number >= place ? body() : false
  }
}

extension TransferOptions {
  init(_ looks: Looks) {
    self.init()
    isCancelled = looks.look
  }
}
