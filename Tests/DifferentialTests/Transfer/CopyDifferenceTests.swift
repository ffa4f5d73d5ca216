import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

private let seeds = Seeds.all(0..<300, long: 0..<5_000)
private let extras: TransferModel.Options = [.stickers, .leads, .firstLines]

@Suite(
  "Copies between stores that other programs filled, held against the reference mover",
  .tally { checkMoves($0, TransferWay.allCases) })
struct CopyDifferenceTests {
  @Test("Every table holds what the rules say, value by value", arguments: TransferWay.cases(seeds))
  func copies(_ way: TransferWay, seed: UInt64) throws {
    try TransferDifference(seed: seed, way: way).compareTwo(0xC0_9417, extras: extras) {
      shape, source, target, random in
      let overwrites = random.chance(40) && !shape.options.contains(.stickers)
      var request = CopyRequest(identifiedBy: shape.identifiedBy, overwrites: overwrites)
      request.joinsDuplicates = seed / 3 % 3 == 0
      if random.chance(20) {
        request.exclude = [random.pick(["owner", "Board.tags", "Card.assignee", "tags"])]
      }
      return try operation(request, shape, source, target)
    }
  }

  @Test("What a selection takes along is what the rules say", arguments: TransferWay.cases(seeds))
  func selections(_ way: TransferWay, seed: UInt64) throws {
    try TransferDifference(seed: seed, way: way).compareTwo(0x5E_1EC7, extras: extras) {
      shape, source, target, random in
      let overwrites = random.chance(20) && !shape.options.contains(.stickers)
      var request = CopyRequest(identifiedBy: shape.identifiedBy, overwrites: overwrites)
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
    _ request: CopyRequest, _ shape: TransferModel, _ source: TransferSide, _ target: TransferSide
  ) throws -> TransferOperation {
    let pictures = (try source.picture(), try target.picture())
    return TransferOperation(
      expected: {
        try ReferenceCopy(
          request, now: TransferDifference.now
        ).perform(from: pictures.0, into: pictures.1)
      },
      perform: { try target.graph.copyObjects(from: source.graph, request, options: $0) },
      note: "\(request)")
  }
}

@Suite(
  "Seeds between stores that other programs filled, held against the reference mover",
  .tally { checkMoves($0, TransferWay.withinOneKind) })
struct SeedDifferenceTests {
  @Test(
    "New objects count as changed now, nulls of others are filled",
    arguments: TransferWay.cases(seeds, TransferWay.withinOneKind))
  func merges(_ way: TransferWay, seed: UInt64) throws {
    try TransferDifference(seed: seed, way: way).compareTwo(0x5EED, extras: .leads) {
      shape, source, target, _ in
      let identifiedBy = shape.identifiedBy
      let pictures = (try source.picture(), try target.picture())
      return TransferOperation(
        expected: {
          let copied = try ReferenceCopy(
            CopyRequest(identifiedBy: identifiedBy), now: TransferDifference.now, isSeeding: true
          ).perform(from: pictures.0, into: pictures.1)
          return try ReferenceDedupe(identifiedBy: identifiedBy, now: TransferDifference.now).perform(
            in: copied)
        },
        perform: { try target.graph.seed(from: source.graph, identifiedBy: identifiedBy, options: $0) })
    }
  }
}
