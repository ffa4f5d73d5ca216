/// Prints findings for people: place, severity, message and code, the line with a caret, notes and help.
///
/// ```text
/// Models/Notes.yml:14:9: error: relationship 'items' of 'Note' names inverse 'notes' ... [inverse-mismatch]
///     inverse: notes
///              ^~~~~
/// ```
package struct TextReporter {
  private let source: SourceFile?
  private let path: String?
  private let hasColour: Bool
  private let detailed: Int

  /// - Parameters:
  ///   - source: the file that the findings' places are in; nil for a model made in code.
  ///   - path: the file's name where it has no source because it could not be read.
  ///   - detailed: how many findings of each code are shown with their lines and notes; the others take one line.
  package init(
    _ source: SourceFile?, path: String? = nil, hasColour: Bool = false, detailed: Int = .max
  ) {
    self.source = source
    self.path = source?.path ?? path
    self.hasColour = hasColour
    self.detailed = detailed
  }

  package func report(_ diagnostics: [Diagnostic]) -> String {
    let ranges = diagnostics.flatMap { [$0.range] + $0.notes.map(\.range) }
    let lines = source?.lines(numbered: ranges.compactMap { $0?.start.line }) ?? [:]
    var shown: [DiagnosticCode: Int] = [:]
    return diagnostics.map { diagnostic in
      shown[diagnostic.code, default: 0] += 1
      return shown[diagnostic.code, default: 0] > detailed
        ? brief(diagnostic) : report(diagnostic, lines: lines)
    }.joined()
  }

  private func brief(_ diagnostic: Diagnostic) -> String {
    title(diagnostic).advised(diagnostic.help?.printable) + "\n"
  }

  private func title(_ diagnostic: Diagnostic) -> String {
    let severity = colour(diagnostic.severity.rawValue, code: diagnostic.severity.colour)
    let message = colour(
      "\(diagnostic.message.asSentence().printable) [\(diagnostic.code.rawValue)]", code: "1")
    return "\(place(diagnostic.range, path: diagnostic.path))\(severity): \(message)"
  }

  private func report(_ diagnostic: Diagnostic, lines: [Int: String]) -> String {
    var text = title(diagnostic) + "\n" + excerpt(diagnostic.range, lines: lines)
    for note in diagnostic.notes {
      text += "\(place(note.range, path: note.path))note: \(note.message.printable)\n"
      text += excerpt(note.range, lines: lines)
    }
    if let help = diagnostic.help { text += "    help: \(help.printable)\n" }
    return text
  }

  private func place(_ range: SourceRange?, path: ModelPath) -> String {
    if let file = self.path?.printable {
      return range.map { "\(file):\($0.start.line):\($0.start.column): " } ?? "\(file): "
    }
    return path.components.isEmpty ? "" : "\(path.name): "
  }

  /// The line with a caret under the range; a tab stays a tab, so that the caret stays below.
  private func excerpt(_ range: SourceRange?, lines: [Int: String]) -> String {
    guard let range, let text = lines[range.start.line] else { return "" }
    let line = Array(text.unicodeScalars)
    guard line.count <= 400 else { return "" }
    let start = min(max(range.start.column - 1, 0), line.count)
    let end = range.end.line == range.start.line ? min(range.end.column - 1, line.count) : line.count
    let indent = line[..<start].map { $0 == "\t" ? "\t" : " " }.joined()
    let marks = "^" + String(repeating: "~", count: max(0, end - start - 1))
    return "    \(text.printable)\n    \(indent)\(colour(marks, code: "32"))\n"
  }

  private func colour(_ text: String, code: String) -> String {
    hasColour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

extension Severity {
  fileprivate var colour: String {
    switch self {
    case .error: "1;31"
    case .warning: "1;35"
    case .note: "1;36"
    }
  }
}

extension ModelPath {
  /// `Note.items` for a property, `Note` for an entity, else the keys.
  public var name: String {
    guard components.first == "entities", components.count >= 2 else {
      return components.joined(separator: ".")
    }
    let isProperty = components.count >= 4 && ["attributes", "relationships"].contains(components[2])
    return isProperty ? "\(components[1]).\(components[3])" : components[1]
  }
}
