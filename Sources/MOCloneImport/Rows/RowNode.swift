import MOCloneEngine
import MOCloneModel

/// Takes one kind of object from rows, with all that belongs to it; runs the same for every row.
final class RowNode {
  let entity: Int
  let name: String
  let link: ImportNode.Link
  let relationship: RelationshipDescription?
  let nested: Int?
  /// What the nested rows are called in the file.
  let rowsName: String?
  /// The values that are read from each row.
  let values: FixedList<ValueReader>
  /// Nodes whose rows this one's refer to, and the others.
  let before: FixedList<RowNode>
  let after: FixedList<RowNode>
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
  /// Whether the row under way has no identity.
  var isNull = false
  /// Whether the row under way leaves out a required value.
  var lacksValues = false

  init(_ node: ImportNode, plan: ImportPlan, texts: TextRules) throws {
    let entity = plan.entities[node.entity]
    self.entity = node.entity
    name = node.name
    link = node.link
    relationship = node.relationship
    nested = node.nested
    rowsName = node.rowsName
    identity = node.identity
    identityReferences = node.identityReferences
    identityNames = node.identityNames
    row = .allocate(capacity: entity.attributes.count)
    row.initialize(repeating: .absent)
    let readers = try Self.readers(of: node, entity, row: row, texts: texts)
    values = FixedList(readers)
    let below = try node.below.map { try RowNode($0, plan: plan, texts: texts) }
    before = FixedList(below.filter(\.isReferredTo))
    after = FixedList(below.filter { !$0.isReferredTo })
    seen = node.canBeShared(plan) ? RowCache(readers.map(\.field)) : nil
    references = .allocate(capacity: entity.references.count)
    references.initialize(repeating: 0)
  }

  /// What is read from each row; constants are put into the row for good.
  private static func readers(
    of node: ImportNode, _ entity: ImportPlan.Entity, row: UnsafeMutableBufferPointer<StagedValue>,
    texts: TextRules
  ) throws -> [ValueReader] {
    try node.sources.sorted { $0.key < $1.key }.compactMap { name, source in
      let place = entity.attribute(name)!
      let reader = try ValueReader(
        entity.attributes[place], entity: node.name, source: source, place: place,
        field: node.fields[name] ?? -1,
        identifies: node.identity.contains(place), texts: texts)
      guard let constant = reader.constant else { return reader }
      row[place] = constant
      return nil
    }
  }

  deinit {
    row.deinitialize()
    row.deallocate()
    references.deallocate()
  }

  private var isReferredTo: Bool { if case .above = link { true } else { false } }

  var isToOne: Bool { relationship?.isToMany == false }

  /// Whether the row under way says nothing at all of the object.
  var isBlank: Bool {
    var isBlank = true
    values.each { if !row[$0.place].isNothing { isBlank = false } }
    return isBlank
  }

  func withoutKey(_ record: Record) -> RowFault {
    let reason = "\(name) is identified by \(identityNames), which is null or empty"
    guard let relationship else { return RowFault("\(reason), so no object is inserted", at: record.place) }
    return RowFault(
      "no object is inserted for '\(relationship.name)' of \(relationship.entity): \(reason)",
      at: record.place)
  }
}

extension ImportNode {
  /// Whether rows of the same values are the same row: nothing else belongs to them, and no later one counts more.
  fileprivate func canBeShared(_ plan: ImportPlan) -> Bool {
    guard nested == nil, below.isEmpty, !identity.isEmpty, identityReferences.isEmpty else { return false }
    let isIdentity = sources.keys.allSatisfy { identity.contains(plan.entities[entity].attribute($0)!) }
    guard plan.existing != .update || isIdentity else { return false }
    switch link {
    case .above, .joinRow: return true
    case .root, .below: return false
    }
  }
}
