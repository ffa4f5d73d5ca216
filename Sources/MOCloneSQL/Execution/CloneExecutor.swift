import MOCloneEngine
import MOCloneModel

/// Runs a program on a connection, inside a transaction or savepoint that the caller opened.
///
/// Statements: those of the program once for each root, those of the closure once more for each copy, and one for each
/// relationship within a cycle and generation. Memory: what SQLite's page cache and temporary tables take; nothing an
/// object.
package final class CloneExecutor<Session: CloneSession> {
  package let session: Session
  package let program: SQLProgram
  package let options: CloneOptions
  package let statements: Session.Statements
  let closure: ClosureFinder<Session.Statements>
  var hasTables = false
  /// Whether something may refer to numbers above the greatest keys.
  package internal(set) var mayDangle = false
  /// Whether new keys pass over such numbers.
  var passes = false
  /// The rows written of each table plan for the root under way.
  var written: [Int]
  /// The rows to be written for the root under way, where they are known.
  private var total: Int?

  package let layout: CloneLayout
  /// It has the shape of the program's plan, and the values that are set now.
  package let plan: ClonePlan

  package init(_ session: Session, plan: ClonePlan, options: CloneOptions) {
    self.session = session
    program = session.program
    layout = program.layout
    self.plan = plan
    self.options = options
    statements = session.statements
    closure = ClosureFinder(program, statements: statements, options: options)
    written = Array(repeating: 0, count: layout.tablePlans.count)
  }

  /// Where one root could bring along clones of another one, or be linked to them, all are found before any is written.
  package func clone(_ roots: [ObjectID]) throws -> CloneResult {
    let isTogether = plan.isTogether(roots)
    return try each(isTogether ? [roots] : roots.map { [$0] }) { roots, result in
      try clone(roots, into: &result)
    }
  }

  /// Finds and checks the closures and writes nothing to the store.
  package func preview(_ roots: [ObjectID]) throws -> CloneResult {
    try each(roots) { root, result in
      try find(root)
      try checkRelatedObjects(of: root, among: [root])
      try checkKeys()
      try check(program.checks)
      try checkRoom { try inSets($0) * plan.request.count }
      try settle()
      try recordLinks(into: &result)
      for (write, tablePlan) in program.writes.map({ ($0, layout.tablePlans[$0.tablePlan]) })
      where tablePlan.isDirect {
        written[tablePlan.index] = try statements.count(write.count)
      }
      try recordCounts(into: &result, copies: plan.request.count)
    }
  }

  /// The objects of the closures, whatever their clones would be; none where the run keeps them elsewhere.
  package func originals(_ roots: [ObjectID]) throws -> [ObjectID] {
    try each(roots) { root, result in
      try find(root)
      for tablePlan in layout.tablePlans { try keepPairs(tablePlan, in: &result) }
    }.mapping.map(\.original)
  }

  /// Finds one closure after another, and hands out its objects.
  package func eachClosure(of roots: [ObjectID], _ body: ([ClosurePart]) throws -> Void) throws {
    let partly = plan.askedPartly
    _ = try each(roots) { root, _ in
      try find(root)
      try checkKeys()
      try body(
        layout.tablePlans.map { tablePlan in
          let map = From("\(layout.dialect.temporary(tablePlan.map)) m")
          let rows = tablePlan.isDirect ? layout.rows(of: tablePlan) : map
          let keys = Select(tablePlan.old("m"), from: rows)
          let asking = partly.filter { relationship in
            tablePlan.nodes.contains { $0.plan(of: relationship) != nil }
          }.map { relationship in
            let asks = Asking(layout: layout).asks(relationship, anyIn: tablePlan, alias: "m")
            return (relationship.qualifiedName, keys.where(asks))
          }
          return ClosurePart(
            entity: tablePlan.name, keys: keys, asking: Dictionary(uniqueKeysWithValues: asking))
        })
    }
  }

  /// The relationships, by qualified name, over which objects of the closures lead to something that is left behind: a
  /// statement for each. The run keeps its mapping.
  package func leavingBehind(_ ends: [OpenEnd], of roots: [ObjectID]) throws -> Set<String> {
    let renderer = ClosureRenderer(layout: layout)
    // What one root leaves behind another one may bring.
    let isCompared = roots.count > 1
    let model = plan.model
    let kept = Set(ends.filter(\.isKeptInside).map { model.rootEntity(of: $0.relationship.destination) })
    var left: [String: Set<[StoredValue]>] = [:]
    var came: [String: Set<[StoredValue]>] = [:]
    _ = try each(roots) { root, _ in
      try find(root)
      for end in ends {
        guard let outside = renderer.outside(end) else { continue }
        let canCome = end.isKeptInside && layout.tablePlan(of: end.relationship.destination) != nil
        let rows = try statements.rows(isCompared && canCome ? outside : outside.limited(to: 1))
        left[end.relationship.qualifiedName, default: []].formUnion(rows)
      }
      for tablePlan in layout.tablePlans where isCompared && kept.contains(tablePlan.name) {
        let map = From("\(layout.dialect.temporary(tablePlan.map)) m")
        came[tablePlan.name, default: []].formUnion(
          try statements.rows(Select(tablePlan.old("m"), from: map)))
      }
    }
    return Set(
      ends.filter { end in
        let root = model.rootEntity(of: end.relationship.destination)
        let others = end.isKeptInside ? came[root] ?? [] : []
        return !(left[end.relationship.qualifiedName] ?? []).isSubset(of: others)
      }.map(\.relationship.qualifiedName))
  }

  private func find(_ root: ObjectID) throws {
    try bindKeyOffsets()
    try bind(root)
    try emptyTables()
    try findCopy(0, of: root)
  }

  /// Finds the closure of a root. Its maps can only refuse rows where several have one key.
  private func findCopy(_ copy: Int, of root: ObjectID) throws {
    do { try closure.findCopy(copy) } catch {
      let refusal = session.connection.refusal(error, writing: nil, of: [], mapping: layout.mapping)
      guard refusal?.isUnique == true else { throw error }
      throw CloneError([.sharedKey(root, table: layout.root.table.name)], underlying: error)
    }
  }

  private func each<Part>(
    _ parts: [Part], body: (Part, inout CloneResult) throws -> Void
  ) throws -> CloneResult {
    try session.begin(options.generator)
    defer { session.end() }
    bindRun()
    var result = CloneResult()
    for part in parts { try body(part, &result) }
    // Those that end with their transaction need not be emptied for the next run.
    if hasTables, layout.dialect.endOfTemporaryTable.isEmpty { try closure.empty() }
    options.timer?.count(statements.count)
    return result
  }

  /// Makes the temporary tables empty, and makes them where the connection does not have them yet.
  private func emptyTables() throws {
    if !hasTables { try session.makeTables() }
    hasTables = true
    try closure.empty()
  }

  private func clone(_ roots: [ObjectID], into result: inout CloneResult) throws {
    if roots.count == 1, try session.cloneSmall(roots[0], executor: self, into: &result) { return }
    for i in written.indices { written[i] = 0 }
    try options.measure(.closure) {
      try bindKeyOffsets()
      try emptyTables()
      let count = plan.request.count
      for (place, root) in roots.enumerated() {
        try bind(root)
        try checkRelatedObjects(of: root, among: roots)
        for copy in 0..<count {
          try findCopy(place * count + copy, of: root)
          // What holds of one copy of each root holds of all.
          guard copy == 0, place == roots.count - 1 else { continue }
          try checkKeys()
          try check(program.checks)
          if options.countsLinks { try recordLinks(into: &result) }
        }
      }
      statements.bind("root", 1)
      try passDanglingNumbers()
      try checkRoom(inSets)
      try settle()
    }
    try options.measure(.write, write)
    try options.measure(.joins, writeJoins)
    try program.restoring.run { sql in try translating(nil) { try statements.execute(sql) } }
    try check(program.writtenChecks)
    try checkJoins()
    try record(into: &result)
  }
}

