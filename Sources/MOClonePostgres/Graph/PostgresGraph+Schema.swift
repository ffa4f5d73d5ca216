import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension PostgresGraph {
  /// Makes the tables of the model in the database, all or none.
  ///
  /// - Throws: `CloneError` (`store-mismatch`) where a table exists, or a name is longer than the server keeps.
  public func createTables() throws {
    let statements = try SchemaWriter(model, dialect: .postgres).statements()
    try checkNames()
    try write { access in for statement in statements { try access.db.run(statement) } }
  }

  /// Whether the database has every table of the model.
  package func hasTables() throws -> Bool {
    let tables = StoreCheck.tables(of: model.entities.map(\.name), model, mapping: mapping).sorted()
    return try read { _ in
      try PostgresRelation.all(tables, in: connection).filter(\.isTable).count == tables.count
    }
  }

  /// The server cuts longer names off, and says so to nobody.
  private func checkNames() throws {
    let longest = 63
    let names = model.entities.flatMap { entity in
      let map = mapping[entity.name]
      return [map.table] + map.keyColumns + map.attributes.values.map(\.column)
        + map.foreignKeys.flatMap(\.key.columns)
    }
    let tooLong = Set(names.filter { $0.utf8.count > longest }).sorted()
    guard !tooLong.isEmpty else { return }
    throw CloneError(
      tooLong.map {
        .init(
          .storeMismatch,
          "the name '\($0)' has \($0.utf8.count) bytes, but PostgreSQL keeps \(longest)",
          help: "give it a shorter 'table' or 'column'"
        )
      })
  }
}
