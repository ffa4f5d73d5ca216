import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel

/// Runs a program on a connection, inside a transaction or savepoint that the caller opened.
///
/// Statements: those of the program once for each root and copy, and one for each relationship within a cycle and
/// generation. Memory: what SQLite's page cache and temporary tables take; nothing an object.
final class CloneExecutor {
  private let db: Database
  private let program: SQLProgram
  private let run: CloneRun
  private var arguments: [String: DatabaseValue] = [:]
  /// Rows so far in each family's map and among its pairs.
  private var mapped: [Int]
  private var paired: [Int]

  private var layout: CloneLayout { program.layout }
  private var plan: ClonePlan { layout.plan }
  private var access: RowAccess { RowAccess(db: db, model: plan.model, mapping: layout.mapping) }

  init(_ db: Database, _ program: SQLProgram, _ run: CloneRun) {
    self.db = db
    self.program = program
    self.run = run
    mapped = Array(repeating: 0, count: program.layout.families.count)
    paired = mapped
  }

  func clone(_ roots: [ObjectID]) throws -> CloneResult {
    try each(roots) { root, result in try clone(root, into: &result) }
  }

  /// Finds and checks the closures and writes nothing to the store.
  func preview(_ roots: [ObjectID]) throws -> CloneResult {
    try each(roots) { root, result in
      try bindShifts()
      arguments["copy"] = 0.databaseValue
      try findClosure(of: root)
      try check()
      try recordLinks(into: &result)
      try recordCounts(into: &result, copies: plan.request.count)
    }
  }

  private func each(
    _ roots: [ObjectID], _ body: (ObjectID, inout CloneResult) throws -> Void
  ) throws -> CloneResult {
    try Functions.register(in: db)
    let number = Functions.begin(run.generator)
    defer { Functions.end(number) }
    arguments["run"] = number.databaseValue
    bindInstant()
    try bindRequest()
    for statement in program.definitions { try db.execute(sql: statement) }
    var result = CloneResult()
    for root in roots { try body(root, &result) }
    try empty()
    for family in layout.families where family.keepsOriginals {
      try execute("DELETE FROM \(SQL.temp(family.originals))")
    }
    return result
  }

  private func clone(_ root: ObjectID, into result: inout CloneResult) throws {
    for copy in 0..<plan.request.count {
      try bindShifts()
      arguments["copy"] = copy.databaseValue
      if copy == 0 || layout.families.contains(where: \.hasValuesOfCopy) { try findClosure(of: root) }
      if copy == 0 {
        try check()
        try recordLinks(into: &result)
        try keepOriginals()
      }
      try checkRoom()
      try checkPartners()
      for statement in program.settling { try execute(statement) }
      try write()
      try record(root, into: &result)
    }
  }

  private func keepOriginals() throws {
    for family in layout.families where family.keepsOriginals {
      try execute("DELETE FROM \(SQL.temp(family.originals))")
      try execute(family.keepOriginals)
    }
  }
}

// MARK: - Parameters

extension CloneExecutor {
  private func bindInstant() {
    let now = run.generator.now()
    for storage in DateStorage.allCases {
      let coding = ValueCoding(type: .date, form: .date(storage))
      arguments["now_" + storage.rawValue] = coding.encode(.date(now))
    }
  }

  /// The values that the request sets; a destination must exist.
  private func bindRequest() throws {
    for root in plan.roots {
      for planned in root.attributes {
        guard case .set(let value) = planned.rule else { continue }
        let coding = ValueCoding(layout.mapping[root.entity].attributes[planned.attribute.name]!)
        arguments[plan.setParameter(planned.attribute.name)] = coding.encode(value)
      }
      for planned in root.relationships {
        guard case .object(let key) = planned.given else { continue }
        let destination = planned.relationship.destination
        guard let found = try access.find(destination, key: key) else {
          throw CloneError.noSuchObject(destination, key)
        }
        let coding = KeyCoding(entity: layout.mapping[destination])
        for (i, part) in found.key.parts.enumerated() {
          arguments["\(plan.setParameter(planned.relationship.name))_\(i)"] = coding.encode(part, part: i)
        }
      }
    }
  }

  /// The greatest number used before, by family.
  private func bindShifts() throws {
    for family in layout.families where family.keySources == [.rowid] {
      arguments["shift\(family.index)"] = try greatestNumber(in: family).databaseValue
    }
  }

  private func greatestNumber(in family: Family) throws -> Int64 {
    let greatest = try Int64.fetchOne(
      db, sql: "SELECT max(\(SQL.name(family.keyColumns[0].name))) FROM \(SQL.main(family.table.name))")
    guard family.table.isAutoincrement else { return max(greatest ?? 0, 0) }
    let used = try Int64.fetchOne(
      db, sql: "SELECT seq FROM main.sqlite_sequence WHERE name = ?", arguments: [family.table.name])
    return max(greatest ?? 0, used ?? 0, 0)
  }

