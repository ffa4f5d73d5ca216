import GRDB
import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

private let seeds = Seeds.all(0..<60, long: 0..<5_000)

/// Keys of several parts, one of which every reference shares; UUIDs in all forms.
@Suite(
  "Moves between stores of several tenants",
  .tally { counts in
    for name in ["copies", "subtrees", "syncs", "merges"] {
      #expect(counts["\(name) done"] > seeds.count / 5, "\(counts)")
      #expect(counts["\(name) skipped"] < seeds.count / 2, "\(counts)")
    }
  })
struct TenantTransferTests {
  private static let options = TransferOptions(generator: fixedGenerator(now: TransferDifference.now))
  private static let dry = TransferOptions(
    isDryRun: true, generator: fixedGenerator(now: TransferDifference.now))

  private func expect(
    _ store: TenantStore, _ expected: TenantContents, _ note: String, _ seed: UInt64,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try store.contents()
    let differing = Set(found.lines).symmetricDifference(expected.lines).sorted()
    #expect(
      differing == [],
      "seed \(seed) \(note) \(store.form) \(store.model.form): found \(found.lines), expected \(expected.lines)",
      sourceLocation: sourceLocation)
    #expect(try store.counts() == expected.counts, "seed \(seed) \(note)", sourceLocation: sourceLocation)
    Tally.count("\(note) done")
  }

  @Test("Copies find tenants, shelves and items, and add the others", arguments: seeds)
  func copies(seed: UInt64) throws {
    var random = SplitMix64(seed: seed ^ 0x7E0A)
    let model = try TenantModel(&random)
    let (source, target) = (try TenantStore(model, 1, &random), try TenantStore(model, 4, &random))
    let request = CopyRequest(overwrites: random.chance(40))
    let expected = try target.contents().adding(source.contents(), overwrites: request.overwrites)
    let before = try target.contents()
    let planned = try target.graph.copyObjects(from: source.graph, request, options: Self.dry)
    #expect(try target.contents() == before)
    let report = try target.graph.copyObjects(from: source.graph, request, options: Self.options)
    #expect(planned.created == report.created && planned.linked == report.linked)
    try expect(target, expected, "copies", seed)
  }

  @Test("A tenant comes with all that it has, under new keys or its own", arguments: seeds)
  func subtrees(seed: UInt64) throws {
    var random = SplitMix64(seed: seed ^ 0x7E0B)
    let model = try TenantModel(&random)
    let (source, target) = (try TenantStore(model, 1, &random), try TenantStore(model, 6, &random))
    let (there, before) = (try source.contents(), try target.contents())
    let names = there.shelves.keys.filter { before.shelves[$0] == nil }.sorted()
    guard let name = names.first else { return Tally.count("subtrees skipped") }
    let root = try #require(
      try source.graph.objects("Tenant").first { try $0.value("name") == .string(name) }
    ).id
    let request = SubtreeRequest(missing: .create, keepsKeys: random.chance(50))
    var taken = TenantContents()
    taken.shelves[name] = there.shelves[name]
    taken.items[name] = there.items[name]
    try target.graph.clone(
      ClonePlan(model: model.model, entity: "Tenant"), roots: [root], from: source.graph, request,
      options: Self.options)
    try expect(target, before.adding(taken, overwrites: false), "subtrees", seed)
  }

  @Test("Items of one tenant follow a full set; those of others stay", arguments: seeds)
  func syncs(seed: UInt64) throws {
    var random = SplitMix64(seed: seed ^ 0x7E0C)
    let model = try TenantModel(&random)
    let store = try TenantStore(model, 1, &random)
    guard let tenant = try store.graph.objects("Tenant").first else { return Tally.count("syncs skipped") }
    let name = try tenant.value("name").description
    var expected = try store.contents()
    var rows: [[String: AttributeValue]] = []
    let old = expected.items[name]!
    expected.items[name] = [:]
    for number in 0..<7 where random.chance(50) {
      let (item, weight) = ("item \(number)", random.number(1...9))
      rows.append(["name": .string(item), "weight": .integer(Int64(weight))])
      expected.items[name]![item] = TenantContents.Item(weight: weight, shelf: old[item]?.shelf)
    }
    guard !rows.isEmpty else { return Tally.count("syncs skipped") }
    var request = SyncRequest(entity: "Item", overwriting: ["weight"])
    request.scope = ["tenant": tenant.id.key.parts[0]]
    request.isConfirmed = true
    try store.graph.sync(request, from: rows, options: Self.options)
    try expect(store, expected, "syncs", seed)
  }

  @Test("Doubled shelves become one, and items of the same tenant stay on it", arguments: seeds)
  func merges(seed: UInt64) throws {
    var random = SplitMix64(seed: seed ^ 0x7E0D)
    let model = try TenantModel(&random)
    let store = try TenantStore(model, 1, doubles: true, &random)
    let expected = try store.contents()
    _ = try store.graph.dedupe(DedupeRequest(entities: ["Shelf"]), options: Self.options)
    try expect(store, expected, "merges", seed)
  }
}
