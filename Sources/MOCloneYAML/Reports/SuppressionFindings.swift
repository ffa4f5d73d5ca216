import MOCloneModel

// Findings about comments that allow findings.
extension Diagnostic {
  private static let form = "write '# moclone:allow CODE reason' on a line of its own before the finding's"

  static func unknownDirective(_ text: String, range: SourceRange) -> Diagnostic {
    Diagnostic(
      .invalidSuppression, at: .model, "the comment '\(text.shortened)' is unknown", help: form,
      range: range)
  }

  static func suppressionBehindValue(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .invalidSuppression, at: .model, "'moclone:allow' after a value has no effect", help: form,
      range: range)
  }

  static func suppressionWithoutCode(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .invalidSuppression, at: .model, "'moclone:allow' names no finding, so it allows nothing", help: form,
      range: range)
  }

  static func suppressionOfUnknownCode(_ code: String, range: SourceRange) -> Diagnostic {
    let nearest = nearestName(to: code, in: DiagnosticCode.words)
    return Diagnostic(
      .invalidSuppression, at: .model, "no finding has the code '\(code.shortened)'",
      help: didYouMean(nearest) ?? "`moclone explain` lists all findings", range: range)
  }

  static func suppressionWithoutReason(_ codes: [Substring], range: SourceRange) -> Diagnostic {
    Diagnostic(
      .invalidSuppression, at: .model,
      "'moclone:allow \(codes.joined(separator: ", ").shortened)' gives no reason, so it allows nothing",
      help: "add the reason why the finding is acceptable", range: range)
  }

  static func unusedSuppression(_ allowed: Suppression.Allowed, line: Int) -> Diagnostic {
    Diagnostic(
      .unusedSuppression, at: .model, "line \(line) has no finding '\(allowed.code.rawValue)' to allow",
      help: "remove the code from the comment, or move the comment before the line of the finding",
      range: allowed.range)
  }
}
