import MOCloneEngine
import MOCloneModel
import MOCloneSQL

// What a plan would do, found without keeping any of it.
extension PostgresGraph {
  /// What a run of a plan would clone and link, found without writing to the database.
  ///
  /// In a server that is only read, and for a role without the right to make temporary tables, subtrees in which objects
  /// refer to each other are found object by object; what a run would be refused for is not looked for there.
  ///
  /// - Throws: `CloneError` with what a run would be refused for before its first write.
  public func preview(_ plan: ClonePlan, roots: [ObjectID]) throws -> CloneResult {
    let options = CloneOptions()
    let found = try read(holding: tables(.reads, of: plan)) { access -> CloneResult? in
      let executor = try CloneExecutor(
        session(plan, options: options, dialect: .postgresForLooking), plan: plan, options: options)
      var result = CloneResult()
      for root in try existing(roots, plan: plan, access: access) {
        guard try executor.session.look(at: root, executor, into: &result) else { return nil }
      }
      result.roots = []
      return result
    }
    if let found { return found }
    return try look(holding: tables(.reads, of: plan)) { access in
      let roots = try existing(roots, plan: plan, access: access)
      guard try makesTables() else {
        return try roots.reduce(into: CloneResult()) { result, root in
          var closure = try WalkedClosure(of: root, by: plan, in: self)
          let counts = try closure.counts()
          result.cloned.merge(counts.cloned, uniquingKeysWith: +)
          result.linked.merge(counts.linked, uniquingKeysWith: +)
        }
      }
      return try CloneExecutor(
        session(plan, options: options, dialect: .postgresForLooking), plan: plan, options: options
      )
      .preview(roots)
    }
  }

  /// The objects that a run of a plan would clone.
  func originals(_ plan: ClonePlan, _ roots: [ObjectID]) throws -> [ObjectID] {
    let options = CloneOptions(keepsMapping: true)
    return try look(holding: tables(.reads, of: plan)) { access in
      let roots = try existing(roots, plan: plan, access: access)
      guard try makesTables() else {
        return try roots.flatMap { try WalkedClosure(of: $0, by: plan, in: self).objects }.uniqued()
      }
      return try CloneExecutor(
        session(plan, options: options, dialect: .postgresForLooking), plan: plan, options: options
      )
      .originals(roots)
    }
  }

  package func leavingBehind(
    _ ends: [OpenEnd], by plan: ClonePlan, _ roots: [ObjectID]
  ) throws -> Set<String> {
    let options = CloneOptions(keepsMapping: true)
    return try look(holding: tables(.reads, of: plan)) { access in
      guard try makesTables() else { return try walkedBehind(ends, by: plan, roots) }
      return try CloneExecutor(
        session(plan, options: options, dialect: .postgresForLooking), plan: plan, options: options
      )
      .leavingBehind(ends, of: existing(roots, plan: plan, access: access))
    }
  }

  /// Whether temporary tables can be made: not in a server that follows another one, nor by a role without the right.
  func makesTables() throws -> Bool {
    let makesNone = """
      SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean
        OR NOT has_database_privilege(current_database(), 'TEMPORARY')
      """
    return try connection.rows(makesNone).first?[0] != .integer(1)
  }

  /// Runs a plan in a transaction that is rolled back.
  package func rehearse(_ plan: ClonePlan, roots: [ObjectID]) throws -> CloneResult {
    var result: CloneResult?
    do {
      try look(holding: tables(.writes, of: plan)) {
        let session = try session(plan, writing: roots, options: CloneOptions())
        result = try CloneExecutor(session, plan: plan, options: CloneOptions()).clone(
          existing(roots, plan: plan, access: $0))
        throw TakenBack()
      }
    } catch is TakenBack {}
    return result!
  }

  /// The statements that a run of a plan consists of in this database, in their order.
  public func statements(_ plan: ClonePlan) throws -> [String] {
    try read(holding: tables(.reads, of: plan)) { _ in try programs.program(of: plan).statements }
  }

  /// Checks that the database has every table and column that a plan reads or writes.
  ///
  /// - Returns: the indexes without which a run of the plan reads whole tables.
  /// - Throws: `CloneError` (`store-mismatch`, `unmapped-column`) with everything that is missing.
  @discardableResult
  public func check(_ plan: ClonePlan) throws -> [MissingIndex] {
    MissingIndexes(schema: try schema(of: plan), mapping: mapping, model: model).following(plan.askedNames)
  }

  package func schema(of plan: ClonePlan) throws -> StoreSchema {
    try read(holding: tables(.reads, of: plan)) { _ in try programs.program(of: plan).program.layout.schema }
  }
}
