import MOCloneModel

/// Prints findings as Checkstyle's XML, which many services and editors read.
package enum CheckstyleReporter {
  /// - Parameter root: the folder that paths are relative to.
  package static func report(_ reports: [FileReport], root: String) -> String {
    let files = reports.map { report in
      MarkupElement(
        name: "file", attributes: [("name", RelativePath.shown(report.path, from: root))],
        children: report.findings.map(error))
    }
    return MarkupElement(name: "checkstyle", attributes: [("version", "4.3")], children: files).document
  }

  private static func error(_ finding: Diagnostic) -> MarkupElement {
    let place = finding.range.map { [("line", "\($0.start.line)"), ("column", "\($0.start.column)")] } ?? []
    return MarkupElement(
      name: "error",
      attributes: place.map { (name: $0.0, value: $0.1) } + [
        ("severity", finding.severity.ofCheckstyle), ("message", finding.sentences),
        ("source", "moclone.\(finding.code.rawValue)"),
      ])
  }
}

extension Severity {
  fileprivate var ofCheckstyle: String { self == .note ? "info" : rawValue }
}

extension Diagnostic {
  /// What is wrong and what to do, on one line.
  var sentences: String {
    [message.asSentence(), help.map { "Help: \($0)" }].compactMap { $0 }.joined(separator: " ")
  }
}
