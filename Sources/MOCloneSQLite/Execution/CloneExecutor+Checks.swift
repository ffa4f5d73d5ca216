import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// What a run refuses between closure and write.
extension CloneExecutor {
  func settle() throws {
    for statement in program.settling { try statements.execute(statement) }
    try check(program.settledChecks)
    try checkPairs()
  }

  /// The ends of a pair that share a column must agree on it.
  private func checkPairs() throws {
    for join in program.joins {
      guard let disagreement = join.disagreement, try statements.number(disagreement.sql) > 0 else {
        continue
      }
      throw CloneError([
        .disagreement(disagreement.columns, join.relationship, table: join.table.name)
      ])
    }
  }

  func check(_ checks: [RunCheck]) throws {
    let failures = try checks.compactMap { check -> CloneError.Failure? in
      if run.repeatsUniqueValues, check.subject.isRepeated { return nil }
      return try statements.row(check.sql).map { layout.failure(check, $0) }
    }
    if !failures.isEmpty { throw CloneError(failures) }
  }

  /// Rows without a key, which SQLite lets a primary key be that is no row number: nothing can refer to their clones.
  func checkKeys() throws {
    for family in layout.families where !family.isDirect {
      for column in family.table.nullable(family.keyColumns.map(\.name)) {
        let place = family.keyColumns.firstIndex { $0.name == column }!
        let row = try statements.row(
          "SELECT 1 FROM \(Dialect.sqlite.temporary(family.map)) m WHERE \(family.old("m")[place]) IS NULL")
        if row != nil { throw CloneError.nullKey(family.name, column: column, table: family.table.name) }
      }
    }
  }

  /// At the greatest number SQLite would pick new ones at random.
  func checkRoom(_ count: (Family) throws -> Int) throws {
    for family in layout.families where family.isCounted {
      let greatest = Int64.fromDatabaseValue(statements["shift\(family.index)"]!)!
      // Fewer rows than this no table holds, so those of a family without a map need not be counted.
      guard greatest > Int64.max / 2 else { continue }
      let count = try count(family)
      if greatest.addingReportingOverflow(Int64(count)).overflow {
        throw CloneError(
          .noRoomForKeys,
          "the table '\(family.table.name)' has used the key \(greatest), so it has no room for "
            + "\(count) new keys", entity: family.name)
      }
    }
  }

  /// How many objects of a family the temporary tables hold.
  func inSets(_ family: Family) throws -> Int {
    try family.isDirect ? expected(family) : closure.mapped[family.index]
  }

  func expected(_ family: Family) throws -> Int {
    try statements.number(program.writes.first { $0.family == family.index }!.count)
  }

  /// A one-to-one partner is never moved, and has no room for the second of several copies.
  func checkPartners(of root: ObjectID) throws {
    // Sub-entities of the one asked for can have relationships of the same name.
    for partner in program.partners where plan.model.isKind(root.entity, of: partner.relationship.entity) {
      guard try plan.request.count > 1 || statements.number(partner.sql) > 0 else { continue }
      throw CloneError(
        .uniqueValue,
        "'\(partner.relationship.name)' of \(plan.entity) cannot be set, because that \(partner.relationship.destination) "
          + "already has a related object", entity: plan.entity, property: partner.relationship.name)
    }
  }
}
