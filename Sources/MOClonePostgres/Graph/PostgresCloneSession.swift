import Foundation
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The program of a plan on a connection of PostgreSQL.
package final class PostgresCloneSession: CloneSession {
  package let connection: PostgresConnection
  package let statements: PostgresStatements
  package let program: SQLProgram

  private let programs: PostgresProgram

  /// How many UUIDs a run is given; nil where the server makes them.
  private let givenUUIDs: Int?
  private var given: [UUID] = []

  /// What a page cost to look up before the run.
  private var former: String?

  init(_ connection: PostgresConnection, program: PostgresProgram, givenUUIDs: Int? = nil) {
    self.givenUUIDs = givenUUIDs
    self.connection = connection
    statements = PostgresStatements(connection)
    self.program = program.program
    programs = program
  }

  /// The server makes random UUIDs itself.
  package func begin(_ generator: ValueGenerator) throws {
    guard let givenUUIDs else { return }
    given = generator.lend(givenUUIDs)
    try connection.give(given, to: statements)
  }

  package func end() {
    if let former { connection.restore(.pageCost, to: former) }
    former = nil
  }

  /// Gives a generator back the UUIDs that a run did not take.
  ///
  /// - Returns: whether it took more than it was given; those that it did not get are null.
  func lacksUUIDs(of generator: ValueGenerator) throws -> Bool {
    let taken = try connection.takenUUIDs()
    let isShort = taken > given.count
    generator.takeBack(given[(isShort ? 0 : taken)...])
    return isShort
  }

  package func greatestNumbers() throws -> [(tablePlan: Int, number: Int64)] {
    try program.layout.tablePlans.filter(\.isCounted).map { tablePlan in
      let column = tablePlan.keyColumns[0].name
      return (tablePlan.index, try tablePlan.table.greatestNumber(in: column, of: tablePlan.name, connection))
    }
  }

  package func mayDangle(_ greatest: [(tablePlan: Int, number: Int64)]) throws -> Bool {
    let offsets = Dictionary(
      uniqueKeysWithValues: greatest.map { ("keyOffset\($0.tablePlan)", StoredValue.integer($0.number)) })
    return try program.dangling.contains { try connection.rows($0, offsets).first?.first == .integer(1) }
  }

  /// They end with the transaction, so each one makes its own.
  ///
  /// PostgreSQL takes ten pages for granted in a table that nobody has looked at, and reads whole tables for the sake of a
  /// few objects; of one that was seen empty it goes by the pages that it has when a statement is planned.
  package func makeTables() throws {
    let tables = program.temporaryTables.map(program.layout.dialect.temporary)
    try statements.run(program.definitions + ["ANALYZE \(tables.list)"])
    former = try connection.change(.pageCost)
  }

  package func cloneSmall(
    _ root: ObjectID, executor: CloneExecutor<PostgresCloneSession>, into result: inout CloneResult
  ) throws -> Bool {
    guard !executor.options.keepsMapping,
      let single = try programs.single(countsLinks: executor.options.countsLinks)
    else { return false }
    do {
      try connection.inTransaction {
        let answer = try executor.options.measure(.write) {
          try self.answer(to: single, root, executor: executor)
        }
        answer.add(to: &result, root: root, executor.layout)
        try executor.options.report(
          CloneProgress(phase: .joins, objects: answer.objects, total: answer.objects))
      }
      return true
    } catch let error as PostgresError where error.isOfRows {
      // The way over temporary tables can tell which object it is about, and is open to tables with rules.
      return false
    } catch is Refused {
      return false
    }
  }

  /// Clones a root in one round trip, with its transaction, where the tables are as they were.
  ///
  /// - Returns: nil where they are not, where something may be refused, or where another transaction was in the way.
  func cloneAtOnce(
    _ root: ObjectID, _ state: PostgresTableState, _ executor: CloneExecutor<PostgresCloneSession>
  ) throws -> CloneResult? {
    guard let single = try programs.single(countsLinks: executor.options.countsLinks) else { return nil }
    executor.bindRun()
    // A transaction analyses all at one instant, whatever it changes in between.
    let isOwn = !connection.isInTransaction
    let analysed = isOwn ? programs.analysis.trusted(single) : nil
    try bind(root, executor: executor, analysed: analysed)
    let first = analysed == nil ? state.guardStatement : PostgresConnection.transactionStatement
    // What was changed between the first look and the clone, which keeps the tables as they are, is seen by a second one.
    let last =
      isOwn && analysed == nil ? [(sql: state.guardStatement, arguments: [String: StoredValue]())] : []
    do {
      let rows = try executor.options.measure(.write) {
        try connection.transact([(first, [:]), (single.sql, statements.arguments)] + last)[1]
      }
      guard let answer = SingleAnswer(rows.first ?? [], columns: single.columns), !answer.isRefused else {
        return nil
      }
      if isOwn { programs.analysis.note(answer.analysed, of: single) }
      var result = CloneResult()
      answer.add(to: &result, root: root, executor.layout)
      executor.options.timer?.count(2)
      executor.options.progress?(
        CloneProgress(phase: .joins, objects: answer.objects, total: answer.objects))
      return result
    } catch let error as PostgresError where error.isOfRows || error.isOfNames || error.isConflict {
      programs.analysis.forget(single)
      return nil
    }
  }

  /// Counts what a clone of a root would contain, by a statement that writes nothing.
  ///
  /// - Returns: false where the plan has none, or where something would be refused.
  func look(
    at root: ObjectID, _ executor: CloneExecutor<PostgresCloneSession>, into result: inout CloneResult
  ) throws -> Bool {
    guard let single = try programs.looking() else { return false }
    executor.bindRun()
    do {
      try answer(to: single, root, executor: executor).add(to: &result, root: root, executor.layout)
      return true
    } catch is Refused {
      return false
    }
  }

  private func answer(
    to single: SingleStatement, _ root: ObjectID, executor: CloneExecutor<PostgresCloneSession>
  ) throws -> SingleAnswer {
    try bind(root, executor: executor)
    guard let answer = SingleAnswer(try statements.answer(single.sql) ?? [], columns: single.columns),
      !answer.isRefused
    else { throw Refused() }
    return answer
  }

  private func bind(
    _ root: ObjectID, executor: CloneExecutor<PostgresCloneSession>, analysed: String? = nil
  ) throws {
    try executor.bind(root)
    statements.bind("analysed", .text(analysed ?? SingleStatement.anyInstant))
    statements.bind("root", 1)
    statements.bind("first", 1)
    statements.bind("last", Int64.max)
  }

  /// A check has found something, which the way over temporary tables tells.
  private struct Refused: Error {}
}

