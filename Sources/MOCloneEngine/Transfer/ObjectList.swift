/// Distinct objects, wherever they are kept.
package protocol ObjectList: Sendable {
  func entities() throws -> Set<String>

  /// Goes through the objects, in no order.
  func each(_ body: (ObjectID) throws -> Void) throws
}

extension ObjectList {
  /// All of them in memory.
  package func all() throws -> Set<ObjectID> {
    var all: Set<ObjectID> = []
    try each { all.insert($0) }
    return all
  }
}

extension Set: ObjectList where Element == ObjectID {
  package func entities() -> Set<String> { Set<String>(self.map { $0.entity }) }

  package func each(_ body: (ObjectID) throws -> Void) throws {
    for object in self { try body(object) }
  }
}

/// Originals and their clones, wherever they are kept.
package protocol PairList: Sendable {
  var clones: any ObjectList { get }

  /// Goes through the pairs in the order in which they were made.
  func each(_ body: (CloneResult.Pair) throws -> Void) throws
}

extension [CloneResult.Pair]: PairList {
  package var clones: any ObjectList { Set<ObjectID>(self.map { $0.clone }) }

  package func each(_ body: (CloneResult.Pair) throws -> Void) throws {
    for pair in self { try body(pair) }
  }
}

/// Keeps the pairs of a run outside of memory.
package protocol PairKeeping: PairList {
  func keep(_ pairs: [CloneResult.Pair]) throws
}
