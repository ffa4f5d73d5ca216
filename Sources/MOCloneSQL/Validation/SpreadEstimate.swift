import MOCloneEngine
import MOCloneModel

extension StoreGraph {
  /// How many of the store's objects a clone takes along that returns to its own kind: for each such relationship of the model, what
  /// clones of a few objects would hold.
  ///
  /// A clone of each is planned, so the cost is that of a few dry runs.
  package func spreadEstimates() throws -> [Diagnostic] {
    let returning = ModelValidator.returningFindings(model)
    return try returning.prefix(mostEstimates).compactMap { finding in
      guard let relationship = relationship(at: finding.path) else { return nil }
      let kind = relationship.destination
      let total = try count(kind)
      let plan = try ClonePlan(model: model, entity: kind)
      let taken = try objectIDs(kind, limit: 5).map { try preview(plan, roots: [$0]) }
        .map { result in model.concreteEntities(of: kind).reduce(0) { $0 + (result.cloned[$1] ?? 0) } }
      guard let most = taken.max(), most > 1 else { return nil }
      return .spread(relationship, most: most, of: total, tried: taken.count)
    }
  }

  /// A model in which more relationships return has to be fixed before numbers tell anything.
  private var mostEstimates: Int { 3 }

  private func relationship(at path: ModelPath) -> RelationshipDescription? {
    guard path.components.count == 4 else { return nil }
    return model.relationship(path.components[3], of: path.components[1])
  }
}

extension Diagnostic {
  fileprivate static func spread(
    _ relationship: RelationshipDescription, most: Int, of total: Int, tried: Int
  ) -> Diagnostic {
    let kind = relationship.destination
    return Diagnostic(
      .returnsToKind, at: .relationship(relationship),
      "in this store a clone of one \(kind) takes up to \(most) of \(total) objects of '\(kind)' with it (\(tried) tried)",
      help: "`moclone plan \(kind) KEY` counts what a clone of one object takes")
  }
}
