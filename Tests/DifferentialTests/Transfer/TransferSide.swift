import MOCloneKit
import MOCloneTesting
import TestSupport

typealias AnyTransferGraph = CopyingGraph & SyncingGraph & ImportingGraph

/// A graph with what it holds, whatever it lies in.
struct TransferSide {
  let graph: any AnyTransferGraph
  var picture: () throws -> StorePicture
  /// The store of another program; nil in memory.
  let store: (any TriggeredStore)?
  /// The value that names objects whatever their keys are.
  var mark: String? = "mark"

  /// Nil where a graph in memory refuses what the store of another program holds.
  init?(_ store: TransferStore, in place: TransferPlace, _ random: inout SplitMix64) throws {
    guard place != .sqlite else {
      graph = store.graph
      picture = store.picture
      self.store = store
      return
    }
    let memory = MemoryGraph(model: store.schema.shape.model)
    do { try store.picture().fill(memory) } catch is CloneError { return nil }
    guard place == .postgres else {
      graph = memory
      picture = { try StorePicture(memory) }
      self.store = nil
      return
    }
    guard let database = try PostgresTransferStore(store.schema, StorePicture(memory), &random) else {
      return nil
    }
    graph = database.graph
    picture = database.picture
    self.store = database
  }

  /// Objects without the notations that another kind of store could not read.
  init?(plain store: TransferStore) throws {
    let plain = try SQLiteGraph.temporary(store.schema.shape.model)
    do { try store.picture().fill(plain) } catch is CloneError { return nil }
    graph = plain
    picture = { try StorePicture(plain) }
    self.store = nil
  }

  /// Whether a string has the character U+0000, which no database of a server can hold.
  func hasZeros() throws -> Bool {
    try picture().tables.values.contains { table in
      table.rows.contains { row in
        row.values.values.contains { if case .text(let bytes) = $0 { bytes.contains(0) } else { false } }
      }
    }
  }

  func lines() throws -> PictureLines { PictureLines(try picture(), named: nil) }

  /// What must not change where nothing is done: the bytes of a store, all values of a graph in memory.
  func bytes() throws -> [UInt8] {
    if let store = store as? TransferStore { return store.bytes() }
    return try Array(lines().lines.joined(separator: "\n").utf8)
  }
}

extension StorePicture {
  /// The same as the tables of a store would hold it; columns that only the store knows hold what a new row gets.
  func source(of store: StorePicture) -> StorePicture {
    var picture = self
    for (name, table) in store.tables {
      picture.tables[name]!.columns = table.columns
      for (row, column) in product(picture.tables[name]!.rows.indices, table.columns) {
        let value = picture.tables[name]!.rows[row].values[column.name] ?? column.standard
        picture.tables[name]!.rows[row].values[column.name] = value.stored(column.affinity)
      }
    }
    return picture
  }

  private func product(_ rows: Range<Int>, _ columns: [Column]) -> [(Int, Column)] {
    rows.flatMap { row in columns.filter { !$0.isGenerated }.map { (row, $0) } }
  }
}
