import MOCloneKit
import MOCloneTesting

typealias AnyMovingGraph = CopyingGraph & SyncingGraph & ImportingGraph

/// A graph with what it holds, whatever it lies in.
struct MovingSide {
  let graph: any AnyMovingGraph
  let picture: () throws -> StorePicture
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
