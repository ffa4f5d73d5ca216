import MOCloneModel

extension Explanation {
  /// Comments and baselines, which accept findings.
  static let reports: [DiagnosticCode: Explanation] = [
    .invalidSuppression: Explanation(
      "A comment that should allow a finding has no effect.",
      why:
        "It must be on its own line before the line of the finding, and has the form `# moclone:allow CODE "
        + "reason`, with commas between several codes. Without a reason nobody knows later why the "
        + "finding is acceptable, so the comment has no effect.",
      bad: """
        # moclone:allow follow-without-fallback
        Note: {attributes: {name: String}}
        """,
      good: "Note: {attributes: {name: String}}"),
    .unusedSuppression: Explanation(
      "A comment allows a finding that no longer exists.",
      why:
        "The finding was fixed, or it is not on the line below the comment. Left in place, the "
        + "comment would hide the next finding of that kind.",
      bad: """
        # moclone:allow exclude-value the export still writes it
        Note: {attributes: {name: String?}}
        """,
      good: """
        # moclone:allow exclude-value the export still writes it
        Note: {attributes: {name: {type: String, optional: true, userInfo: {exclude: "false"}}}}
        """),
    .staleBaseline: Explanation(
      "A baseline lists a finding that no longer exists.",
      why:
        "It was fixed, or its entity or file has another name now. Rewrite the baseline with "
        + "`moclone validate --write-baseline FILE`, so that the finding cannot come back unnoticed."),
  ]
}
