// Findings about the keys and values of the model format.
extension Diagnostic {
  package static func unknownKey(
    _ key: String, in place: String, nearest: String?, known: [String], at path: ModelPath,
    range: SourceRange
  ) -> Diagnostic {
    let help = didYouMean(nearest) ?? "the keys allowed here are \(known.joined(separator: ", "))"
    return Diagnostic(
      .unknownKey, at: path, "\(place) has no key '\(key.shortened)'", help: help, range: range)
  }

  package static func wrongKind(
    _ key: String, expected: String, found: SyntaxNode, at path: ModelPath
  ) -> Diagnostic {
    // The whole file has no key.
    let subject = key == "the model" ? key : "'\(key)'"
    return Diagnostic(
      .wrongKind, at: path, "\(subject) must be \(expected), but it is \(found.kind)",
      help: example(of: expected, key), range: found.range)
  }

  /// What a value of a kind looks like.
  private static func example(of expected: String, _ key: String) -> String {
    switch expected {
    case "a map" where key == "the model": "begin the file with 'version: 1' and 'entities:'"
    case "a map" where key == "moclone.yml": "begin the file with 'version: 1'"
    case "a map": "write its keys on separate lines, indented below '\(key):', or as '\(key): {...}'"
    case "a type or a map": "write '\(key): String', or '\(key): {type: String}' with more keys"
    case "true or false": "write '\(key): true' or '\(key): false'"
    case "a whole number": "write a number as in '\(key): 2'"
    case "a number": "write a number as in '\(key): 1.5'"
    case "a list of lists of names": "write it as in '\(key): [[id], [name, date]]'"
    case "a column or a list of columns": "write it as in '\(key): id' or '\(key): [order_id, line]'"
    case "a name or a list of names", "a list of names": "write it as in '\(key): [one, other]'"
    case let limit where limit.hasSuffix("bytes long"): "shorten it"
    case let limit where limit.hasPrefix("at most"): "write a smaller number"
    default: "write one value after '\(key):', in quotes if it has colons or brackets"
    }
  }

  static func emptyConstraint(at path: ModelPath, range: SourceRange) -> Diagnostic {
    Diagnostic(
      .wrongKind, at: path, "an entry of 'uniquenessConstraints' is empty; name at least one property",
      help: "remove it, or write it as in 'uniquenessConstraints: [[id], [name, date]]'", range: range)
  }

  package static func missingKey(_ key: String, in place: String, at path: ModelPath) -> Diagnostic {
    let line =
      switch key {
      case "version": "version: 1"
      case "type": "type: String"
      case "destination": "destination: ENTITY"
      case "column": "column: NAME"
      default: "\(key):"
      }
    return Diagnostic(.missingKey, at: path, "\(place) needs the key '\(key)'", help: "add '\(line)'")
  }

  package static func unknownValue(
    _ text: String, of key: String, known: [String], nearest: String?, at path: ModelPath,
    range: SourceRange
  ) -> Diagnostic {
    let help = didYouMean(nearest) ?? "known: \(known.joined(separator: ", "))"
    return Diagnostic(
      .unknownValue, at: path, "'\(text.shortened)' is not a valid value of '\(key)'", help: help,
      range: range)
  }

  package static func moreReferences(
    _ count: Int, than columns: Int, at path: ModelPath, range: SourceRange
  ) -> Diagnostic {
    Diagnostic(
      .wrongKind, at: path,
      "'references' names \(count) column\(count == 1 ? "" : "s"), but 'column' names "
        + (columns == 0 ? "none" : "\(columns)"),
      help: "list the foreign key's columns under 'column', in the same order", range: range)
  }

  package static func unsupportedVersion(_ text: String, range: SourceRange) -> Diagnostic {
    Diagnostic(
      .unsupportedVersion, at: .model / "version",
      "version '\(text.shortened)' is unknown; this program reads version 1",
      help: "write 'version: 1'", range: range)
  }

  package static func wrongDefault(
    _ text: String, of name: String, type: AttributeType, at path: ModelPath, range: SourceRange
  ) -> Diagnostic {
    Diagnostic(
      .defaultOfAnotherType, at: path,
      "the default '\(text.shortened)' of '\(name)' is not a valid \(type.rawValue)\(type.expectation)",
      help: "write a value of the type \(type.rawValue), or change 'type'", range: range)
  }
}
