import MOCloneEngine
import MOCloneModel

/// What a run refuses between closure and write.
extension CloneExecutor {
  func settle() throws {
    try statements.execute(program.settling)
    try check(program.settledChecks)
    try checkJoinRows()
  }

  /// The ends of a join row that share a column must agree on it.
  private func checkJoinRows() throws {
    for join in program.joins {
      guard let disagreement = join.disagreement, try statements.count(disagreement.sql) > 0 else {
        continue
      }
      throw CloneError([
        .disagreement(disagreement.columns, of: join.relationship, table: join.table.name)
      ])
    }
  }

  func check(_ checks: [RunCheck]) throws {
    let failures = try checks.compactMap { check -> CloneError.Failure? in
      if options.repeatsUniqueValues, check.isOfUniqueValues { return nil }
      return try statements.answer(check.sql).map { layout.failure(check, row: $0) }
    }
    if !failures.isEmpty { throw CloneError(failures) }
  }

  /// Rows without a key, which SQLite lets a primary key be that is no row number: nothing can refer to their clones.
  func checkKeys() throws {
    for tablePlan in layout.tablePlans where !tablePlan.isDirect {
      for column in tablePlan.table.nullable(tablePlan.keyColumns.map(\.name)) {
        let place = tablePlan.keyColumns.firstIndex { $0.name == column }!
        let row = try statements.answer(
          "SELECT 1 FROM \(layout.dialect.temporary(tablePlan.map)) m WHERE \(tablePlan.old("m")[place]) IS NULL"
        )
        if row != nil {
          throw CloneError.nullKey(tablePlan.name, column: column, table: tablePlan.table.name)
        }
      }
    }
  }

  /// At the greatest number SQLite would pick new ones at random.
  package func checkRoom(_ count: (CloneTablePlan) throws -> Int) throws {
    for tablePlan in layout.tablePlans where tablePlan.isCounted {
      guard case .integer(let greatest) = statements.bound("keyOffset\(tablePlan.index)") else { continue }
      // Fewer rows than this no table holds, so those of a table plan without a map need not be counted.
      guard greatest > Int64.max / 2 else { continue }
      let count = try count(tablePlan)
      if greatest.addingReportingOverflow(Int64(count)).overflow {
        throw CloneError.noRoom(
          after: greatest, in: tablePlan.table.name, for: "\(count) new keys", entity: tablePlan.name)
      }
    }
  }

  /// How many objects of a table plan the temporary tables hold.
  func inSets(_ tablePlan: CloneTablePlan) throws -> Int {
    try tablePlan.isDirect ? expected(tablePlan) : closure.mapped[tablePlan.index]
  }

  func expected(_ tablePlan: CloneTablePlan) throws -> Int {
    try statements.count(program.writes.first { $0.tablePlan == tablePlan.index }!.count)
  }

  /// The related object of a one-to-one relationship is never moved, and has no room for the second of several clones.
  ///
  /// - Parameter roots: those that are cloned together, the one whose values are bound among them.
  func checkRelatedObjects(of root: ObjectID, among roots: [ObjectID]) throws {
    for other in program.relatedObjects {
      // Sub-entities of the one asked for can have relationships of the same name.
      func has(_ root: ObjectID) -> Bool { plan.model.isKind(root.entity, of: other.relationship.entity) }
      guard has(root) else { continue }
      let clones = roots.count(where: has) * plan.request.count
      guard try clones > 1 || statements.count(other.sql) > 0 else { continue }
      throw CloneError(
        .uniqueValue,
        "'\(other.relationship.name)' of \(plan.entity) cannot be set, because that \(other.relationship.destination) "
          + "already has a related object", entity: plan.entity, property: other.relationship.name)
    }
  }
}
