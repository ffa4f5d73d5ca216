import MOCloneModel

/// A link between a clone and an object that is not cloned.
struct OutsideLink {
  /// The relationship and its inverse.
  var names: Set<String>
  var outside: Int
  /// The original of the clone.
  var original: Int

  /// Whether a clone by another model makes the same link: an edit may have given the relationship an inverse.
  func isSame(as other: OutsideLink) -> Bool {
    outside == other.outside && original == other.original && !names.isDisjoint(with: other.names)
  }
}

extension Violation {
  /// Whether a clone of the same object by the model before an edit changed less outside itself, in the same graph.
  ///
  /// A clone that was refused before may do now what others do. A graph that the model did not allow before counts as new, for
  /// no clone of it did anything.
  ///
  /// - Parameters:
  ///   - model: the model of the violation.
  ///   - old: the model before the edit.
  package func isNew(in model: ObjectModel, since old: ObjectModel) -> Bool {
    let (plans, oldPlans) = (TrialPlans(model), TrialPlans(old))
    guard let graph = before.described(by: oldPlans.model),
      let now = try? CloneTrial(before, plans: plans).outsideLinks(cloning: root)
    else { return true }
    guard let then = try? CloneTrial(graph, plans: oldPlans).outsideLinks(cloning: root) else { return false }
    return now.contains { link in
      objects.contains(link.outside) && !then.contains { $0.isSame(as: link) }
    }
  }
}

extension SampleGraph {
  /// The same objects and links as another model names them; nil where it does not allow them.
  func described(by model: SampleModel) -> SampleGraph? {
    var copy = self
    copy.links = []
    for link in links {
      guard let kind = model.kinds.first(where: { $0.names.contains(link.relationship) }) else { return nil }
      let isTurned = kind.name != link.relationship
      copy.links.append(
        Link(
          relationship: kind.name, source: isTurned ? link.destination : link.source,
          destination: isTurned ? link.source : link.destination))
    }
    return SampleFaults(model: model).faults(copy).isEmpty ? copy : nil
  }
}
