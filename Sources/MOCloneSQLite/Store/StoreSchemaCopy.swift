import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Makes stores with the tables of another one.
struct StoreSchemaCopy {
  let db: Database

  /// Makes the tables of a model alone in an empty store, which take any row: nothing but keys is unique there, nothing is
  /// computed, and a row can come without what it refers to.
  ///
  /// Nobody reads that store after a crash, so nothing waits for the disk.
  func makeTables(of model: ObjectModel, _ mapping: SchemaMapping, in store: Database) throws {
    let names = StoreCheck.tables(of: model.entities.map(\.name), model, mapping: mapping)
    let own = mapping.coreData == nil ? [] : CoreDataMapping.ownTables
    let schema = try SchemaReader(db: db).schema(of: names + own)
    let references = mapping.referenceColumns.map { ($0.sqlName, Set($1.map(\.sqlName))) }
    let nullable = Dictionary(references, uniquingKeysWith: { $0.union($1) })
    let definitions = try schema.names.compactMap { schema[$0] }.map {
      try definition($0, nullable: nullable[$0.name.sqlName] ?? [])
    }
    try store.make(
      definitions + indexes(mapping, in: schema),
      behind: marks().prefix(1) + ["PRAGMA synchronous = OFF"])
  }

  /// Indexes by which rows are found for each of many roots.
  private func indexes(_ mapping: SchemaMapping, in schema: StoreSchema) -> [String] {
    mapping.linkColumns.filter { schema[$0[0]] != nil }.enumerated().map { number, names in
      let names = names.map(Dialect.sqlite.name)
      return "CREATE INDEX moclone_index_\(number) ON \(names[0])(\(Array(names.dropFirst()).list))"
    }
  }

  private func definition(_ table: TableSchema, nullable: Set<String>) throws -> String {
    let rows = try Row.fetchAll(
      db, sql: "SELECT name, dflt_value FROM pragma_table_info(?)", arguments: [table.name])
    let standards = Dictionary(rows.map { ($0[0] as String, $0[1] as String?) }, uniquingKeysWith: { $1 })
    let columns = table.columns.map { column -> String in
      let name = Dialect.sqlite.name(column.name)
      if column.name == table.rowidColumn { return "\(name) INTEGER PRIMARY KEY" }
      let standard = (standards[column.name] ?? nil).map { " DEFAULT " + Self.standard($0) } ?? ""
      let isRequired = column.isRequired && !column.isGenerated && !nullable.contains(column.name.sqlName)
      let required = isRequired ? " NOT NULL" : ""
      return Dialect.sqlite.collate("\(name) \(column.type)", column.collation) + required + standard
    }
    let key = table.rowidColumn == nil ? table.primaryKey : []
    let constraint = key.isEmpty ? [] : ["PRIMARY KEY (\(key.map(Dialect.sqlite.name).list))"]
    return "CREATE TABLE \(Dialect.sqlite.name(table.name))(\((columns + constraint).list))"
      + (table.isWithoutRowid ? " WITHOUT ROWID" : "")
  }

  /// A name by itself is a text there, which it is not in parentheses; an expression needs them.
  private static func standard(_ text: String) -> String {
    SQLToken.all(in: text).count == 1 ? text : "(\(text))"
  }

  /// The statements that made what the store has of a kind, in their order.
  ///
  /// Tables in which a virtual one keeps its rows come with that one.
  func statements(_ kind: String) throws -> [(name: String, sql: String)] {
    let shadows = try shadowTables()
    let rows = try Row.fetchAll(
      db,
      sql:
        "SELECT name, sql FROM main.sqlite_schema WHERE type = ? AND sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
        + "AND name <> ? ORDER BY rowid", arguments: [kind, MetadataTable.name])
    return rows.filter { !shadows.contains($0["name"]) }.map { ($0["name"], $0["sql"]) }
  }

  func shadowTables() throws -> Set<String> {
    try String.fetchSet(
      db, sql: "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'")
  }

  /// The numbers by which an application knows its files, the encoding of texts, and how the file gives back pages, which are
  /// settled before the first table.
  func marks() throws -> [String] {
    let encoding = try String.fetchOne(db, sql: "PRAGMA main.encoding") ?? "UTF-8"
    return try ["PRAGMA encoding = '\(encoding)'"]
      + ["auto_vacuum", "application_id", "user_version"].map { name in
        "PRAGMA \(name) = \(try Int.fetchOne(db, sql: "PRAGMA main.\(name)") ?? 0)"
      }
  }
}

extension Database {
  /// Makes tables and what belongs to them in one transaction.
  ///
  /// - Parameter settings: statements that come first, outside of it.
  fileprivate func make(_ definitions: [String], behind settings: [String]) throws {
    for sql in settings { try execute(sql: sql) }
    try inTransaction {
      for sql in definitions { try execute(sql: sql) }
      return .commit
    }
  }
}

