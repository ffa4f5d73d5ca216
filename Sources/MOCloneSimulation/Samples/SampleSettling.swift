/// Lets an object that belongs to another one in two ways belong to the same one: an item to the note that its section is of, and
/// a page to the site of the page that it is below.
///
/// Most data is so although no model says it; a graph that is not so would show faults that nobody's store can have.
struct SampleSettling {
  let model: SampleModel
  /// Chains of owners are short, and each round settles one more step of them.
  private static let mostRounds = 4

  func settled(_ graph: SampleGraph) -> SampleGraph {
    let kinds = model.kinds.filter { $0.sharesDestinations && model.leadsToOwner($0, names: model.owning) }
    let byName = Dictionary(uniqueKeysWithValues: kinds.map { ($0.name, $0) })
    var graph = graph
    for _ in 0..<Self.mostRounds {
      var owners = SampleOwners(graph, in: model, by: model.gathering)
      let settled = graph.links.map { link in
        guard let kind = byName[link.relationship],
          let owner = fartherOwner(of: link, kind, owners: &owners, in: graph)
        else {
          return link
        }
        return SampleGraph.Link(relationship: link.relationship, source: link.source, destination: owner)
      }
      if settled == graph.links { break }
      graph.links = settled
    }
    return graph
  }

  /// The object of the same entity that owns another owner of the source; nil where it is the destination already.
  private func fartherOwner(
    of link: SampleGraph.Link, _ kind: LinkKind, owners: inout SampleOwners, in graph: SampleGraph
  ) -> Int? {
    var above: Set<Int> = []
    for owner in owners.direct(of: link.source, except: kind) {
      let all = owners.all(of: owner)
      if all.contains(link.destination) { return nil }
      above.formUnion(all)
    }
    return above.filter { id in
      id != link.source
        && graph[id].map { model.model.isKind($0.entity, of: kind.relationship.destination) } ?? false
    }.min()
  }
}
