import MOCloneModel

/// Which objects of a graph own which, over as many steps as there are.
struct SampleOwners {
  private let model: SampleModel
  private let links: SampleLinks
  private let entities: [Int: String]

  init(_ graph: SampleGraph, _ model: SampleModel) {
    self.model = model
    links = SampleLinks(graph)
    entities = Dictionary(uniqueKeysWithValues: graph.objects.map { ($0.id, $0.entity) })
  }

  /// An object's owners, theirs, and so on.
  func all(of object: Int) -> Set<Int> {
    var found: Set<Int> = []
    var pending = [object]
    while let next = pending.popLast() {
      for owner in direct(of: next) where found.insert(owner).inserted { pending.append(owner) }
    }
    return found
  }

  /// The owners that an object is linked to itself.
  ///
  /// - Parameter kind: a kind of link that is passed over.
  func direct(of object: Int, except kind: LinkKind? = nil) -> [Int] {
    guard let entity = entities[object] else { return [] }
    return model.ownerEnds(of: entity).filter { $0.kind.name != kind?.name }.flatMap {
      $0.others(of: object, links)
    }
  }
}
