import MOCloneModel

/// Which entities a small graph around one entity holds: the nearest ones, and those without which their objects cannot be.
struct Neighbourhood {
  let model: SampleModel

  /// Concrete entities in the order of declaration.
  func entities(around entity: String, atMost most: Int) -> [String] {
    var found = [entity]
    var seen: Set = [entity]
    var next = 0
    while next < found.count, found.count < most {
      for other in neighbours(of: found[next]) where found.count < most && seen.insert(other).inserted {
        found.append(other)
      }
      next += 1
    }
    next = 0
    while next < found.count {
      for destination in needed(by: found[next]) {
        let concrete = model.model.concreteEntities(of: destination)
        guard let first = concrete.first, seen.isDisjoint(with: concrete) else { continue }
        seen.insert(first)
        found.append(first)
      }
      next += 1
    }
    return model.entities.filter(seen.contains)
  }

  private func neighbours(of entity: String) -> [String] {
    let own = model.model.relationships(of: entity).map(\.destination)
    let lineage = model.model.lineage(of: entity)
    let others = model.model.entities.filter { other in
      other.relationships.contains { lineage.contains($0.destination) }
    }.map(\.name)
    return (own + others).flatMap(model.model.concreteEntities)
  }

  private func needed(by entity: String) -> [String] {
    model.model.relationships(of: entity).filter { !$0.isOptional }.map(\.destination)
  }
}
