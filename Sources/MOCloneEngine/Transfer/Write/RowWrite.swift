import MOCloneModel

/// Writes rows into the target once it is known what each is there: new objects, what existing ones take over,
/// references, lists, pairs, and dates of change.
struct RowWrite {
  private let match: RowMatch
  let options: TransferOptions
  let modified: ModifiedRule
  /// Of each row: its object in the target.
  private(set) var objects: [MemoryObject?]
  private(set) var made: Set<MemoryObject> = []
  var counts: TransferCounts
  /// What rows say that is not written, since an earlier one stands for them.
  var skipped: [TransferReport.Skipped] = []
  var failures: [CloneError.Failure] = []
  /// Existing objects that changed, and those whose rows gave the date of change.
  var changed: Set<MemoryObject> = []
  private var dated: Set<MemoryObject> = []
  /// Existing objects that lost their one-to-one object to the object of a row.
  var released: Set<MemoryObject> = []
  private let mapping: SchemaMapping
  /// Of each entity of the plan: the numbers of its references in the graph.
  let numbers: [[Int]]
  /// References whose rows are written in the order of lists.
  let listed: Set<Int>
  /// The row that stands for each object.
  lazy var standing: [MemoryObject: Int] = standingRows()

  init(_ match: RowMatch, options: TransferOptions, modified: ModifiedRule) {
    (self.match, self.options, self.modified) = (match, options, modified)
    mapping = match.graph.mapping
    counts = TransferCounts(match.policy)
    // A sync can have removed what it found, with its owner.
    objects = match.rows.rows.indices.map { row in
      match.found(row).flatMap { match.graph.exists($0) ? $0 : nil }
    }
    listed = Set(match.rows.lists.map(\.reference))
    numbers = match.rows.plan.entities.map { entity in
      entity.references.map { match.graph.store.layout.referenceNumber($0.relationship) }
    }
  }

  var rows: StagedRows { match.rows }
  var graph: MemoryGraph { match.graph }
  var policy: TransferPolicy { match.policy }
  var faults: RowFaults { match.faults }

  /// - Throws: `CloneError` with everything that stands in the way; `CancellationError`.
  mutating func perform() throws {
    try make()
    for (row, result) in match.results.enumerated() {
      if case .same(let other) = result { objects[row] = objects[match.first(other)] }
    }
    if policy.repeated == .joined {
      checkRelatedObjects()
      if !failures.isEmpty { throw CloneError(failures) }
    }
    for (place, row) in joiningOrder.enumerated() {
      if place % 1000 == 0 { try options.checkCancellation() }
      try rows.about(row) { try refer(row) }
    }
    for list in rows.lists { try refer(list) }
    for row in rows.rows.indices { try rows.about(row) { try clear(row) } }
    for row in rows.rows.indices where !isNew(row) { try rows.about(row) { try overwrite(row) } }
    if policy.existing == .fill { try fillUnique() }
    for number in rows.plan.joinRows.indices { try join(number) }
    for list in rows.lists { order(list) }
    try number()
    if !rows.followers.isEmpty, !policy.keepsKeys { try followNumbers() }
    for row in rows.rows.indices where isNew(row) { checkRequired(row) }
    if policy.missing == .null {
      for joinRows in rows.plan.joinRows.indices { checkLinked(joinRows) }
    }
    for object in changed.union(released).subtracting(dated) { try graph.touch(object, modified) }
    if !failures.isEmpty { throw CloneError(failures) }
    for (row, result) in match.results.enumerated() { count(row, result: result) }
  }

  /// The rows in the order in which they join lists: where several entities share one, those of a file come line by line,
  /// and within a line entity by entity.
  private var joiningOrder: [Int] {
    let joined = numbers.flatMap { Set($0) }
    guard Set(joined).count < joined.count, rows.rows.first?.line != nil else {
      return Array(rows.rows.indices)
    }
    return rows.rows.indices.sorted { joins($0, before: $1) }
  }

  /// Whether a row joins a list before another one: by line, then by entity, then by number.
  private func joins(_ row: Int, before other: Int) -> Bool {
    let line = rows.rows[row].line ?? 0
    let otherLine = rows.rows[other].line ?? 0
    if line != otherLine { return line < otherLine }
    let entity = rows.rows[row].entity
    let otherEntity = rows.rows[other].entity
    return entity == otherEntity ? row < other : entity < otherEntity
  }