extension SQLiteGraph {
  /// Makes a store with this one's tables, indexes, views and triggers, filled by a closure; where it throws there is
  /// none.
  ///
  /// The triggers come last: what is put in is what it was. Those that keep values which the model leaves to triggers
  /// (`derived: trigger`) come first, since a part of the objects is counted anew; what they write besides is taken back.
  /// So do the statements of triggers that fill virtual tables, such as those for full-text search.
  /// So that the app that owns this store can open it, what it says of its version comes along.
  ///
  /// That of a store which Core Data made is an emptied copy: what Core Data knows of the store comes along whole, the keys
  /// that were used included, and the graph to fill may be written. Apple supports no other writer.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - tables: tables that come whole, besides those in which migrations are kept.
  ///   - isDryRun: leaves nothing behind.
  ///   - fill: fills the new store.
  /// - Throws: `CloneError` (`store-exists`, `unknown-name` for a table that is not there, `store-mismatch` where what such
  ///   a trigger writes besides cannot be taken back, `core-data-store` for a store of Core Data that is not to be written),
  ///   what the closure throws.
  public func makeStore<Result>(
    at path: String, withTables tables: [String] = [], isDryRun: Bool = false,
    _ fill: (SQLiteGraph) throws -> Result
  ) throws -> Result {
    let contents = try read { try StoreContents($0, whole: tables) }
    // Indexes can need the functions and collations of the app.
    var configuration = try read { $0.db.configuration }
    configuration.readonly = false
    configuration.journalMode = .default
    configuration.foreignKeysEnabled = true
    let file = StoreFile(path)
    return try file.filling(isDryRun: isDryRun) { finish in
      try file.place { temporary in
        let queue = try DatabaseQueue(path: temporary, configuration: configuration)
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { try $0.make(contents.definitions, behind: contents.marks) }
        try copy(to: queue, contents.begin)
        // The file is nobody's yet, so no app has it open.
        let result = try fill(SQLiteGraph(owning: queue, model: model, coreData: .allowed, isDraft: true))
        try copy(to: queue, contents.complete)
        try finish(result)
      }
    }
  }

  /// Virtual tables with rows that stay empty in a store made of this one, since neither triggers fill them nor a table that
  /// they are built from.
  package func unfilledTables() throws -> [String] {
    try read { access in
      let triggers = try StoreSchemaCopy(db: access.db).statements("trigger")
      return try SearchTables(access.db, triggers: triggers).unfilled.sorted().filter {
        try access.exists(Select(["1"], from: From(access.db.dialect.table($0))))
      }
    }
  }

  /// Changes another store in one transaction, to which this one is attached.
  private func copy(to target: DatabaseQueue, _ body: (Database) throws -> Void) throws {
    try withFile { source in
      try target.writeWithoutTransaction { db in
        try source.attached(to: db) { try db.inKeptSavepoint { try body(db) } }
      }
    }
  }
}

/// What a store holds besides the objects of the model.
private struct StoreContents {
  /// What is settled before the first table.
  let marks: [String]
  /// What is made before any row is written.
  let definitions: [String]
  /// Tables that come whole before the objects, and behind them.
  private let first: [String]
  private let whole: [String]
  private let search: SearchTables
  /// Triggers that are made when the objects are there.
  private let late: [String]
  /// The triggers that are made before the objects come; nil for a store of Core Data, where all are.
  private let keeping: KeepingTriggers?

  /// Where libraries keep which migrations were run.
  private static let bookkeeping = ["grdb_migrations"]

  init(_ access: RowAccess, whole: [String]) throws {
    let (db, model) = (access.db, access.model)
    try CoreDataStore.check(.allowed, db, model, at: access.path)
    let schema = StoreSchemaCopy(db: db)
    let names = try SchemaReader(db: db).tableNames()
    let unknown = whole.filter { table in !names.contains { $0.sqlName == table.sqlName } }
    guard unknown.isEmpty else {
      throw CloneError(
        unknown.map {
          .init(.unknownName, "the store has no table '\($0)'", help: didYouMean($0, known: names.sorted()))
        }
      )
    }
    let triggers = try schema.statements("trigger")
    // Objects come into every store of Core Data by all of its triggers, which keep derived attributes.
    let isCoreData = try CoreDataStore.isOne(db)
    let keeping = isCoreData ? nil : try KeepingTriggers(db, in: model, whole: whole)
    let isEarly = triggers.map { keeping?.contains($0.name) ?? true }
    let tables = try ["table", "index", "view"].flatMap(schema.statements).map(\.sql)
    let late = zip(triggers, isEarly).filter { !$1 }.map(\.0)
    search = try SearchTables(db, triggers: late)
    marks = try schema.marks()
    definitions = tables + zip(triggers, isEarly).filter(\.1).map(\.0.sql)
    self.late = late.map(\.sql)
    self.keeping = keeping
    first = isCoreData ? names.filter { CoreDataMapping.ownTables.contains($0.sqlName) } : []
    self.whole = Self.bookkeeping.filter(names.contains) + whole
  }

  /// Brings what is there before any object, from the attached source.
  func begin(_ db: Database) throws {
    try search.makeTriggers(db)
    try copy(first, to: db)
  }

  /// Brings the rest, from the attached source.
  func complete(_ db: Database) throws {
    try keeping?.check(db)
    for table in keeping?.others ?? [] where !search.contains(table) {
      try db.execute(sql: "DELETE FROM \(Dialect.sqlite.table(table))")
    }
    try db.whileForeignKeysWait {
      try copy(whole, to: db)
      try db.refuseDanglingReferences(
        help: "clone what the rows of tables that come whole refer to as well, or leave such a table out")
    }
    try search.complete(db)
    for sql in late { try db.execute(sql: sql) }
  }

  private func copy(_ tables: [String], to db: Database) throws {
    for table in tables {
      if search.contains(table) {
        try search.copyWhole(table, db)
        continue
      }
      let (target, source) = (Dialect.sqlite.table(table), Dialect.sqlite.source(table))
      let columns = try String.fetchAll(
        db, sql: "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", arguments: [table]
      ).map(Dialect.sqlite.name).list
      try db.execute(sql: "INSERT OR IGNORE INTO \(target)(\(columns)) SELECT \(columns) FROM \(source)")
    }
  }
}

/// Ends the making of a store that nobody wants to keep.
struct OnlyLooked: Error {}
