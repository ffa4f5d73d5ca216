import ArgumentParser
import Foundation
import MOCloneKit

extension ModelDiagram.Format: ExpressibleByArgument {}

extension ModelCommand {
  struct Diagram: RunnableCommand {
    static let configuration = CommandConfiguration(
      commandName: "diagram", abstract: "Draws the entities of the model and their relationships.",
      usage: "moclone model diagram [<options>]",
      discussion: """
        With --root it also shows what a clone of that entity copies, links and leaves out. An SVG is drawn by \
        Graphviz, which has to be installed.

        EXAMPLES:
          moclone model diagram > model.mmd
          moclone model diagram --root note --format svg -o note.svg
          moclone model diagram --format dot | dot -Tpdf > model.pdf
        """)

    @Option(help: "The notation: mermaid, dot (Graphviz) or svg.")
    var format = ModelDiagram.Format.mermaid

    @Option(
      help: ArgumentHelp("The entity whose clone is shown.", valueName: "entity"), completion: .entities)
    var root: String?

    @OptionGroup var output: OutputFile
    @OptionGroup var project: ProjectOptions
    @OptionGroup var console: ConsoleOptions

    func run() throws {
      let model = try project.loadModel()
      let diagram =
        try root.map { ModelDiagram(try ClonePlan(model: model, entity: model.entityName($0))) }
        ?? ModelDiagram(model)
      try output.write(diagram.text(format), keeping: project.files)
    }
  }
}

/// Where a result goes that can be a file.
struct OutputFile: ParsableArguments {
  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("The file to write or replace. Default: standard output.", valueName: "file"),
    completion: .file())
  var path: String?

  /// Replaces a file as a whole, or prints the text.
  ///
  /// - Parameter files: what is never written over.
  func write(_ text: String, keeping files: [String]) throws {
    guard let path else { return try Console.output.writeAll(text) }
    try NeededFiles(files).refuse(writing: path)
    try DraftFile.write(Data(text.utf8), to: path)
    Console.note("wrote '\(path)'")
  }
}
