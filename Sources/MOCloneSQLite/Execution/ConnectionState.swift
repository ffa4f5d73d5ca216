import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// What is kept of a connection between calls: plans, programs, columns, and whether the schema is still the one they were
/// made for.
///
/// `@unchecked Sendable`: it is touched on its connection's own queue only, as `Database` is.
final class ConnectionState: @unchecked Sendable {
  let plans = PlanCache()
  private var programs: [Key: PreparedClone] = [:]
  /// The columns of tables, with the number of the schema that they were read from.
  private var knownColumns: [[String]: (schema: Int, tables: StoreSchema)] = [:]
  private var hasFunctions = false
  /// What follows each change of a run under way that keeps what a Core Data store keeps; nil where none is.
  var coreDataRun: CoreDataRun?
  /// Whether the store was found to be another program's than Core Data's; it stays that.
  private var isPlain = false
  /// Counts the schemas that were met, so that a program knows whether it was checked against the last.
  private var schema = 0
  /// What the last schema consists of; nil where that is not known.
  private var definitions: [[RawValue]]?
  private var defining = KeptStatement(
    "SELECT name, sql FROM main.sqlite_schema UNION ALL SELECT name, sql FROM temp.sqlite_schema")
  /// Counts how often SQLite has let statements expire: a function can be gone then, or temporary tables, whatever the
  /// schema is.
  private var expirations = 0
  private var version: Int64?
  private var watched = 0
  private var watch = KeptStatement("PRAGMA main.schema_version")

  /// A program keeps its plan, so no other shape can get the same identifier meanwhile.
  fileprivate struct Key: Hashable {
    var shape: ObjectIdentifier
    var keepsMapping: Bool
    var severalRoots: Bool
  }

  private static let capacity = 32

  /// The program of a plan, made anew only where the tables that it is about have changed.
  func program(
    of plan: ClonePlan, keepsMapping: Bool, severalRoots: Bool, access: RowAccess
  ) throws -> PreparedClone {
    try lookForChanges(access.db)
    let key = Key(
      shape: ObjectIdentifier(plan.identity.shape), keepsMapping: keepsMapping, severalRoots: severalRoots
    )
    if let kept = programs[key] {
      kept.expirations = expirations
      if kept.schema == schema { return kept }
      if try kept.tables == PreparedClone.tables(of: plan, access) {
        kept.schema = schema
        return kept
      }
    }
    let made = try PreparedClone(plan, key, access: access, schema: schema)
    made.expirations = expirations
    if programs.count >= Self.capacity { programs.removeAll(keepingCapacity: true) }
    programs[key] = made
    return made
  }

  /// The columns of some tables, read anew only where a table has changed.
  func columns(of tables: [String], in db: Database) throws -> StoreSchema {
    try lookForChanges(db)
    if let known = knownColumns[tables], known.schema == schema { return known.tables }
    let read = try SchemaReader(db: db).schema(of: tables)
    if knownColumns.count >= Self.capacity { knownColumns.removeAll(keepingCapacity: true) }
    knownColumns[tables] = (schema, read)
    return read
  }

  /// SQLite prepares statements anew after each change of a schema that the connection sees, also after one that was
  /// rolled back, which leaves the same number behind; changes by other connections show in the number. It prepares them
  /// anew after settings as well, such as `query_only` around each read of GRDB's queue; then the definitions are as before.
  private func lookForChanges(_ db: Database) throws {
    let statement = try watch.raw(in: db)
    var now: Int64?
    while try statement.step() { now = statement.number(0) }
    // GRDB drops its statements when it changes a schema itself.
    let isOther = watched != watch.preparations
    let hasExpired = statement.countPreparations() > 0 || isOther || now != version
    watched = watch.preparations
    version = now
    guard hasExpired else { return }
    expirations += 1
    let last = definitions
    // Where reading them fails, they are another schema's the next time.
    definitions = nil
    let found = try defining.raw(in: db).rows()
    if found != last { schema += 1 }
    definitions = found
  }

  /// Whether Core Data made the store.
  func isCoreData(_ db: Database) throws -> Bool {
    if !isPlain { isPlain = try !CoreDataStore.isOne(db) }
    return !isPlain
  }

  /// Registers the functions of runs, once for each connection.
  func register(in db: Database) throws {
    guard !hasFunctions else { return }
    try Functions.register(in: db)
    hasFunctions = true
  }
}

// MARK: - By connection

extension ConnectionState {
  private struct Entry {
    weak var database: Database?
    let state: ConnectionState
  }

  private static let entries = Locked<[ObjectIdentifier: Entry]>([:])

  static func of(_ db: Database) -> ConnectionState {
    let id = ObjectIdentifier(db)
    return entries.withLock { entries in
      if let entry = entries[id], entry.database === db { return entry.state }
      entries = entries.filter { $0.value.database != nil && $0.key != id }
      let state = ConnectionState()
      entries[id] = Entry(database: db, state: state)
      return state
    }
  }
}

