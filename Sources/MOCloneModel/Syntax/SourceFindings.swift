import Foundation

// Findings about a file before it is read as YAML.
extension Diagnostic {
  package static func remote(_ url: String) -> Diagnostic {
    Diagnostic(
      .unreadableFile, at: .model,
      "'\(url)' is not the URL of a file, and nothing is loaded from the network",
      help: "load it, and give its text: 'ObjectModel(json:)' or 'ObjectModel(yaml:)'")
  }

  package static func unreadableFile(_ path: String) -> Diagnostic {
    Diagnostic(
      .unreadableFile, at: .model, "the file '\(path)' cannot be read",
      help: "check its name and its permissions")
  }

  package static var fileTooLarge: Diagnostic {
    Diagnostic(
      .fileTooLarge, at: .model, "The file is larger than the limit of \(SourceFile.maximumSize >> 20) MB.",
      help: "leave out what nobody clones")
  }

  package static func database(_ path: String) -> Diagnostic {
    Diagnostic(
      .notUTF8, at: .model, "'\(path)' is a SQLite database, not a model",
      help:
        "make a model of it with `moclone model import \(path)`, or check it with `moclone validate --store \(path)`"
    )
  }

  package static func otherEncoding(_ path: String) -> Diagnostic {
    Diagnostic(
      .notUTF8, at: .model, "'\(path)' is not UTF-8 but looks like UTF-16 or UTF-32",
      help: "save the file as UTF-8", range: .point(line: 1, column: 1))
  }

  package static func notUTF8(_ path: String, offset: Int, in data: Data) -> Diagnostic {
    let place = SourceRange.point(afterUTF8: data.prefix(offset))
    return Diagnostic(
      .notUTF8, at: .model,
      "'\(path)' is not UTF-8: the byte at offset \(offset), line \(place.start.line), column \(place.start.column), "
        + "is not allowed there",
      help: "save the file as UTF-8", range: place)
  }
}

extension SourceRange {
  /// The place of what no file holds.
  package static let nowhere = SourceRange.point(line: 0, column: 0)

  /// A range of one character.
  package static func point(line: Int, column: Int) -> SourceRange {
    SourceRange(
      start: Position(line: line, column: column), end: Position(line: line, column: column + 1))
  }

  /// The character behind a text.
  package static func point(afterUTF8 bytes: Data) -> SourceRange {
    var (line, column) = (1, 1)
    bytes.withUnsafeBytes { bytes in
      for byte in bytes {
        if byte == 0x0A { (line, column) = (line + 1, 1) } else if byte & 0xC0 != 0x80 { column += 1 }
      }
    }
    return .point(line: line, column: column)
  }
}
