import Foundation

/// A question to the person at the terminal.
enum Question {
  /// Whether a terminal can ask and answer.
  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Asks until the answer is yes or no; the end of the input is a no.
  static func ask(_ question: String) -> Bool {
    while true {
      Console.errors.write("\(question) [y/n] ")
      guard let line = readLine() else { return false }
      switch line.trimmingCharacters(in: .whitespaces).lowercased() {
      case "y", "yes": return true
      case "n", "no": return false
      default: continue
      }
    }
  }
}

/// A refusal by the person at the terminal, or because there is no terminal.
struct Refusal: PlainFailure {
  static let status: Int32 = 1
  var description: String
}

extension Question {
  /// Asks before something that cannot be undone.
  ///
  /// - Parameter yes: whether the answer was given already, by --yes.
  /// - Throws: `Refusal` for a no, and without a terminal.
  static func confirm(_ question: String, yes: Bool) throws {
    if yes { return }
    guard isPossible else {
      throw Refusal("Not a terminal, so nothing can be asked; pass --yes to confirm.")
    }
    guard ask(question) else { throw Refusal("nothing was done") }
  }
}
