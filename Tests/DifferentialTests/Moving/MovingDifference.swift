import Foundation
import MOCloneKit
import MOCloneTesting
import Testing

typealias AnyMovingGraph = CopyingGraph & SyncingGraph & ImportingGraph

/// A graph with what it holds, whatever it lies in.
struct MovingSide {
  let graph: any AnyMovingGraph
  let picture: () throws -> StorePicture
  /// The value that names objects whatever their keys are.
  var mark: String? = "mark"

  /// Nil where a graph in memory refuses what the store of another program holds.
  init?(_ store: MovingStore, in executor: Executor) throws {
    guard executor == .memory else {
      graph = store.graph
      picture = store.picture
      return
    }
    let memory = MemoryGraph(model: store.schema.shape.model)
    do { try store.picture().fill(memory) } catch is CloneError { return nil }
    graph = memory
    picture = { try StorePicture(memory) }
  }

  func lines() throws -> PictureLines { PictureLines(try picture(), named: nil) }
}

/// An operation on a target, and what the rules say that the target must hold after it.
struct MovingOperation {
  var expected: Result<StorePicture, any Error>
  var perform: () throws -> Void
  /// What the case looks like, for messages.
  var note = ""
  /// Faults that the case may meet, and whether it does; a difference is then counted and no failure.
  var faults: [(KnownFault, () -> Bool)] = []
}

/// One seed: stores that other programs filled, an operation, and what the tables must hold after it.
struct MovingDifference {
  static let now = Date(timeIntervalSince1970: 1_700_000_000)
  static var run: MoveRun { MoveRun(generator: fixedGenerator(now: now)) }

  let seed: UInt64
  let executor: Executor

  /// Two stores of one schema.
  func compareTwo(
    _ salt: UInt64, constrains: Bool = true,
    _ operation: (_ shape: MovingModel, _ source: MovingSide, _ target: MovingSide, inout SplitMix64) throws
      ->
      MovingOperation
  ) throws {
    var random = SplitMix64(seed: seed ^ salt)
    let schema = MovingSchema(try MovingModel(&random, constrains: constrains), &random)
    let stores = (
      try MovingStore(schema, named: "s", &random), try MovingStore(schema, named: "t", &random)
    )
    guard let source = try MovingSide(stores.0, in: executor),
      let target = try MovingSide(stores.1, in: executor)
    else { return Tally.count("\(executor) not in memory") }
    let before = try source.lines()
    try compare(target, try operation(schema.shape, source, target, &random))
    let changes = try source.lines().differences(from: before)
    #expect(changes == [], "seed \(seed): the source changed")
  }

  /// One store.
  func compareOne(
    _ salt: UInt64, repeats: Int = 1, constrains: Bool = true, excluding: MovingModel.Options = [],
    _ operation: (_ shape: MovingModel, _ store: MovingSide, inout SplitMix64) throws -> MovingOperation
  ) throws {
    var random = SplitMix64(seed: seed ^ salt)
    let schema = MovingSchema(
      try MovingModel(&random, deletes: true, constrains: constrains, excluding: excluding), &random)
    let store = try MovingStore(schema, named: "t", repeats: repeats, &random)
    guard let side = try MovingSide(store, in: executor) else {
      return Tally.count("\(executor) not in memory")
    }
    try compare(side, try operation(schema.shape, side, &random))
  }

  private func compare(_ target: MovingSide, _ operation: MovingOperation) throws {
    let found = try differences(target, operation)
    if found.isEmpty { return }
    if let (fault, _) = operation.faults.first(where: { $0.0.isMet(by: executor) && $0.1() }) {
      return Tally.count("\(fault)")
    }
    Issue.record("seed \(seed), \(executor): \(operation.note)\n\(found.joined(separator: "\n"))")
  }

  private func differences(_ target: MovingSide, _ operation: MovingOperation) throws -> [String] {
    let before = try target.picture()
    do {
      try operation.perform()
    } catch let error as CloneError {
      Tally.count("\(executor) refused")
      let changes = try target.lines().differences(from: PictureLines(before, named: nil))
      if !changes.isEmpty { return ["a refused run changed the store"] + changes }
      guard case .failure(let refusal as ReferenceRefusal) = operation.expected else {
        return ["refused with \(error), which the rules allow"]
      }
      return refusal.allows(error.code) ? [] : ["refused with \(error), not with \(refusal)"]
    }
    Tally.count("\(executor) done")
    guard case .success(let picture) = operation.expected else {
      return ["done, and not refused with \(operation.expected)"]
    }
    let found = PictureLines(try target.picture(), named: target.mark, before: before)
    return Array(
      found.differences(from: PictureLines(picture, named: target.mark, before: before)).prefix(12))
  }
}
