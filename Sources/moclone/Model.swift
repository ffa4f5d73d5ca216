import ArgumentParser
import Foundation
import MOCloneKit

struct ModelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "model", abstract: "Prints models and the schemas of their files.",
    discussion: """
      EXAMPLES:
        moclone model show
        moclone model import chinook.sqlite -o chinook.yml
        moclone model diagram --root note --format svg -o note.svg
        moclone model schema > moclone.schema.json
      """,
    subcommands: [Show.self, Import.self, Export.self, Diagram.self, Schema.self])

  struct Show: RunnableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Prints the entities of the model with their tables, columns and annotations.",
      usage: "moclone model show [<options>]",
      discussion: """
        EXAMPLES:
          moclone model show
          moclone model show --format json
        """)

    @OptionGroup var project: ProjectOptions

    @Option(help: "The format of the output: text or json.")
    var format = OutputFormat.text

    @OptionGroup var console: ConsoleOptions

    func run() throws {
      let model = try project.loadModel()
      switch format {
      case .text: try Console.output.writeAll(ModelText(model, hasColour: Console.output.hasColour).text)
      case .json:
        try Console.output.writeAll(model.jsonText(isPretty: true) + "\n")
      }
    }
  }
}

extension ModelCommand {
  struct Schema: RunnableCommand {
    static let configuration = CommandConfiguration(
      commandName: "schema", abstract: "Prints the JSON Schema of model files, for editors.",
      discussion: """
        EXAMPLES:
          moclone model schema > moclone.schema.json
          moclone model schema --settings
        """)

    @Flag(help: "Print the schema of moclone.yml instead.")
    var settings = false

    @Flag(help: "Print the schema of the mapping files of imports instead.")
    var `import` = false

    @OptionGroup var console: ConsoleOptions

    func validate() throws {
      guard settings, `import` else { return }
      throw ValidationError("'--settings' and '--import' each name a schema; pass one of them")
    }

    func run() throws {
      let schema = settings ? FormatSchema.settings : `import` ? .importMapping : .model
      try Console.output.writeAll(schema.description)
    }
  }
}
