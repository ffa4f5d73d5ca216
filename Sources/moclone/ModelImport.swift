import ArgumentParser
import Foundation
import MOCloneKit

extension ModelCommand {
  struct Import: RunnableCommand {
    static let configuration = CommandConfiguration(
      commandName: "import", abstract: "Writes the model file of a database or of an Xcode model.",
      usage: "moclone model import [<options>] [<source>]",
      discussion: """
        The source is a SQLite database, a PostgreSQL database (postgresql://HOST/DATABASE), a Core Data store, or an \
        Xcode model: an .xcdatamodeld, an .xcdatamodel, or its contents file. It is only read.

        EXAMPLES:
          moclone model import chinook.sqlite -o chinook.yml
          moclone model import chinook.sqlite --annotate --infer
          moclone model import chinook.sqlite --update chinook.yml
          moclone model import postgresql://localhost/shop --schema public --schema sales
          moclone model import Notes.xcdatamodeld --version 'Notes 2'
        """)

    @Argument(help: "The database or the Xcode model.", completion: .file())
    var source: String?

    @Option(
      help: ArgumentHelp("The database or the Xcode model, instead of the argument.", valueName: "source"),
      completion: .file())
    var from: String?

    @Option(name: [.short, .customLong("output")], help: "The file to write. Default: standard output.")
    var output: String?

    @Option(
      help: ArgumentHelp(
        "A model file to update from the source. What people wrote in it is kept.", valueName: "file"),
      completion: .file(extensions: ["yml", "yaml"]))
    var update: String?

    @Flag(help: "Propose relationships that the database does not declare, by names and values.")
    var infer = false

    @Flag(help: "Apply the suggested annotations instead of writing them as comments.")
    var annotate = false

    @OptionGroup var schemas: SchemaOptions

    @Option(
      help: ArgumentHelp("The version of an .xcdatamodeld. Default: its current version.", valueName: "name"))
    var version: String?

    @Option(
      help: ArgumentHelp(
        "The Xcode model of a Core Data store that does not contain its own model.", valueName: "file"),
      completion: .file())
    var modelFile: String?

    @OptionGroup var console: ConsoleOptions

    func validate() throws {
      guard (source == nil) == (from == nil) else { return }
      throw ValidationError(
        source == nil
          ? "Name the source: a database or an Xcode model, as in `moclone model import chinook.sqlite`."
          : "The source is named twice; leave out '--from'.")
    }

    func run() throws {
      var options = ModelSourceOptions(
        infersRelationships: infer, version: version, modelFile: modelFile.map { URL(fileURLWithPath: $0) })
      if let update { options.knownTables = ModelFileUpdate.tables(of: update) }
      let origin = try ModelOrigin(source ?? from!, schemas: schemas.schema)
      var draft = try origin.draft(options)
      if annotate { draft.applySuggestions() }
      if let update {
        // The whole model would become a comment.
        guard draft.hasTables(of: options.knownTables) else { throw origin.noTables }
        return try ModelFileUpdate(path: update, output: output).run(draft, of: origin)
      }
      try origin.checkSize(of: draft)
      try write(draft.yaml)
      for omission in draft.omissions { Console.note(omission) }
      _ = try draft.model()
    }

    private func write(_ text: String) throws {
      guard let output else { return try Console.output.writeAll(text) }
      try NewFile(output).write(Data(text.utf8))
      Console.note("wrote '\(output)'")
    }
  }
}
