import Foundation

/// What every operation that moves data is given: whether it only looks, who is told how far it is, its instant.
public struct MoveRun: Sendable {
  /// Whether the stores stay as they are and only the report is made.
  public var isDryRun: Bool
  /// The source of new UUIDs and of the run's instant.
  public var generator: ValueGenerator
  /// The date attribute that says when an object was last changed.
  public var modifiedName: String
  /// The mark that the store gets in the same transaction. If it exists already, nothing is done.
  public var once: OnceRequest?
  /// Told now and then how far the run is, on the thread of the run.
  public var progress: (@Sendable (MoveProgress) -> Void)?
  /// Asked now and then whether the run is to end, on its thread, also while a statement of a store runs.
  public var isCancelled: (@Sendable () -> Bool)?
  /// Told at the end of the operation, whatever came of it.
  private var ended: (@Sendable (_ isDone: Bool) -> Void)?

  /// Creates a run; by default it writes, and tells nobody how far it is.
  public init(
    isDryRun: Bool = false, generator: ValueGenerator = .system, modifiedName: String = "modified",
    once: OnceRequest? = nil, progress: (@Sendable (MoveProgress) -> Void)? = nil
  ) {
    self.isDryRun = isDryRun
    self.generator = generator
    self.modifiedName = modifiedName
    self.once = once
    self.progress = progress
  }

  /// The rule for dates of change, at the generator's present instant.
  public var modified: ModifiedRule {
    ModifiedRule(name: modifiedName, instant: generator.now())
  }

  /// The same run for a part of it that makes no report of its own.
  public var quiet: MoveRun {
    var run = self
    run.progress = nil
    run.once = nil
    return run
  }

  /// Runs the whole of an operation, at whose end those who follow the run are told.
  package func whole<Result>(_ operation: (MoveRun) throws -> Result) rethrows -> Result {
    var run = self
    run.ended = nil
    do {
      let result = try operation(run)
      ended?(true)
      return result
    } catch {
      ended?(false)
      throw error
    }
  }

  /// Whether the run is to end: it was cancelled, or the task around it was.
  public var isEnding: Bool { Cancellation.isCancelled || isCancelled?() == true }

  /// Ends the run where it was cancelled, or the task around it was.
  ///
  /// - Throws: `CancellationError`.
  public func checkCancellation() throws {
    if isEnding { throw CancellationError() }
  }

  /// Tells how far the run is, and ends it where it was cancelled.
  ///
  /// - Throws: `CancellationError`.
  public func report(_ progress: MoveProgress) throws {
    try checkCancellation()
    self.progress?(progress)
  }

  /// Reads several times from one state of a graph; what reads it ends where the run is cancelled.
  func reading<Result>(_ source: any ObjectGraph, _ body: () throws -> Result) throws -> Result {
    guard let isCancelled else { return try source.inOneState(body) }
    return try Cancellation.asking(isCancelled) { try source.inOneState(body) }
  }

  /// A run that also keeps a `Progress` up to date, and ends where that is cancelled.
  ///
  /// It counts thousandths of the run, of which each phase is a third: it never falls, and is full when the run has ended.
  public func observed(by observer: Progress) -> MoveRun {
    var run = self
    let (inner, isEnding) = (progress, isCancelled)
    run.isCancelled = { observer.isCancelled || isEnding?() == true }
    run.progress = { progress in
      inner?(progress)
      let units = Int64(progress.portion * Double(Self.units - 1))
      observer.totalUnitCount = Self.units
      observer.completedUnitCount = max(observer.completedUnitCount, units)
    }
    return run.ending { isDone in
      if isDone { (observer.totalUnitCount, observer.completedUnitCount) = (Self.units, Self.units) }
    }
  }

  private static let units: Int64 = 1000

  /// A run whose progress can be followed as a sequence of events, which ends with the first operation that is given the
  /// run, or when the run is gone.
  ///
  /// ```swift
  /// let (run, events) = MoveRun().events()
  /// async let report = SQLiteGraph.perform(on: pool, model: model) { try $0.importFile("a.csv", mapping: map, run: run) }
  /// for await event in events { show(event) }
  /// print(try await report)
  /// ```
  public func events() -> (run: MoveRun, events: AsyncStream<MoveProgress>) {
    let (events, continuation) = AsyncStream.makeStream(
      of: MoveProgress.self, bufferingPolicy: .bufferingNewest(64))
    let end = EndOfEvents(continuation)
    var run = self
    let inner = progress
    run.progress = { progress in
      inner?(progress)
      end.continuation.yield(progress)
    }
    return (run.ending { _ in end.continuation.finish() }, events)
  }

  private func ending(_ action: @escaping @Sendable (_ isDone: Bool) -> Void) -> MoveRun {
    var run = self
    let inner = ended
    run.ended = { isDone in
      inner?(isDone)
      action(isDone)
    }
    return run
  }
}

/// Ends a stream of events when the last run that holds it is gone, whether or not an operation was given one.
private final class EndOfEvents: Sendable {
  let continuation: AsyncStream<MoveProgress>.Continuation

  init(_ continuation: AsyncStream<MoveProgress>.Continuation) {
    self.continuation = continuation
  }

  deinit { continuation.finish() }
}

/// Something that happens to a store once.
public struct OnceRequest: Sendable, Equatable {
  /// The key of the mark in the store's metadata.
  public var name: String
  /// What tells the input from another one.
  public var hash: String?

  /// Creates a request; by default no input is told from another one.
  public init(_ name: String, hash: String? = nil) {
    self.name = name
    self.hash = hash
  }
}
