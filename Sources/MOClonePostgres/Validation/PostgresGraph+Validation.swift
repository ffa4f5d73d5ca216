import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension PostgresGraph {
  /// Checks that the database fits the model, as the one line of a test after an app's migrations.
  ///
  /// ```swift
  /// try PostgresGraph(PostgresLocation("postgresql://localhost/notes"), model: .notes).validate()
  /// ```
  ///
  /// Errors end it, and so does drift: a foreign key into a table of the model that the model does not know, such as a
  /// later migration brings, since a clone would leave its rows behind.
  ///
  /// - Parameter tables: tables that may refer to the model's without being a part of it.
  /// - Returns: the findings that are no errors.
  /// - Throws: `ModelError` with every error, `CloneError` where the database cannot be read.
  @discardableResult
  public func validate(ignoring tables: Set<String> = []) throws -> [Diagnostic] {
    try storeFindings(ignoring: tables).refusingErrorsAndDrift()
  }

  /// Everything in which the database disagrees with the model, and what its role may not do; nothing is written.
  ///
  /// Other tables than the model's are looked for along the search path.
  ///
  /// - Parameter tables: those that are not looked at, although they refer to the model's.
  /// - Throws: `CloneError` where the database cannot be read.
  public func storeFindings(ignoring tables: Set<String> = []) throws -> [Diagnostic] {
    let (findings, canPreview) = try read(holding: self.tables(.reads)) { access in
      let mapped = StoreCheck.tables(of: model.entities.map(\.name), model, mapping: mapping).sorted()
      let places = try placeFindings(mapped)
      let ignored = Set(tables.map(\.sqlName))
      let reader = PostgresSchemaReader(connection)
      let others = try reader.tableNames(beside: mapped).filter { !ignored.contains($0.sqlName) }
      let schema = try reader.schema(of: mapped + others)
      let validator = StoreValidator(
        schema: schema, model: model, mapping: mapping, writes: schema.triggerWrites)
      let checks = PostgresChecks(
        validator: validator, catalog: try PostgresCatalog(of: mapped, in: connection))
      let rows = StoreRows(db: connection, validator: validator)
      let ofRows =
        checks.canRead
        ? try rows.nullKeys() + rows.nulls() + rows.unknownDiscriminators() + rows.malformedValues() : []
      return (
        places + validator.findings + checks.findings + ofRows + validator.orderColumnsHoldNumbers(),
        checks.canPreview
      )
    }
    // A store with errors may lack what a plan reads.
    return findings.hasErrors || !canPreview ? findings : try findings + spreadEstimates()
  }

  /// Names of tables that mean one and the same.
  private func placeFindings(_ tables: [String]) throws -> [Diagnostic] {
    do { try PostgresTableState.checkPlaces(tables, in: connection) } catch let error as CloneError {
      return error.failures.map { Diagnostic(.storeMismatch, at: .model, $0.message) }
    }
    return []
  }
}
