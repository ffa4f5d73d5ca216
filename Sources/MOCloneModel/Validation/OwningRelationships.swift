extension ObjectModel {
  /// The relationships, as `Entity.name`, that lead from an owner to what it owns.
  package var owningRelationships: Set<String> {
    let ownership = Ownership(ModelChecks(self, keys: userInfoKeys))
    return Set(entities.flatMap(\.relationships).filter(ownership.owns).map(\.qualifiedName))
  }
}
