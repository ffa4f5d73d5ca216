import Foundation
import MOCloneImport
import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

private let seeds = Seeds.all(0..<300, long: 0..<5_000)

@Suite(
  "Imports into stores that other programs filled, held against the reference mover",
  .tally { checkMoves($0) })
struct ImportDifferenceTests {
  @Test(
    "Rows find or make what the rules say", arguments: TransferWay.cases(seeds, TransferWay.withinOneKind))
  func imports(_ way: TransferWay, seed: UInt64) throws {
    try TransferDifference(seed: seed, way: way).compareOne(0x1_1390, extras: .leads) {
      shape, store, random in
      let picture = try store.picture()
      let rows = ImportRows(shape, picture, &random)
      let policy = random.pick(ExistingPolicy.allCases)
      let json = try JSONSerialization.data(withJSONObject: rows.nodes.map(\.json), options: .sortedKeys)
      return TransferOperation(
        expected: {
          try ReferenceImport(
            policy, identifiedBy: shape.identifiedBy, now: TransferDifference.now
          ).perform(rows.nodes, mentioned: rows.mentioned, in: picture)
        },
        perform: { transferOptions in
          let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "moclone-import-\(way)-\(seed).json")
          try json.write(to: file)
          defer { try? FileManager.default.removeItem(at: file) }
          let options = ImportOptions(existing: policy, identifiedBy: shape.identifiedBy)
          return try #require(
            try store.graph.importFile(
              file.path, mapping: rows.mapping, options: options, transferOptions: transferOptions))
        },
        note: "\(policy) \(shape.identifiedBy)\n\(String(decoding: json, as: UTF8.self))")
    }
  }
}

extension ReferenceImport.Node {
  /// As a file has it.
  fileprivate var json: [String: Any] {
    var object: [String: Any] = values.mapValues { $0.isNull ? NSNull() as Any : $0.description }
    for (name, one) in ones { object[name] = one.json }
    for (name, many) in manys { object[name] = many.map(\.json) }
    return object
  }
}

/// Random rows with what belongs to them, and the mapping that they are read by.
private struct ImportRows {
  private(set) var nodes: [ReferenceImport.Node] = []
  private(set) var mapping: ImportMapping
  /// Entities that several nodes of the mapping mean.
  private(set) var mentioned: Set<String> = []
  private let shape: TransferModel
  private let picture: StorePicture
  private var count = 0

  init(_ shape: TransferModel, _ picture: StorePicture, _ random: inout SplitMix64) {
    self.shape = shape
    self.picture = picture
    // What identifies a card or a cover must come along.
    let owned = ["Card", "Cover"].filter { entity in
      shape.kinds[entity] != nil && (!shape.isOfBoard(entity) || !shape.named("Board").isEmpty)
    }
    let root = random.pick(["Board", "Note", "Person"] + owned)
    var ones: [(name: String, entity: String)] = []
    var manys: [(name: String, entity: String)] = []
    switch root {
    case "Card":
      ones = [("assignee", "Person"), ("board", "Board")]
      manys = [("notes", "Note")]
    case "Cover": ones = [("board", "Board")]
    case "Board":
      ones = [("owner", "Person")]
      manys = [("cards", "Card"), ("tags", "Tag")]
      if shape.options.contains(.covers) { ones.append(("cover", "Cover")) }
      if shape.options.contains(.leads), !shape.options.contains(.requiredBoards) {
        ones.append(("lead", "Card"))
      }
    case "Note": ones = [("card", "Card")]
    default: manys = [("boards", "Board")]
    }
    // Objects without identity are made for each row, and what is required must come along.
    ones = ones.filter { name, entity in
      !shape.named(entity).isEmpty && !shape.isOfBoard(entity) && (name == "board" || random.chance(70))
    }
    manys = manys.filter { _, entity in random.chance(70) && shape.isPlain(entity, in: root) }
    let entities = [root] + (ones + manys).map(\.entity)
    mentioned = Set(entities.filter { entity in entities.count { $0 == entity } > 1 })
    mapping = ImportMapping(
      entity: root, attributes: Self.fields(root, shape, ""),
      relationships: Dictionary(
        uniqueKeysWithValues: ones.map { name, entity in
          (name, ImportMapping.Node(attributes: Self.fields(entity, shape, "\(name).")))
        }
          + manys.map { name, entity in
            (name, ImportMapping.Node(rows: name, attributes: Self.fields(entity, shape, "")))
          }))
    for _ in 0..<random.number(1...5) {
      var node = node(root, &random)
      for (name, entity) in ones where random.chance(85) {
        node.ones[name] = self.node(entity, &random)
      }
      for (name, entity) in manys {
        node.manys[name] = (0..<random.number(0...2)).map { _ in self.node(entity, &random) }
      }
      nodes.append(node)
    }
  }

  private static func fields(_ entity: String, _ shape: TransferModel, _ path: String) -> [String:
    ImportMapping
    .Source]
  {
    let names = shape.kinds[entity]!.map(\.name) + ["mark"]
    return Dictionary(uniqueKeysWithValues: names.map { ($0, .field(path + $0)) })
  }

  private mutating func node(_ entity: String, _ random: inout SplitMix64) -> ReferenceImport.Node {
    count += 1
    var node = ReferenceImport.Node(entity, ["mark": .string("r\(count)")])
    let identifying = shape.identifying[entity] ?? []
    for kind in shape.kinds[entity]! {
      let isKey = identifying.contains(kind.name)
      guard isKey ? random.chance(97) : random.chance(60) else { continue }
      let known = isKey ? picture.values(kind.name, of: entity) : []
      node.values[kind.name] = random.pick(random.chance(60) && !known.isEmpty ? known : kind.given)
      if !isKey, random.chance(10) { node.values[kind.name] = .null }
    }
    return node
  }
}

extension TransferModel {
  /// Whether what a row nested in one of another entity requires and is identified by is that row.
  fileprivate func isPlain(_ entity: String, in owner: String) -> Bool {
    let needsBoard = entity == "Card" && options.contains(.requiredBoards) || isOfBoard(entity)
    return !needsBoard || owner == "Board"
  }
}
