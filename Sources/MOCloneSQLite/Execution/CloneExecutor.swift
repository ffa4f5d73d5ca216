import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Runs a program on a connection, inside a transaction or savepoint that the caller opened.
///
/// Statements: those of the program once for each root, those of the closure once more for each copy, and one for each
/// relationship within a cycle and generation. Memory: what SQLite's page cache and temporary tables take; nothing an
/// object.
final class CloneExecutor {
  private let db: Database
  private let program: SQLProgram
  private let run: CloneRun
  private let statements: StatementRunner
  private let closure: ClosureFinder
  /// The statements for small closures.
  private let preparedRows: PreparedRows?
  private var hasTables = false
  /// Whether something may refer to numbers above the greatest keys.
  private var mayDangle = false
  /// Whether new keys pass over such numbers.
  private var passes = false
  /// The rows written of each family for the root under way.
  private var written: [Int]

  private let prepared: PreparedClone
  private let layout: CloneLayout
  /// It has the shape of the program's plan, and the values that are set now.
  private let plan: ClonePlan

  init(_ db: Database, _ prepared: PreparedClone, _ plan: ClonePlan, _ run: CloneRun) {
    self.db = db
    self.prepared = prepared
    program = prepared.program
    layout = program.layout
    self.plan = plan
    preparedRows = prepared.rows
    self.run = run
    statements = StatementRunner(db)
    closure = ClosureFinder(program, statements, run)
    written = Array(repeating: 0, count: prepared.program.layout.families.count)
  }

  func clone(_ roots: [ObjectID]) throws -> CloneResult {
    try each(roots) { root, result in try clone(root, into: &result) }
  }

  /// Finds and checks the closures and writes nothing to the store.
  func preview(_ roots: [ObjectID]) throws -> CloneResult {
    try each(roots) { root, result in
      try bindShifts()
      try bind(root)
      try emptyTables()
      try closure.findCopy(0)
      try checkKeys()
      try check(program.checks)
      try checkRoom { try inSets($0) * plan.request.count }
      try settle()
      try recordLinks(into: &result)
      for (write, family) in program.writes.map({ ($0, layout.families[$0.family]) }) where family.isDirect {
        written[family.index] = try statements.number(write.count)
      }
      try recordCounts(into: &result, copies: plan.request.count)
    }
  }

  /// The objects of the closures, whatever their clones would be.
  func originals(_ roots: [ObjectID]) throws -> [ObjectID] {
    try each(roots) { root, result in
      try bindShifts()
      try bind(root)
      try emptyTables()
      try closure.findCopy(0)
      for family in layout.families { result.mapping += try pairs(family, where: "") }
    }.mapping.map(\.original)
  }

  private func each(
    _ roots: [ObjectID], _ body: (ObjectID, inout CloneResult) throws -> Void
  ) throws -> CloneResult {
    try ConnectionState.of(db).register(in: db)
    let number = Functions.begin(run.generator)
    defer { Functions.end(number) }
    statements.bind("run", number)
    bindInstant()
    var result = CloneResult()
    for root in roots { try body(root, &result) }
    if hasTables { try closure.empty() }
    run.timer?.count(statements.count)
    return result
  }

  /// Makes the temporary tables empty, and makes them where the connection does not have them yet.
  private func emptyTables() throws {
    if !hasTables { try prepared.makeTables(statements) }
    hasTables = true
    try closure.empty()
  }

  private func clone(_ root: ObjectID, into result: inout CloneResult) throws {
    if let rows = try run.measure(.closure, { try small(root) }) { return try clone(rows, into: &result) }
    for i in written.indices { written[i] = 0 }
    try run.measure(.closure) {
      try bindShifts()
      try bind(root)
      try checkPartners(of: root)
      try emptyTables()
      for copy in 0..<plan.request.count {
        try closure.findCopy(copy)
        guard copy == 0 else { continue }
        try checkKeys()
        try check(program.checks)
        if run.countsLinks { try recordLinks(into: &result) }
      }
      statements.bind("root", 1)
      try passDanglingNumbers()
      try checkRoom(inSets)
      try settle()
    }
    try run.measure(.write, write)
    try run.measure(.joins, writeJoins)
    for sql in program.restoring { _ = try translating(nil) { try statements.execute(sql) } }
    try check(program.writtenChecks)
    try record(into: &result)
  }
}

