// Findings about the keys and values of the model format.
extension Diagnostic {
  static func unknownKey(
    _ key: String, in place: String, nearest: String?, known: [String], at path: ModelPath,
    _ range: SourceRange
  ) -> Diagnostic {
    let help = didYouMean(nearest) ?? "known here: \(known.joined(separator: ", "))"
    return Diagnostic(
      .unknownKey, at: path, "\(place) has no key '\(key.shortened)'", help: help, range: range)
  }

  static func wrongKind(
    _ key: String, expected: String, found: SyntaxNode, at path: ModelPath, help: String? = nil
  ) -> Diagnostic {
    Diagnostic(
      .wrongKind, at: path, "'\(key)' must be \(expected), but this is \(found.kind)", help: help,
      range: found.range)
  }

  static func missingKey(_ key: String, in place: String, at path: ModelPath) -> Diagnostic {
    Diagnostic(.missingKey, at: path, "\(place) needs the key '\(key)'")
  }

  static func unknownValue(
    _ text: String, of key: String, known: [String], nearest: String?, at path: ModelPath,
    _ range: SourceRange
  ) -> Diagnostic {
    let help = didYouMean(nearest) ?? "known: \(known.joined(separator: ", "))"
    return Diagnostic(
      .unknownValue, at: path, "'\(text.shortened)' is no value of '\(key)'", help: help, range: range)
  }

  static func moreReferences(
    _ count: Int, than columns: Int, at path: ModelPath, _ range: SourceRange
  ) -> Diagnostic {
    Diagnostic(
      .wrongKind, at: path, "'references' names \(count) columns, but 'column' names \(columns)",
      help: "name under 'column' the foreign key's columns in the same order", range: range)
  }

  static func unsupportedVersion(_ text: String, _ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .unsupportedVersion, at: .model / "version",
      "version '\(text.shortened)' is not known; this program reads version 1",
      help: "write 'version: 1'", range: range)
  }

  static func unsupportedNaming(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .unsupportedNaming, at: .model / "store" / "naming", "naming 'coreData' is not supported yet",
      help: "use snakeCase, asWritten or grdb, and name tables and columns that differ", range: range)
  }

  static func wrongDefault(
    _ text: String, of name: String, type: AttributeType, at path: ModelPath, _ range: SourceRange
  ) -> Diagnostic {
    let form =
      switch type {
      case .date: "; a date is written like 2025-01-31T12:34:56.789Z"
      case .binary, .transformable: "; bytes are written in base64"
      case .boolean: "; write true or false"
      default: ""
      }
    return Diagnostic(
      .defaultOfAnotherType, at: path,
      "the default '\(text.shortened)' of '\(name)' is no \(type.rawValue)\(form)", range: range)
  }
}
