import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The schemas of a database that are looked at.
struct PostgresSchemas {
  /// In the order of the search path, or as they were named.
  let names: [String]
  let database, role: String
  private let searchPath: String
  private let all: [(name: String, isUsable: Bool, tables: Int)]

  /// - Parameter named: those that somebody asks for; of none the search path tells.
  /// - Throws: `CloneError` where one does not exist, or the role may not use it.
  init(_ named: [String], database: String, role: String, in connection: PostgresConnection) throws {
    (self.database, self.role) = (database, role)
    searchPath = try connection.rows("SHOW search_path")[0][0].string ?? ""
    all = try connection.rows(PostgresListingQueries.schemas).map {
      ($0[0].string ?? "", $0[1].number != 0, $0[2].number)
    }
    names =
      named.isEmpty
      ? try connection.rows("SELECT unnest(current_schemas(false))::text").compactMap { $0[0].string } : named
    for name in named { try check(name) }
  }

  private func check(_ name: String) throws {
    guard let schema = all.first(where: { $0.name == name }) else {
      let nearest = nearestName(to: name, in: all.map(\.name)).map { "did you mean '\($0)'?" }
      throw CloneError(
        .noSuchStore,
        "the database '\(database)' has no schema '\(name)'",
        help: nearest ?? "it has \(Self.list(all.map(\.name)))"
      )
    }
    guard !schema.isUsable else { return }
    throw CloneError(
      .missingRight,
      "the role '\(role)' lacks the right USAGE for the schema '\(name)'",
      help: "GRANT USAGE ON SCHEMA \(Dialect.postgres.name(name)) TO \(Dialect.postgres.name(role))")
  }

  /// The error where the schemas have no table, with those that have some.
  func noTables() -> CloneError {
    let others = all.filter { $0.tables > 0 && !names.contains($0.name) }
    let place =
      names.isEmpty
      ? "along its search path (\(searchPath)), which leads to no schema,"
      : "in the schema\(names.count == 1 ? "" : "s") \(Self.list(names))"
    let advice =
      if let first = others.first(where: \.isUsable) {
        "there are tables in \(Self.list(others.map(\.name))): name one by '--schema \(first.name)'"
      } else if let first = others.first {
        "the role '\(role)' may not use the schema '\(first.name)': GRANT USAGE ON SCHEMA "
          + "\(Dialect.postgres.name(first.name)) TO \(Dialect.postgres.name(role))"
      } else {
        "is it the right database?"
      }
    return CloneError(
      .unsupportedModelSource,
      "the database '\(database)' has no tables \(place) that a model can be made of", help: advice)
  }

  private static func list(_ names: [String]) -> String {
    names.prefix(8).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 8 ? ", ..." : "")
  }
}
