import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension SQLiteGraph: CopyingGraph, RowGraph {
  /// Has the objects of a source at hand: another store is attached, objects of a graph of any other kind are staged in
  /// temporary tables first, which SQLite keeps in a file: those of a database by one query a table, those of a graph in
  /// memory one by one.
  package func transferring<Result>(
    from source: any ObjectGraph, _ rules: CopyRules, policy: TransferPolicy, subtree: CopiedSubtree?,
    options: TransferOptions, body: (RowAccess, TransferRun) throws -> Result
  ) throws -> Result {
    // Annotations say nothing of what is stored.
    let isStoredAlike =
      source.model == model
      || (source as? SQLiteGraph)?.mapping == mapping
    if !isStoredAlike { try source.checkModel(model) }
    if let source = source as? SQLiteGraph, source.shares(databaseOf: self) {
      throw CloneError(.invalidValue, "a graph cannot be copied into its own database")
    }
    let path = try (source as? SQLiteGraph)?.read { try $0.path }
    if let path { try read { try refuseOwnFile(path, in: $0) } }
    let isOwn = !isWithinTransaction
    let store = try storeLayout("the store")
    let rules = try rules.knowing(store, subtree: subtree) { try (source as? any StoreGraph)?.storeLayout() }
    func transferLayout(_ tables: SourceTables, _ subtree: CopiedSubtree?) throws -> TransferLayout {
      try TransferLayout(rules, policy: policy, from: tables, into: store, subtree: subtree)
    }
    guard let source = source as? SQLiteGraph, try attached?.source === source || canAttach(source) else {
      return try StagedSource.open(source, into: self, rules: rules, subtree: subtree) { source in
        let tables = try SourceTables(staging: store, sharing: source.layout(like: store))
        let layout = try transferLayout(tables, subtree)
        func staging(inPlace: Bool) throws -> Result {
          try moving(options) {
            try $0.staging(
              source, in: layout, watch: $1, rebuildsIndexes: isOwn, inPlace: inPlace, body: body)
          }
        }
        // An app observes what is written on its connection.
        do { return try staging(inPlace: !isShared) } catch is RowsNotInPlace {
          return try staging(inPlace: false)
        }
      }
    }
    func transfer(_ file: CopySource) throws -> Result {
      var layout: TransferLayout?
      func find() throws {
        let source = SQLiteGraph(owning: try file.opened(), model: source.model, coreData: source.coreData)
        let tables = try SourceTables(attached: source.storeLayout("the source").schema)
        layout = try transferLayout(tables, subtree?.found(in: source))
        try source.close()
      }
      if subtree == nil || !isOwn { try find() }
      return try moving(options, attaching: file, find: subtree == nil ? nil : find) { access, watch in
        try body(access, TransferRun(layout!, in: access.db, watch: watch, rebuildsIndexes: isOwn))
      }
    }
    if let attached { return try transfer(attached.file) }
    do { return try withFile(of: source, transfer) } catch is CopySource.Restless {
      guard source.mapping.coreData == nil else {
        throw CloneError(
          .storeBusy, "another process writes to the source all the time",
          help: "try again later")
      }
      return try source.withCopiedFile(transfer)
    }
  }

  /// Runs calls in one transaction, which is taken back, and to which the store of a source is attached, so that they find
  /// what they would find outside of it.
  package func trying<Result>(
    from source: any ObjectGraph, options: TransferOptions, _ body: () throws -> Result
  ) throws -> Result {
    let watch = RunWatch(options.quiet)
    func trial(_ access: RowAccess) throws -> Result {
      try watch.during(access.db) {
        try access.db.savepoint(isKept: false) { try nested(in: access, body) }
      }
    }
    guard let source = source as? SQLiteGraph, try canAttach(source) else {
      return try onConnection(dryRun: true) { access, _ in try trial(access) }
    }
    return try withFile(of: source) { file in
      attached = (source, file)
      defer { attached = nil }
      return try onConnection(dryRun: true) { access, _ in
        try file.attached(to: access.db) { try trial(access) }
      }
    }
  }

  /// Whether a store can be attached: not within a transaction, or where texts have another encoding; there its rows are
  /// staged.
  private func canAttach(_ source: SQLiteGraph) throws -> Bool {
    try !isWithinTransaction && source.setting("encoding") == setting("encoding")
  }

  /// The file of a source that can be attached for the time of a closure.
  private func withFile<Result>(
    of source: SQLiteGraph, _ body: (CopySource) throws -> Result
  ) throws -> Result {
    // A copy of a Core Data store would lack the files beside it; in WAL mode what is locked can be read.
    if source.mapping.coreData == nil, try hasAttached(source.read { try $0.path }),
      try source.setting("journal_mode") != "wal"
    {
      return try source.withCopiedFile(body)
    }
    return try source.withFile(body)
  }

  /// A setting of the database, as how it writes texts: in UTF-8 or one of the forms of UTF-16.
  private func setting(_ name: String) throws -> String? {
    try read { try String.fetchOne($0.db, sql: "PRAGMA main.\(name)") }
  }

  /// Links of both kinds are other names of a file.
  private func refuseOwnFile(_ path: String, in access: RowAccess) throws {
    let own = try access.path
    guard !own.isEmpty, let file = FileIdentity(own), file == FileIdentity(path) else { return }
    throw CloneError(.invalidValue, "'\(path)' cannot be copied into itself")
  }

  /// Whether the app has attached a file itself: an immediate transaction locks that as well, and where it is read under
  /// another name meanwhile, SQLite does not let the transaction end.
  private func hasAttached(_ path: String) throws -> Bool {
    guard let file = FileIdentity(path) else { return false }
    return try onConnection { access, _ in
      try String.fetchAll(
        access.db, sql: "SELECT file FROM pragma_database_list WHERE name <> 'main' AND file <> ''"
      ).contains { FileIdentity($0) == file }
    }
  }

  /// The tables of the model in the store.
  ///
  /// - Throws: `CloneError` with every table and column that is missing.
  private func storeLayout(_ name: String) throws -> StoreLayout {
    do { return try read { try $0.storeLayout() } } catch let error as CloneError {
      throw error.changing { $0.problem = "\(name) does not match the model: \($0.problem)" }
    }
  }

  /// The file of the store for the time of a closure; a store in memory is written to a temporary one.
  func withFile<Result>(_ body: (CopySource) throws -> Result) throws -> Result {
    let file = try read { access in
      CopySource(
        path: try access.path, configuration: access.db.configuration, isImmutable: access.db.isImmutable)
    }
    return try file.path.isEmpty ? withCopiedFile(body) : body(file)
  }

  /// A file that holds what the store holds now, and that nobody else writes to.
  private func withCopiedFile<Result>(_ body: (CopySource) throws -> Result) throws -> Result {
    try StoreFile.withTemporary { temporary in
      let queue = try DatabaseQueue(path: temporary)
      let configuration = try read { access in
        try queue.writeWithoutTransaction { try access.db.backup(to: $0) }
        return access.db.configuration
      }
      try queue.close()
      return try body(CopySource(path: temporary, configuration: configuration, isImmutable: true))
    }
  }
}
