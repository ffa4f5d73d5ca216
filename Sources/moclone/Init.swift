import ArgumentParser
import Foundation
import MOCloneEngine
import MOCloneKit

struct Init: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Sets up a folder for a database: its model, and moclone.yml.",
    usage: "moclone init [<options>] [<database>]",
    discussion: """
      Writes the model of the database beside moclone.yml, which names both for all commands, and shows \
      what is worth cloning. The database, a file or postgresql://HOST/DATABASE, is only read, and no file is overwritten. Annotations that fit are \
      applied, each with its reason as a comment.

      EXAMPLES:
        moclone init
        moclone init Data/chinook.sqlite
        moclone init postgresql://localhost/shop
      """)

  @Argument(help: "The database. Default: the only database in this folder.", completion: .file())
  var database: String?

  @Flag(help: "Leave suggested annotations as comments.")
  var noAnnotate = false

  @Flag(help: "Propose relationships that the database does not declare, by names and values.")
  var infer = false

  @OptionGroup var schemas: SchemaOptions

  @OptionGroup var waiting: WaitingOptions
  @OptionGroup var console: ConsoleOptions

  func run() throws {
    let origin = try ModelOrigin(database ?? FolderDatabase.only(), schemas: schemas.schema)
    let files = try NewProject(origin)
    var draft = try origin.draft(ModelSourceOptions(infersRelationships: infer))
    let suggested = draft.suggestions.count
    if !noAnnotate { draft.applySuggestions() }
    let model = try draft.model()
    guard !model.entities.isEmpty else { throw origin.noTables }
    try origin.checkSize(of: draft)
    try files.write(draft)
    for omission in draft.omissions { Console.note(omission) }
    Console.note(
      "wrote '\(files.model)' (\(words(model, suggested: suggested))) and '\(NewProject.settings)'")
    if origin.storeName != origin.name {
      Console.note(
        "the password is not written to '\(NewProject.settings)'; set PGPASSWORD, or write it to ~/.pgpass")
    }
    let roots = CloneRoots(model).roots
    var steps = FirstSteps(
      graph: try waiting.store(origin.name, model, .reading), roots: roots, store: origin.name)
    if roots.isEmpty { steps.proposals = proposals(in: draft, of: origin) }
    try Console.output.writeAll(steps.text())
  }

  /// What '--infer' finds, and the command that shows it.
  private func proposals(in draft: ModelDraft, of origin: ModelOrigin) -> (count: Int, command: String) {
    let options = ModelSourceOptions(infersRelationships: true)
    guard let inferred = infer ? draft : (try? origin.draft(options)) else { return (0, "") }
    let schemas = schemas.schema.map { " --schema \(ShellWord($0).text)" }.joined()
    let command = "moclone model import \(ShellWord(origin.storeName).text) --infer\(schemas)"
    return (inferred.proposedRelationships, command)
  }
}

extension Init {
  private func words(_ model: ObjectModel, suggested: Int) -> String {
    let entities = "\(model.entities.count) \(model.entities.count == 1 ? "entity" : "entities")"
    guard suggested > 0 else { return entities }
    let annotations = "\(suggested) \(suggested == 1 ? "annotation" : "annotations")"
    return "\(entities), \(annotations) \(noAnnotate ? "suggested" : "applied with the reasons")"
  }
}

/// The files that a folder gets for a database.
struct NewProject {
  static let settings = "moclone.yml"
  let store: String
  let model: String

  /// - Throws: `CloneError` (`store-exists`) where one of them exists.
  init(_ origin: ModelOrigin) throws {
    store = origin.storeName
    model = origin.modelFile
    for file in [Self.settings, model] where FileManager.default.fileExists(atPath: file) {
      throw CloneError(
        .storeExists,
        "the file '\(file)' already exists",
        help: FileManager.default.fileExists(atPath: model)
          ? "remove it, or bring changes of the database into the model: moclone model import "
            + "\(ShellWord(store).text) --update \(ShellWord(model).text)"
          : "remove it, or work in another folder")
    }
  }

  /// Writes both or none, and replaces nothing.
  func write(_ draft: ModelDraft) throws {
    let texts = [
      (model, draft.yaml), (Self.settings, ProjectSettings.yaml(model: model, store: store)),
    ]
    try Interruption.making("'\(model)' and '\(Self.settings)' were written") {
      let files = try texts.map { path, text in
        let file = try DraftFile(path: path)
        try file.write(Data(text.utf8))
        return file
      }
      try Cancellation.check()
      try files[0].moveIntoPlace(replacing: false)
      do { try files[1].moveIntoPlace(replacing: false) } catch {
        unlink(model)
        throw error
      }
      return true
    }
  }
}

/// The one database of the folder.
enum FolderDatabase {
  private static let extensions = ["sqlite", "sqlite3", "db", "db3"]

  /// - Throws: `UsageError` where there is none, or more than one.
  static func only() throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: ".").sorted()
    let found = names.filter { name in
      extensions.contains((name as NSString).pathExtension.lowercased()) && isDatabase(name)
    }
    if found.count == 1 { return found[0] }
    guard found.isEmpty else {
      throw UsageError(
        "this folder has \(found.count) databases (\(found.listed(5))); name one: `moclone init \(ShellWord(found[0]).text)`"
      )
    }
    throw UsageError(
      "this folder has no SQLite database (*.sqlite or *.db); name one: `moclone init DATABASE`")
  }

  private static func isDatabase(_ path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
  }
}
