import MOCloneModel

/// Which objects of a graph own which, over as many steps as there are.
struct SampleOwners {
  private struct Owner {
    var object: Int
    /// The kind of link that leads to it.
    var kind: String
  }

  private var owners: [Int: [Owner]] = [:]
  private var known: [Int: Set<Int>] = [:]

  /// - Parameter names: the relationships that lead from owners to what they own, as `Entity.name`.
  init(_ graph: SampleGraph, in model: SampleModel, by names: Set<String>) {
    for link in graph.links {
      let kind = model.kind(of: link)
      if model.leadsToOwner(kind, names: names) {
        owners[link.source, default: []].append(Owner(object: link.destination, kind: kind.name))
      }
      if names.contains(kind.name) {
        owners[link.destination, default: []].append(Owner(object: link.source, kind: kind.name))
      }
    }
  }

  /// An object's owners, theirs, and so on.
  mutating func all(of object: Int) -> Set<Int> {
    if let all = known[object] { return all }
    var found: Set<Int> = []
    var pending = [object]
    while let next = pending.popLast() {
      for owner in direct(of: next) where found.insert(owner).inserted { pending.append(owner) }
    }
    known[object] = found
    return found
  }

  /// The owners that an object is linked to itself.
  ///
  /// - Parameter kind: a kind of link that is passed over.
  func direct(of object: Int, except kind: LinkKind? = nil) -> [Int] {
    (owners[object] ?? []).filter { $0.kind != kind?.name }.map(\.object)
  }
}
