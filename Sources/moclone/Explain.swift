import ArgumentParser
import MOCloneKit

struct Explain: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Explains a finding or an error by its code.",
    discussion: """
      Prints the reason for the finding, with a bad and a good example. Without a code, all codes are listed.

      EXAMPLES:
        moclone explain
        moclone explain required-excluded
      """)

  @Argument(
    help: "The code, as it is printed in brackets after a message.", completion: .list(DiagnosticCode.words))
  var code: String?

  @OptionGroup var console: ConsoleOptions

  func run() throws {
    guard let code else {
      let lines = DiagnosticCode.allCases.map { "\($0.rawValue)  \($0.explanation.title)\n" }
      return try Console.output.writeAll(lines.joined())
    }
    guard let known = DiagnosticCode(rawValue: code) else {
      let near = nearestName(to: code, in: DiagnosticCode.words)
      throw UsageError("no finding has the code '\(code)'\(near.map { "; did you mean '\($0)'?" } ?? "")")
    }
    try Console.output.writeAll(text(known))
  }

  private func text(_ code: DiagnosticCode) -> String {
    let explanation = code.explanation
    let kind = "Category: \(code.category.rawValue). Severity: \(code.defaultSeverity.rawValue)."
    return "\(code.rawValue): \(explanation.title)\n\n\(kind)\n\n\(explanation.text)"
  }
}
