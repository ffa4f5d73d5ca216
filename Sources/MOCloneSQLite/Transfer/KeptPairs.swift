import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Originals and their clones in a database of their own, which SQLite keeps in a file that only it sees, so that memory does
/// not grow with them.
final class KeptPairs: PairKeeping {
  private let queue: DatabaseQueue
  private let mapping: SchemaMapping
  /// The columns of a key with the most parts.
  private let width: Int

  /// One object of each pair.
  private enum Side: String { case original, clone }

  /// - Parameter mapping: where the objects lie in their store.
  init(_ mapping: SchemaMapping) throws {
    self.mapping = mapping
    width = mapping.entities.values.map(\.key.count).max() ?? 1
    // A path without a name is that of a temporary file.
    queue = try DatabaseQueue(path: "")
    let columns = columns([.original, .clone])
    try queue.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE pair(\(columns.list))") }
  }

  var originals: any ObjectList { Objects(pairs: self, side: .original) }
  var clones: any ObjectList { Objects(pairs: self, side: .clone) }

  func keep(_ pairs: [CloneResult.Pair]) throws {
    try queue.write { db in
      let writer = try db.rowWriter(into: "pair", columns([.original, .clone]))
      for pair in pairs {
        let entity = [StoredValue.text(pair.clone.entity)]
        try writer.write((entity + stored(pair.original) + stored(pair.clone))[...])
      }
      try writer.finish()
    }
  }

  func each(_ body: (CloneResult.Pair) throws -> Void) throws {
    try rows([.original, .clone]) { try body(CloneResult.Pair(original: $0[0], clone: $0[1])) }
  }

  /// - Parameter isDistinct: whether each row comes once.
  private func rows(
    _ sides: [Side], isDistinct: Bool = false, _ body: ([ObjectID]) throws -> Void
  ) throws {
    let rows = "\(isDistinct ? "DISTINCT " : "")\(columns(sides).list) FROM pair"
    try queue.read { db in
      try db.stream("SELECT \(rows)") { row in
        guard case .text(let entity) = row[0] else { return }
        let coding = KeyCoding(entity: mapping[entity])
        try body(sides.indices.map { ObjectID(entity, key: coding.decode(row, from: 1 + $0 * width)) })
      }
    }
  }

  private func columns(_ sides: [Side]) -> [String] {
    ["entity"] + sides.flatMap { side in (0..<width).map { "\(side.rawValue)\($0)" } }
  }

  private func stored(_ object: ObjectID) -> [StoredValue] {
    let key = KeyCoding(entity: mapping[object.entity]).encode(object.key)
    return key + Array(repeating: .null, count: width - key.count)
  }

  private struct Objects: ObjectList {
    let pairs: KeptPairs
    let side: Side

    func entities() throws -> Set<String> {
      try pairs.queue.read { try String.fetchSet($0, sql: "SELECT DISTINCT entity FROM pair") }
    }

    /// An object that belongs to several roots has a clone for each.
    func each(_ body: (ObjectID) throws -> Void) throws {
      try pairs.rows([side], isDistinct: side == .original) { try body($0[0]) }
    }
  }
}
