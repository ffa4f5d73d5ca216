import Foundation
import MOCloneModel

/// What a clone made. A value without a graph, which crosses threads.
public struct CloneResult: Sendable, Equatable {
  /// The new roots: for each key in the order given, its copies one after another.
  public var roots: [ObjectID]
  /// How many objects were cloned, by concrete entity; copies count.
  public var cloned: [String: Int]
  /// How many distinct objects that exist already a clone links to, by the entity that the link's relationship names: those
  /// outside the subtree, and those that the request gives the root.
  public var linked: [String: Int]
  /// Original and clone of every object, if the run was asked to keep them: 1 pair an object.
  public var mapping: [Pair]
  /// The model of what was cloned, where the mapping was kept: it tells the bases of an original.
  package var model: ObjectModel?

  /// An original and one clone of it.
  public struct Pair: Sendable, Equatable {
    /// The object that was cloned.
    public var original: ObjectID
    /// The new object.
    public var clone: ObjectID

    /// Creates a pair of an original and its clone.
    public init(original: ObjectID, clone: ObjectID) {
      self.original = original
      self.clone = clone
    }
  }

  /// Creates a result; every parameter has the default of a run that made nothing.
  public init(
    roots: [ObjectID] = [], cloned: [String: Int] = [:], linked: [String: Int] = [:], mapping: [Pair] = []
  ) {
    self.roots = roots
    self.cloned = cloned
    self.linked = linked
    self.mapping = mapping
  }

  /// Two results are equal where the same was made, by whatever model.
  public static func == (a: Self, b: Self) -> Bool {
    (a.roots, a.cloned, a.linked, a.mapping) == (b.roots, b.cloned, b.linked, b.mapping)
  }

  /// The clones of an object: one a copy, none where it was not cloned or the run kept no mapping.
  ///
  /// The object can be named as every call names it: also by a base of its entity, and by its key in another form, such as
  /// `"1"` for a number, `"1,2"` for two parts, or a UUID as text. Looks through the whole mapping; for many lookups make a
  /// dictionary of it.
  public subscript(original: ObjectID) -> [ObjectID] {
    let exact = mapping.filter { $0.original == original }
    return (exact.isEmpty ? mapping.filter { isFound($0.original, by: original) } : exact).map(\.clone)
  }

  private func isFound(_ object: ObjectID, by given: ObjectID) -> Bool {
    guard object.entity == given.entity || model?.isKind(object.entity, of: given.entity) == true else {
      return false
    }
    return object.key.isFound(by: given.key)
  }

  /// The first new root, which every call with a key has; a call without keys has none, and asking for it ends the program.
  public var root: ObjectID {
    precondition(!roots.isEmpty, "the result of a call without keys has no root; look at 'roots'")
    return roots[0]
  }

  /// Adds what a further run of the same operation made.
  public mutating func add(_ other: CloneResult) {
    roots += other.roots
    cloned.merge(other.cloned, uniquingKeysWith: +)
    linked.merge(other.linked, uniquingKeysWith: +)
    mapping += other.mapping
    model = model ?? other.model
  }
}

/// The options of a clone: what a run is given beside its plan.
public struct CloneOptions: Sendable {
  /// The source of new UUIDs and of the run's instant.
  public var generator: ValueGenerator
  /// Whether `CloneResult.mapping` is wanted.
  public var keepsMapping: Bool
  /// Where the pairs of the mapping are kept instead; nil for the result.
  package var keeper: (any PairKeeping)?
  /// Whether `CloneResult.linked` is wanted.
  public var countsLinks: Bool
  /// Whether `CloneResult.cloned` is wanted, which counting in memory takes time for.
  package var countsObjects = true
  /// Told now and then how far the run is.
  public var progress: (@Sendable (CloneProgress) -> Void)?
  /// Told how long each phase took.
  package var timer: CloneTimer?
  /// Whether clones may repeat values that only the model says are unique: in a store that they pass through.
  package var repeatsUniqueValues = false
  /// Up to so many objects a database clones one by one, where the plan lets it: a row then costs about twice what it
  /// costs in a statement for all, and no temporary table is needed.
  package var smallClosure = 150

  package init(
    generator: ValueGenerator = .system, keepsMapping: Bool = false, countsLinks: Bool = true,
    progress: (@Sendable (CloneProgress) -> Void)? = nil, timer: CloneTimer? = nil
  ) {
    self.generator = generator
    self.keepsMapping = keepsMapping
    self.countsLinks = countsLinks
    self.progress = progress
    self.timer = timer
  }

  /// Keeps pairs where the run is told to.
  package func keep(_ pairs: [CloneResult.Pair], in result: inout CloneResult) throws {
    guard let keeper else {
      result.mapping += pairs
      return
    }
    if !pairs.isEmpty { try keeper.keep(pairs) }
  }

  /// Runs a phase on the clock.
  public func measure<T>(_ phase: CloneProgress.Phase, _ body: () throws -> T) rethrows -> T {
    guard let timer else { return try body() }
    return try timer.measure(phase, body)
  }

  /// Tells how far the run is, and ends it where the task around it was cancelled.
  ///
  /// - Throws: `CancellationError`.
  public func report(_ progress: CloneProgress) throws {
    try Cancellation.check()
    self.progress?(progress)
  }
}

/// How far a run is.
public struct CloneProgress: Sendable, Equatable {
  /// The parts of a run, in their order.
  public enum Phase: String, Sendable, CaseIterable {
    /// The objects that belong to the root are found.
    case closure
    /// The rows of the clones are written.
    case write
    /// The rows of the join tables are written.
    case joins
    /// The transaction is committed; a run takes time for it, but does not report it.
    case commit
  }

  /// The part of the run that is under way.
  public var phase: Phase
  /// Objects found so far in the closure, rows written so far after it.
  public var objects: Int
  /// How many there will be for the root under way, where that is known.
  public var total: Int?

  /// Creates a report of progress, as a graph makes it.
  public init(phase: Phase, objects: Int, total: Int? = nil) {
    self.phase = phase
    self.objects = objects
    self.total = total
  }
}
