import MOCloneModel

/// Which objects of a graph own which, over as many steps as there are.
struct SampleOwners {
  private let model: SampleModel
  private let links: SampleLinks

  init(_ graph: SampleGraph, _ model: SampleModel) {
    self.model = model
    links = SampleLinks(graph)
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
    model.kinds.flatMap { other -> [Int] in
      if other.name == kind?.name { return [] }
      return (model.owning.contains(other.name) ? links.sources(of: object, over: other) : [])
        + (model.leadsToOwner(other) ? links.destinations(of: object, over: other) : [])
    }
  }
}