// MARK: - Small closures

extension CloneExecutor {
  /// The closure of a root, where it is small and nothing of it is refused.
  private func small(_ root: ObjectID) throws -> RowClone? {
    guard let preparedRows, run.smallClosure > 0 else { return nil }
    try bindShifts()
    if mayDangle { return nil }
    try bind(root)
    statements.bind("root", 1)
    let rows = try RowClone(db, preparedRows, statements, run)
    return try rows.find() ? rows : nil
  }

  private func clone(_ rows: RowClone, into result: inout CloneResult) throws {
    if run.countsLinks { try run.measure(.closure) { try rows.countLinks(into: &result) } }
    try checkRoom { rows.maps[$0.index].count }
    try run.measure(.write) { try write(rows) }
    try run.measure(.joins) {
      for (place, join) in program.joins.enumerated() {
        let written = try translating(nil) { try rows.writeJoin(place) }
        try compare(written.count, with: written.expected, table: join.table.name)
      }
    }
    rows.countObjects(into: &result)
    result.roots.append(rows.clone(0, preparedRows!.program.root.family))
    guard run.keepsMapping else { return }
    for family in rows.maps.indices {
      result.mapping += rows.pairs(family, rows: 0..<rows.maps[family].count)
    }
  }

  private func write(_ rows: RowClone) throws {
    var objects = 0
    for (place, write) in program.writes.enumerated() {
      let family = layout.families[write.family]
      let written = try translating(family, first: rows.first) { try rows.write(place) }
      try compare(written.count, with: rows.maps[family.index].count, table: family.table.name)
      objects += written.count
      try run.report(CloneProgress(phase: .write, objects: objects))
    }
  }
}

// MARK: - Parameters

extension CloneExecutor {
  private func bind(_ root: ObjectID) throws {
    let family = layout.families.first { $0.hasRoot }!
    let coding = KeyCoding(entity: layout.mapping[family.name])
    for (i, part) in root.key.parts.enumerated() { statements["key\(i)"] = coding.encode(part, part: i) }
    try bindRequest(plan.root(of: root.entity)!)
  }

  private func bindInstant() {
    let now = run.generator.now()
    for storage in layout.instants {
      let coding = ValueCoding(type: .date, form: .date(storage))
      statements["now_" + storage.rawValue] = coding.encode(.date(now))
    }
  }

  /// The values that the request sets, as the root's own entity has them; a destination must exist.
  private func bindRequest(_ root: PlanNode) throws {
    for planned in root.attributes {
      guard case .set(let value) = planned.rule else { continue }
      let coding = ValueCoding(layout.mapping[root.entity].attributes[planned.attribute.name]!)
      statements[plan.setParameter(planned.attribute.name)] = coding.encode(value)
    }
    for planned in root.relationships {
      if case .object(let key) = planned.given { try bind(key, of: planned.relationship) }
    }
  }

  private func bind(_ key: ObjectKey, of relationship: RelationshipDescription) throws {
    let destination = relationship.destination
    let access = RowAccess(db: db, model: plan.model, mapping: layout.mapping)
    guard let found = try access.find(destination, key: key) else {
      throw CloneError.noSuchObject(destination, key)
    }
    try checkReferenced(relationship, by: found, access)
    let coding = KeyCoding(entity: layout.mapping[destination])
    for (i, part) in found.key.parts.enumerated() {
      statements["\(plan.setParameter(relationship.name))_\(i)"] = coding.encode(part, part: i)
    }
  }

  /// Nothing refers to an object by a column that is empty there.
  private func checkReferenced(
    _ relationship: RelationshipDescription, by object: ObjectID, _ access: RowAccess
  ) throws {
    guard case .foreignKey(let key) = layout.mapping[relationship.entity].relationships[relationship.name]
    else { return }
    for (column, value) in try zip(key.references, access.columns(key.references, of: object))
    where value.isNull {
      throw CloneError(
        .invalidValue,
        "'\(relationship.name)' of \(plan.entity) cannot be set to \(object), whose '\(column)' it references: that is "
          + "empty", entity: plan.entity, property: relationship.name)
    }
  }