/// What a clone in one statement has answered.
private struct SingleAnswer {
  private var key: [StoredValue] = []
  private var written: [Int: Int] = [:]
  private var found: [String: Int] = [:]
  private var linked: [String: Int] = [:]
  private(set) var analysed: String?
  /// Whether a check finds something, or the root is not there.
  private(set) var isRefused = false

  init?(_ row: [StoredValue], columns: [SingleStatement.Column]) {
    guard row.count == columns.count else { return nil }
    for (value, column) in zip(row, columns) {
      switch column {
      case .key:
        key.append(value)
        isRefused = isRefused || value == .null
      case .passes: break
      case .analysed: analysed = value.string
      case .refuses: isRefused = isRefused || value.number != 0
      case .found(let entity): found[entity] = value.number
      case .written(let tablePlan): written[tablePlan] = value.number
      case .linked(let entity): linked[entity] = value.number
      }
    }
  }

  var objects: Int { written.values.reduce(0, +) }

  func add(to result: inout CloneResult, root: ObjectID, _ layout: CloneLayout) {
    for tablePlan in layout.tablePlans where !tablePlan.hasEntity {
      result.cloned[tablePlan.entities[0], default: 0] += written[tablePlan.index] ?? 0
    }
    for (entity, count) in found { result.cloned[entity, default: 0] += count }
    result.cloned = result.cloned.filter { $0.value > 0 }
    for (entity, count) in linked where count > 0 { result.linked[entity, default: 0] += count }
    let coding = KeyCoding(entity: layout.mapping[root.entity])
    result.roots.append(ObjectID(root.entity, key: coding.decode(key, from: 0)))
  }
}

extension PostgresError {
  /// Whether the rows are the cause, or what the server cannot do in one statement.
  var isOfRows: Bool { ["0A", "22", "23", "P0"].contains(sqlState.prefix(2)) }

  /// Whether a constraint has refused a row, or a trigger has, which says no by P0001.
  var refusesRow: Bool { sqlState.hasPrefix("23") || sqlState == "P0001" }

  /// Whether a value can be the cause, while the type of its column reads it. Types refuse one by codes of any kind, as
  /// tsvector by an error of syntax and hstore by an internal one; but whoever cancels a statement, waits for a lock, or
  /// lacks a connection or room for it has no fault to find with a value.
  var isOfValues: Bool { !["08", "25", "40", "53", "55", "57", "58"].contains(sqlState.prefix(2)) }

  /// Whether what the statement names is not there, or not for the role.
  var isOfNames: Bool { sqlState.hasPrefix("42") }
}