  /// At the greatest number SQLite would pick new ones at random.
  private func checkRoom() throws {
    for family in layout.families where family.keySources == [.rowid] {
      let greatest = Int64.fromDatabaseValue(arguments["shift\(family.index)"]!)!
      if greatest.addingReportingOverflow(Int64(mapped[family.index])).overflow {
        throw CloneError(
          .noRoomForKeys,
          "the table '\(family.table.name)' has used the key \(greatest), so there is no room above it for "
            + "\(mapped[family.index]) new ones", entity: family.name)
      }
    }
  }

  /// Runs a statement with the parameters it names.
  @discardableResult
  private func execute(_ sql: String) throws -> Int {
    try Task.checkCancellation()
    let statement = try db.cachedStatement(sql: sql)
    try statement.execute(arguments: statement.pick(from: arguments))
    return db.changesCount
  }

  private func number(_ sql: String) throws -> Int {
    let statement = try db.cachedStatement(sql: sql)
    return try Int.fetchOne(statement, arguments: statement.pick(from: arguments)) ?? 0
  }
}

// MARK: - Closure

extension CloneExecutor {
  private func empty() throws {
    for family in layout.families {
      for table in family.temporaryTables { try db.execute(sql: "DELETE FROM \(SQL.temp(table))") }
      mapped[family.index] = 0
      paired[family.index] = 0
    }
  }

  private func findClosure(of root: ObjectID) throws {
    try empty()
    let family = layout.families.first { $0.hasRoot }!
    let coding = KeyCoding(entity: layout.mapping[family.name])
    for (i, part) in root.key.parts.enumerated() { arguments["key\(i)"] = coding.encode(part, part: i) }
    for statement in program.seed { try execute(statement) }
    mapped[family.index] = 1
    paired[family.index] = 1
    for component in program.components {
      try component.isCyclic ? findCycle(component) : findOnce(component)
      try run.report(CloneProgress(phase: .closure, objects: mapped.reduce(0, +)))
    }
  }

  private func findOnce(_ component: SQLProgram.Component) throws {
    for expansion in component.entering { try expand(expansion) }
    for family in component.families { try flush(family, component) }
  }

  /// Generation by generation, until one finds nothing new.
  private func findCycle(_ component: SQLProgram.Component) throws {
    var waiting = 0
    for expansion in component.entering { waiting += try expand(expansion) }
    var seen: [Int: Int] = [:]
    var generation = 0
    while true {
      arguments["gen"] = generation.databaseValue
      if waiting > 0 {
        for family in component.families { waiting -= try flush(family, component) }
      }
      var frontier: [Int: ClosedRange<Int>] = [:]
      for family in component.families {
        let count = rows(of: family)
        let before = seen[family] ?? 0
        if count > before { frontier[family] = before + 1...count }
        seen[family] = count
      }
      if frontier.isEmpty && waiting == 0 { return }
      for expansion in component.internals {
        guard let range = frontier[expansion.source] else { continue }
        arguments["from"] = range.lowerBound.databaseValue
        arguments["to"] = range.upperBound.databaseValue
        waiting += try expand(expansion)
      }
      generation = try frontier.isEmpty ? nextGeneration(component) : generation + 1
    }
  }

  /// The rows that a family's frontier is taken from: pairs, where an object can be reached in several ways.
  private func rows(of family: Int) -> Int {
    layout.families[family].isPaired ? paired[family] : mapped[family]
  }

  /// What was collected from outside the cycle may lie generations ahead.
  private func nextGeneration(_ component: SQLProgram.Component) throws -> Int {
    let staged = component.families.map { layout.families[$0] }.filter(\.isStaged)
    let least = try staged.compactMap {
      try Int.fetchOne(db, sql: "SELECT min(gen) FROM \(SQL.temp($0.stage))")
    }
    return least.min() ?? 0
  }

  /// - Returns: how many rows wait in the target's stage because of it.
  @discardableResult
  private func expand(_ expansion: SQLProgram.Expansion) throws -> Int {
    let count = try execute(expansion.sql)
    guard !layout.families[expansion.target].isStaged else { return count }
    mapped[expansion.target] += count
    return 0
  }

  /// - Returns: how many rows left the stage.
  @discardableResult
  private func flush(_ family: Int, _ component: SQLProgram.Component) throws -> Int {
    guard let statements = component.flushes[family] else { return 0 }
    mapped[family] += try execute(statements[0])
    if statements.count == 3 { paired[family] += try execute(statements[1]) }
    return try execute(statements.last!)
  }
}

// MARK: - Checks and writes

