import MOCloneModel

/// A graph that reads what many objects of one concrete entity hold at once.
package protocol SetReading: ObjectGraph {
  /// The values of attributes that are stored, in step with the objects.
  func values(_ attributes: [String], ofEach objects: [ObjectID]) throws -> [[AttributeValue]]

  /// The destinations of a relationship, in step with the objects: in order where it is ordered, else by key.
  func destinations(_ relationship: String, ofEach objects: [ObjectID]) throws -> [[ObjectID]]
}

extension ObjectGraph {
  /// The values of attributes that are stored, in step with objects of any entities that have them.
  package func values(_ attributes: [String], ofAll objects: [ObjectID]) throws -> [[AttributeValue]] {
    try objects.readByEntity { objects in
      if let graph = self as? any SetReading { return try graph.values(attributes, ofEach: objects) }
      return try objects.map { object in try attributes.map { try value($0, of: object) } }
    }
  }

  /// The destinations of a relationship, in step with objects of any entities that have it.
  package func destinations(_ relationship: String, ofAll objects: [ObjectID]) throws -> [[ObjectID]] {
    try objects.readByEntity { objects in
      if let graph = self as? any SetReading { return try graph.destinations(relationship, ofEach: objects) }
      return try objects.map { try destinations(relationship, of: $0) }
    }
  }

  /// What objects hold for one part of an identity, in step with them.
  package func parts(_ path: IdentityPath, ofAll objects: [ObjectID]) throws -> [IdentityPart] {
    var ends: [ObjectID?] = objects
    func read<Value>(_ read: ([ObjectID]) throws -> [Value]) throws -> [Value?] {
      let known = ends.compactMap { $0 }.uniqued()
      let values = Dictionary(uniqueKeysWithValues: zip(known, try read(known)))
      return ends.map { end in end.flatMap { values[$0] } }
    }
    for step in path.steps {
      ends = try read { try destinations(step.name, ofAll: $0) }.map { $0?.first }
    }
    guard let attribute = path.attribute else {
      return ends.map { end in end.map(IdentityPart.object) ?? .value(.null) }
    }
    return try read { try values([attribute.name], ofAll: $0) }.map { .value($0?.first ?? .null) }
  }
}

extension [ObjectID] {
  /// Goes through the objects, no more at a time than a graph reads at once: what is read of them stays in bounds.
  ///
  /// - Throws: `CancellationError`.
  package func inSets(_ body: ([ObjectID]) throws -> Void) throws {
    let most = 500
    for start in stride(from: 0, to: count, by: most) {
      try Cancellation.check()
      try body(Array(self[start..<Swift.min(start + most, count)]))
    }
  }

  /// What is read of each object, for those of one concrete entity after another.
  package func readByEntity<Value>(_ read: ([ObjectID]) throws -> [Value]) throws -> [Value] {
    var values = [Value?](repeating: nil, count: count)
    let groups = Dictionary(grouping: indices) { self[$0].entity }.values.sorted { $0[0] < $1[0] }
    for places in groups {
      for (place, value) in zip(places, try read(places.map { self[$0] })) { values[place] = value }
    }
    return values.map { $0! }
  }
}
