import MOCloneEngine
import MOCloneModel

/// What the statements of a run are given.
extension CloneExecutor {
  package func bind(_ root: ObjectID) throws {
    statements.bind("key", parts: KeyCoding(entity: layout.mapping[layout.root.name]).encode(root.key))
    try bindRequest(plan.root(of: root.entity)!)
  }

  package func bindRun() {
    let now = options.generator.now()
    for parameter in layout.runParameters { statements.bind(parameter.name, parameter.value(now: now)) }
    // What siblings of a root would be set has parameters of its own in the same statements.
    for root in layout.plan.roots {
      for planned in root.attributes {
        guard case .set = planned.rule else { continue }
        let name = planned.attribute.name
        let column = layout.mapping[root.entity].attributes[name]!
        statements.bind(plan.setParameter(name, as: column, in: layout.mapping), .null)
      }
      for planned in root.relationships {
        guard case .object = planned.given else { continue }
        let key = layout.mapping[planned.relationship.destination].keyColumns
        statements.bind(plan.setParameter(planned.relationship), parts: key.map { _ in .null })
      }
    }
  }

  private var access: RowAccess<Session.Connection> {
    RowAccess(db: session.connection, model: plan.model, mapping: layout.mapping)
  }

  /// The values that the request sets, as the root's own entity has them; a destination must exist.
  private func bindRequest(_ root: PlanNode) throws {
    for planned in root.attributes {
      guard case .set(let value) = planned.rule else { continue }
      let column = layout.mapping[root.entity].attributes[planned.attribute.name]!
      try access.checkRoom(for: value, in: column, of: root.entity, isPlanned: true)
      let parameter = plan.setParameter(planned.attribute.name, as: column, in: layout.mapping)
      statements.bind(parameter, ValueCoding(column).encode(value))
    }
    for planned in root.relationships {
      if case .object(let key) = planned.given { try bind(key, of: planned.relationship) }
    }
  }

  func bind(_ key: ObjectKey, of relationship: RelationshipDescription) throws {
    let destination = relationship.destination
    let found = try access.existing([ObjectID(destination, key: key)])[0]
    try checkReferenced(relationship, by: found, access: access)
    let values = KeyCoding(entity: layout.mapping[destination]).encode(found.key)
    statements.bind(plan.setParameter(relationship), parts: values)
  }

  /// Nothing refers to an object by a column that is empty there.
  private func checkReferenced(
    _ relationship: RelationshipDescription, by object: ObjectID, access: RowAccess<Session.Connection>
  ) throws {
    guard let key = layout.mapping[relationship.entity].foreignKey(relationship.name) else { return }
    for (column, value) in try zip(key.references, access.columns(key.references, of: object))
    where value == .null {
      throw CloneError(
        .invalidValue,
        "'\(relationship.name)' of \(plan.entity) cannot be set to \(object), whose '\(column)' it references: that is "
          + "empty", entity: plan.entity, property: relationship.name)
    }
  }

  /// The greatest number used before, by table plan.
  package func bindKeyOffsets() throws {
    let greatest = try session.greatestNumbers()
    for (tablePlan, number) in greatest { statements.bind("keyOffset\(tablePlan)", number) }
    mayDangle = try session.mayDangle(greatest)
  }

  /// Counts new keys from above the numbers that something refers to already.
  func passDanglingNumbers() throws {
    let isFound = try mayDangle || program.danglingInClosure.contains { try statements.count($0) > 0 }
    passes = isFound || layout.tablePlans.contains { $0.table.keyCounter != nil }
    guard isFound else { return }
    let dangling = DanglingReferences(layout: layout)
    for tablePlan in layout.tablePlans {
      let greatest = dangling.greatest(tablePlan)
      guard !greatest.isEmpty else { continue }
      statements.bind("made", try inSets(tablePlan))
      while let number = try greatest.compactMap({ try statements.integer($0) }).max() {
        statements.bind("keyOffset\(tablePlan.index)", number)
      }
    }
  }
}
