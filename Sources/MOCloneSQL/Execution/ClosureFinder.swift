import MOCloneEngine

/// Finds what a root's clone consists of, into the temporary tables of its program.
///
/// Statements: one an access path, one for each relationship and generation within a cycle, one for what lies
/// below a narrow generation deep in a tree.
final class ClosureFinder<Statements: StatementRunning> {
  private let program: SQLProgram
  private let statements: Statements
  private let options: CloneOptions
  /// Rows so far in each table plan's map and among its pairs, and those of earlier copies.
  private(set) var mapped: [Int]
  /// The greatest number among them; more, where rows that were left out have been numbered too.
  private(set) var lastRows: [Int]
  private var lastPairs: [Int]
  private var before: [Int]
  /// Table plans whose map got its key behind its rows.
  private var keyed: Set<Int> = []

  private var layout: CloneLayout { program.layout }

  init(_ program: SQLProgram, statements: Statements, options: CloneOptions) {
    self.program = program
    self.statements = statements
    self.options = options
    mapped = Array(repeating: 0, count: program.layout.tablePlans.count)
    lastRows = mapped
    lastPairs = mapped
    before = mapped
  }

  func empty() throws {
    for tablePlan in layout.tablePlans {
      for table in tablePlan.temporaryTables {
        try statements.execute("DELETE FROM \(layout.dialect.temporary(table))")
      }
      mapped[tablePlan.index] = 0
      lastRows[tablePlan.index] = 0
      lastPairs[tablePlan.index] = 0
    }
    if layout.hasCopies {
      try statements.execute("DELETE FROM \(layout.dialect.temporary(CloneTablePlan.roots))")
    }
  }

  /// Finds the closure of the root whose key is bound; the copies of all roots are counted.
  func findCopy(_ copy: Int) throws {
    let tablePlan = layout.root
    before = layout.tablePlans.map { rows(of: $0.index) }
    statements.bind("copy", copy)
    statements.bind("root", lastRows[tablePlan.index] + 1)
    bindLast(tablePlan.index)
    try statements.execute(program.seed)
    mapped[tablePlan.index] += 1
    lastRows[tablePlan.index] += 1
    lastPairs[tablePlan.index] += 1
    for component in program.components {
      if layout.hasCopies { bindCopy() }
      try component.isCyclic ? findCycle(component) : findOnce(component)
      try options.report(CloneProgress(phase: .closure, objects: mapped.reduce(0, +)))
    }
  }

  /// What the copy has so far of each table plan.
  private func bindCopy() {
    for tablePlan in layout.tablePlans {
      bind(
        before[tablePlan.index] + 1...max(rows(of: tablePlan.index), before[tablePlan.index] + 1),
        of: tablePlan.index)
    }
  }

  private func bind(_ range: ClosedRange<Int>, of tablePlan: Int) {
    statements.bind("from\(tablePlan)", range.lowerBound)
    statements.bind("to\(tablePlan)", range.upperBound)
  }

  private func findOnce(_ component: SQLProgram.Component) throws {
    for expansion in component.entering { try expand(expansion) }
    for tablePlan in component.tablePlans { try flush(tablePlan, component: component) }
    for tablePlan in component.tablePlans where mapped[tablePlan] >= Self.long {
      guard let key = layout.tablePlans[tablePlan].addKey, keyed.insert(tablePlan).inserted else { continue }
      try statements.execute(key)
    }
  }

  /// Rows from which on an index of a map pays.
  private static var long: Int { 1_000 }

  private func findCycle(_ component: SQLProgram.Component) throws {
    try findGenerations(component)
    if let rootsParent = component.rootsParent { try statements.execute(rootsParent) }
  }

