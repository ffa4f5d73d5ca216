import MOCloneEngine
import MOCloneModel

/// Something that a graph must not hold by its model.
struct SampleFault: Hashable {
  enum Kind: Hashable {
    case emptyRequired
    case tooFew(Int)
    case tooMany(Int)
    /// Another object, earlier in the graph, has the same values.
    case repeated(constraint: [String], holder: Int)
    case invalidValue(String)
  }

  var object: Int
  var property: String
  var kind: Kind
}

/// Finds what constraints of a model a graph breaks.
struct SampleFaults {
  let model: SampleModel

  func faults(_ graph: SampleGraph) -> [SampleFault] {
    let links = SampleLinks(graph)
    return graph.objects.flatMap { linkFaults($0, links: links) + valueFaults($0) }
      + repetitions(graph, links: links)
  }

  private func linkFaults(_ object: SampleGraph.Object, links: SampleLinks) -> [SampleFault] {
    model.ends(of: object.entity).compactMap { end in
      let relationship = end.relationship
      let count = end.others(of: object.id, links).count
      let least = relationship.isToMany ? relationship.minCount ?? 0 : relationship.isOptional ? 0 : 1
      let kind: SampleFault.Kind? =
        if count < least {
          relationship.isToMany ? .tooFew(least) : .emptyRequired
        } else if relationship.isToMany, let most = relationship.maxCount, count > most {
          .tooMany(most)
        } else {
          nil
        }
      return kind.map { SampleFault(object: object.id, property: relationship.name, kind: $0) }
    }
  }

  private func valueFaults(_ object: SampleGraph.Object) -> [SampleFault] {
    model.written(object.entity).compactMap { attribute in
      guard let value = object.values[attribute.name] else { return nil }
      do {
        _ = try attribute.checked(value, for: object.entity)
        return nil
      } catch {
        let reason = (error as? CloneError)?.failures.first?.message ?? "\(error)"
        return SampleFault(object: object.id, property: attribute.name, kind: .invalidValue(reason))
      }
    }
  }

  /// Objects whose values another one has that comes before them; null is equal to nothing.
  private func repetitions(_ graph: SampleGraph, links: SampleLinks) -> [SampleFault] {
    model.model.entities.flatMap { entity in
      entity.uniquenessConstraints.flatMap { constraint -> [SampleFault] in
        var holders: [[AttributeValue]: Int] = [:]
        return graph.objects.filter { model.model.isKind($0.entity, of: entity.name) }.compactMap { object in
          let values = constraint.compactMap { value(of: $0, object, links: links) }
          guard values.count == constraint.count, !values.isEmpty else { return nil }
          guard let holder = holders[values] else {
            holders[values] = object.id
            return nil
          }
          return SampleFault(
            object: object.id, property: constraint[0],
            kind: .repeated(constraint: constraint, holder: holder))
        }
      }
    }
  }

  /// Nil for null, and for what the graph in memory will number.
  private func value(
    of name: String, _ object: SampleGraph.Object, links: SampleLinks
  ) -> AttributeValue? {
    if model.model.attribute(name, of: object.entity) != nil {
      guard let value = object.values[name], !value.isNull else { return Optional.none }
      return value
    }
    return model.ends(of: object.entity).first { $0.relationship.name == name }
      .flatMap { $0.others(of: object.id, links).first }.map { .integer(Int64($0)) }
  }
}
