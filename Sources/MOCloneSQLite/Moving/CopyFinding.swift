import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Finds which objects of a group are in the other store already, which are one, and the keys that the others get.
struct CopyFinding {
  private let group: CopyGroup
  private let layout: CopyLayout
  private let table: CopyTable
  private let statements: StatementRunner

  init(_ group: CopyGroup, _ layout: CopyLayout, _ statements: StatementRunner) {
    self.group = group
    self.layout = layout
    self.statements = statements
    table = layout.tables[group.table]
  }

  /// - Parameter states: what is known of the tables so far, and what is found out.
  /// - Throws: `CloneError` (`ambiguous-identity`, `identity-of-other-entity`).
  func perform(_ states: inout [CopyState]) throws {
    if let identity = group.identity, layout.cut?.isPassing != true { try identify(identity, &states) }
    let match = CopyMatch(group, layout, states)
    if table.newKey == .parts { try statements.execute(match.ofAll.fill) }
    if case .uuid(let storage) = table.newKey, try hasRows(table.targetName) {
      if try statements.execute(match.ofAll.renew(storage)) > 0 { states[table.index].hasMoved = true }
    }
  }

  private func identify(_ identity: Identity, _ states: inout [CopyState]) throws {
    // What nothing identifies is made where linked objects are made.
    if layout.cut?.missing != .create, let skip = CopyMatch(group, layout, states).skip {
      if try statements.execute(skip) > 0 { states[table.index].hasSkipped = true }
    }
    let match = CopyMatch(group, layout, states)
    if try hasRows(table.targetName), try find(match, identity) > 0 { states[table.index].hasMoved = true }
    // A cut-out keeps its objects as they are, those too that share an identity.
    guard layout.cut?.keepsKeys != true else { return }
    let isMixed = try match.mixesNotations.map { try statements.number($0) == 1 } ?? false
    if isMixed || !match.isUniqueInSource { try join(CopyMatch(group, layout, states), identity, &states) }
  }

  private func hasRows(_ table: String) throws -> Bool {
    try statements.number("SELECT EXISTS (SELECT 1 FROM \(table))") == 1
  }

  private func find(_ match: CopyMatch, _ identity: Identity) throws -> Int {
    for statement in match.preparation { try statements.execute(statement) }
    do {
      return try statements.execute(match.match, scanning: table.root)
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      throw try ambiguous(match, identity)
    }
  }

  /// Several objects of the other store that are one of the source.
  private func ambiguous(_ match: CopyMatch, _ identity: Identity) throws -> CloneError {
    let width = table.map.key.count
    let coding = KeyCoding(entity: table.map)
    var failures: [CloneError.Failure] = []
    var current: (source: ObjectKey, targets: [ObjectKey])?
    func end() {
      guard let found = current, found.targets.count > 1 else { return }
      let objects = found.targets.map { ObjectID(identity.scope, key: $0) }
      failures.append(.ambiguous(identity, ObjectID(identity.entity, key: found.source), objects))
    }
    let rows = try Row.fetchCursor(statements.db, sql: match.ambiguous)
    while let row = try rows.next(), failures.count < 20 {
      let source = coding.decode(row, from: 0)
      let target = coding.decode(row, from: width)
      if current?.source == source {
        current?.targets.append(target)
      } else {
        end()
        current = (source, [target])
      }
    }
    end()
    return CloneError(failures)
  }

  /// Objects of the source with one identity: which of them counts nobody can say, unless they are only linked to.
  private func join(_ match: CopyMatch, _ identity: Identity, _ states: inout [CopyState]) throws {
    let coding = KeyCoding(entity: table.map)
    if let mixed = match.mixed, let row = try statements.row(mixed) {
      let object = ObjectID(identity.scope, key: coding.decode(row, from: 0))
      throw CloneError(
        .identityOfOtherEntity,
        "the source has objects of several entities with the \(identity.names) of \(object), which are unique among all "
          + "objects of \(identity.scope)", entity: identity.scope, object: object)
    }
    guard layout.cut == nil || table.newKey == .parts else {
      if try statements.execute(match.join) > 0 { states[table.index].hasMoved = true }
      // Several of them can be one object of the other store, too.
      states[table.index].joins = states[table.index].hasMoved
      return
    }
    guard try statements.row(match.repeated) != nil else { return }
    var groups: [[ObjectID]] = []
    var current: Int?
    for row in try statements.rows(match.allRepeated + " LIMIT 200") {
      let object = ObjectID(identity.scope, key: coding.decode(row, from: 0))
      let number: Int = row[table.map.key.count]
      if number != current { groups.append([]) }
      groups[groups.count - 1].append(object)
      current = number
    }
    throw CloneError(groups.filter { $0.count > 1 }.map { .repeatedInSource(identity, $0) })
  }
}

extension CloneError.Failure {
  fileprivate static func ambiguous(_ identity: Identity, _ source: ObjectID, _ objects: [ObjectID]) -> Self {
    let listed = objects.prefix(10).map(\.description).joined(separator: ", ")
    let rest = objects.count > 10 ? " and \(objects.count - 10) more" : ""
    return .init(
      .ambiguousIdentity,
      "\(objects.count) objects of the store have the \(identity.names) of \(source): \(listed)\(rest); merge them with "
        + "`moclone dedupe \(identity.scope)`, or name what tells them apart", entity: identity.entity)
  }
}