  /// Whether the row stands for itself, and an object was made from it.
  func isNew(_ row: Int) -> Bool { match.results[row] == .new && objects[row] != nil }

  func isFound(_ row: Int) -> Bool {
    if case .found = match.results[row] { objects[row] != nil } else { false }
  }

  private func standingRows() -> [MemoryObject: Int] {
    var standing: [MemoryObject: Int] = [:]
    for (row, object) in objects.enumerated() where isNew(row) || isFound(row) { standing[object!] = row }
    return standing
  }

  func layout(of row: Int) -> EntityLayout {
    graph.store.layout.entities[graph.store.layout.number[rows.entity(of: row).name]!]
  }

  // MARK: New objects

  private mutating func make() throws {
    var progress = TransferProgress(.writing, total: rows.rows.count)
    for (row, result) in match.results.enumerated() {
      if row % 1000 == 0 { try options.report(progress) }
      progress.objects[rows.entity(of: row).name, default: 0] += 1
      guard result == .new else { continue }
      checkGiven(row)
      guard failures.isEmpty else { continue }
      let object = try rows.about(row) {
        try graph.makeObject(
          rows.entity(of: row).name, keeping: policy.keepsKeys ? rows.rows[row].object?.key : nil,
          values: values(of: row))
      }
      objects[row] = object
      made.insert(object)
    }
    try options.report(progress)
    if !failures.isEmpty { throw CloneError(failures) }
  }

  private func values(of row: Int) -> [String: AttributeValue] {
    let entity = rows.entity(of: row)
    var values: [String: AttributeValue] = [:]
    for (attribute, value) in zip(entity.attributes, rows.rows[row].values) {
      guard let value, !isMade(attribute, of: row) else { continue }
      values[attribute.name] = value
    }
    // A copy leaves it out where it is told to.
    guard policy.datesNewObjects || rows.rows[row].line != nil else { return values }
    if policy.datesNewObjects, let date = modified.attribute(of: entity.name, in: graph.model) {
      values[date.name] = nil
    }
    return modified.adding(to: values, of: entity.name, in: graph.model)
  }

  /// Whether an attribute is another name for a key that the graph makes. A number that is counted within other parts of
  /// the key is a value where keys are kept, where it identifies what is no member of a subtree, and where the request
  /// gives it.
  private func isMade(_ attribute: AttributeDescription, of row: Int) -> Bool {
    let (staged, entity) = (rows.rows[row], rows.entity(of: row))
    guard staged.line == nil, mapping.makesKey(attribute, of: entity.name) else { return false }
    guard mapping.counts(attribute.name, of: entity.name) else { return true }
    let identifies = entity.identity?.paths.contains {
      $0.steps.isEmpty && $0.attribute?.name == attribute.name
    }
    return !policy.keepsKeys && !staged.isNumbered && (staged.role == .member || identifies != true)
  }

  /// Lines need not give what only new objects require.
  private mutating func checkGiven(_ row: Int) {
    guard rows.rows[row].line != nil else { return }
    let entity = rows.entity(of: row)
    let lacking = entity.missing.filter { name in
      // The date of change is given to every new object.
      if name == modified.name, modified.attribute(of: entity.name, in: graph.model) != nil { return false }
      if let place = entity.attribute(name) { return rows.rows[row].values[place] == nil }
      return !entity.references.enumerated().contains {
        $1.isForward && $1.relationship.name == name && rows.rows[row].references[$0].isGiven
      }
    }
    if !lacking.isEmpty {
      failures.append(rows.failure(faults.lacking(rows.rows[row], entity.name, lacking), of: row))
    }
  }

  /// Numbers that are counted within other parts of a key.
  private func number() throws {
    for (table, objects) in Dictionary(grouping: made, by: \.table) {
      try KeyNumbers(table: table, in: graph)?.number(objects.map(\.row).sorted(), in: graph)
    }
  }

  /// Gives members the numbers that they follow: in the keys of what they were reached from these are others than in the
  /// graph that they come from.
  private func followNumbers() throws {
    for (row, staged) in rows.rows.enumerated() where staged.role == .member && isNew(row) {
      let entity = rows.entity(of: row)
      for (attribute, value) in zip(entity.attributes, staged.values) {
        for (reference, destination) in zip(entity.references, staged.references) {
          guard case .row(let other) = destination, let value, let object = objects[row],
            let column = graph.column(attribute.name, of: graph.entity(of: object)),
            let new = number(of: other, followedBy: attribute, over: reference, as: value)
          else { continue }
          try graph.setCell(column, row: object.row, value: new)
        }
      }
    }
  }