  /// The greatest number used before, by family.
  private func bindShifts() throws {
    let greatest = try prepared.greatestNumbers(in: db)
    for (family, number) in greatest { statements.bind("shift\(family)", number) }
    mayDangle = try prepared.mayDangle(greatest, in: db)
  }

  /// Counts new keys from above the numbers that something refers to already.
  private func passDanglingNumbers() throws {
    let isFound = try mayDangle || program.danglingInClosure.map { try statements.number($0) > 0 } ?? false
    passes = isFound
    guard isFound else { return }
    let dangling = DanglingReferences(layout: layout)
    for family in layout.families {
      guard let greatest = dangling.greatest(family) else { continue }
      statements.bind("made", try inSets(family))
      while let number = try statements.row(greatest).flatMap({ $0[0] as Int64? }) {
        statements.bind("shift\(family.index)", number)
      }
    }
  }
}

// MARK: - Checks

extension CloneExecutor {
  private func settle() throws {
    for statement in program.settling { try statements.execute(statement) }
    try check(program.settledChecks)
    try checkPairs()
  }

  /// The ends of a pair that share a column must agree on it.
  private func checkPairs() throws {
    for join in program.joins {
      guard let disagreement = join.disagreement, try statements.number(disagreement.sql) > 0 else {
        continue
      }
      throw CloneError([
        .disagreement(disagreement.columns, join.relationship, table: join.table.name)
      ])
    }
  }

  private func check(_ checks: [RunCheck]) throws {
    let failures = try checks.compactMap { check in
      try statements.row(check.sql).map { layout.failure(check, $0) }
    }
    if !failures.isEmpty { throw CloneError(failures) }
  }

  /// Rows without a key, which SQLite lets a primary key be that is no row number: nothing can refer to their clones.
  private func checkKeys() throws {
    for family in layout.families where !family.isDirect {
      for column in family.table.nullable(family.keyColumns.map(\.name)) {
        let place = family.keyColumns.firstIndex { $0.name == column }!
        let row = try statements.row(
          "SELECT 1 FROM \(SQL.temp(family.map)) m WHERE \(family.old("m")[place]) IS NULL")
        if row != nil { throw CloneError.nullKey(family.name, column: column, table: family.table.name) }
      }
    }
  }

  /// At the greatest number SQLite would pick new ones at random.
  private func checkRoom(_ count: (Family) throws -> Int) throws {
    for family in layout.families where family.isCounted {
      let greatest = Int64.fromDatabaseValue(statements["shift\(family.index)"]!)!
      // Fewer rows than this no table holds, so those of a family without a map need not be counted.
      guard greatest > Int64.max / 2 else { continue }
      let count = try count(family)
      if greatest.addingReportingOverflow(Int64(count)).overflow {
        throw CloneError(
          .noRoomForKeys,
          "the table '\(family.table.name)' has used the key \(greatest), so there is no room above it for "
            + "\(count) new ones", entity: family.name)
      }
    }
  }

  /// How many objects of a family the temporary tables hold.
  private func inSets(_ family: Family) throws -> Int {
    try family.isDirect ? expected(family) : closure.mapped[family.index]
  }

  private func expected(_ family: Family) throws -> Int {
    try statements.number(program.writes.first { $0.family == family.index }!.count)
  }

  /// A one-to-one partner is never moved, and has no room for the second of several copies.
  private func checkPartners(of root: ObjectID) throws {
    // Sub-entities of the one asked for can have relationships of the same name.
    for partner in program.partners where plan.model.isKind(root.entity, of: partner.relationship.entity) {
      guard try plan.request.count > 1 || statements.number(partner.sql) > 0 else { continue }
      throw CloneError(
        .uniqueValue,
        "'\(partner.relationship.name)' of \(plan.entity) cannot be set: that \(partner.relationship.destination) "
          + "has a partner already", entity: plan.entity, property: partner.relationship.name)
    }
  }
}

// MARK: - Writes

extension CloneExecutor {
  private func write() throws {
    let expected = try program.writes.map { write in
      layout.families[write.family].isDirect ? try counted(write.count) : closure.mapped[write.family]
    }
    for (write, expected) in zip(program.writes, expected) {
      let family = layout.families[write.family]
      try translating(family) { try self.write(write, family) }
      try compare(written[family.index], with: expected, table: family.table.name)
    }
  }

