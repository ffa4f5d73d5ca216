import MOCloneEngine

/// Looks after a run while the database works, whose statements can take seconds each: one ends early where the run is
/// cancelled, and tells how many objects it has gone through.
package final class RunWatch {
  package let options: TransferOptions
  private var progress = TransferProgress(.finding)
  /// The objects of each entity that there are to go through, where somebody wants to know.
  private var totals: [String: Int] = [:]
  private var scan: (entity: String, passed: () -> Int)?

  package init(_ options: TransferOptions) {
    self.options = options
  }

  /// Begins a phase.
  ///
  /// - Parameter totals: how many objects of each entity it will go through.
  func enter(_ phase: TransferProgress.Phase, of totals: [String: Int] = [:]) throws {
    self.totals = totals
    progress = TransferProgress(phase, total: totals.isEmpty ? nil : totals.values.reduce(0, +))
    try options.report(progress)
  }

  /// Runs a statement that goes through the objects of an entity.
  ///
  /// - Parameter passed: how many rows it has gone through so far.
  package func scanning<T>(_ entity: String, passed: @escaping () -> Int, body: () throws -> T) throws -> T {
    guard options.progress != nil else { return try body() }
    scan = (entity, passed)
    defer { scan = nil }
    let result = try body()
    pass(totals[entity] ?? passed())
    try options.report(progress)
    return result
  }

  /// Tells that all objects of an entity have been gone through, in whatever statements.
  func complete(_ entity: String) throws {
    progress.objects[entity] = totals[entity]
    try options.report(progress)
  }

  /// Tells of the statement under way.
  ///
  /// - Returns: whether it is to go on.
  package func look() -> Bool {
    if options.isEnding { return false }
    guard let scan else { return true }
    pass(scan.passed())
    options.progress?(progress)
    return true
  }

  private func pass(_ rows: Int) {
    guard let scan else { return }
    let before = progress.objects[scan.entity] ?? 0
    progress.objects[scan.entity] = max(before, min(rows, totals[scan.entity] ?? rows))
  }
}
