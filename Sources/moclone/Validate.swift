import ArgumentParser
import Foundation
import MOCloneKit

struct Validate: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Checks models: structure and annotations.",
    discussion:
      "Exits with 1 where there are findings at or above --fail-on; - reads a model from standard input.")

  enum FailOn: String, ExpressibleByArgument, CaseIterable {
    case error, warning, note, never

    func includes(_ severity: Severity) -> Bool {
      Severity(rawValue: rawValue).map { severity >= $0 } ?? false
    }
  }

  @Argument(help: "Model files; without one, the project's model.")
  var files: [String] = []

  @Option(help: "text or json.")
  var format = OutputFormat.text

  @Option(help: "The least severity that fails: error, warning, note or never.")
  var failOn = FailOn.error

  @OptionGroup var project: ProjectOptions

  func run() throws {
    let paths = try files.isEmpty ? [project.modelPath()] : files
    var found: [(path: String, diagnostics: [Diagnostic])] = []
    var reports = ""
    for path in paths {
      let (source, diagnostics) = read(path)
      found.append((path, diagnostics))
      reports += TextReporter(source, hasColour: Console.output.hasColour).report(diagnostics)
    }
    try Console.output.writeAll(format == .json ? JSONReporter.report(found) + "\n" : reports)
    let severities = found.flatMap(\.diagnostics).map(\.severity)
    if severities.contains(where: failOn.includes) { throw ExitCode(1) }
  }

  /// A file that cannot be read is a finding like others, so that the rest is still checked.
  private func read(_ path: String) -> (SourceFile?, [Diagnostic]) {
    do throws(ModelError) {
      let source =
        path == "-"
        ? try SourceFile(reading: .standardInput)
        : try SourceFile(contentsOf: URL(fileURLWithPath: path), path: path)
      let parsed = ModelParser.parse(source)
      return (source, parsed.diagnostics + (parsed.model.map(storeFindings) ?? []).map(parsed.locate))
    } catch {
      return (nil, error.diagnostics)
    }
  }

  /// In what the store named by `--store` disagrees with a model.
  private func storeFindings(_ model: ObjectModel) -> [Diagnostic] {
    guard let store = project.store else { return [] }
    do {
      return try SQLiteGraph(path: store, model: model, isReadOnly: true).storeFindings()
    } catch {
      return [Diagnostic((error as? CloneError)?.code ?? .storeFailed, at: .model, "\(error)")]
    }
  }
}
