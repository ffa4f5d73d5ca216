import ArgumentParser
import Foundation
import MOCloneKit

struct Diff: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Compares what clones contain before and after a change of the model.",
    usage: """
      moclone diff OLD NEW
      moclone diff --against COMMIT [MODEL]
      """,
    discussion: """
      The exit status is 1 if a change is breaking: an object or a value is no longer copied or linked, a link
      became a copy, or a value is no longer rebuilt or no longer follows an ancestor.

      EXAMPLES:
        moclone diff old.yml new.yml
        moclone diff --against main --format markdown
        moclone diff --against main Notes.xcdatamodeld
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, markdown
  }

  @Argument(
    help: "The old and the new model; with --against only the new one. Default: the project's model.",
    completion: .file(extensions: ["yml", "yaml", "json"]))
  var files: [String] = []

  @Option(
    help: ArgumentHelp("Compare with the model file of a git commit, branch or tag.", valueName: "commit"))
  var against: String?

  @Option(help: "The format of the output: text, json or markdown.")
  var format = Format.text

  @OptionGroup var project: ProjectOptions
  @OptionGroup var console: ConsoleOptions

  func run() throws {
    let (old, new) = try sources()
    // Both reports are shown, the old model's first.
    let (before, after) = (old.parsed(), new.parsed())
    if before.model == nil, after.model == nil {
      let reporter = TextReporter(old.source, hasColour: Console.errors.hasColour)
      Console.errors.write(reporter.report(before.diagnostics))
    }
    guard let newModel = after.model else {
      throw ModelError(diagnostics: after.diagnostics, source: new.source)
    }
    guard let oldModel = before.model else {
      throw ModelError(diagnostics: before.diagnostics, source: old.source)
    }
    let difference = CloneDifference(from: oldModel, to: newModel)
    try Console.output.writeAll(text(difference))
    if difference.isBreaking { throw ExitCode(1) }
  }

  private func sources() throws -> (old: ModelFile, new: ModelFile) {
    if let against {
      guard files.count <= 1 else {
        throw UsageError("--against compares one model, but \(files.count) are given")
      }
      let path = try files.first ?? project.modelPath()
      return (try GitFiles(commit: against).model(path), try ModelFile(path))
    }
    guard files.count == 2 else {
      throw UsageError(
        "two models are needed: `moclone diff OLD NEW` or `moclone diff --against COMMIT [MODEL]`")
    }
    return (try ModelFile(files[0]), try ModelFile(files[1]))
  }

  private func text(_ difference: CloneDifference) throws -> String {
    switch format {
    case .text: difference.text
    case .json: try difference.json()
    case .markdown: difference.markdown
    }
  }
}
