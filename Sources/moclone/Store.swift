import ArgumentParser
import Foundation
import MOCloneKit

extension JournalMode: ExpressibleByArgument {}

struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Creates and maintains stores.",
    discussion: """
      EXAMPLES:
        moclone store init --from default.sqlite
        moclone store info --format json
      """,
    subcommands: [Init.self, Info.self, Metadata.self, Pack.self, Reset.self])

  struct Init: RunnableCommand {
    static let configuration = CommandConfiguration(
      commandName: "init",
      abstract: "Creates the store if it does not exist: empty for the model, or as a copy.",
      usage: "moclone store init [<options>]",
      discussion: """
        EXAMPLES:
          moclone store init
          moclone store init --from default.sqlite --journal wal
          moclone store init --store postgresql://localhost/notes
        """)

    @OptionGroup var project: ProjectOptions

    @Option(
      help: ArgumentHelp(
        "The store to copy, including the contents of its -wal file.", valueName: "store"),
      completion: .file())
    var from: String?

    @Option(help: "The journal mode of the new file: delete or wal.")
    var journal = JournalMode.delete

    @Flag(
      help:
        "Refused: only the app's compiled model gives a Core Data store its metadata. Copy an empty store of the app with --from."
    )
    var coreData = false

    @OptionGroup var console: ConsoleOptions

    func run() throws {
      if project.hasServer { return try makeServerTables() }
      let path = try project.storePath()
      if coreData { throw CoreDataStore.cannotBeMade(at: path) }
      let store = project.waiting.file(path)
      // With a model that has errors nothing is done, whether the store exists or not.
      let isNew: Bool
      if let from {
        let model = try project.loadModelIfNamed()
        isNew = try project.placingFindings {
          try Interruption.making("the store is made") {
            try store.place(copyOf: from, journal: journal, fitting: model)
          }
        }
      } else {
        let model = try project.loadModel()
        isNew = try Interruption.making("the store is made") {
          try store.place(emptyFor: model, journal: journal)
        }
      }
      if !isNew { Console.note("'\(path)' already exists, so nothing was done") }
    }

    private func makeServerTables() throws {
      guard from == nil, !coreData, journal == .delete else {
        throw UsageError(
          "--from, --core-data and --journal are for files, and the store is a PostgreSQL database")
      }
      if try !project.makeServerTables(project.loadModel()) {
        Console.note("the database already has the tables of the model, so nothing was done")
      }
    }
  }

  struct Info: RunnableCommand {
    static let configuration = CommandConfiguration(
      commandName: "info", abstract: "Prints the size, the settings and the object counts of the store.",
      usage: "moclone store info [<options>]",
      discussion: """
        EXAMPLES:
          moclone store info --store notes.sqlite
        """)

    @OptionGroup var project: ProjectOptions
    @Option(help: "The format of the output: text or json.") var format = OutputFormat.text
    @OptionGroup var console: ConsoleOptions

    func run() throws {
      let info = try project.storeFile().info(model: project.loadModelIfNamed())
      try format.write(info, text: info.text.printableLines)
    }
  }

  struct Pack: RunnableCommand {
    static let configuration = CommandConfiguration(
      commandName: "pack",
      abstract: "Writes the store as one file that can be shipped, without -wal and -shm.",
      usage: "moclone store pack [<options>] <file>",
      discussion: """
        EXAMPLES:
          moclone store pack default.sqlite --replace
        """)

    @Argument(help: "The file to write.", completion: .file()) var file: String
    @Flag(help: "Replace the file if it exists.") var replace = false
    @OptionGroup var project: ProjectOptions
    @OptionGroup var console: ConsoleOptions

    func run() throws {
      try NeededFiles(project.files).refuse(writing: file)
      let store = try project.storeFile()
      try Interruption.making("the store is packed") {
        try store.pack(to: file, replaces: replace)
        return true
      }
    }
  }

  struct Reset: RunnableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reset", abstract: "Removes the store with its -wal and -shm files, after a confirmation.",
      usage: "moclone store reset [<options>]",
      discussion: """
        EXAMPLES:
          moclone store reset --yes
        """)

    @Flag(help: "Remove it without asking.") var yes = false
    @OptionGroup var project: ProjectOptions
    @OptionGroup var console: ConsoleOptions

    func run() throws {
      let path = try project.storePath()
      guard project.waiting.file(path).exists else {
        return Console.note("the store '\(path)' does not exist, so nothing was done")
      }
      try Question.confirm("Remove '\(path)' and everything in it?", yes: yes)
      try project.waiting.file(path).remove()
    }
  }
}
