import MOCloneKit
import MOCloneTesting

typealias AnyMovingGraph = CopyingGraph & SyncingGraph & ImportingGraph

/// A graph with what it holds, whatever it lies in.
struct MovingSide {
  let graph: any AnyMovingGraph
  var picture: () throws -> StorePicture
  /// The store, where the graph lies in one.
  let store: MovingStore?
  /// The value that names objects whatever their keys are.
  var mark: String? = "mark"

  /// Nil where a graph in memory refuses what the store of another program holds.
  init?(_ store: MovingStore, in executor: Executor) throws {
    guard executor == .memory else {
      graph = store.graph
      picture = store.picture
      self.store = store
      return
    }
    let memory = MemoryGraph(model: store.schema.shape.model)
    do { try store.picture().fill(memory) } catch is CloneError { return nil }
    graph = memory
    picture = { try StorePicture(memory) }
    self.store = nil
  }

  func lines() throws -> PictureLines { PictureLines(try picture(), named: nil) }

  /// What must not change where nothing is done: the bytes of a store, all values of a graph in memory.
  func bytes() throws -> [UInt8] {
    if let store { return store.bytes() }
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