// MARK: - Writes

extension CloneExecutor {
  func write() throws {
    let expected = try program.writes.map { write in
      layout.tablePlans[write.tablePlan].isDirect ? try counted(write.count) : closure.mapped[write.tablePlan]
    }
    let known = expected.compactMap { $0 }
    total = known.count == expected.count ? known.reduce(0, +) : nil
    if let together = program.writesTogether { return try writeTogether(together, expected: expected) }
    for (write, expected) in zip(program.writes, expected) {
      let tablePlan = layout.tablePlans[write.tablePlan]
      try translating(tablePlan) { try self.write(write, tablePlan) }
      try compare(written[tablePlan.index], with: expected, table: tablePlan.table.name)
    }
  }

  private func writeTogether(_ sql: String, expected: [Int?]) throws {
    statements.bind("first", 1)
    statements.bind("last", closure.lastRows.max() ?? 0)
    let counts = try translating(nil) { try statements.answer(sql) ?? [] }
    for (place, write) in program.writes.enumerated() {
      written[write.tablePlan] = counts[place].number
      let table = layout.tablePlans[write.tablePlan].table.name
      try compare(counts[place].number, with: expected[place], table: table)
    }
    try options.report(CloneProgress(phase: .write, objects: written.reduce(0, +), total: total))
  }

