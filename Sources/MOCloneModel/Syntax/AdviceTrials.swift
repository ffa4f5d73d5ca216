extension ParsedModel {
  /// The same, where findings propose only edits that settle them.
  ///
  /// Each edit is made in memory and the model validated again. One that leaves the finding, or leads to another one as grave,
  /// is not proposed; where no edit is left the help says where each one leads.
  package var withTriedAdvice: ParsedModel {
    guard let root, diagnostics.contains(where: { !$0.edits.isEmpty }) else { return self }
    var trials = AdviceTrials(root: root, before: diagnostics)
    return with(diagnostics.map { trials.settling($0) })
  }
}

/// Tries edits that findings propose.
private struct AdviceTrials {
  /// What of one finding is found again.
  private struct Cause: Hashable {
    var code: DiagnosticCode
    var path: ModelPath

    init(_ finding: Diagnostic) {
      code = finding.code
      path = finding.path
    }
  }

  private struct Outcome {
    var edit: ModelEdit
    /// The finding that the edit leaves, or leads to.
    var consequence: Diagnostic?
  }

  private let root: SyntaxNode
  private let known: Set<Cause>
  /// How many edits can be tried yet: few of a large model, where each one takes long.
  private var trialsLeft: Int
  private static let mostTrials = 100
  /// How many lines of a model are validated again, all trials together.
  private static let mostWork = 50_000

  init(root: SyntaxNode, before: [Diagnostic]) {
    self.root = root
    known = Set(before.map(Cause.init))
    trialsLeft = min(Self.mostTrials, Self.mostWork / max(1, root.countOfMaps(upTo: Self.mostWork)))
  }

  /// The finding with those of its edits that settle it; as it is where too much was tried already.
  mutating func settling(_ finding: Diagnostic) -> Diagnostic {
    guard !finding.edits.isEmpty, trialsLeft >= finding.edits.count else { return finding }
    trialsLeft -= finding.edits.count
    let outcomes = finding.edits.map {
      Outcome(edit: $0, consequence: consequence(of: $0, settling: finding))
    }
    let settling = outcomes.filter { $0.consequence == nil }.map(\.edit)
    if settling.count == outcomes.count { return finding }
    var settled = finding
    settled.edits = settling
    settled.help = help(for: finding, settling, outcomes: outcomes)
    return settled
  }

  private func consequence(of edit: ModelEdit, settling finding: Diagnostic) -> Diagnostic? {
    let context = ReadingContext(notesPlaces: false)
    guard let model = ModelReader(context: context).model(root.applying(edit)) else {
      return context.findings.diagnostics.first ?? finding
    }
    let after = context.findings.diagnostics + ModelParser.findings(in: model, context)
    let consequence = after.first { other in
      Cause(other) == Cause(finding) || other.severity >= finding.severity && !known.contains(Cause(other))
    }
    return consequence ?? otherMembers(takenAlongBy: edit, in: model, after, settling: finding)
  }

  /// The finding about members of other objects' aggregates that clones reach by an edit, which is about something else.
  private func otherMembers(
    takenAlongBy edit: ModelEdit, in model: ObjectModel, _ after: [Diagnostic], settling finding: Diagnostic
  ) -> Diagnostic? {
    let followed = edit.followed(model.userInfoKeys)
    guard finding.code != .joinsOtherAggregate, !followed.isEmpty else { return nil }
    let graph = GraphChecks(ModelChecks(model, keys: model.userInfoKeys))
    let starts = graph.checks.soundRelationships.filter { followed.contains(.relationship($0)) }
    let entered = graph.pathsIntoOtherAggregates().filter { path in
      starts.contains { graph.edges.lead(from: $0, to: path.entity) }
    }
    return after.first { other in
      other.code == .joinsOtherAggregate
        && entered.contains { ([other.path] + other.notes.map(\.path)).contains(.relationship($0)) }
    }
  }

  private func help(
    for finding: Diagnostic, _ settling: [ModelEdit], outcomes: [Outcome]
  ) -> String? {
    if !settling.isEmpty { return settling.map(\.sentence).joined(separator: ", or ") }
    // What is proposed for a name that does not exist is a question already.
    guard finding.severity < .error else { return finding.help }
    let choices = outcomes.compactMap { outcome in
      outcome.consequence.map { consequence in
        let exists = outcome.edit.properties.map(\.name) == [consequence.path.name]
        let place = exists ? "there" : "at '\(consequence.path.name)'"
        return "\(outcome.edit.gerund) would cause '\(consequence.code.rawValue)' \(place)"
      }
    }
    return choices.joined(separator: "; ") + "; decide which you want"
  }
}

extension SyntaxNode {
  /// How many maps there are, which is about how many lines a model has.
  fileprivate func countOfMaps(upTo most: Int) -> Int {
    var count = 0
    var pending = [self]
    while count < most, let node = pending.popLast() {
      if let entries = node.entries {
        count += 1
        pending += entries.map(\.value)
      }
    }
    return count
  }
}
