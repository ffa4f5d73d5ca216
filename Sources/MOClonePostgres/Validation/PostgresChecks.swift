import MOCloneModel
import MOCloneSQL

/// What a PostgreSQL server does not let the role see or do in the tables of a model.
struct PostgresChecks {
  let validator: StoreValidator
  let catalog: PostgresCatalog

  var findings: [Diagnostic] {
    var seen: Set<String> = []
    let tables = validator.places.compactMap { table, path in
      seen.insert(table.name).inserted ? catalog.tables[table.name].map { (table.name, path, $0) } : nil
    }
    return tables.flatMap { name, path, table in
      [
        rowSecurity(name, path: path, table: table), missingRights(name, path: path, table: table),
        children(name, path: path, table: table),
      ]
      .compactMap { $0 }
    } + temporaryTables
  }

  /// Whether every row of the model's tables can be read.
  var canRead: Bool { !catalog.tables.values.contains(where: \.lacksSelect) }

  /// Whether clones can be found without writing, for which temporary tables are needed.
  var canPreview: Bool {
    canRead && catalog.allowsTemporaryTables && !catalog.isReplica
      && !catalog.tables.values.contains(where: \.isRowSecurityActive)
  }

  private func rowSecurity(_ name: String, path: ModelPath, table: PostgresCatalog.Table) -> Diagnostic? {
    guard table.isRowSecurityActive else { return nil }
    return Diagnostic(
      .rowSecurity, .error, at: path,
      "row-level security can hide rows of the table '\(name)' from the role '\(catalog.role)', so clones over it are refused",
      help: PostgresErrors.seeingEveryRow)
  }

  /// What only reads is all right without the other rights.
  private func missingRights(_ name: String, path: ModelPath, table: PostgresCatalog.Table) -> Diagnostic? {
    guard !table.missingRights.isEmpty else { return nil }
    let severity: Severity = table.lacksSelect ? .error : table.lacksInsert ? .warning : .note
    let sequence = "USAGE of "
    let role = Dialect.postgres.name(catalog.role)
    let rights = table.missingRights.filter { !$0.hasPrefix(sequence) }
    let grants =
      (rights.isEmpty ? [] : ["GRANT \(rights.list) ON \(Dialect.postgres.table(name)) TO \(role)"])
      + table.missingRights.filter { $0.hasPrefix(sequence) }.map {
        "GRANT USAGE ON SEQUENCE \($0.dropFirst(sequence.count)) TO \(role)"
      }
    return Diagnostic(
      .missingRight, severity, at: path,
      "the role '\(catalog.role)' lacks \(table.missingRights.count == 1 ? "the right" : "the rights") "
        + "\(table.missingRights.list) for the table '\(name)'", help: grants.joined(separator: "; "))
  }

  private func children(_ name: String, path: ModelPath, table: PostgresCatalog.Table) -> Diagnostic? {
    guard table.hasChildren else { return nil }
    return Diagnostic(
      .storeMismatch, .warning, at: path,
      "other tables inherit from the table '\(name)', so a clone of a row of theirs is inserted into '\(name)' itself",
      help: "map the tables that inherit, or divide the table into partitions")
  }

  private var temporaryTables: [Diagnostic] {
    guard !catalog.allowsTemporaryTables else { return [] }
    return [
      Diagnostic(
        .missingRight, .warning, at: .model,
        "the role '\(catalog.role)' lacks the right TEMPORARY for the database '\(catalog.database)', so only small clones of tables "
          + "without triggers can be made",
        help: "GRANT TEMPORARY ON DATABASE \(Dialect.postgres.name(catalog.database)) TO "
          + "\(Dialect.postgres.name(catalog.role))")
    ]
  }
}

extension PostgresCatalog.Table {
  fileprivate var lacksSelect: Bool { missingRights.contains { $0.hasPrefix("SELECT") } }
  fileprivate var lacksInsert: Bool {
    missingRights.contains { $0.hasPrefix("INSERT") || $0.hasPrefix("USAGE") }
  }
}
