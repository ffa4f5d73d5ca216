import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

private let seeds = Seeds.all(0..<300, long: 0..<5_000)

@Suite(
  "Subtrees cloned into stores that other programs filled, held against the reference mover",
  .tally { checkMoves($0, TransferWay.allCases, refused: 0.05...0.75) })
struct SubtreeDifferenceTests {
  @Test("Members are made, links are found, keys are new or kept", arguments: TransferWay.cases(seeds))
  func subtrees(_ way: TransferWay, seed: UInt64) throws {
    try TransferDifference(seed: seed, way: way).compareTwo(
      0xC07, constrains: seed % 3 == 0, extras: [.stickers, .leads, .firstLines]
    ) {
      shape, source, target, random in
      let pictures = (source: try source.picture(), target: try target.picture())
      let roots = ["Board", "Card", "Note", "Person", "Tag"].filter {
        !pictures.source.keys(of: $0).isEmpty
      }
      let entity = roots.isEmpty ? "Board" : random.pick(roots)
      let keys = pictures.source.keys(of: entity)
      let number = keys.isEmpty ? 0 : random.number(0...keys.count - 1)
      let missing: MissingPolicy = random.pick([.fail, .null, .create, .create])
      let request = SubtreeRequest(
        identifiedBy: shape.identifiedBy, missing: missing, keepsKeys: random.chance(30))
      let subtree = try ClonePlan(model: shape.model, entity: entity).entities
      let excluded = random.chance(30) ? [random.pick(Self.attributes(of: subtree, shape.model))] : []
      return TransferOperation(
        expected: {
          guard !keys.isEmpty else { throw ReferenceRefusal(.noSuchObject, "there is no \(entity)") }
          return try ReferenceSubtree(request, excluding: excluded).perform(
            (entity, number), from: pictures.source, into: pictures.target)
        },
        perform: { options in
          guard !keys.isEmpty else { throw CloneError(.noSuchObject, "there is none") }
          let root = try source.graph.objectIDs(entity)[number]
          let plan = try ClonePlan(
            model: shape.model, entity: root.entity, request: CloneRequest(exclude: excluded))
          return try target.graph.clone(plan, roots: [root], from: source.graph, request, options: options)
            .report
        },
        note: "\(entity) \(number) \(request) without \(excluded)",
        mayMeetNumbers: way.source == .memory && request.keepsKeys && !shape.uuidTables.isEmpty)
    }
  }

  /// Those that can be left out, as `Note.text`.
  private static func attributes(of entities: [String], _ model: ObjectModel) -> [String] {
    entities.flatMap { entity in
      model.attributes(of: entity).filter {
        ($0.isOptional || $0.defaultValue != nil) && !$0.isKeptByTriggers
      }.map { "\(entity).\($0.name)" }
    }
  }
}
