import ArgumentParser
import Foundation
import GRDB
import MOCloneKit
import MOCloneSQL

#if PostgreSQL
  import MOClonePostgres
#endif

/// What a store is opened for.
enum StoreUse {
  case reading, writing
  /// What writes is taken back in the end, or where the store cannot be written, works on a copy.
  case trial
}

/// How long a command waits for stores that others have locked.
struct WaitingOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The seconds to wait for a locked store.", valueName: "seconds"))
  var timeout: Double?

  func validate() throws {
    guard let timeout, !(0...1_000_000).contains(timeout) else { return }
    throw ValidationError(
      "'--timeout \(timeout)' is not valid; expected a number of seconds from 0 to 1000000")
  }

  func file(_ path: String, coreData: CoreDataWriting = .refused) -> StoreFile {
    StoreFile(
      path, busyTimeout: timeout.map { .seconds($0) } ?? StoreFile.defaultBusyTimeout, coreData: coreData)
  }

  /// Opens a store, so that SQLite itself refuses to write where nothing is meant to be written.
  func graph(
    _ path: String, in model: ObjectModel, use: StoreUse, coreData: CoreDataWriting = .refused
  ) throws -> SQLiteGraph {
    Console.detail("opening the store '\(path)'")
    let isReadOnly = use == .trial ? file(path).exists && !file(path).isWritable : use != .writing
    let graph = try SQLiteGraph(
      path: path, model: model, isReadOnly: isReadOnly, busyTimeout: file(path).busyTimeout,
      coreData: coreData)
    if use == .trial { try graph.checkWritable() }
    if use == .trial && isReadOnly {
      Console.note("'\(path)' is read-only, so the dry run works on a temporary copy")
    }
    return graph
  }
}

extension WaitingOptions {
  #if PostgreSQL
    /// Where a server is, and how long it is waited for.
    func location(_ name: String) throws -> PostgresLocation {
      var location = try PostgresLocation(name)
      location.lockTimeout = timeout.map { .seconds($0) }
      return location
    }
  #endif

  /// Opens a store by its path or the address of its server.
  func store(
    _ name: String, _ model: ObjectModel, _ use: StoreUse, coreData: CoreDataWriting = .refused
  ) throws -> any TransferStore {
    #if PostgreSQL
      if PostgresLocation.isPostgres(name) {
        let location = try location(name)
        Console.detail("connecting to '\(location)'")
        return try PostgresGraph(location, model: model, isReadOnly: use == .reading)
      }
    #endif
    return try graph(name, in: model, use: use, coreData: coreData)
  }
}

/// Where model and store are.
struct ProjectOptions: ParsableArguments {
  @Option(
    help: "The model file, or an Xcode model (.xcdatamodeld).",
    completion: .file(extensions: ["yml", "yaml", "json"]))
  var model: String?

  @Option(help: "The SQLite database, or postgresql://HOST/DATABASE.", completion: .file())
  var store: String?

  @OptionGroup var waiting: WaitingOptions

  /// The model, valid.
  ///
  /// - Throws: `ModelError` with every finding; warnings go to standard error.
  func loadModel() throws -> ObjectModel {
    let path = try modelPath()
    Console.detail("reading the model '\(path)'")
    return try ObjectModel(file: path)
  }

  /// The model where one is named, for what can do without.
  func loadModelIfNamed() throws -> ObjectModel? {
    guard try model ?? environment("MOCLONE_MODEL") ?? settings()?.model != nil else { return nil }
    return try loadModel()
  }

