import MOCloneModel

extension CloneDifference {
  /// A change as a finding about the new model.
  package struct Finding {
    package var change: Change
    package var diagnostic: Diagnostic
  }

  /// The changes as findings, so that they can be reported, accepted and weighed as those of `validate` are.
  ///
  /// - Parameter hasComments: whether a comment in the new model's file can accept one.
  package func findings(from old: ObjectModel, to new: ObjectModel, hasComments: Bool = true) -> [Finding] {
    changes.map { change in
      let code = DiagnosticCode(rawValue: change.kind.rawValue)!
      return Finding(
        change: change,
        diagnostic: Diagnostic(
          code, at: Self.path(change.subject, models: [new, old]), change.sentence,
          help: change.isBreaking ? Self.acceptance(of: code, hasComments: hasComments) : nil))
    }
  }

  private static func acceptance(of code: DiagnosticCode, hasComments: Bool) -> String {
    let baseline = "add it to a baseline with --write-baseline FILE --reason TEXT"
    return hasComments
      ? "if it is meant, write '# moclone:allow \(code.rawValue) REASON' on the line before, or \(baseline)"
      : "if it is meant, \(baseline)"
  }

  /// The place of a subject in the first model that has it.
  private static func path(_ subject: String, models: [ObjectModel]) -> ModelPath {
    let names = subject.split(separator: ".", maxSplits: 1).map(String.init)
    if models.contains(where: { $0.entity(subject) != nil }) { return .entity(subject) }
    guard names.count == 2 else { return ModelPath(names) }
    for model in models {
      if let attribute = model.attribute(names[1], of: names[0]) { return .attribute(attribute) }
      if let relationship = model.relationship(names[1], of: names[0]) { return .relationship(relationship) }
    }
    return models.contains { $0.entity(names[0]) != nil } ? .entity(names[0]) : ModelPath(names)
  }
}

extension CloneDifference.Change {
  fileprivate var sentence: String {
    let effect = before == after ? "" : ": before \(before), now \(after)"
    let copied = objects.isEmpty ? "" : "; it is about \(objects.joined(separator: ", "))"
    let shown = roots.isEmpty ? "" : "; seen when copying \(rootsInWords { $0 })"
    return "'\(subject)' \(kind.words)\(effect)\(copied)\(shown)"
  }
}
