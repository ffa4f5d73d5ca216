import MOCloneModel

// Rules and results of SARIF.
extension SARIF {
  struct Driver: Encodable {
    var name = "moclone"
    var version: String
    var rules: [Rule]
  }

  /// One code with its explanation.
  struct Rule: Encodable {
    var id: String
    var shortDescription: Message
    var fullDescription: Message
    var help: Message
    var defaultConfiguration: [String: String]
    var properties: [String: [String]]

    init(_ code: DiagnosticCode) {
      let explanation = code.explanation
      id = code.rawValue
      shortDescription = Message(explanation.title)
      fullDescription = Message(explanation.why)
      help = Message(explanation.text, markdown: explanation.markdown)
      defaultConfiguration = ["level": code.defaultSeverity.rawValue]
      properties = ["tags": [code.category.rawValue]]
    }
  }

  struct Suppression: Encodable {
    var kind: String
    var justification: String

    init(_ reason: AcceptedFinding.Reason) {
      kind = if case .comment = reason { "inSource" } else { "external" }
      justification = reason.text
    }
  }

  struct Result: Encodable {
    var ruleId: String
    var ruleIndex: Int
    var level: String
    var message: Message
    var locations: [Location]
    var relatedLocations: [Location]?
    var partialFingerprints: [String: String]
    /// Stands at every result or at none, as the format asks: empty where nothing accepts the finding.
    var suppressions: [Suppression]

    init(
      _ finding: Diagnostic, in file: ArtifactLocation, rule: Int, fingerprint: String,
      suppression: Suppression?
    ) {
      ruleId = finding.code.rawValue
      ruleIndex = rule
      level = finding.severity.rawValue
      message = Message(
        [finding.message.asSentence(), finding.help].compactMap { $0 }.joined(separator: "\nhelp: "))
      locations = [Location(file, range: finding.range, path: finding.path)]
      // The format wants each place once.
      let notes = finding.notes.map { Location(file, range: $0.range, path: $0.path, message: $0.message) }
        .uniqued()
      relatedLocations = notes.isEmpty ? nil : notes
      partialFingerprints = ["moclone/v1": fingerprint]
      suppressions = suppression.map { [$0] } ?? []
    }
  }
}

extension Explanation {
  /// Why, and a bad and a good example, as plain text.
  package var text: String {
    let shown = examples.map { name, model, store in
      "\n\(name):\n\n" + [model, store].compactMap { $0 }.map(indented).joined(separator: "\n\n") + "\n"
    }
    return "\(why)\n" + shown.joined()
  }

  var markdown: String {
    let shown = examples.map { name, model, store in
      "\n\(name):\n\n```yaml\n\(model)```\n" + (store.map { "\n```sql\n\($0)```\n" } ?? "")
    }
    return "\(why)\n" + shown.joined()
  }

  private var examples: [(name: String, model: String, store: String?)] {
    [("Bad", bad, badStore), ("Good", good, goodStore)].compactMap { name, model, store in
      model.map { (name, $0, store) }
    }
  }

  private func indented(_ text: String) -> String {
    text.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n")
  }
}