  /// Writes the clones of a family part by part, so that a long run can say how far it is. Where positions at the end
  /// of a list are counted, all at once: the list must not grow meanwhile.
  private func write(_ write: SQLProgram.Write, _ family: Family) throws {
    let rows = closure.mapped[family.isDirect ? layout.source(of: family).index : family.index]
    let part = family.ranks.isEmpty ? Self.part : max(rows, 1)
    for first in stride(from: 1, through: rows, by: part) {
      statements.bind("first", first)
      statements.bind("last", first + part - 1)
      statements.bind("written", written[family.index])
      written[family.index] += try statements.execute(passes ? write.passing ?? write.sql : write.sql)
      if first + part <= rows { statements.releasePages() }
      try run.report(CloneProgress(phase: .write, objects: written.reduce(0, +)))
    }
  }

  /// Long enough that a statement for each costs nothing.
  private static let part = 100_000

  private func writeJoins() throws {
    for join in program.joins {
      let expected = try counted(join.count)
      let count = try translating(nil) { try statements.execute(join.sql) }
      try compare(count, with: expected, table: join.table.name)
    }
    try run.report(CloneProgress(phase: .joins, objects: written.reduce(0, +)))
  }

  /// Only a trigger can swallow a row without an error, so only then what is to come is counted.
  private func counted(_ sql: String) throws -> Int? {
    program.hasTriggers ? try statements.number(sql) : nil
  }

  /// - Parameter first: finds the first original of a family that has values in some columns.
  private func translating<T>(
    _ family: Family?, first: ((Family, [String]) throws -> ObjectID?)? = nil, _ body: () throws -> T
  ) throws -> T {
    do {
      return try body()
    } catch let error as DatabaseError {
      let first = first ?? { [db, layout] in try layout.first($0, with: $1, in: db) }
      throw ConstraintErrors(layout: layout, first: first).translated(error, writing: family)
    }
  }

  private func compare(_ count: Int, with expected: Int?, table: String) throws {
    guard let expected, count != expected else { return }
    throw CloneError(
      .rowCount,
      "the table '\(table)' took \(count) of \(expected) new rows; a trigger of the store swallowed the others"
    )
  }
}

// MARK: - Result

extension CloneExecutor {
  private func recordLinks(into result: inout CloneResult) throws {
    for link in program.links {
      let count = try statements.number(link.sql)
      if count > 0 { result.linked[link.entity, default: 0] += count }
    }
  }

  private func recordCounts(into result: inout CloneResult, copies: Int) throws {
    for family in layout.families {
      let counts = family.hasEntity ? try entityCounts(of: family) : [0: count(of: family)]
      for (entity, count) in counts where count > 0 {
        result.cloned[family.entities[entity], default: 0] += count * copies
      }
    }
  }

  private func count(of family: Family) -> Int {
    family.isDirect ? written[family.index] : closure.mapped[family.index]
  }

  private func entityCounts(of family: Family) throws -> [Int: Int] {
    let rows = try statements.rows(
      "SELECT m.entity, count(*) FROM \(SQL.temp(family.map)) m GROUP BY 1")
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
  }

  private func record(into result: inout CloneResult) throws {
    try recordCounts(into: &result, copies: 1)
    for family in layout.families {
      if family.hasRoot {
        result.roots += try pairs(family, where: "WHERE \(family.isRoot("m"))").map(\.clone)
      }
      if run.keepsMapping { result.mapping += try pairs(family, where: "") }
    }
  }

  private func pairs(_ family: Family, where condition: String) throws -> [CloneResult.Pair] {
    let entity = family.hasEntity ? "m.entity" : "0"
    let new = family.keyColumns.indices.map { family.newKey("m", part: $0) }
    let parts = family.keyColumns.count
    let coding = KeyCoding(entity: layout.mapping[family.name])
    return try statements.rows(
      "SELECT \(entity), \(SQL.list(family.old("m") + new)) FROM \(SQL.temp(family.map)) m \(condition) ORDER BY m.seq"
    ).map { row in
      let name = family.entities[row[0]]
      return CloneResult.Pair(
        original: ObjectID(name, key: coding.decode(row, from: 1)),
        clone: ObjectID(name, key: coding.decode(row, from: 1 + parts)))
    }
  }
}