  /// Gives findings about the model and a store the places in the model's file.
  func placingFindings<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as ModelError where error.source == nil {
      let file = try ModelFile(modelPath())
      throw ModelError(
        diagnostics: file.parsed().locate(error.diagnostics).sortedByPlace(), source: file.source)
    }
  }

  func modelPath() throws -> String {
    if let path = try model ?? environment("MOCLONE_MODEL") ?? settings()?.model.map(WorkingFolder.relative) {
      return path
    }
    throw UsageError("no model is named; pass --model FILE, or set MOCLONE_MODEL or 'model:' in moclone.yml")
  }

  /// The path of the store.
  ///
  /// - Throws: `UsageError` where the store is no file.
  func storePath() throws -> String {
    let store = try storeName()
    guard Self.isServer(store) else { return store }
    throw UsageError(
      "this command works on SQLite files only, and the store is a PostgreSQL database; use the tools of the server"
    )
  }

  /// Whether a store is named, and is there if it is a file.
  var hasStore: Bool {
    guard let store = try? storeName() else { return false }
    return Self.isServer(store) || FileManager.default.fileExists(atPath: store)
  }

  /// The store as reports name it, without passwords.
  var shownStore: String? {
    (try? storeName()).map(Self.shown)
  }

  /// A path or the address of a server as messages name it, without passwords.
  static func shown(_ store: String) -> String {
    #if PostgreSQL
      if PostgresLocation.isPostgres(store) {
        return (try? PostgresLocation(store).description) ?? "postgresql://"
      }
    #endif
    return store
  }

  /// Whether the store is the database of a server, and no file.
  var hasServer: Bool { (try? storeName()).map(Self.isServer) ?? false }

  /// The path or the address of the store.
  private func storeName() throws -> String {
    if let name = store ?? environment("MOCLONE_STORE") { return name }
    if let settings = try settings(), let written = settings.writtenStore, let path = settings.store {
      return Self.isServer(written) ? written : WorkingFolder.relative(path)
    }
    throw UsageError("no store is named; pass --store FILE, or set MOCLONE_STORE or 'store:' in moclone.yml")
  }

  /// Whether a store is named by the address of a server.
  static func isServer(_ store: String) -> Bool {
    #if PostgreSQL
      PostgresLocation.isPostgres(store)
    #else
      false
    #endif
  }

  /// The objects of the store, whatever database it is.
  func openStore(
    _ model: ObjectModel, use: StoreUse, coreData: CoreDataWriting = .refused
  ) throws -> any TransferStore {
    try waiting.store(storeName(), model, use, coreData: coreData)
  }

  /// Makes the tables of a model in the database of a server.
  ///
  /// - Returns: whether they are new; else all of them exist.
  func makeServerTables(_ model: ObjectModel) throws -> Bool {
    #if PostgreSQL
      guard let graph = try openStore(model, use: .writing) as? PostgresGraph else { return false }
      if try graph.hasTables() { return false }
      try graph.createTables()
      return true
    #else
      return false
    #endif
  }

  /// What reads and changes the metadata of the store.
  func metadataStore(_ coreData: CoreDataWriting = .refused) throws -> any MetadataStore {
    #if PostgreSQL
      let name = try storeName()
      if PostgresLocation.isPostgres(name) { return try PostgresMetadata(waiting.location(name)) }
    #endif
    return waiting.file(try storePath(), coreData: coreData)
  }

  func storeFile() throws -> StoreFile { waiting.file(try storePath()) }

  /// What no result is written over: the model, the store with what lies beside it, and the settings.
  var files: [String] {
    let settings = ProjectSettings.nearestFile(to: FileManager.default.currentDirectoryPath)?.path
    let store = (try? storePath()).map { StoreFile($0).files } ?? []
    return [try? modelPath(), settings].compactMap { $0 } + store
  }

  private func environment(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  private func settings() throws -> ProjectSettings? { try Self.nearestSettings.get() }

  /// `moclone.yml` of this folder or of the nearest one above it, read once.
  private static let nearestSettings = Result {
    try ProjectSettings.nearest(to: FileManager.default.currentDirectoryPath)
  }
}

/// A command that is about some objects.
protocol ObjectCommand {
  var objects: ObjectOptions { get }
}

extension Clone: ObjectCommand {}
extension Plan: ObjectCommand {}
extension Show: ObjectCommand {}

/// Which entity and which of its objects.
struct ObjectOptions: ParsableArguments {
  @Argument(help: "The entity, in upper or lower case.", completion: .entities)
  var entity: String

  @Argument(
    help:
      "Keys: 42, or k1,k2 for a composite key (in a part write \\, for a comma and \\= for an equals sign), or attribute=value; - reads them from standard input, one per line."
  )
  var keys: [String] = []

  @Option(
    name: .customLong("key"), parsing: .unconditionalSingleValue,
    help: "A key that is never split, such as -1 or a,b.")
  var wholeKeys: [String] = []

