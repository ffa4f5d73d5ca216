import MOCloneEngine
import MOCloneModel

// What constraints of the store refuse, in words.
extension TransferRun {
  /// Whether a constraint has refused something.
  func isRefused(_ error: any Error) -> Bool { refusal(error) != nil }

  func isUniqueFailure(_ error: any Error) -> Bool { refusal(error)?.isUnique == true }

  /// What a constraint has refused, of whatever table; nil of everything else.
  func refusal(_ error: any Error) -> ConstraintFailure? {
    db.refusal(error, writing: nil, of: [], mapping: layout.mapping)
  }

  /// What a constraint has refused of the rows of a stream; nil of everything else.
  func refusal(_ error: any Error, in stream: RowStream) -> ConstraintFailure? {
    var failure = db.refusal(
      error, writing: stream.table.schema, of: stream.entities, mapping: layout.mapping)
    failure?.obstacle = obstacle
    return failure
  }

  /// Names the object of the source that a constraint of the store refuses; of one that is unique the values are known.
  ///
  /// - Parameter body: writes the rows `s` that meet a condition.
  func namingObject(
    of stream: RowStream, _ writes: Writes, _ body: (Condition) throws -> Int
  ) throws -> Int {
    do { return try db.attempting { try body(.always) } } catch {
      guard let failure = refusal(error, in: stream), !failure.isUnique, db.isInTransaction,
        // Rows that refer to each other cannot be told apart by writing some of them.
        failure.foreignKey?.table.sqlName != stream.table.schema.name.sqlName
      else { throw error }
      let key = stream.key("s")
      let rows = writes.keys.newRows(stream).with(key).ordered(by: key)
      let count = try statements.number(expected(stream, writes: writes))
      let bad = try firstRefused(by: failure, of: count) {
        try body(.among(key, query: rows.limited(to: $0), dialect: dialect))
      }
      guard let row = try statements.row(rows.limited(to: "1 OFFSET \(bad - 1)")) else { throw error }
      let object = ObjectID(stream.table.root, key: row.key(of: stream.table))
      throw failure.error(
        of: object.entity, object: object, advice: advice(failure, of: object.entity, in: stream))
    }
  }

  /// How many of some rows, in an order of theirs, are written up to the first that a constraint refuses, with that one.
  ///
  /// - Parameters:
  ///   - failure: what was refused of all of them; fewer can also lack a row that they refer to.
  ///   - write: writes so many of them.
  func firstRefused(
    by failure: ConstraintFailure, of count: Int, write: (Int) throws -> Int
  ) throws -> Int {
    var (good, bad) = (0, count)
    while bad - good > 1 {
      let middle = (good + bad) / 2
      do {
        _ = try db.savepoint(isKept: false) { try write(middle) }
        good = middle
      } catch {
        guard let found = refusal(error) else { throw error }
        if found.refusingKey?.name == failure.refusingKey?.name { bad = middle } else { good = middle }
      }
    }
    return bad
  }

  func translating<T>(_ stream: RowStream, body: () throws -> T) throws -> T {
    do { return try body() } catch {
      guard let failure = refusal(error, in: stream) else { throw error }
      let entity = stream.entities.count == 1 ? stream.entities[0] : stream.table.root
      throw failure.error(of: entity, advice: advice(failure, of: entity, in: stream))
    }
  }

  func advice(on joinRows: RelationshipDescription) -> String? {
    if policy.keepsKeys { return "let new keys be made, or delete that row first" }
    return [.copy, .clone].contains(policy.operation)
      ? "leave the relationship out with --exclude \(joinRows.qualifiedName)" : nil
  }

  func advice(_ failure: ConstraintFailure, of entity: String, in stream: RowStream) -> String? {
    if policy.operation == .import { return nil }
    if failure.isExclusion {
      if policy.keepsKeys { return "delete the row that is in the way first" }
      // Its rows have found their objects.
      if policy.operation == .sync {
        return
          "declare the constraint DEFERRABLE if rows exchange such values, else change the row that is in the way first"
      }
      return policy.operation == .clone
        ? failure.help
        : "identify \(entity) with --by, so that objects that exist are found, or delete the row that is in the way first"
    }
    let table = stream.table
    let isKey = failure.columns.map(\.sqlName) == table.keyColumns.map(\.name.sqlName)
    if isKey, policy.keepsKeys { return "let new keys be made, or delete that object first" }
    let isCounted =
      isKey && failure.properties == failure.columns && failure.columns.allSatisfy(table.schema.isRowid)
      && table.map.key.allSatisfy(\.source.isNumber) && layout.subtree?.numbered.isEmpty != false
    if isCounted {
      return
        "it was free when it was counted out, so a trigger of the store inserts rows into the table '\(table.schema.name)'"
    }
    let entities = stream.entities
    guard let subtree = layout.subtree, let name = failure.properties.first, hasMembers(subtree, of: entities)
    else {
      if isKey, let advice = table.map.keyAdvice { return advice }
      return failure.isOfColumns && failure.properties.allSatisfy { isProperty($0, of: entities) }
        ? "identify \(entity) by it with --by"
        : "identify \(entity) with --by by what tells all its objects apart"
    }
    if let request = subtree.repeated, failure.properties.contains(where: { request.set[$0] != nil }) {
      return request.adviceOnGivenValues
    }
    let copying = "use `moclone copy`, which finds existing objects"
    if policy.keepsKeys { return copying }
    let isOfRoot =
      subtree.root.map { root in entities.contains { layout.model.isKind($0, of: root) } } ?? false
    // The parts of a key take no annotations, and a root can be given those that are attributes.
    let value = failure.properties.first { layout.model.attribute($0, of: entity) != nil } ?? name
    let setting = isOfRoot ? ["give a root another value with --set \(value)=..."] : []
    let ways = setting + (isKey ? [] : ["annotate it with 'rebuild' or 'exclude'"])
    return ways.isEmpty ? copying : "\(ways.list), or \(copying)"
  }

  /// Whether a name is no column's alone, so that --by takes it.
  private func isProperty(_ name: String, of entities: [String]) -> Bool {
    entities.contains {
      layout.model.attribute(name, of: $0) != nil || layout.model.relationship(name, of: $0) != nil
    }
  }

  /// Whether a subtree has objects of some entities; they are always made, and what it is linked to is found.
  private func hasMembers(_ subtree: CopiedSubtree, of entities: [String]) -> Bool {
    let members: Set<String> =
      switch subtree.members {
      case .objects(let objects): (try? objects.entities()) ?? []
      case .closure(let plan, _): Set(plan.nodes.map(\.entity))
      }
    return entities.contains { entity in members.contains { layout.model.isKind(entity, of: $0) } }
  }
}
