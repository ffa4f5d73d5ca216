import ArgumentParser
import MOCloneKit
import MOCloneSQL

struct Show: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Prints an object and the objects that a clone would copy with it.",
    usage: "moclone show [<options>] <entity> [<keys> ...]",
    discussion: """
      EXAMPLES:
        moclone show note 42
        moclone show note 42 --format json

      Several keys, or those of standard input, give an array in JSON.
      """)

  @OptionGroup var objects: ObjectOptions
  @OptionGroup var project: ProjectOptions

  @Option(help: "The format of the output: text (a tree) or json.")
  var format = OutputFormat.text

  @Option(
    parsing: .unconditional,
    help: "The number of levels to print below the object; no more than 100 of them are indented.")
  var depth = 32

  @OptionGroup var console: ConsoleOptions

  func validate() throws {
    guard depth < 0 else { return }
    throw ValidationError("'--depth \(depth)' is not valid; expected a number of at least 0")
  }

  func run() throws {
    let model = try project.loadModel()
    let entity = try objects.entity(in: model)
    guard !objects.keys.isEmpty || !objects.wholeKeys.isEmpty else {
      throw UsageError("no key of \(entity) is given; expected `moclone show \(objects.entity) KEY`")
    }
    let graph = try project.openStore(model, use: .reading)
    let plan = try ClonePlan(model: model, entity: entity)
    try graph.check(plan)
    let roots = try objects.objects(entity, in: graph)
    let isArray = format == .json && objects.canBeSeveral
    if isArray { try Console.output.writeAll("[") }
    for (i, root) in roots.enumerated() {
      let tree = try graph.inOneState { try Subtree(root, plan: plan, in: graph, depth: depth) }
      try Console.output.writeAll { write in
        guard format == .json else { return try tree.writeText(to: write) }
        if isArray { try write(i > 0 ? ",\n  " : "\n  ") }
        try SubtreeJSON(tree, margin: isArray ? 2 : 0).write(to: write)
        if !isArray { try write("\n") }
      }
    }
    if isArray { try Console.output.writeAll("\n]\n") }
  }
}