  /// The number in the key of a row's object that an attribute follows; nil where it has another value than the row has.
  private func number(
    of row: Int, followedBy attribute: AttributeDescription, over reference: TransferPlan.Reference,
    as value: AttributeValue
  ) -> AttributeValue? {
    let (entity, relationship) = (rows.entity(of: row), reference.relationship)
    let way = reference.isForward ? graph.model.inverse(of: relationship) : relationship
    guard let object = objects[row],
      let name = rows.followers.first(where: {
        $0.isAbout(attribute, over: way, of: entity.name, in: graph.model)
      })?.slot.attribute,
      mapping[entity.name].attributes[name]?.keyPart != nil, let place = entity.attribute(name),
      rows.rows[row].values[place] == value
    else { return nil }
    return graph.column(name, of: graph.entity(of: object))?.value(object.row)
  }

  // MARK: Existing objects

  private mutating func overwrite(_ row: Int) throws {
    let entity = rows.entity(of: row)
    guard policy.existing != .keep, !entity.overwritten.isEmpty, isFound(row), let object = objects[row]
    else { return }
    let layout = graph.entity(of: object)
    for (attribute, value) in zip(entity.attributes, rows.rows[row].values) {
      guard let value, entity.overwritten.contains(attribute.name), !entity.unique.contains(attribute.name),
        let column = graph.column(attribute.name, of: layout)
      else { continue }
      if attribute.name == modified.name { dated.insert(object) }
      let stored = column.value(object.row)
      guard policy.existing == .update ? stored != value : stored.isNull && !value.isNull else { continue }
      if mapping[entity.name].attributes[attribute.name]?.keyPart != nil {
        if !value.isNull {
          failures.append(rows.failure(.inKey(attribute.name, of: attribute.entity), of: row))
        }
        continue
      }
      try graph.setCell(column, row: object.row, value: attribute.checked(value, for: entity.name))
      changed.insert(object)
      counts.filled.insert(object)
    }
  }

  // MARK: Counts

  /// What a row says otherwise than the one that stands for both.
  private func differences(of row: Int, from first: Int) -> [String] {
    let (own, other) = (rows.rows[row], rows.rows[first])
    func isSet(_ value: AttributeValue?) -> Bool { value.map { !$0.isNull } ?? false }
    let entity = rows.entity(of: row)
    let attributes = zip(entity.attributes, zip(own.values, other.values)).filter {
      isSet($1.0) && $1.0 != $1.1 && $0.name != modified.name
    }.map(\.0.name)
    func destination(_ reference: StagedReference) -> MemoryObject? {
      if case .row(let row) = reference { objects[row] } else { nil }
    }
    let references = zip(entity.references, zip(own.references, other.references)).filter {
      let wanted = destination($1.0)
      return wanted != nil && wanted != destination($1.1)
    }
    return attributes + references.map(\.0.relationship.name)
  }

  private mutating func count(_ row: Int, result: RowMatch.Result) {
    guard let object = objects[row] else { return }
    let entity = graph.entity(of: object).name
    switch result {
    case .new: counts.add(made: entity, isMember: rows.rows[row].role == .member)
    case .same(let other) where policy.repeated == .joined:
      counts.add(joined: entity)
      let names = differences(of: row, from: match.first(other))
      if !names.isEmpty {
        let reason = TransferReport.differing(names, from: rows.rows[match.first(other)].object!)
        skipped.append(rows.rows[row].leftOut(reason))
      }
    case .found, .same:
      counts.add(row: object, entity, isMade: made.contains(object), isChanged: changed.contains(object))
    case .leftOut: break
    }
  }
}

extension SchemaMapping {
  /// Whether an attribute is another name for a key that the store makes.
  func makesKey(_ attribute: AttributeDescription, of entity: String) -> Bool {
    guard let part = self[entity].attributes[attribute.name]?.keyPart else { return false }
    return self[entity].key[part].source.isNumber
  }

  /// Whether an attribute shows a number that is counted within the other parts of a composite key.
  func counts(_ attribute: String, of entity: String) -> Bool {
    guard let part = self[entity].attributes[attribute]?.keyPart else { return false }
    return self[entity].key.count > 1 && self[entity].key[part].source == .max
  }
}