  /// Writes the clones of a table plan part by part where that can be, so that a long run can say how far it is.
  func write(_ write: SQLProgram.Write, _ tablePlan: CloneTablePlan) throws {
    let rows = closure.lastRows[tablePlan.isDirect ? layout.source(of: tablePlan).index : tablePlan.index]
    let part = write.isWhole ? max(rows, 1) : Self.part
    for first in stride(from: 1, through: rows, by: part) {
      statements.bind("first", first)
      statements.bind("last", first + part - 1)
      statements.bind("written", written[tablePlan.index])
      written[tablePlan.index] += try statements.execute(passes ? write.passing ?? write.sql : write.sql)
      if first + part <= rows { statements.releasePages() }
      try options.report(CloneProgress(phase: .write, objects: written.reduce(0, +), total: total))
    }
  }

  /// Long enough that a statement for each costs nothing.
  private static var part: Int { 100_000 }

  func writeJoins() throws {
    for join in program.joins {
      let expected = try counted(join.count)
      let count = try translating(join) { try statements.execute(join.sql) }
      try compare(count, with: expected, table: join.table.name)
    }
    try options.report(CloneProgress(phase: .joins, objects: written.reduce(0, +), total: total))
  }

  /// - Throws: `CloneError` (`row-count`) where a trigger of the store has removed new join rows again.
  private func checkJoins() throws {
    for join in program.joins {
      guard let gone = join.gone, case let lost = try statements.count(gone), lost > 0 else { continue }
      let all = try statements.count(join.count)
      throw CloneError.ignored(
        all - lost, of: all, what: "join rows of \(join.relationship.qualifiedName)", by: join.table.name)
    }
  }

  /// Only a trigger can ignore a row without an error, so the expected rows are counted only then, and for a listener.
  private func counted(_ sql: String) throws -> Int? {
    program.hasTriggers || options.progress != nil ? try statements.count(sql) : nil
  }

  /// - Parameters:
  ///   - tablePlan: what is written; nil for several at once, of which the database names the one that it refuses.
  ///   - first: finds the first original of a table plan of which a copy repeats what is in some columns.
  package func translating<T>(
    _ tablePlan: CloneTablePlan?,
    first: ((CloneTablePlan, [String]) throws -> (object: ObjectID, isRoot: Bool)?)? = nil,
    body: () throws -> T
  ) throws -> T {
    try attempting(body) { error in
      let first =
        first ?? { [session, layout, statements] tablePlan, columns in
          try session.connection.attempting {
            try layout.first(tablePlan, with: columns, by: statements)
          }
        }
      let errors = ConstraintErrors(layout: layout, connection: session.connection, first: first)
      let refused = tablePlan ?? layout.refused(error, session.connection)?.tablePlan
      return errors.translated(error, writing: refused)
    }
  }

  /// The same of the rows of a join table.
  package func translating<T>(_ join: SQLProgram.Join, body: () throws -> T) throws -> T {
    try attempting(body) { error in
      let failure = session.connection.refusal(
        error, writing: join.table, of: [], mapping: layout.mapping)
      guard let failure else { return error }
      return failure.error(
        ofPairs: join.relationship, in: join.table,
        advice: "leave the relationship out with --exclude \(join.relationship.qualifiedName)",
        underlying: error)
    }
  }

  private func attempting<T>(_ body: () throws -> T, translated: (any Error) -> any Error) throws -> T {
    do { return try session.connection.attempting(body) } catch { throw translated(error) }
  }

  package func compare(_ count: Int, with expected: Int?, table: String) throws {
    guard let expected, count != expected else { return }
    throw CloneError.ignored(count, of: expected, what: "new rows", by: table)
  }
}