  /// Generation by generation, until one finds nothing new.
  private func findGenerations(_ component: SQLProgram.Component) throws {
    var waiting = 0
    for expansion in component.entering { waiting += try expand(expansion) }
    let steps = try component.internals.map { (target: $0.target, run: try statements.repeated($0)) }
    var seen = before
    var last = layout.tablePlans.map { rows(of: $0.index) }
    var generation = 0
    while true {
      if waiting > 0 {
        statements.bind("gen", generation)
        for tablePlan in component.tablePlans { waiting -= try flush(tablePlan, component: component) }
      }
      for tablePlan in component.tablePlans { last[tablePlan] = rows(of: tablePlan) }
      let isNew = component.tablePlans.contains { last[$0] > seen[$0] }
      if !isNew && waiting == 0 { return }
      if let recursion = component.recursion, generation >= Self.deep {
        let tree = component.tablePlans[0]
        if last[tree] - seen[tree] < Self.narrow {
          return try findBelow(seen[tree] + 1...last[tree], of: tree, recursion: recursion)
        }
      }
      for step in isNew ? steps : [] {
        waiting += try enter(step.target) { try step.run(seen, last) }
      }
      generation = try isNew ? generation + 1 : nextGeneration(component)
      for tablePlan in seen.indices { seen[tablePlan] = last[tablePlan] }
    }
  }

  /// A tree that is this deep and narrow is rather a chain: one query then costs less than a statement a generation,
  /// for broad trees it is the other way round.
  private static var deep: Int { 50 }
  private static var narrow: Int { 20 }

  private func findBelow(_ generation: ClosedRange<Int>, of tree: Int, recursion: String) throws {
    bind(generation, of: tree)
    try statements.execute(layout.dialect.countRows(layout.dialect.parameter("to\(tree)")))
    mapped[tree] += try statements.execute(recursion)
    lastRows[tree] = mapped[tree]
  }

  /// The rows that a table plan's frontier is taken from: pairs, where an object can be reached in several ways.
  private func rows(of tablePlan: Int) -> Int {
    layout.tablePlans[tablePlan].isPaired ? lastPairs[tablePlan] : lastRows[tablePlan]
  }

  // MARK: Numbers

  private func bindLast(_ tablePlan: Int) {
    statements.bind(CloneTablePlan.lastRow(tablePlan), lastRows[tablePlan])
    statements.bind(CloneTablePlan.lastPair(tablePlan), lastPairs[tablePlan])
  }

  /// Runs what enters objects into a table plan's map, or into its stage.
  ///
  /// - Returns: how many rows wait in the stage because of it.
  private func enter(_ tablePlan: Int, run: () throws -> Int) throws -> Int {
    bindLast(tablePlan)
    let count = try run()
    guard !layout.tablePlans[tablePlan].isStaged else { return count }
    try note(count, in: tablePlan)
    return 0
  }

  private func note(_ count: Int, in tablePlan: Int) throws {
    mapped[tablePlan] += count
    lastRows[tablePlan] = try last(layout.tablePlans[tablePlan].map, counted: mapped[tablePlan])
  }

  /// The greatest number in a table; where rows are numbered as they are entered it is their count.
  ///
  /// - Parameter table: its name, whose making would take a chain as long as each of its statements.
  private func last(_ table: @autoclosure () -> String, counted count: Int) throws -> Int {
    guard layout.dialect.numbersRows else { return count }
    return try statements.count("SELECT coalesce(max(seq), 0) FROM \(layout.dialect.temporary(table()))")
  }

  /// What was collected from outside the cycle may lie generations ahead.
  private func nextGeneration(_ component: SQLProgram.Component) throws -> Int {
    let staged = component.tablePlans.map { layout.tablePlans[$0] }.filter(\.isStaged)
    return try staged.compactMap { tablePlan -> Int? in
      try statements.integer("SELECT min(gen) FROM \(layout.dialect.temporary(tablePlan.stage))").map {
        Int($0)
      }
    }.min() ?? 0
  }

  /// - Returns: how many rows wait in the target's stage because of it.
  @discardableResult
  private func expand(_ expansion: SQLProgram.Expansion) throws -> Int {
    try enter(expansion.target) { try statements.execute(expansion.sql) }
  }

  /// - Returns: how many rows left the stage.
  @discardableResult
  private func flush(_ tablePlan: Int, component: SQLProgram.Component) throws -> Int {
    guard let flush = component.flushes[tablePlan] else { return 0 }
    bindLast(tablePlan)
    try note(statements.execute(flush[0]), in: tablePlan)
    if flush.count == 3 {
      let count = try statements.execute(flush[1])
      lastPairs[tablePlan] = try last(
        layout.tablePlans[tablePlan].pairs, counted: lastPairs[tablePlan] + count)
    }
    return try statements.execute(flush.last!)
  }
}
