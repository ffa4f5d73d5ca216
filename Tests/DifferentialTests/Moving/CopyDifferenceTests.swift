import MOCloneKit
import MOCloneTesting
import Testing

private let seeds = Seeds.all(0..<300, long: 0..<5_000)

/// Whether two outcomes are the same; refusals are.
func isSame(_ a: Result<StorePicture, any Error>, _ b: Result<StorePicture, any Error>) -> Bool {
  switch (a, b) {
  case (.success(let a), .success(let b)):
    PictureLines(a, named: nil).lines == PictureLines(b, named: nil).lines
  case (.failure, .failure): true
  default: false
  }
}

/// A fault that no case meets any more is to be taken off the list.
func checkFaults(_ counts: Tally.Counts, _ faults: [KnownFault]) {
  for fault in faults { #expect(counts["\(fault)"] > 0, "the fault '\(fault)' is gone: \(counts)") }
}

/// Bounds for how cases end: most must come to something, or the comparison proves little.
func checkMoves(_ counts: Tally.Counts, meeting faults: KnownFault...) {
  checkFaults(counts, faults)
  for executor in Executor.allCases {
    #expect(counts["\(executor) done"] > seeds.count / 2, "\(counts)")
    #expect(counts["\(executor) refused"] < seeds.count / 2, "\(counts)")
  }
}

@Suite(
  "Copies between stores that other programs filled, held against the reference mover",
  .tally { checkMoves($0, meeting: .newKeysMeetDanglingReferences, .listsKeepPositions) })
struct CopyDifferenceTests {
  @Test("Every table holds what the rules say, value by value", arguments: Executor.allCases, seeds)
  func copies(_ executor: Executor, seed: UInt64) throws {
    try MovingDifference(seed: seed, executor: executor).compareTwo(0xC0_9417) {
      shape, source, target, random in
      var request = CopyRequest(identifiedBy: shape.identifiedBy, overwrites: random.chance(40))
      if random.chance(20) {
        request.exclude = [random.pick(["owner", "Board.tags", "Card.assignee", "tags"])]
      }
      return try operation(request, shape, source, target)
    }
  }

  @Test("What a selection takes along is what the rules say", arguments: Executor.allCases, seeds)
  func selections(_ executor: Executor, seed: UInt64) throws {
    try MovingDifference(seed: seed, executor: executor).compareTwo(0x5E_1EC7) {
      shape, source, target, random in
      var request = CopyRequest(identifiedBy: shape.identifiedBy, overwrites: random.chance(20))
      let entity = random.pick(["Board", "Card", "Note", "Person"])
      request.entities = [entity]
      if random.chance(50) { request.limit = random.number(1...2) }
      if let name = shape.identifying[entity]?.first, random.chance(50),
        let value = try source.picture().anyValue(name, of: entity, &random)
      {
        request.filters = [CopyFilter(entity, name, value)]
      }
      return try operation(request, shape, source, target)
    }
  }

  private func operation(
    _ request: CopyRequest, _ shape: MovingModel, _ source: MovingSide, _ target: MovingSide
  ) throws -> MovingOperation {
    let pictures = (try source.picture(), try target.picture())
    func expected(comparesNotations: Bool = false) -> Result<StorePicture, any Error> {
      Result {
        try ReferenceCopy(request, now: MovingDifference.now, comparesNotations: comparesNotations)
          .perform(from: pictures.0, into: pictures.1)
      }
    }
    return MovingOperation(
      expected: expected(),
      perform: { _ = try target.graph.copyObjects(from: source.graph, request, run: MovingDifference.run) },
      note: "\(request)",
      faults: [
        (.newKeysMeetDanglingReferences, { pictures.1.hasDanglingReferences }),
        (.listsKeepPositions, { shape.isOrdered }),
      ])
  }
}

@Suite(
  "Seeds between stores that other programs filled, held against the reference mover",
  .tally { checkMoves($0, meeting: .newKeysMeetDanglingReferences, .listsKeepPositions) })
struct SeedDifferenceTests {
  @Test("New objects count as changed now, nulls of others are filled", arguments: Executor.allCases, seeds)
  func merges(_ executor: Executor, seed: UInt64) throws {
    try MovingDifference(seed: seed, executor: executor).compareTwo(0x5EED) { shape, source, target, _ in
      let identifiedBy = shape.identifiedBy
      let pictures = (try source.picture(), try target.picture())
      func expected(comparesNotations: Bool = false) -> Result<StorePicture, any Error> {
        Result {
          let copied = try ReferenceCopy(
            CopyRequest(identifiedBy: identifiedBy), now: MovingDifference.now, isSeeding: true,
            comparesNotations: comparesNotations
          ).perform(from: pictures.0, into: pictures.1)
          return try ReferenceDedupe(identifiedBy: identifiedBy, now: MovingDifference.now).perform(
            in: copied)
        }
      }
      return MovingOperation(
        expected: expected(),
        perform: {
          _ = try target.graph.seed(from: source.graph, identifiedBy: identifiedBy, run: MovingDifference.run)
        },
        faults: [
          (.newKeysMeetDanglingReferences, { pictures.1.hasDanglingReferences }),
          (.listsKeepPositions, { shape.isOrdered }),
        ])
    }
  }
}
