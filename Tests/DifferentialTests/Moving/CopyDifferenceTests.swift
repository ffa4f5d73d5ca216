import MOCloneKit
import MOCloneTesting
import Testing

private let seeds = Seeds.all(0..<300, long: 0..<5_000)

/// Bounds for how cases end: most must come to something, or the comparison proves little.
@Sendable
func checkMoves(_ counts: Tally.Counts) {
  for executor in Executor.allCases {
    #expect(counts["\(executor) done"] > seeds.count / 2, "\(counts)")
    #expect(counts["\(executor) refused"] < seeds.count / 2, "\(counts)")
  }
}

@Suite(
  "Copies between stores that other programs filled, held against the reference mover", .tally(checkMoves))
struct CopyDifferenceTests {
  @Test("Every table holds what the rules say, value by value", arguments: Executor.allCases, seeds)
  func copies(_ executor: Executor, seed: UInt64) throws {
    try MovingDifference(seed: seed, executor: executor).compareTwo(0xC0_9417) { shape, source, target, random in
      var request = CopyRequest(identifiedBy: shape.identifiedBy, overwrites: random.chance(40))
      if random.chance(20) { request.exclude = [random.pick(["owner", "Board.tags", "Card.assignee", "tags"])] }
      return try operation(request, source, target)
    }
  }

  @Test("What a selection takes along is what the rules say", arguments: Executor.allCases, seeds)
  func selections(_ executor: Executor, seed: UInt64) throws {
    try MovingDifference(seed: seed, executor: executor).compareTwo(0x5E_1EC7) { shape, source, target, random in
      var request = CopyRequest(identifiedBy: shape.identifiedBy, overwrites: random.chance(20))
      let entity = random.pick(["Board", "Card", "Note", "Person"])
      request.entities = [entity]
      if random.chance(50) { request.limit = random.number(1...2) }
      if let name = shape.identifying[entity]?.first, random.chance(50),
        let value = try source.picture().anyValue(name, of: entity, &random)
      {
        request.filters = [CopyFilter(entity, name, value)]
      }
      var operation = try operation(request, source, target)
      operation.fault = .selectionTakesAlmostEverything
      return operation
    }
  }

  private func operation(
    _ request: CopyRequest, _ source: MovingSide, _ target: MovingSide
  ) throws -> MovingOperation {
    let pictures = (try source.picture(), try target.picture())
    return MovingOperation(
      expected: Result {
        try ReferenceCopy(request, now: MovingDifference.now).perform(from: pictures.0, into: pictures.1)
      },
      perform: { _ = try target.graph.copyObjects(from: source.graph, request, run: MovingDifference.run) },
      note: "\(request)")
  }
}

@Suite(
  "Seeds between stores that other programs filled, held against the reference mover", .tally(checkMoves))
struct SeedDifferenceTests {
  @Test("New objects count as changed now, nulls of others are filled", arguments: Executor.allCases, seeds)
  func merges(_ executor: Executor, seed: UInt64) throws {
    try MovingDifference(seed: seed, executor: executor).compareTwo(0x5EED) { shape, source, target, _ in
      let identifiedBy = shape.identifiedBy
      let pictures = (try source.picture(), try target.picture())
      return MovingOperation(
        expected: Result {
          let copied = try ReferenceCopy(
            CopyRequest(identifiedBy: identifiedBy), now: MovingDifference.now, isSeeding: true
          ).perform(from: pictures.0, into: pictures.1)
          return try ReferenceDedupe(identifiedBy: identifiedBy, now: MovingDifference.now).perform(in: copied)
        },
        perform: {
          _ = try target.graph.seed(from: source.graph, identifiedBy: identifiedBy, run: MovingDifference.run)
        })
    }
  }
}
