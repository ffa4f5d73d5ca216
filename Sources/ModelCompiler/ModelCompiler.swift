import Foundation
import MOCloneModel
import MOCloneYAML

/// Compiles a model file into Swift, for the build-tool plugin: `ModelCompiler INPUT OUTPUT [SETTINGS]`.
///
/// Findings are printed as a compiler prints its diagnostics, so that build systems show them at their lines; with an
/// error nothing is written.
@main
enum ModelCompiler {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
    guard arguments.count == 2 || arguments.count == 3 else {
      fail("usage: ModelCompiler INPUT OUTPUT [SETTINGS]\n")
    }
    do {
      try compile(arguments[0], to: arguments[1], settings: arguments.count == 3 ? arguments[2] : nil)
    } catch let error as ModelError {
      fail("\(error)")
    } catch {
      fail("\(arguments[0].path): error: \(error)\n")
    }
  }

  /// - Throws: `ModelError` for a file that cannot be read, and what the file manager throws for the output.
  private static func compile(_ input: URL, to output: URL, settings: URL?) throws {
    var model: ObjectModel?
    let source = try SourceFile(contentsOf: input, path: input.path)
    var report = FileReport(source) {
      model = $0.model
      return []
    }
    report.applySuppressions(hasStore: false)
    if let settings { report.apply(try ProjectSettings(contentsOf: settings).severities) }
    let isFaulty = report.findings.contains { $0.severity == .error }
    guard let model, !isFaulty else { throw ModelError(diagnostics: report.findings, source: source) }
    FileHandle.standardError.write(Data(TextReporter(source).report(report.findings).utf8))
    let text = ModelSource(model, file: input.lastPathComponent).text
    do { try Data(text.utf8).write(to: output, options: .atomic) } catch {
      fail("\(output.path): error: The file cannot be written: \(error.localizedDescription)\n")
    }
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data(message.utf8))
    exit(1)
  }
}
