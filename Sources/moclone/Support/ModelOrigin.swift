import ArgumentParser
import Foundation
import MOCloneKit
import MOCloneModeling

#if PostgreSQL
  import MOClonePostgres
  import MOClonePostgresModeling
#endif

/// What of a server's database is read.
struct SchemaOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A schema of the PostgreSQL database to read, instead of the schemas on its search path. Repeatable.",
      valueName: "name"))
  var schema: [String] = []
}

/// The database or the file that a model is made of.
struct ModelOrigin {
  /// A path, or the address of a server.
  let name: String
  let schemas: [String]
  #if PostgreSQL
    private let server: PostgresLocation?
  #endif

  /// - Parameter schemas: those of a server that are read; of none those along the search path.
  /// - Throws: `CloneError` where an address cannot be read, `UsageError` where a file has no schemas.
  init(_ name: String, schemas: [String]) throws {
    self.name = name
    self.schemas = schemas
    #if PostgreSQL
      server = PostgresLocation.isPostgres(name) ? try PostgresLocation(name) : nil
    #endif
    guard schemas.isEmpty || isServer else {
      throw UsageError("'--schema' names schemas of a PostgreSQL database, and '\(name)' is a file")
    }
  }

  var isServer: Bool {
    #if PostgreSQL
      server != nil
    #else
      false
    #endif
  }

  func draft(_ options: ModelSourceOptions) throws -> ModelDraft {
    try check(options)
    #if PostgreSQL
      if let server {
        Console.detail("connecting to '\(server)'")
        return try ModelDraft(importing: server, schemas: schemas, options: options)
      }
    #endif
    return try ModelDraft(contentsOf: URL(fileURLWithPath: name), options: options)
  }

  /// In what a model disagrees with the source; nothing where that is no database.
  func findings(_ model: ObjectModel) throws -> [Diagnostic] {
    #if PostgreSQL
      if let server { return try PostgresGraph(server, model: model, isReadOnly: true).storeFindings() }
    #endif
    if try ModelSource(name) == .xcode { return [] }
    let graph = try SQLiteGraph(
      path: name, model: model, isReadOnly: true, busyTimeout: StoreFile.defaultBusyTimeout,
      coreData: .refused)
    return try graph.storeFindings()
  }

  /// - Throws: `UsageError` for an option that a source of this kind has no use for.
  private func check(_ options: ModelSourceOptions) throws {
    let infer = options.infersRelationships ? "--infer" : nil
    let version = options.version == nil ? nil : "--version"
    let modelFile = options.modelFile == nil ? nil : "--model-file"
    let kind: String
    let unused: [String?]
    switch isServer ? ModelSource.database : try ModelSource(name) {
    case .database: (kind, unused) = ("a database without an Xcode model", [version, modelFile])
    case .coreDataStore: (kind, unused) = ("a Core Data store", [infer, modelFile == nil ? version : nil])
    case .xcode: (kind, unused) = ("an Xcode model", [infer, modelFile])
    }
    guard let option = unused.compactMap({ $0 }).first else { return }
    throw UsageError("'\(option)' has no effect, because '\(storeName)' is \(kind); leave it out")
  }

  /// What settings call it: as it is named here, but without a password.
  var storeName: String {
    #if PostgreSQL
      if let server, server.hasPassword { return server.description }
    #endif
    return name
  }

  /// - Throws: `ModelError` where no command could read the file of a model that was made of it.
  func checkSize(of draft: ModelDraft) throws {
    guard var finding = draft.excess else { return }
    finding.range = nil
    if isServer {
      finding.help = "pass the schemas of the tables that you clone with --schema"
    } else if try ModelSource(name) == .database {
      finding.help =
        "make a copy of the database without the tables that you never clone, and pass the copy instead"
    }
    throw ModelError(diagnostics: [finding])
  }

  /// Why no model is made of it, or brought up to date with it.
  var noTables: RunFailure {
    RunFailure("'\(storeName)' has no tables to make a model of; create them first")
  }

  /// What a model file of it is called.
  var modelFile: String {
    #if PostgreSQL
      if let server {
        return (server.database ?? "database").replacing("/", with: "_") + ".moclone.yml"
      }
    #endif
    return URL(fileURLWithPath: name).deletingPathExtension().lastPathComponent + ".moclone.yml"
  }
}
