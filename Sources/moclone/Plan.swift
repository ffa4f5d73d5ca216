import ArgumentParser
import Foundation
import MOCloneKit

struct Plan: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Shows what would be cloned, linked and left out, and why.",
    discussion: """
      With a key, the objects are counted as well, on a read-only connection.

      EXAMPLES:
        moclone plan note
        moclone plan note 42 --exclude memos
        moclone plan note --sql
      """)

  @OptionGroup var objects: ObjectOptions
  @OptionGroup var options: RequestOptions
  @OptionGroup var project: ProjectOptions

  @Flag(help: "Print the SQL statements that a clone would run.")
  var sql = false

  @Flag(help: "Print each access path also where there are more than 200.")
  var all = false

  @OptionGroup var console: ConsoleOptions

  func run() throws {
    let model = try project.loadModel()
    let entity = try objects.entity(in: model)
    let plan = try ClonePlan(model: model, entity: entity, request: options.request())
    try options.noteWithoutEffect(on: plan)
    let hasKey = !objects.keys.isEmpty || !objects.wholeKeys.isEmpty
    var text = sql ? "" : (all ? plan.description : plan.summary).printableLines + "\n"
    if sql { text += try statements(plan, model) }
    if hasKey {
      let graph = try project.openGraph(model, .reading)
      Console.warn(of: try graph.check(plan))
      let roots = try objects.objects(entity, in: graph)
      let counts = try ResultText(graph.preview(plan, roots: roots)).counts(.text)
      text += "\n" + counts
    }
    try Console.output.writeAll(text)
  }

  /// For the store if it exists, else for one that `store init` would create.
  private func statements(_ plan: ClonePlan, _ model: ObjectModel) throws -> String {
    let graph: SQLiteGraph
    if let path = try? project.storePath(), FileManager.default.fileExists(atPath: path) {
      graph = try project.openGraph(model, .reading)
    } else {
      graph = try SQLiteGraph.temporary(model)
    }
    return try graph.statements(plan).map { $0 + ";\n" }.joined()
  }
}
