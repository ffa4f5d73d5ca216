import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

private let seeds = Seeds.all(0..<300, long: 0..<5_000)

@Suite(
  "Merges in stores that other programs filled, held against the reference mover",
  .tally { checkMoves($0) })
struct DedupeStoreDifferenceTests {
  @Test("What stays holds what the rules say", arguments: TransferWay.cases(seeds, TransferWay.withinOneKind))
  func merges(_ way: TransferWay, seed: UInt64) throws {
    try TransferDifference(seed: seed, way: way).compareOne(
      0xDED_09E, repeats: 40, constrains: false, excluding: .orderedTags, extras: .leads
    ) { shape, store, random in
      let all = shape.identifying.keys.sorted()
      var request = DedupeRequest(
        entities: random.chance(30) ? [] : all.filter { _ in random.chance(60) },
        identifiedBy: shape.identifiedBy)
      let keep = random.pick(ReferenceDedupe.Keep.allCases)
      request.keep = keep == .newest ? .newest : keep == .oldest ? .oldest : .fullest
      request.tie = random.chance(20) ? .skip : .leastKey
      request.merge = random.chance(20) ? .none : .merge
      request.fills = random.chance(70)
      let picture = try store.picture()
      return TransferOperation(
        expected: {
          try ReferenceDedupe(
            request.entities, identifiedBy: shape.identifiedBy, keep: keep, skipsTies: request.tie == .skip,
            merges: request.merge == .merge, fills: request.fills,
            now: TransferDifference.now
          ).perform(in: picture)
        },
        perform: { try store.graph.dedupe(request, options: $0) },
        note: "\(request)")
    }
  }
}
