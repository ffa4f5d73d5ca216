import Foundation
import MOCloneYAML
import Testing

@testable import MOCloneModel

/// One mistake in a model that is correct otherwise, and the finding that it must give.
struct SingleMistake: Sendable, CustomTestStringConvertible {
  /// Where the finding is, seen from the mistake.
  enum Place: String, CaseIterable {
    case right = "found at the line of the mistake"
    case note = "found at another line, with a note at that of the mistake"
    case elsewhere = "found at another line"
    case missed
  }

  var code: String
  /// The entity, property or key that the finding is about; nil where it is about the file.
  var subject: String?
  var file: String
  /// The line of `single-mistakes.txt`.
  var number: Int
  var text: String
  /// The line of the mistake in the text.
  var line: Int

  var testDescription: String { "line \(number): \(code) in \(file)" }

  /// What is found, but for notes that are about something else.
  var findings: [Diagnostic] {
    ModelParser.parse(SourceFile(path: file, text: text)).withTriedAdvice.diagnostics.filter {
      $0.severity > .note || $0.code.rawValue == code
    }
  }

  func place(in findings: [Diagnostic]) -> Place {
    let meant = findings.filter { $0.code.rawValue == code && (subject == nil || $0.path.name == subject) }
    if meant.contains(where: { $0.range?.start.line == line }) { return .right }
    if meant.contains(where: { $0.notes.contains { $0.range?.start.line == line } }) { return .note }
    return meant.isEmpty ? .missed : .elsewhere
  }
}

// MARK: - The table

extension SingleMistake {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  static let table = folder.appendingPathComponent("Fixtures/single-mistakes.txt")

  /// The text of a model of the repository, or of one that is made for these tests.
  static func model(_ file: String) throws -> String {
    let base = file.hasPrefix("Fixtures") ? folder : folder.appendingPathComponent("../..")
    return try String(contentsOf: base.appendingPathComponent(file), encoding: .utf8)
  }

  /// The mistakes of the table, whose lines are `code | subject | written => mistaken | text of the line`.
  static let all: [SingleMistake] = {
    var file = ""
    var mistakes: [SingleMistake] = []
    let lines = (try? String(contentsOf: table, encoding: .utf8))?.components(separatedBy: "\n") ?? []
    for (i, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
      let parts = line.components(separatedBy: " | ")
      if parts.count < 3 { file = line } else { mistakes.append(SingleMistake(parts, file, number: i + 1)) }
    }
    return mistakes
  }()

  private init(_ parts: [String], _ file: String, number: Int) {
    self.file = file
    self.number = number
    code = parts[0]
    subject = parts[1] == "-" ? nil : parts[1]
    let edit = parts[2].replacing("\\n", with: "\n").components(separatedBy: " =>")
    let (old, new) = (edit[0], String(edit[1].dropFirst()))
    let whole = (try? Self.model(file)) ?? ""
    let places = whole.ranges(of: old)
    guard places.count == 1 else {
      (text, line) = ("", 0)
      return
    }
    let mistaken = whole.replacing(old, with: new)
    let start = mistaken.index(places[0].lowerBound, offsetBy: old.commonPrefix(with: new).count)
    let mistake =
      parts.count > 3
      ? mistaken.range(of: parts[3])?.lowerBound : mistaken[start...].firstIndex { !$0.isWhitespace } ?? start
    text = mistaken
    line = mistake.map { end in mistaken[..<end].count { $0 == "\n" } + 1 } ?? 0
  }
}
