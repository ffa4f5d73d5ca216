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
      for step in steps(smallest) where trialsLeft > 0 && !plans.areTooLarge {
        guard let found = retry(candidate(step, violation: smallest), violation: smallest) else { continue }
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

  private mutating func retry(_ candidate: Candidate, violation: Violation) -> Violation? {
    guard size(candidate.graph, root: candidate.root) < size(violation.before, root: violation.root) else {
      return nil
    }
    trialsLeft -= 1
    let found = try? CloneTrial(candidate.graph, plans: plans).violations(cloning: candidate.root)
    return found?.first { $0.cause == violation.cause }
  }

  /// What gets smaller, the weightiest first: objects, what is cloned, links, values.
  private func size(_ graph: SampleGraph, root: Int) -> [Int] {
    guard let object = graph[root], let plan = plans[object.entity] else { return [.max] }
    let closure = SampleClosure(of: object, by: plan, in: graph, plans.model)
    let values = graph.objects.reduce(0) { $0 + $1.values.count { !$0.value.isNull } }
    return [graph.objects.count, closure.objects.count, graph.links.count, values]
  }

  // MARK: Steps

  private enum Step {
    /// An object that was cloned with the root may be enough by itself.
    case cloneOnly(Int)
    case withoutObject(Int)
    case withoutLink(at: Int)
    case withoutValue(ofObjectAt: Int, attribute: String)
  }

  private func steps(_ violation: Violation) -> [Step] {
    let (graph, root) = (violation.before, violation.root)
    let values = graph.objects.indices.flatMap { i in
      plans.model.written(graph.objects[i].entity).filter(\.isOptional).map {
        Step.withoutValue(ofObjectAt: i, attribute: $0.name)
      }
    }
    return otherRoots(graph, root: root).map(Step.cloneOnly) + graph.objects.map { Step.withoutObject($0.id) }
      + graph.links.indices.map(Step.withoutLink) + values
  }

  private func otherRoots(_ graph: SampleGraph, root: Int) -> [Int] {
    guard !keepsRoot, let object = graph[root], let plan = plans[object.entity] else { return [] }
    return Array(SampleClosure(of: object, by: plan, in: graph, plans.model).objects.dropFirst())
  }

  private func candidate(_ step: Step, violation: Violation) -> Candidate {
    var graph = violation.before
    switch step {
    case .cloneOnly(let root): return Candidate(graph: graph, root: root)
    case .withoutObject(let id): graph = pruning.pruned(graph.without([id]))
    case .withoutLink(let i):
      graph.links.remove(at: i)
      graph = pruning.pruned(graph)
    case .withoutValue(let i, let attribute): graph.objects[i].values[attribute] = .null
    }
    return Candidate(graph: graph, root: violation.root)
  }
}

extension [Int] {
  fileprivate static func < (a: Self, b: Self) -> Bool { a.lexicographicallyPrecedes(b) }
}
