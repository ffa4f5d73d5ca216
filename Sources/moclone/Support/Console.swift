import Foundation
import MOCloneKit

/// Standard output and error as text.
struct Console {
  let handle: FileHandle

  static let output = Console(handle: .standardOutput)
  static let errors = Console(handle: .standardError)

  /// What the command's options ask for.
  struct Settings {
    var isVerbose = false
    var isQuiet = false
    var color = ColorChoice.auto
  }

  private static let state = Locked(Settings())

  /// Those of the whole process; they are set once, when the arguments are read.
  static var settings: Settings {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// Writes as far as the reader lets it.
  func write(_ text: String) {
    try? handle.write(contentsOf: Data(text.utf8))
  }

  /// Writes everything.
  ///
  /// - Throws: `RunFailure` where the reader has closed it or the disk is full.
  func writeAll(_ text: String) throws {
    do {
      try handle.write(contentsOf: Data(text.utf8))
    } catch {
      throw RunFailure("the output cannot be written: \(error.plainReason)")
    }
  }

  /// Writes everything as it comes, so that a long text is never in memory as a whole.
  func writeAll(_ pieces: (_ write: (String) throws -> Void) throws -> Void) throws {
    var gathered = ""
    try pieces { piece in
      gathered += piece
      guard gathered.utf8.count >= 65_536 else { return }
      try writeAll(gathered)
      gathered = ""
    }
    try writeAll(gathered)
  }
}

extension Console {
  /// Whether to write in colours: as --color says, else on a terminal that understands them.
  var hasColour: Bool {
    switch Self.settings.color {
    case .always: true
    case .never: false
    case .auto: isRichTerminal
    }
  }

  /// Whether a line of progress is shown: on a terminal where lines can be rewritten, and not with --quiet.
  static var showsProgress: Bool { !settings.isQuiet && errors.isRichTerminal }

  /// A terminal that understands escape sequences, whose user did not refuse them (https://no-color.org).
  private var isRichTerminal: Bool {
    let environment = ProcessInfo.processInfo.environment
    return isatty(handle.fileDescriptor) == 1 && (environment["NO_COLOR"] ?? "").isEmpty
      && environment["TERM"] != "dumb"
  }

  /// An error, which --quiet shows too.
  static func complain(_ message: String, code: DiagnosticCode? = nil) {
    errors.write("moclone: \(message.asSentence().printableLines)\(code.map { " [\($0.rawValue)]" } ?? "")\n")
  }

  /// Something worth knowing that is neither a result nor an error; --quiet leaves it out.
  static func note(_ message: String) {
    if !settings.isQuiet { complain(message) }
  }

  /// Something that only --verbose shows.
  static func detail(_ message: @autoclosure () -> String) {
    if settings.isVerbose { complain(message()) }
  }
}
