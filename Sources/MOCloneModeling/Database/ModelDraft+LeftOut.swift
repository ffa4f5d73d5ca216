import MOCloneModel

extension ModelDraft {
  /// Leaves rows behind whose copies would be refused.
  mutating func leaveOut(_ tables: Set<String>, shape: DatabaseShape) {
    leaveOut(Set(tables.map { shape.entities[$0] }))
  }

  /// Excludes the relationships over which clones would take objects along. One that an object must have is linked, so that
  /// a clone by itself can be given another one, and clones of other objects leave that object behind in turn.
  private mutating func leaveOut(_ names: Set<String>) {
    let model = unvalidated
    var needy: Set<String> = []
    for i in entities.indices {
      for j in entities[i].relationships.indices {
        let relationship = entities[i].relationships[j]
        guard names.contains(relationship.destination), relationship.userInfo.isEmpty,
          let inverse = model.inverse(of: relationship), !inverse.isToMany,
          inverse.userInfo[AnnotationKeys.onClone] == nil
        else { continue }
        let isNeeded = !relationship.isOptional && !relationship.isToMany
        if isNeeded { needy.insert(entities[i].name) }
        annotate(i, relationship: j, isNeeded: isNeeded)
      }
    }
    if !needy.isEmpty { leaveOut(needy) }
  }

  private mutating func annotate(_ entity: Int, relationship: Int, isNeeded: Bool) {
    let key = isNeeded ? AnnotationKeys.onClone : userInfoKeys.exclude
    entities[entity].relationships[relationship].userInfo[key] = isNeeded ? "link" : ""
    let name = entities[entity].relationships[relationship].name
    comments[.entity(entities[entity].name) / "relationships" / name, default: []].append(
      "Copies of its rows would be refused, since they would repeat unique values or keys"
        + (isNeeded ? ": a clone by itself needs another one by '--set'." : "."))
  }
}
