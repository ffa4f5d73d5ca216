/// The part of a model that no error touches, with which a database can be compared.
package struct SoundPart: Sendable {
  package let model: ObjectModel
  /// The entities of which findings would not be certain; nil stands for all.
  package let hidden: [String]?

  /// Of findings about the part those that hold whatever the errors are about.
  package func certain(_ findings: [Diagnostic]) -> [Diagnostic] {
    if hidden?.isEmpty == true { return findings }
    let hidden = Set(hidden ?? [])
    return findings.filter { finding in
      // What the part does not name can be named where the errors are.
      ![.unmappedTable, .unmappedColumn, .unknownReference].contains(finding.code)
        && ([finding.path] + finding.notes.map(\.path)).allSatisfy { path in
          path.entity.map { !hidden.contains($0) } ?? true
        }
    }
  }
}

extension ParsedModel {
  /// The whole model where it has no errors. Else the model without the annotations of the entities with errors or,
  /// where that is not enough, without these entities; without any, where it is not known which ones they are.
  package var soundPart: SoundPart {
    if let model { return SoundPart(model: model, hidden: []) }
    if let read, let touched = touchedFamilies(of: read) {
      let plain = read.withoutAnnotations(of: touched)
      let (rest, related) = read.without(touched)
      if plain.isUsable {
        return SoundPart(model: plain, hidden: read.names(isInValues ? touched : touched.union(related)))
      }
      // Core Data numbers entities by all that there are.
      if rest.isUsable, read.store.naming != .coreData {
        return SoundPart(model: rest, hidden: read.names(touched.union(related)))
      }
    }
    let none = ObjectModel(unvalidated: "", userInfoKeys: .default, store: StoreOptions(), entities: [])
    return SoundPart(model: none, hidden: nil)
  }

  private var errors: [Diagnostic] { diagnostics.filter(\.forbidsUse) }

  /// Whether all errors are about attributes or annotations, and so not about tables and keys that others refer to.
  private var isInValues: Bool {
    errors.allSatisfy {
      $0.path.components.dropFirst(2).first == "attributes" || $0.path.components.contains("userInfo")
    }
  }

  /// The entities with errors, and those in the same tables; nil where an error is in no entity.
  private func touchedFamilies(of read: ObjectModel) -> Set<String>? {
    let errors = errors
    guard let unchecked, errors.allSatisfy({ $0.path.entity != nil }) else { return nil }
    let checks = ModelChecks(read, keys: read.userInfoKeys)
    let paths = errors.flatMap { [$0.path] + $0.notes.map(\.path) }.filter { $0.entity != nil }
    return read.families(of: Set(unchecked).union(paths.flatMap(checks.entities(touchedBy:))))
  }
}

extension ModelPath {
  /// The name of the entity that the path leads into.
  fileprivate var entity: String? {
    components.count > 1 && components[0] == "entities" ? components[1] : nil
  }
}

extension ObjectModel {
  fileprivate var isUsable: Bool { !ModelValidator.validate(self).contains(where: \.forbidsUse) }

  fileprivate func names(_ meant: Set<String>) -> [String] {
    entities.map(\.name).filter(meant.contains)
  }

  fileprivate func families(of names: Set<String>) -> Set<String> {
    let roots = Set(names.map(rootEntity(of:)))
    return names.union(entities.map(\.name).filter { roots.contains(rootEntity(of: $0)) })
  }

  fileprivate func withoutAnnotations(of names: Set<String>) -> ObjectModel {
    with(
      entities.map { entity in
        guard names.contains(entity.name) else { return entity }
        var plain = entity
        plain.userInfo = [:]
        for i in plain.attributes.indices { plain.attributes[i].userInfo = [:] }
        for i in plain.relationships.indices { plain.relationships[i].userInfo = [:] }
        return plain
      })
  }

  /// - Returns: the model without some entities, and the entities that lose relationships to them.
  fileprivate func without(_ names: Set<String>) -> (rest: ObjectModel, related: Set<String>) {
    let left = entities.filter { !names.contains($0.name) }
    let related = left.filter { $0.relationships.contains { names.contains($0.destination) } }
    let rest = with(
      left.map { entity in
        var entity = entity
        entity.relationships.removeAll { names.contains($0.destination) }
        return entity
      })
    return (rest, families(of: Set(related.map(\.name))))
  }
}
