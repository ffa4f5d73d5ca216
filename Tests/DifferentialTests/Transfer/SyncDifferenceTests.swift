import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

private let seeds = Seeds.all(0..<300, long: 0..<5_000)

@Suite(
  "Syncs of stores that other programs filled, held against the reference mover",
  .tally { checkMoves($0) })
struct SyncDifferenceTests {
  @Test(
    "Objects follow a full set of rows as the rules say",
    arguments: TransferWay.cases(seeds, TransferWay.withinOneKind))
  func syncs(_ way: TransferWay, seed: UInt64) throws {
    try TransferDifference(seed: seed, way: way).compareOne(0x5_97C, extras: .leads) { shape, store, random in
      let entity = random.pick(shape.identifying.keys.sorted())
      let picture = try store.picture()
      let rows = SyncRows(shape, picture, entity, &random)
      return TransferOperation(
        expected: {
          try ReferenceSync(
            rows.request, now: TransferDifference.now
          ).perform(rows.rows, in: picture)
        },
        perform: { try store.graph.sync(rows.request, from: rows.rows, options: $0) },
        note: "\(rows.request)\n\(rows.rows)")
    }
  }
}

/// Random rows of one entity: some of its objects, in part with other values, and some new ones.
private struct SyncRows {
  private(set) var request: SyncRequest
  private(set) var rows: [ReferenceSync.Row] = []

  init(_ shape: TransferModel, _ picture: StorePicture, _ entity: String, _ random: inout SplitMix64) {
    let kinds = shape.kinds[entity]!
    let identifying = shape.identifying[entity]!
    let others = kinds.filter { !identifying.contains($0.name) }
    let isFree = entity != "Cover" && !shape.isOfBoard(entity)
    let toOnes = shape.model.relationships(of: entity).map(\.name).filter {
      isFree && ["owner", "assignee", "card", "lead"].contains($0)
        || $0 == "board"
    }
    request = SyncRequest(entity: entity, identifiedBy: shape.identifiedBy)
    request.overwriting = (others.map(\.name) + toOnes + ["mark"]).filter { _ in random.chance(40) }
    request.isConfirmed = random.chance(60)
    request.deletes = random.chance(70)
    if random.chance(20) { request.maxDeletions = random.number(0...4) }
    if random.chance(20), let kind = others.first, kind.name != "data", kind.name != "flag" {
      request.scope = [kind.name: random.pick(picture.values(kind.name, of: entity) + kind.given.prefix(1))]
    }
    var seen: [[AttributeValue]] = []
    for number in 0..<random.number(0...6) {
      var row: ReferenceSync.Row = ["mark": .string("r\(number)")]
      for kind in kinds where identifying.contains(kind.name) || random.chance(60) {
        let known = identifying.contains(kind.name) ? picture.values(kind.name, of: entity) : []
        row[kind.name] = random.pick(random.chance(70) && !known.isEmpty ? known : kind.given)
        if !identifying.contains(kind.name), random.chance(10) { row[kind.name] = .null }
      }
      for (name, value) in request.scope where random.chance(95) { row[name] = value }
      for name in toOnes where random.chance(70) {
        let destination = shape.model.relationship(name, of: entity)!.destination
        var keys = picture.keys(of: destination).map { $0.parts[0] }
        if entity == "Cover" {
          // Two rows that give one board to two covers are refused.
          let given = rows.compactMap { $0[name] }
          if !random.chance(10) { keys.removeAll(where: given.contains) }
          if keys.isEmpty { continue }
        }
        row[name] = keys.isEmpty ? .null : random.pick(keys)
      }
      for path in shape.named(entity) where path.hasPrefix("board") {
        let name = path.split(separator: ".").dropFirst().first.map(String.init)
        row[path] =
          name.map { random.pick(picture.values($0, of: "Board") + ["none"]) }
          ?? picture.keys(of: "Board").first?.parts[0] ?? .null
      }
      if random.chance(1) { row[identifying[0]] = .null }
      let key = identifying.map { row[$0]! }
      if seen.contains(key), !random.chance(3) { continue }
      seen.append(key)
      rows.append(row)
    }
  }
}

extension TransferModel {
  /// All parts of what identifies an entity.
  func named(_ entity: String) -> [String] {
    identifiedBy.paths[entity] ?? model.entity(entity)!.uniquenessConstraints.first ?? []
  }

  /// Whether a board is a part of what identifies an entity.
  func isOfBoard(_ entity: String) -> Bool { named(entity).contains { $0.hasPrefix("board") } }
}