  /// The entity as the model writes it.
  ///
  /// - Throws: `CloneError` (`unknown-entity`), which also names a command that may be meant.
  func entity(in model: ObjectModel) throws -> String {
    do {
      return try model.entityName(entity)
    } catch let error as CloneError {
      guard let command = nearestCommand else { throw error }
      var failure = error.failures[0]
      failure.problem =
        failure.message.asSentence() + " To run the command '\(command)', type `moclone \(command)`"
      failure.help = nil
      throw CloneError([failure])
    }
  }

  private var nearestCommand: String? {
    MOClone.commandNames.contains(entity) ? entity : nearestName(to: entity, in: MOClone.commandNames)
  }

  /// Whether the call can name more than one object, or none.
  var canBeSeveral: Bool { keys.count + wholeKeys.count != 1 || keys == ["-"] }

  /// The objects asked for, in the order given.
  func objects(_ entity: String, in graph: any StoreGraph) throws -> [ObjectID] {
    var given = keys.map { (text: $0, isWhole: false) }
    let places = keys.isEmpty ? wholeKeys.map { _ in 0 } : placesOfWholeKeys()
    for (key, place) in zip(wholeKeys, places).reversed() { given.insert((key, true), at: place) }
    return try given.flatMap { key -> [ObjectID] in
      if key.isWhole { return [try graph.object(entity, key: ObjectKey([.string(key.text)])).id] }
      return try texts(key.text).map { try object($0, entity: entity, in: graph) }
    }
  }

  /// How many other keys stand before each whole one, which the parser does not tell: it finds them in what stands before.
  private func placesOfWholeKeys() -> [Int] {
    let arguments = LeadingOptions.moved(Array(CommandLine.arguments.dropFirst()))
    var (places, place, next, last) = ([Int](), 0, 0, 0)
    while next < arguments.count, arguments[next] != "--" {
      let isOption = arguments[next] == "--key"
      let end = next + (isOption ? 2 : 1)
      if isOption || arguments[next].hasPrefix("--key=") {
        // Several that follow each other have one place.
        if next != last,
          let command = try? MOClone.parseAsRoot(Array(arguments[..<next])) as? any ObjectCommand
        {
          place = command.objects.keys.count
        }
        places.append(place)
        last = end
      }
      next = end
    }
    return places
  }

  private func texts(_ key: String) throws -> [String] {
    guard key == "-" else { return [key] }
    return try Self.lines(FileHandle.standardInput.readToEnd() ?? Data())
  }

  /// More than any key has; a longer line is another kind of input.
  private static let longestKey = 4096

  /// - Throws: `UsageError` where a line cannot be a key.
  private static func lines(_ data: Data) throws -> [String] {
    try data.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map { line in
      guard line.count <= longestKey, let text = String(data: line, encoding: .utf8) else {
        throw UsageError(
          "standard input has a line that is not a key: it is not UTF-8, or longer than \(longestKey) bytes")
      }
      return text
    }
  }

  private func object(_ text: String, entity: String, in graph: any StoreGraph) throws -> ObjectID {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, let attribute = graph.model.attribute(String(parts[0]), of: entity) {
      return try graph.object(entity, attribute: attribute.name, equals: String(parts[1])).id
    }
    // After a backslash the sign is a part of the key.
    guard parts.count == 2, !parts[0].hasSuffix("\\") else {
      return try graph.object(entity, key: ObjectKey(text: text)).id
    }
    try refuseMisspelt(String(parts[0]), entity: entity, in: graph.model)
    do { return try graph.object(entity, key: ObjectKey(text: text)).id } catch let error as CloneError
      where [.noSuchObject, .invalidKey].contains(error.code)
    {
      // The key is shown as it was typed, and nobody knows which of both was meant.
      throw CloneError(
        error.code, "'\(text)' is not a key of \(entity), and \(entity) has no attribute '\(parts[0])'",
        entity: entity)
    }
  }

  /// A key that is a number or a UUID has no equals sign, so what stands before one is meant as an attribute.
  private func refuseMisspelt(_ name: String, entity: String, in model: ObjectModel) throws {
    guard let near = didYouMean(name, known: model.attributes(of: entity).map(\.name)) else { return }
    let home = SchemaMapping(model)[entity]
    let holdsText = home.attributes.values.contains { $0.keyPart != nil && $0.type == .string }
    guard home.key.allSatisfy(\.source.isNew), !holdsText else { return }
    throw UsageError("\(entity) has no attribute '\(name)'; \(near)")
  }
}
