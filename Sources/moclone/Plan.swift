import ArgumentParser
import Foundation
import MOCloneKit
import MOCloneSQL

struct Plan: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Shows what would be cloned, linked and left out, and why.",
    discussion: """
      With a key, the objects are counted as well, on a read-only connection; what only the database \
      refuses when it is written, such as a unique value that is taken, is not found.

      EXAMPLES:
        moclone plan note
        moclone plan note 42 --exclude memos
        moclone plan note --sql
        moclone plan note 42 --format mermaid
        moclone plan note --distributed-by tenant_id
      """)

  @OptionGroup var objects: ObjectOptions
  @OptionGroup var options: RequestOptions
  @OptionGroup var project: ProjectOptions

  @Flag(help: "Print the SQL statements that a clone would run.")
  var sql = false

  @Flag(help: "Print each access path also where there are more than 200.")
  var all = false

  @Option(
    help: ArgumentHelp(
      "Check whether clones stay on one machine where tables are distributed by a column, as in Citus.",
      valueName: "column"))
  var distributedBy: String?

  @Option(
    help:
      "The format of the output: text, or a picture: mermaid, dot (Graphviz) or svg; json with --distributed-by."
  )
  var format = PlanFormat.text

  @OptionGroup var console: ConsoleOptions

  enum PlanFormat: String, ExpressibleByArgument, CaseIterable {
    case text, mermaid, dot, svg, json

    /// Nil for text and JSON.
    var picture: ModelDiagram.Format? { ModelDiagram.Format(rawValue: rawValue) }
  }

  func run() throws {
    if sql, format != .text {
      throw UsageError("--sql prints text; it cannot be used with --format \(format)")
    }
    try checkDistribution()
    let model = try project.loadModel()
    let entity = try objects.entity(in: model)
    let plan = try ClonePlan(model: model, entity: entity, request: options.request())
    try options.noteWithoutEffect(on: plan)
    if let distributedBy { return try distribution(of: plan, by: distributedBy, model) }
    let hasKey = !objects.keys.isEmpty || !objects.wholeKeys.isEmpty
    let counts = hasKey ? try counts(plan, entity: entity, in: model) : nil
    if let picture = format.picture {
      return try Console.output.writeAll(ModelDiagram(plan, counts: counts).text(picture))
    }
    var text =
      sql ? try statements(plan, in: model) : (all ? plan.description : plan.summary).printableLines + "\n"
    if let counts { text += "\n" + (try ResultText(counts).counts(.text)) }
    try Console.output.writeAll(text)
  }

  private func checkDistribution() throws {
    guard distributedBy != nil else {
      if format == .json { throw UsageError("--format json needs --distributed-by") }
      return
    }
    if sql || all || format.picture != nil || !objects.keys.isEmpty || !objects.wholeKeys.isEmpty {
      throw UsageError(
        "--distributed-by is about all clones by a plan, as text or JSON; it takes no key, no --sql, no --all and no picture"
      )
    }
  }

  /// By the columns of the store if it exists, else by those that the model names.
  ///
  /// - Throws: `ExitCode` where clones do not stay on one machine.
  private func distribution(of plan: ClonePlan, by column: String, _ model: ObjectModel) throws {
    let schema = try project.hasStore ? project.openStore(model, use: .reading).schema(of: plan) : nil
    let mapping = schema.map { SchemaMapping(model, in: $0.dialect) } ?? SchemaMapping(model)
    let check = try DistributionCheck(plan, mapping: mapping, in: schema, column: column)
    let text = DistributionText(check: check)
    try Console.output.writeAll(format == .json ? text.json() : text.text)
    if !check.staysTogether { throw ExitCode(1) }
  }

  private func counts(_ plan: ClonePlan, entity: String, in model: ObjectModel) throws -> CloneResult {
    let graph = try project.openStore(model, use: .reading)
    try Console.warn(of: plan, in: graph)
    return try graph.preview(plan, roots: objects.objects(entity, in: graph))
  }

  /// For the store if it exists, else for one that `store init` would create.
  private func statements(_ plan: ClonePlan, in model: ObjectModel) throws -> String {
    let graph: any StoreGraph =
      try project.hasStore ? project.openStore(model, use: .reading) : SQLiteGraph.temporary(model)
    return try graph.statements(plan).map { $0 + ";\n" }.joined()
  }
}
