import MOCloneEngine
import MOCloneModel

// The order in which objects are looked for.
extension ImportBuilder {
  /// What an entity is identified by comes before it.
  func ordered(_ root: ImportNode) throws -> ImportPlan {
    var order: [Int] = []
    var path: [Int] = []
    func visit(_ entity: Int) throws {
      guard !order.contains(entity) else { return }
      if path.contains(entity) { throw Identities.cycle((path + [entity]).map { entities[$0].name }) }
      path.append(entity)
      for step in (entities[entity].identity?.paths ?? []).compactMap(\.steps.first) {
        for reference in entities[entity].references where reference.isForward {
          if reference.relationship.name == step.name { try visit(reference.destination) }
        }
      }
      path.removeLast()
      order.append(entity)
    }
    for entity in entities.indices.reversed() { try visit(entity) }
    return renumbered(order, root: root)
  }

  private func renumbered(_ order: [Int], root: ImportNode) -> ImportPlan {
    var place = Array(repeating: 0, count: entities.count)
    for (new, old) in order.enumerated() { place[old] = new }
    var sorted = order.map { entities[$0] }
    for i in sorted.indices {
      for k in sorted[i].references.indices {
        sorted[i].references[k].destination = place[sorted[i].references[k].destination]
      }
    }
    for node in nodes { node.entity = place[node.entity] }
    let moved = joinRows.map {
      ImportPlan.JoinRows(
        relationship: $0.relationship, source: place[$0.source], destination: place[$0.destination])
    }
    return ImportPlan(
      model: model, existing: options.existing, root: root.name, entities: sorted, joinRows: moved)
  }
}
