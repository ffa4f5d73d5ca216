// Findings about the YAML of a file, before its keys mean anything.
extension Diagnostic {
  package static func syntax(
    _ problem: String, context: (text: String, place: SourceRange)?, at range: SourceRange
  )
    -> Diagnostic
  {
    let message = [problem, context?.text].compactMap { $0 }.joined(separator: " ")
    let isElsewhere = context.map { $0.place.start.line != range.start.line } ?? false
    let notes = isElsewhere ? [Note("it begins here", at: .model, range: context?.place)] : []
    return Diagnostic(.syntax, at: .model, message, notes: notes, help: help(for: problem), range: range)
  }

  private static func help(for problem: String) -> String? {
    if problem.contains("mapping values are not allowed") {
      return "quote a text that contains ': ', and check the indentation of this line"
    }
    if problem.contains("cannot start any token") { return "indent with spaces; quote the text" }
    return problem.contains("control characters")
      ? "remove the character" : "check brackets, quotes and indentation up to here"
  }

  package static func emptyFile() -> Diagnostic {
    Diagnostic(
      .emptyModel, at: .model, "the file holds no model", help: "begin it with 'version: 1'",
      range: .point(line: 1, column: 1))
  }

  package static func severalDocuments(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .severalDocuments, at: .model, "a second document begins here; a file holds one model",
      help: "remove the '---', or put the second model into a file of its own", range: range)
  }

  package static func tooManyValues(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .tooManyValues, at: .model, "the file holds more values than a model can have",
      help: "divide the model", range: range)
  }

  /// Stands behind the findings that are listed.
  package static func tooManyFindings() -> Diagnostic {
    Diagnostic(
      .tooManyValues, at: .model,
      "there are more than \(FindingList.most) findings; the others are not listed",
      help: "mend the first ones and read the file again", range: .point(line: 1, column: 1))
  }

  package static func nestedTooDeep(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .nestedTooDeep, at: .model, "maps and lists lie more than 64 levels deep here",
      help: "check the brackets up to here; a model has few levels", range: range)
  }

  package static func tag(_ tag: String, _ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .unsupportedYAML, at: .model, "the tag '\(tag.shortened)' has no meaning in a model",
      help: "remove it; the type of a value is the attribute's 'type'", range: range)
  }

  package static func alias(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .unsupportedYAML, at: .model, "aliases (*name) are not supported in a model",
      help: "write the value out where it is needed", range: range)
  }

  package static func mergeKey(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .unsupportedYAML, at: .model, "the merge key '<<' is not supported in a model",
      help: "let entities share properties by 'parent', or write them out", range: range)
  }

  package static func keyNotText(_ key: SyntaxNode) -> Diagnostic {
    Diagnostic(
      .wrongKind, at: .model, "a key must be a text, but this is \(key.kind)",
      help: "write a name before the colon", range: key.range)
  }

  package static func keyTooLong(_ key: SyntaxNode) -> Diagnostic {
    Diagnostic(
      .unsupportedYAML, at: .model, "a key may have \(ModelLimits.key) bytes, this one has more",
      help: "give it a shorter name",
      range: key.range)
  }

  package static func tagDirectives(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .unsupportedYAML, at: .model, "the directive '%TAG' is not supported in a model",
      help: "remove it; the type of a value is the attribute's 'type'", range: range)
  }

  package static func missingSpace(_ key: String, colon: String.Index, _ range: SourceRange) -> Diagnostic {
    let name = key[..<colon]
    let value = key[key.index(after: colon)...]
    return Diagnostic(
      .missingSpace, at: .model,
      "'\(key.shortened)' is one key without a value: a space is missing after the colon",
      help: "write '\(name): \(value)'", range: range)
  }

  package static func duplicateKey(_ key: String, _ range: SourceRange, first: SourceRange) -> Diagnostic {
    Diagnostic(
      .duplicateKey, at: .model, "the key '\(key.shortened)' stands here a second time",
      notes: [Note("it stands here first", at: .model, range: first)],
      help: "rename one of the two, or put what they hold together", range: range)
  }
}
