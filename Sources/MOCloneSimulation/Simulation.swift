import MOCloneEngine
import MOCloneModel

/// Clones objects of random graphs of a model in memory, and looks whether each clone keeps what clones promise.
///
/// ```swift
/// let simulation = try Simulation(model: model, seed: 7)
/// for violation in simulation.run().violations { print(violation.story) }
/// ```
///
/// The same model, seed and count give the same result.
public struct Simulation: Sendable {
  private let model: ObjectModel
  private let roots: [String]
  private let isAskedForOne: Bool
  private let seed: UInt64
  private let graphs: Int
  /// How many relationships the plans of all clones have together at most; those of the last graph come on top.
  var mostWork = 20_000_000

  /// What a simulation found.
  public struct Outcome: Sendable {
    /// One for each cause, in the order of the model, each in the smallest graph that shows it.
    public internal(set) var violations: [Violation] = []
    /// How many graphs were made.
    public internal(set) var graphs = 0
    /// How many objects were cloned as roots.
    public internal(set) var clones = 0
    /// Entities that were to be cloned, but of which no graph held an object.
    public internal(set) var untried: [String] = []
    /// Whether fewer graphs were made than asked for, because the plans of the model are so large that each takes long.
    public internal(set) var isCutShort = false
  }

  /// - Parameters:
  ///   - model: a valid model.
  ///   - entity: the entity whose objects are cloned; nil for every concrete one.
  ///   - seed: where the random numbers begin.
  ///   - graphs: how many graphs are made.
  /// - Throws: `CloneError` (`unknown-entity`).
  public init(model: ObjectModel, entity: String? = nil, seed: UInt64 = 1, graphs: Int = 200) throws {
    self.model = model
    self.seed = seed
    self.graphs = graphs
    isAskedForOne = entity != nil
    roots =
      try entity.map { model.concreteEntities(of: try model.entityName($0)) }
      ?? model.entities.filter { !$0.isAbstract }.map(\.name)
  }

  /// Runs the simulation; costs about a millisecond for each small graph and each clone.
  public func run() -> Outcome {
    let plans = TrialPlans(model, mostWork: mostWork)
    var outcome = Outcome()
    var found = FoundViolations()
    var tried: Set<String> = []
    var wanted: Set<String> = []
    for number in numbers {
      guard !plans.areTooLarge else {
        outcome.isCutShort = true
        break
      }
      let center = roots[number % roots.count]
      wanted.formUnion(roots.count > SampleMaker.mostEntities ? [center] : roots)
      let sample = SampleMaker.graph(
        plans.model, around: center, seed: seed &* 1_000_003 &+ UInt64(number))
      outcome.graphs += 1
      guard let trial = try? CloneTrial(sample, plans: plans) else { continue }
      for root in chosenRoots(sample, number: number) {
        tried.insert(sample[root]!.entity)
        outcome.clones += 1
        for violation in (try? trial.violations(cloning: root)) ?? [] { found.add(violation) }
      }
    }
    for refusal in plans.refusals { found.add(refusal) }
    outcome.untried = roots.filter { wanted.contains($0) && !tried.contains($0) && plans[$0] != nil }
    plans.startAnew()
    var shrinking = Shrinking(plans, keepsRoot: isAskedForOne)
    outcome.violations = found.smallest.map { violation in
      var shrunk = shrinking.shrunk(violation)
      shrunk.rootEntities = roots.filter(violation.rootEntities.contains)
      return shrunk
    }.sorted { place(of: $0) < place(of: $1) }
    return outcome
  }

  /// The numbers of the graphs: of many entities those of one after another, whose plan is then made once.
  private var numbers: [Int] {
    if roots.isEmpty { return [] }
    let all = 0..<graphs
    return roots.count > SampleMaker.mostEntities
      ? roots.indices.flatMap { stride(from: $0, to: graphs, by: roots.count) } : Array(all)
  }

  /// One object of each entity that is asked for; of many entities only the one that the graph was made around, for plans of
  /// large models are large.
  private func chosenRoots(_ sample: SampleGraph, number: Int) -> [Int] {
    let entities = roots.count > SampleMaker.mostEntities ? [roots[number % roots.count]] : roots
    return entities.compactMap { entity in sample.objects.first { $0.entity == entity }?.id }
  }

  private func place(of violation: Violation) -> Int {
    model.entities.firstIndex { $0.name == violation.path.components.dropFirst().first } ?? .max
  }
}

/// The violations of a run: for each cause the one in the smallest graph, and the entities whose clones have it.
private struct FoundViolations {
  private var byCause: [Violation.Cause: Int] = [:]
  private(set) var smallest: [Violation] = []

  mutating func add(_ violation: Violation) {
    let entity = violation.before[violation.root]?.entity
    guard let i = byCause[violation.cause] else {
      byCause[violation.cause] = smallest.count
      smallest.append(violation)
      smallest[smallest.count - 1].rootEntities = [entity].compactMap { $0 }
      return
    }
    var entities = smallest[i].rootEntities
    if let entity, !entities.contains(entity) { entities.append(entity) }
    if violation.before.objects.count < smallest[i].before.objects.count { smallest[i] = violation }
    smallest[i].rootEntities = entities
  }
}
