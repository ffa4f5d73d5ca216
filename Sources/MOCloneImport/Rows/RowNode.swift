import MOCloneEngine
import MOCloneModel

/// Takes one kind of object from rows, with all that belongs to it; runs the same for every row.
final class RowNode {
  struct Value {
    /// The place of the attribute among the values of the entity.
    var place: Int
    var reader: ValueReader
    /// The number of the row's value.
    var field: Int
  }

  let entity: Int
  let name: String
  let link: ImportNode.Link
  let relationship: RelationshipDescription?
  let nested: Int?
  /// The values that are read from each row.
  let values: [Value]
  let below: [RowNode]
  let identity: [Int]
  let identityReferences: [Int]
  let identityNames: String
  /// Rows that are the same need not be added twice.
  let seen: RowCache?

  /// The row under way.
  let row: UnsafeMutableBufferPointer<StagedValue>
  let references: UnsafeMutableBufferPointer<Int64>
  /// The number of the row under way, where it has been added before.
  var known: Int64?
  /// Whether nothing identifies the row under way.
  var isNull = false

  init(_ node: ImportNode, _ plan: ImportPlan) throws {
    let entity = plan.entities[node.entity]
    self.entity = node.entity
    name = node.name
    link = node.link
    relationship = node.relationship
    nested = node.nested
    identity = node.identity
    identityReferences = node.identityReferences
    identityNames = node.identityNames
    row = .allocate(capacity: entity.attributes.count)
    row.initialize(repeating: .absent)
    values = try Self.values(of: node, entity, row)
    below = try node.below.map { try RowNode($0, plan) }
    seen = node.canBeShared(plan) ? RowCache(values.map(\.field)) : nil
    references = .allocate(capacity: entity.references.count)
    references.initialize(repeating: 0)
  }

  /// What is read from each row; constants are put into the row for good.
  private static func values(
    of node: ImportNode, _ entity: ImportPlan.Entity, _ row: UnsafeMutableBufferPointer<StagedValue>
  ) throws -> [Value] {
    try node.sources.sorted { $0.key < $1.key }.compactMap { name, source in
      let place = entity.attribute(name)!
      let reader = try ValueReader(
        entity.attributes[place], node.name, source, identifies: node.identity.contains(place))
      if let constant = reader.constant { row[place] = constant }
      return node.fields[name].map { Value(place: place, reader: reader, field: $0) }
    }
  }

  deinit {
    row.deinitialize()
    row.deallocate()
    references.deallocate()
  }

  var isToOne: Bool { relationship?.isToMany == false }

  func withoutKey(_ record: Record) -> RowFault {
    RowFault(
      "\(name) is identified by \(identityNames), which is empty: no object is made", at: record.place)
  }
}

extension ImportNode {
  /// Whether rows of the same values are the same row: nothing else belongs to them, and no later one counts more.
  fileprivate func canBeShared(_ plan: ImportPlan) -> Bool {
    guard nested == nil, below.isEmpty, !identity.isEmpty, identityReferences.isEmpty else { return false }
    let isIdentity = sources.keys.allSatisfy { identity.contains(plan.entities[entity].attribute($0)!) }
    guard plan.existing != .update || isIdentity else { return false }
    switch link {
    case .above, .pair: return true
    case .root, .below: return false
    }
  }
}
