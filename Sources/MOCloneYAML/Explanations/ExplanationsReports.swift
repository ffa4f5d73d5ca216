import MOCloneModel

extension Explanation {
  /// Comments and baselines, which accept findings.
  static let reports: [DiagnosticCode: Explanation] = [
    .invalidSuppression: Explanation(
      "A comment is meant to allow a finding, but does not.",
      why:
        "It stands on a line of its own before the line of the finding, and is written `# moclone:allow CODE "
        + "reason`, with commas between several codes. Without a reason nobody knows later why the finding is no "
        + "fault, so it allows nothing.",
      bad: """
        # moclone:allow follow-without-fallback
        Note: {attributes: {name: String}}
        """,
      good: "Note: {attributes: {name: String}}"),
    .unusedSuppression: Explanation(
      "A comment allows a finding that is not there.",
      why:
        "The finding was mended, or lies on another line than the one below the comment. Left in place, the "
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
      "A baseline holds a finding that is not there any more.",
      why:
        "It was mended, or its entity or file has another name now. Write the baseline anew with "
        + "`moclone validate --write-baseline FILE`, so that the finding cannot come back unseen."),
  ]
}
