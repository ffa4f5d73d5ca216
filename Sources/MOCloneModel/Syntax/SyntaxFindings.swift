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

  package static func unclosed(
    _ problem: String, context: String?, at range: SourceRange, gaveUp place: SourceRange
  ) -> Diagnostic {
    let message = [problem, context].compactMap { $0 }.joined(separator: " ")
    let isElsewhere = place.start.line != range.start.line
    return Diagnostic(
      .syntax, at: .model, message,
      notes: isElsewhere ? [Note("the reading gave up here", at: .model, range: place)] : [],
      help: "close the bracket, and check quotes and indentation down to there",
      range: isElsewhere ? range : place)
  }

  private static func help(for problem: String) -> String? {
    if problem.contains("mapping values are not allowed") {
      return "put quotes around a string that contains ': ', and check the indentation of this line"
    }
    if problem.contains("cannot start any token") { return "put the string in quotes" }
    return problem.contains("control characters")
      ? "remove the character" : "check brackets, quotes and indentation up to here"
  }

  package static func tabIndentation(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .syntax, at: .model, "a tab cannot be used for indentation", help: "indent with spaces", range: range)
  }

  package static func emptyFile() -> Diagnostic {
    Diagnostic(
      .emptyModel, at: .model, "the file contains no model", help: "begin the file with 'version: 1'",
      range: .point(line: 1, column: 1))
  }

  package static func severalDocuments(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .severalDocuments, at: .model, "a second document begins here, but a file contains one model",
      help: "remove the '---', or move the second model to its own file", range: range)
  }

  package static func tooManyValues(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .tooManyValues, at: .model, "the file contains more values than a model can have",
      help: "leave out what nobody clones", range: range)
  }

  /// Stands behind the findings that are listed.
  package static func tooManyFindings() -> Diagnostic {
    Diagnostic(
      .tooManyValues, at: .model,
      "there are more than \(FindingList.most) findings; the rest are not listed",
      help: "fix these first and check the file again", range: .point(line: 1, column: 1))
  }

  package static func nestedTooDeep(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .nestedTooDeep, at: .model, "maps and lists are nested more than 64 levels deep here",
      help: "check the brackets up to here; a model needs fewer than ten levels", range: range)
  }

  package static func tag(_ tag: String, range: SourceRange) -> Diagnostic {
    Diagnostic(
      .unsupportedYAML, at: .model, "the tag '\(tag.shortened)' has no meaning in a model",
      help: "remove it; the type of a value is the attribute's 'type'", range: range)
  }

  package static func alias(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .unsupportedYAML, at: .model, "aliases (*name) are not supported in a model",
      help: "repeat the value where it is needed", range: range)
  }

  package static func mergeKey(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .unsupportedYAML, at: .model, "the merge key '<<' is not supported in a model",
      help: "let entities share properties by 'parent', or repeat them", range: range)
  }

  package static func keyNotText(_ key: SyntaxNode) -> Diagnostic {
    Diagnostic(
      .wrongKind, at: .model, "a key must be a string, but this is \(key.kind)",
      help: "write a name before the colon", range: key.range)
  }

  package static func keyTooLong(_ key: SyntaxNode) -> Diagnostic {
    Diagnostic(
      .unsupportedYAML, at: .model, "the key is longer than the limit of \(ModelLimits.key) bytes",
      help: "use a shorter name",
      range: key.range)
  }

  package static func tagDirectives(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .unsupportedYAML, at: .model, "the directive '%TAG' is not supported in a model",
      help: "remove it; the type of a value is the attribute's 'type'", range: range)
  }

  package static func missingSpace(_ key: String, colon: String.Index, range: SourceRange) -> Diagnostic {
    let name = key[..<colon]
    let value = key[key.index(after: colon)...]
    return Diagnostic(
      .missingSpace, at: .model,
      "'\(key.shortened)' is read as a key without a value, because a space is missing after the colon",
      help: "write '\(name): \(value)'", range: range)
  }

  package static func duplicateKey(_ key: String, range: SourceRange, first: SourceRange) -> Diagnostic {
    Diagnostic(
      .duplicateKey, at: .model, "duplicate key '\(key.shortened)' (first at line \(first.start.line))",
      notes: [Note("the first one is here", at: .model, range: first)],
      help: "rename one of the two, or merge their contents", range: range)
  }
}