/// The program of a plan on one connection.
final class PreparedClone {
  let program: SQLProgram
  /// The tables as the program knows them.
  let tables: StoreSchema
  /// The statements for small closures; nil where the plan has none.
  let rows: PreparedRows?
  /// The number of the schema that the tables were compared with last.
  fileprivate(set) var schema: Int
  /// How often the connection had let statements expire when the program was asked for last.
  fileprivate(set) var expirations = 0
  /// The same when the temporary tables were found or made.
  private var expirationsAtTables: Int?
  /// The same when inserts were found to be possible.
  private var expirationsAtInserts: Int?
  /// Of each table plan whose keys are counted.
  private var greatest: [(tablePlan: Int, number: GreatestNumber, statement: KeptStatement)]
  private var dangling: [KeptStatement]
  /// The concrete entities for which the request was found to hold.
  private var checkedRoots: Set<String> = []

  fileprivate init(_ plan: ClonePlan, _ key: ConnectionState.Key, access: RowAccess, schema: Int) throws {
    self.schema = schema
    tables = try Self.tables(of: plan, access)
    let layout = try CloneLayout(
      plan: plan, mapping: access.mapping, schema: tables, keepsMapping: key.keepsMapping,
      severalRoots: key.severalRoots)
    program = try SQLProgram(layout)
    rows = try RowProgram(program).map(PreparedRows.init)
    dangling = program.dangling.map(KeptStatement.init)
    greatest = layout.tablePlans.filter(\.isCounted).map { tablePlan in
      let column = tablePlan.keyColumns[0].name
      return (
        tablePlan.index, GreatestNumber(column: column, entity: tablePlan.name),
        KeptStatement(tablePlan.table.greatestNumber(in: column, layout.dialect))
      )
    }
  }

  /// All statements, for people: those for small closures behind the others.
  var statements: [String] {
    guard var small = rows?.program.statements else { return program.statements }
    small[0] =
      "-- Up to \(CloneOptions().smallClosure) objects are cloned one by one, by these instead:\n" + small[0]
    return program.statements + small
  }

  static func tables(of plan: ClonePlan, _ access: RowAccess) throws -> StoreSchema {
    let names = try StoreCheck.tables(of: plan, mapping: access.mapping)
      .union(StoreCheck.tablesLeftOut(of: plan, mapping: access.mapping))
    return try SchemaReader(db: access.db, mapping: access.mapping).schema(of: names)
  }

  /// Makes the temporary tables that the connection does not have; a rollback can have taken them away.
  ///
  /// They are looked for first: after each CREATE, also one that makes nothing, GRDB prepares all its statements anew.
  func makeTables(_ statements: StatementRunner) throws {
    guard expirationsAtTables != expirations else { return }
    let names = Set(program.temporaryTables).map(Dialect.sqlite.text)
    let found = try statements.count(
      "SELECT count(*) FROM temp.sqlite_schema WHERE type = 'table' AND name IN (\(names.list))")
    if found < names.count {
      for statement in program.definitions { try statements.execute(statement) }
    }
    expirationsAtTables = expirations
  }

  /// Refuses to begin where SQLite cannot insert what the program inserts.
  ///
  /// - Throws: `CloneError` (`insert-refused`).
  func checkInserts(in db: Database) throws {
    guard expirationsAtInserts != expirations else { return }
    let tables = program.layout.tablePlans.map { ($0.table, $0.name) }
    let joins = program.joins.map { ($0.table, $0.relationship.entity) }
    let failures = try (tables + joins).compactMap { table, entity in
      try InsertObstacle(insertingInto: table, in: db)?.failure(entity: entity)
    }
    if !failures.isEmpty { throw CloneError(failures) }
    expirationsAtInserts = expirations
  }

  /// The greatest number used before, of each table plan whose keys are counted.
  func greatestNumbers(in db: Database) throws -> [(tablePlan: Int, number: Int64)] {
    try greatest.indices.map { i in
      (
        greatest[i].tablePlan,
        try greatest[i].number.checked(greatest[i].statement.value(in: db).stored, dialect: .sqlite)
      )
    }
  }

  /// Whether new keys from the numbers used before on could be numbers that something refers to already.
  func mayDangle(_ greatest: [(tablePlan: Int, number: Int64)], in db: Database) throws -> Bool {
    try dangling.indices.contains { place in
      let statement = try dangling[place].raw(in: db)
      for (tablePlan, number) in greatest {
        statement.bind(.integer(number), at: statement.parameter("keyOffset\(tablePlan)"))
      }
      defer { statement.reset() }
      return try statement.step() && statement.number(0) != 0
    }
  }

  /// The roots as the store writes their keys, all fit for the plan.
  func existing(_ roots: [ObjectID], of plan: ClonePlan, access: RowAccess) throws -> [ObjectID] {
    let found = try access.existing(roots)
    // Values that are set can be others each time.
    let new = found.filter { !plan.request.set.isEmpty || !checkedRoots.contains($0.entity) }
    if !new.isEmpty {
      try plan.check(roots: new)
      checkedRoots.formUnion(new.map(\.entity))
    }
    return found
  }
}
