import Foundation

/// A question to the person at the terminal.
enum Question {
  /// Whether there is somebody to ask.
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
