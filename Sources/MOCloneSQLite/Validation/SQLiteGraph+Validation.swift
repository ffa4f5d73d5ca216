import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension SQLiteGraph {
  /// Checks that the store fits the model, as the one line of a test after an app's migrations.
  ///
  /// ```swift
  /// let queue = try DatabaseQueue()
  /// try migrator.migrate(queue)
  /// try SQLiteGraph(queue, model: .notes).validate()
  /// ```
  ///
  /// Errors end it, and so does drift: a foreign key into a table of the model that the model does not know, such as a
  /// later migration brings, since a clone would leave its rows behind.
  ///
  /// - Parameter tables: tables that may refer to the model's without being a part of it.
  /// - Returns: the findings that are no errors.
  /// - Throws: `ModelError` with every error, `CloneError` where the store cannot be read.
  @discardableResult
  public func validate(ignoring tables: Set<String> = []) throws -> [Diagnostic] {
    try storeFindings(ignoring: tables).refusingErrorsAndDrift()
  }

  /// Everything in which the store disagrees with the model; nothing is written.
  ///
  /// - Throws: `CloneError` where the store cannot be read.
  ///
  /// - Parameter tables: those that are not looked at, although they refer to the model's.
  public func storeFindings(ignoring tables: Set<String> = []) throws -> [Diagnostic] {
    let findings: [Diagnostic] = try read { access in
      let reader = SchemaReader(db: access.db, mapping: access.mapping)
      let mapped = StoreCheck.tables(of: model.entities.map(\.name), model, mapping: access.mapping)
      let ignored = Set(tables.map(\.sqlName))
      let tables = try reader.tableNames().filter { !ignored.contains($0.sqlName) }
      let known = Set(tables.map(\.sqlName))
      let schema = try reader.schema(of: tables + mapped.filter { !known.contains($0.sqlName) })
      let validator = StoreValidator(
        schema: schema, model: model, writes: try TriggerWrites.all(in: access.db))
      let rows = StoreRows(db: access.db, validator: validator)
      // What an insert or a foreign key needs is looked for without what stands in for it.
      let (refused, violations) = try (rows.refusedInserts(), rows.violations())
      return try access.db.standingInForCollations(of: schema) {
        try validator.findings + refused + rows.nullKeys() + rows.nulls() + violations
          + rows.unknownDiscriminators() + rows.malformedValues() + validator.orderColumnsHoldNumbers()
          + rows.checkedDefaults()
      }
    }
    // A store with errors may lack what a plan reads.
    return findings.hasErrors ? findings : try findings + spreadEstimates()
  }
}
