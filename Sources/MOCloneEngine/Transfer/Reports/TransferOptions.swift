import Foundation

/// The options of every operation that transfers data: whether it only looks, who is told how far it is, its instant.
public struct TransferOptions: Sendable {
  /// Whether the stores stay as they are and only the report is made.
  public var isDryRun: Bool
  /// The source of new UUIDs and of the run's instant.
  public var generator: ValueGenerator
  /// The date attribute that says when an object was last changed.
  public var modifiedName: String
  /// The mark that the store gets in the same transaction. If it exists already, nothing is done.
  public var once: OnceRequest?
  /// Told now and then how far the run is, on the thread of the run.
  public var progress: (@Sendable (TransferProgress) -> Void)?
  /// Asked now and then whether the run is to end, on its thread, also while a statement of a store runs.
  public var isCancelled: (@Sendable () -> Bool)?
  /// Told at the end of the operation, whatever came of it.
  private var ended: (@Sendable (_ isDone: Bool) -> Void)?

  /// Creates options; by default an operation writes, and tells nobody how far it is.
  public init(
    isDryRun: Bool = false, generator: ValueGenerator = .system, modifiedName: String = "modified",
    once: OnceRequest? = nil, progress: (@Sendable (TransferProgress) -> Void)? = nil
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

  /// The same options for a part of the operation that makes no report of its own.
  public var quiet: TransferOptions {
    var options = self
    options.progress = nil
    options.once = nil
    return options
  }

  /// Runs the whole of an operation, at whose end those who follow the run are told.
  package func whole<Result>(_ operation: (TransferOptions) throws -> Result) rethrows -> Result {
    var options = self
    options.ended = nil
    do {
      let result = try operation(options)
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
  public func report(_ progress: TransferProgress) throws {
    try checkCancellation()
    self.progress?(progress)
  }

  /// Reads several times from one state of a graph; what reads it ends where the run is cancelled.
  func reading<Result>(_ source: any ObjectGraph, _ body: () throws -> Result) throws -> Result {
    guard let isCancelled else { return try source.inOneState(body) }
    return try Cancellation.asking(isCancelled) { try source.inOneState(body) }
  }

  /// Options that also keep a `Progress` up to date, and end the operation where that is cancelled.
  ///
  /// It counts thousandths of the run, of which each phase is a third: it never falls, and is full when the run has ended.
  public func observed(by observer: Progress) -> TransferOptions {
    var options = self
    let (inner, isEnding) = (progress, isCancelled)
    options.isCancelled = { observer.isCancelled || isEnding?() == true }
    options.progress = { progress in
      inner?(progress)
      let units = Int64(progress.portion * Double(Self.units - 1))
      observer.totalUnitCount = Self.units
      observer.completedUnitCount = max(observer.completedUnitCount, units)
    }
    return options.ending { isDone in
      if isDone { (observer.totalUnitCount, observer.completedUnitCount) = (Self.units, Self.units) }
    }
  }

  private static let units: Int64 = 1000

  /// Options whose progress can be followed as a sequence of events, which ends with the first operation that is given
  /// these options, or when the options are released.
  ///
  /// ```swift
  /// let (options, events) = TransferOptions().events()
  /// async let report = SQLiteGraph.perform(on: pool, model: model) {
  ///   try $0.importFile("a.csv", mapping: map, transferOptions: options)
  /// }
  /// for await event in events { show(event) }
  /// print(try await report)
  /// ```
  public func events() -> (options: TransferOptions, events: AsyncStream<TransferProgress>) {
    let (events, continuation) = AsyncStream.makeStream(
      of: TransferProgress.self, bufferingPolicy: .bufferingNewest(64))
    let end = EndOfEvents(continuation)
    var options = self
    let inner = progress
    options.progress = { progress in
      inner?(progress)
      end.continuation.yield(progress)
    }
    return (options.ending { _ in end.continuation.finish() }, events)
  }

  private func ending(_ action: @escaping @Sendable (_ isDone: Bool) -> Void) -> TransferOptions {
    var options = self
    let inner = ended
    options.ended = { isDone in
      inner?(isDone)
      action(isDone)
    }
    return options
  }
}

/// Ends a stream of events when the last options that hold it are released, whether or not an operation was given one.
private final class EndOfEvents: Sendable {
  let continuation: AsyncStream<TransferProgress>.Continuation

  init(_ continuation: AsyncStream<TransferProgress>.Continuation) {
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
