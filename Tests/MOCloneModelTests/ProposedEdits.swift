import Testing

@testable import MOCloneModel
@testable import MOCloneSimulation
@testable import MOCloneYAML

/// What every edit that a finding proposes has to do.
enum ProposedEdits {
  /// Each edit of each finding removes it, gives no other one as grave, and no clone changes more outside itself.
  static func check(_ text: String) throws {
    let before = parse(text).withTriedAdvice
    guard let root = before.root else { return }
    var seen: Simulation.Outcome?
    for finding in before.diagnostics {
      for edit in finding.edits {
        let after = parse(root.applying(edit).flowText)
        let what =
          "\(finding.code.rawValue) at \(finding.path.name): \(edit.steps)\n\(finding.help ?? "")\n\(text)"
        let left = unsettled(finding, before, after)
        #expect(left.isEmpty, "\(what)\n\(left.map { "\($0.code.rawValue): \($0.message)" })")
        guard let model = before.model, let editedModel = after.model else { continue }
        if seen == nil { seen = try outcome(model) }
        // What the graphs before the edit did not show may have been so all the same.
        let known = Set(seen!.violations.map(\.cause))
        let more = try outcome(editedModel).violations.filter { violation in
          [.joinsAggregate, .originalChanged].contains(violation.kind) && !known.contains(violation.cause)
            && violation.isNew(in: editedModel, since: model)
        }
        #expect(more.isEmpty, "\(what)\n\(more.map(\.message))")
      }
    }
  }

  /// What is found after an edit that should settle a finding: the same, or others as grave.
  static func unsettled(_ finding: Diagnostic, _ before: ParsedModel, _ after: ParsedModel) -> [Diagnostic] {
    after.diagnostics.filter { other in
      let isKnown = before.diagnostics.contains { $0.code == other.code && $0.path == other.path }
      return other.code == finding.code && other.path == finding.path
        || other.severity >= finding.severity && !isKnown
    }
  }

  static func parse(_ text: String) -> ParsedModel {
    ModelParser.parse(SourceFile(path: "advice.yml", text: text))
  }

  private static func outcome(_ model: ObjectModel) throws -> Simulation.Outcome {
    try Simulation(model: model, graphs: 12).run()
  }
}
