import MOCloneEngine
import MOCloneModel

/// Makes the graph of a violation smaller as long as the violation stays.
struct Shrinking {
  private let plans: TrialPlans
  private let pruning: SamplePruning
  private let keepsRoot: Bool
  /// A small graph is found after far fewer.
  private var trialsLeft = 2_000

  /// - Parameter keepsRoot: whether the object that is cloned stays the same, as where one entity was asked for.
  init(_ plans: TrialPlans, keepsRoot: Bool) {
    self.plans = plans
    self.keepsRoot = keepsRoot
    pruning = SamplePruning(plans.model)
  }

  /// The same violation in the smallest graph that steps of one object, link or value lead to.
  mutating func shrunk(_ violation: Violation) -> Violation {
    var smallest = violation
    var isSmaller = !violation.before.objects.isEmpty
    while isSmaller {
      isSmaller = false
      for candidate in candidates(smallest) where trialsLeft > 0 {
        guard let found = retry(candidate, smallest) else { continue }
        smallest = found
        isSmaller = true
        break
      }
    }
    return smallest
  }

  private struct Candidate {
    var graph: SampleGraph
    var root: Int
  }

  private mutating func retry(_ candidate: Candidate, _ violation: Violation) -> Violation? {
    guard size(candidate.graph, candidate.root) < size(violation.before, violation.root) else { return nil }
    trialsLeft -= 1
    let found = try? CloneTrial(candidate.graph, plans).violations(cloning: candidate.root)
    return found?.first { $0.cause == violation.cause }
  }

  /// What gets smaller, the weightiest first: objects, what is cloned, links, values.
  private func size(_ graph: SampleGraph, _ root: Int) -> [Int] {
    guard let object = graph[root], let plan = plans[object.entity] else { return [.max] }
    let closure = SampleClosure(of: object, by: plan, in: graph, plans.model)
    let values = graph.objects.reduce(0) { $0 + $1.values.count { !$0.value.isNull } }
    return [graph.objects.count, closure.objects.count, graph.links.count, values]
  }

  // MARK: Steps

  private func candidates(_ violation: Violation) -> [Candidate] {
    let (graph, root) = (violation.before, violation.root)
    let objects = graph.objects.map { Candidate(graph: pruning.pruned(graph.without([$0.id])), root: root) }
    return otherRoots(graph, root) + objects + withoutLinks(graph, root) + withoutValues(graph, root)
  }

  /// An object that was cloned with the root may be enough by itself.
  private func otherRoots(_ graph: SampleGraph, _ root: Int) -> [Candidate] {
    guard !keepsRoot, let object = graph[root], let plan = plans[object.entity] else { return [] }
    return SampleClosure(of: object, by: plan, in: graph, plans.model).objects.dropFirst().map {
      Candidate(graph: graph, root: $0)
    }
  }

  private func withoutLinks(_ graph: SampleGraph, _ root: Int) -> [Candidate] {
    graph.links.indices.map { i in
      var copy = graph
      copy.links.remove(at: i)
      return Candidate(graph: pruning.pruned(copy), root: root)
    }
  }

  private func withoutValues(_ graph: SampleGraph, _ root: Int) -> [Candidate] {
    graph.objects.indices.flatMap { i in
      plans.model.written(graph.objects[i].entity).filter(\.isOptional).map { attribute in
        var copy = graph
        copy.objects[i].values[attribute.name] = .null
        return Candidate(graph: copy, root: root)
      }
    }
  }
}

extension [Int] {
  fileprivate static func < (a: Self, b: Self) -> Bool { a.lexicographicallyPrecedes(b) }
}
