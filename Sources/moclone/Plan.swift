import ArgumentParser
import Foundation
import MOCloneKit

struct Plan: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan", abstract: "Says what would be cloned, linked and left out, and why.",
    discussion: "With a key it counts, on a read-only connection.")

  @OptionGroup var objects: ObjectOptions
  @OptionGroup var options: RequestOptions
  @OptionGroup var project: ProjectOptions

  @Flag(help: "Prints the statements that a clone would run.")
  var sql = false

  func run() throws {
    let model = try project.loadModel()
    let entity = try objects.entity(in: model)
    let plan = try ClonePlan(model: model, entity: entity, request: options.request())
    try options.noteWithoutEffect(on: plan)
    let hasKey = !objects.keys.isEmpty || !objects.wholeKeys.isEmpty
    var text = sql ? "" : "\(plan)\n"
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

  /// For the store as it is, where there is one, else for one that `store init` would make.
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

struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Explains a finding by its code: why, a bad and a good example.")

  @Argument(help: "The code, as it stands between brackets behind a finding.")
  var code: String?

  func run() throws {
    guard let code else {
      let lines = DiagnosticCode.allCases.map { "\($0.rawValue)  \($0.explanation.title)\n" }
      return try Console.output.writeAll(lines.joined())
    }
    guard let known = DiagnosticCode(rawValue: code) else {
      let near = nearestName(to: code, in: DiagnosticCode.allCases.map(\.rawValue))
      throw UsageError("there is no finding '\(code)'\(near.map { "; did you mean '\($0)'?" } ?? "")")
    }
    try Console.output.writeAll(text(known))
  }

  private func text(_ code: DiagnosticCode) -> String {
    let explanation = code.explanation
    let kind = "Category: \(code.category.rawValue). Severity: \(code.defaultSeverity.rawValue)."
    return "\(code.rawValue): \(explanation.title)\n\n\(kind)\n\n\(explanation.text)"
  }
}
