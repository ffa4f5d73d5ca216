/// Prints findings for people: place, severity, message and code, the line with a caret, notes and help.
///
/// ```text
/// Models/Notes.yml:14:9: error: relationship 'items' of 'Note' names inverse 'notes' ... [inverse-mismatch]
///     inverse: notes
///              ^~~~~
/// ```
public struct TextReporter {
  private let source: SourceFile?
  private let hasColour: Bool

  /// - Parameter source: the file that the findings' places lie in; nil for a model made in code.
  public init(_ source: SourceFile?, hasColour: Bool = false) {
    self.source = source
    self.hasColour = hasColour
  }

  public func report(_ diagnostics: [Diagnostic]) -> String {
    let ranges = diagnostics.flatMap { [$0.range] + $0.notes.map(\.range) }
    let lines = source?.lines(numbered: ranges.compactMap { $0?.start.line }) ?? [:]
    return diagnostics.map { report($0, lines) }.joined()
  }

  private func report(_ diagnostic: Diagnostic, _ lines: [Int: String]) -> String {
    let severity = colour(diagnostic.severity.rawValue, diagnostic.severity.colour)
    let message = colour("\(printable(diagnostic.message)) [\(diagnostic.code.rawValue)]", "1")
    var text = "\(place(diagnostic.range, diagnostic.path))\(severity): \(message)\n"
    text += excerpt(diagnostic.range, lines)
    for note in diagnostic.notes {
      text += "\(place(note.range, note.path))note: \(printable(note.message))\n"
      text += excerpt(note.range, lines)
    }
    if let help = diagnostic.help { text += "    help: \(printable(help))\n" }
    return text
  }

  private func place(_ range: SourceRange?, _ path: ModelPath) -> String {
    if let source, let range { return "\(source.path):\(range.start.line):\(range.start.column): " }
    if let source { return "\(source.path): " }
    return path.components.isEmpty ? "" : "\(path.name): "
  }

  /// The line with a caret under the range; a tab stays a tab, so that the caret stays below.
  private func excerpt(_ range: SourceRange?, _ lines: [Int: String]) -> String {
    guard let range, let text = lines[range.start.line] else { return "" }
    let line = Array(text.unicodeScalars)
    guard line.count <= 400 else { return "" }
    let start = min(max(range.start.column - 1, 0), line.count)
    let end = range.end.line == range.start.line ? min(range.end.column - 1, line.count) : line.count
    let indent = line[..<start].map { $0 == "\t" ? "\t" : " " }.joined()
    let marks = "^" + String(repeating: "~", count: max(0, end - start - 1))
    return "    \(printable(text))\n    \(indent)\(colour(marks, "32"))\n"
  }

  /// The text without characters that could steer a terminal; one replaces one, so that carets stay in place.
  private func printable(_ text: some StringProtocol) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isSafe = scalar == "\t" || scalar.properties.generalCategory != .control
      scalars.append(isSafe ? scalar : "\u{FFFD}")
    }
    return String(scalars)
  }

  private func colour(_ text: String, _ code: String) -> String {
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