extension CloneExecutor {
  private func check() throws {
    var failures: [CloneError.Failure] = []
    for check in program.checks {
      let statement = try db.cachedStatement(sql: check.sql)
      let row = try Row.fetchOne(statement, arguments: statement.pick(from: arguments))
      if let row { failures.append(failure(check, row)) }
    }
    if !failures.isEmpty { throw CloneError(failures) }
  }

  /// A one-to-one partner is never moved.
  private func checkPartners() throws {
    for partner in program.partners where try number(partner.sql) > 0 {
      throw CloneError(
        .uniqueValue,
        "'\(partner.relationship.name)' of \(plan.entity) cannot be set: that \(partner.relationship.destination) "
          + "has a partner already", entity: plan.entity, property: partner.relationship.name)
    }
  }

  private func failure(_ check: RunCheck, _ row: Row) -> CloneError.Failure {
    let family = layout.families[check.family]
    let key = KeyCoding(entity: layout.mapping[family.name]).decode(row, from: 0)
    switch check.subject {
    case .unknownDiscriminator:
      let value = AttributeValue(raw: row[family.keyColumns.count])
      return .unknownDiscriminator(value, ObjectID(family.name, key: key), column: family.discriminator!)
    case .missingAncestor(let attribute, let entity, let slot):
      return .missingAncestor(
        attribute, of: entity, slot: plan.slots[slot], object: ObjectID(entity, key: key))
    case .leftEmpty(let relationship, let entity):
      return .leftEmpty(relationship, ObjectID(entity, key: key))
    case .followsNull(let attribute, let entity):
      return CloneError.requiredLeftEmpty(attribute, of: ObjectID(entity, key: key)).failures[0]
    case .keyNeedsValue:
      return .keyNeedsValue(ObjectID(family.name, key: key), column: family.keyColumns[0].name)
    }
  }

  private func write() throws {
    var written = 0
    for write in program.writes {
      let family = layout.families[write.family]
      let count = try translating(family) { try execute(write.sql) }
      try compare(count, with: mapped[write.family], table: family.table.name)
      written += count
      try run.report(CloneProgress(phase: .write, objects: written))
    }
    for join in program.joins {
      let expected = try number(join.count)
      let count = try translating(nil) { try execute(join.sql) }
      try compare(count, with: expected, table: join.table)
    }
    try run.report(CloneProgress(phase: .joins, objects: written))
  }

  private func translating(_ family: Family?, _ body: () throws -> Int) throws -> Int {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw ConstraintErrors(db: db, layout: layout).translated(error, writing: family)
    }
  }

  /// A trigger can swallow a row without an error.
  private func compare(_ count: Int, with expected: Int, table: String) throws {
    guard count == expected else {
      throw CloneError(
        .rowCount,
        "the table '\(table)' took \(count) of \(expected) new rows; a trigger of the store swallowed the others"
      )
    }
  }

  private func recordLinks(into result: inout CloneResult) throws {
    for link in program.links {
      let count = try number(link.sql)
      if count > 0 { result.linked[link.entity, default: 0] += count }
    }
  }

  private func recordCounts(into result: inout CloneResult, copies: Int) throws {
    for family in layout.families {
      guard family.hasEntity else {
        if mapped[family.index] > 0 {
          result.cloned[family.entities[0], default: 0] += mapped[family.index] * copies
        }
        continue
      }
      let counts = try Row.fetchAll(
        db, sql: "SELECT m.entity, count(*) FROM \(SQL.temp(family.map)) m GROUP BY 1")
      for row in counts { result.cloned[family.entities[row[0]], default: 0] += row[1] * copies }
    }
  }

  private func record(_ root: ObjectID, into result: inout CloneResult) throws {
    try recordCounts(into: &result, copies: 1)
    for family in layout.families {
      if family.hasRoot { result.roots += try pairs(family, where: "WHERE m.seq = 1").map(\.clone) }
      if run.keepsMapping { result.mapping += try pairs(family, where: "ORDER BY m.seq") }
    }
  }

  private func pairs(_ family: Family, where rows: String) throws -> [CloneResult.Pair] {
    let entity = family.hasEntity ? "m.entity" : "0"
    let new = family.keyColumns.indices.map { family.newKey("m", part: $0) }
    let sql = "SELECT \(entity), \(SQL.list(family.old("m") + new)) FROM \(SQL.temp(family.map)) m \(rows)"
    let statement = try db.cachedStatement(sql: sql)
    let parts = family.keyColumns.count
    let coding = KeyCoding(entity: layout.mapping[family.name])
    return try Row.fetchAll(statement, arguments: statement.pick(from: arguments)).map { row in
      let name = family.entities[row[0]]
      return CloneResult.Pair(
        original: ObjectID(name, key: coding.decode(row, from: 1)),
        clone: ObjectID(name, key: coding.decode(row, from: 1 + parts)))
    }
  }
}
