import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

@Suite(
  "What moclone diff says of random models, held against clones of the reference cloner",
  .tally {
    // Both kinds must be met, and many of the changes that are named must show in the data.
    #expect($0["same"] > 100 && $0["named"] > 100 && $0["seen"] > $0["named"] / 4, "\($0)")
  })
struct ModelDifferenceTests {
  @Test(
    "Where no change names a root, its clones are the same under both models",
    arguments: Seeds.all(0..<20, long: 0..<333))
  func unnamedRootsHoldTheSame(seed: UInt64) throws {
    let old = try RandomModel.make(seed: seed)
    let places = try objects(old, seed)
    let copies = try places.map { try copy($0, old, seed) }
    // Neighbouring variants are alike: one of three is enough.
    for (i, new) in variants(of: old).enumerated() where i % 3 == Int(seed % 3) {
      let roots = Set(CloneDifference(from: old, to: new).changes.flatMap(\.roots).map(\.entity))
      for (place, before) in zip(places, copies) {
        let isSame = isSubset(before, try copy(place, new, seed))
        if roots.contains(place.entity) {
          Tally.count("named")
          Tally.count("seen", isSame ? 0 : 1)
        } else {
          Tally.count("same")
          #expect(isSame, "variant \(i), a clone of \(place.entity)")
        }
      }
    }
  }

  /// An added attribute is a line more; whatever else is new changes the line of what leads to it.
  private func isSubset(_ before: CanonicalGraph?, _ after: CanonicalGraph?) -> Bool {
    guard let before, let after else { return before == nil && after == nil }
    return Set(before.lines).isSubset(of: after.lines)
  }

  /// The model without one annotation of each property that has some, with an exclusion where there is none, and with
  /// attributes more that followers can find nearer than what they followed.
  private func variants(of model: ObjectModel) -> [ObjectModel] {
    model.entities.indices.flatMap { i -> [ObjectModel] in
      let attributes = model.entities[i].attributes.indices.map { j in
        variant(model) { $0[i].attributes[j].userInfo = changed($0[i].attributes[j].userInfo) }
      }
      let relationships = model.entities[i].relationships.indices.map { j in
        variant(model) { $0[i].relationships[j].userInfo = changed($0[i].relationships[j].userInfo) }
      }
      let followed = followed(model).map { added in variant(model) { $0[i].attributes.append(added) } }
      return (attributes + relationships + followed).compactMap { $0 }
    }
  }

  /// What attributes of the model follow, as empty attributes that no change names: they take no place in the data.
  private func followed(_ model: ObjectModel) -> [AttributeDescription] {
    let followers = model.entities.flatMap(\.attributes)
    return Set(
      followers.compactMap { follower in
        CloneAnnotations(userInfo: follower.userInfo, keys: model.userInfoKeys).followParent.map {
          AttributeDescription(
            name: $0.attribute, type: follower.type, isOptional: true, userInfo: ["exclude": ""],
            column: "added")
        }
      }
    ).sorted { ($0.name, $0.type.rawValue) < ($1.name, $1.type.rawValue) }
  }

  private func changed(_ userInfo: [String: String]) -> [String: String] {
    guard let key = userInfo.keys.min() else { return ["exclude": ""] }
    return userInfo.filter { $0.key != key }
  }

  /// Nil where the model would be faulty.
  private func variant(_ model: ObjectModel, _ edit: (inout [EntityDescription]) -> Void) -> ObjectModel? {
    var entities = model.entities
    edit(&entities)
    return try? ObjectModel(
      name: model.name, userInfoKeys: model.userInfoKeys, store: model.store, entities: entities)
  }

  private struct Place {
    var number: Int
    var entity: String
  }

  /// The first object of each entity.
  private func objects(_ model: ObjectModel, _ seed: UInt64) throws -> [Place] {
    let filled = try RandomGraph.fill(MemoryGraph(model: model), seed: seed)
    var seen: Set<String> = []
    return filled.enumerated().filter { seen.insert($1.entity).inserted }
      .map { Place(number: $0, entity: $1.entity) }
  }

  /// The graph with the clone of one object, or nil where it is refused.
  private func copy(_ place: Place, _ model: ObjectModel, _ seed: UInt64) throws -> CanonicalGraph? {
    let graph = MemoryGraph(model: model)
    let objects = try RandomGraph.fill(graph, seed: seed)
    let cloner = ReferenceCloner(generator: fixedGenerator())
    guard let result = try? cloner.clone(objects[place.number], request: CloneRequest(), in: graph) else {
      return nil
    }
    return try CanonicalGraph(graph, originals: objects, mapping: result.mapping)
  }
}
