import MOCloneEngine
import MOCloneModel

// What the store computes is not given.
extension StoreSchema {
  /// Whether the database computes the column of an attribute, whatever the model says of it.
  func computes(_ attribute: AttributeDescription, of entity: String, _ mapping: SchemaMapping) -> Bool {
    let map = mapping[entity]
    guard let column = map.attributes[attribute.name]?.column else { return false }
    return self[map.table]?.isGenerated(column) == true
  }

  /// Refuses values that would be lost.
  ///
  /// - Parameter given: the attributes that somebody gives values, with their objects' entities.
  /// - Throws: `CloneError` (`generated-column`) with each of them that the database computes.
  func refuse(given: [(attribute: AttributeDescription, entity: String)], _ mapping: SchemaMapping) throws {
    let failures = given.filter { computes($0.attribute, of: $0.entity, mapping) }
      .map { CloneError.Failure.computed($0.attribute, of: $0.entity) }.uniqued { $0.message }
    if !failures.isEmpty { throw CloneError(failures) }
  }
}

extension StoreLayout {
  /// The attributes that the database computes though the model does not say so, by `Entity.name`.
  package var computed: Set<String> {
    let all = model.entities.flatMap { entity in
      model.attributes(of: entity.name).filter {
        !$0.isDerived && schema.computes($0, of: entity.name, mapping)
      }
    }
    return Set(all.map { "\($0.entity).\($0.name)" })
  }
}

extension CopyRules {
  /// The same where it is known which attributes both stores compute.
  ///
  /// - Parameters:
  ///   - store: the store that objects come into.
  ///   - source: the tables of the store that they come from; nil where they come from none.
  package func knowing(
    _ store: StoreLayout, subtree: CopiedSubtree?, source: () throws -> StoreLayout?
  ) throws -> CopyRules {
    let own = store.computed
    guard !own.isEmpty else { return self }
    var rules = self
    rules.computed = try own.intersection(subtree?.computed ?? source()?.computed ?? [])
    return rules
  }
}
