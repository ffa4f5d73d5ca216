import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension SQLiteGraph {
  /// Merges a local store into this one: a copy whose new objects were changed now, after which duplicates are merged.
  ///
  /// The source stays as it is; `hasCounterparts(of:identifiedBy:seeded:)` tells whether it can go.
  ///
  /// - Throws: as ``copy(from:_:run:)``.
  @discardableResult
  public func seed(
    from source: any ObjectGraph, identifiedBy request: IdentityRequest = [:], run: MoveRun = MoveRun()
  ) throws -> MoveReport {
    let rules = try CopyRules(CopyRequest(identifiedBy: request), model)
    return try transferring(from: source, rules, .copy(rules, seeding: true), run) { db, transfer in
      try once(run, .seed, db) {
        var report = try transfer.copy()
        let merge = try SQLiteGraph.with(db, model: model) { graph in
          try graph.dedupe(DedupeRequest(identifiedBy: request), run: run)
        }
        report.add(merge)
        return report
      }
    }
  }

  /// What the objects of a source hold that their counterparts here do not; nothing is changed.
  public func differences(
    from source: any ObjectGraph, identifiedBy request: IdentityRequest
  ) throws -> [String] {
    let rules = try CopyRules(CopyRequest(identifiedBy: request), model)
    let run = MoveRun(isDryRun: true)
    let different = try transferring(from: source, rules, .copy(rules), run) { try $1.differences() }
    return try different + ((source as? SQLiteGraph).map(unnamedContents) ?? [])
  }

  /// What a source holds that no copy takes along: tables with rows and columns with values that the model does not
  /// name.
  public func unnamedContents(of source: SQLiteGraph) throws -> [String] {
    let names = StoreCheck.tables(of: model.entities.map(\.name), model, mapping)
    let target = try read { try SchemaReader(db: $0.db).schema(of: names) }
    return try source.read { access in
      let db = access.db
      func exists(_ sql: String) throws -> Bool { try Bool.fetchOne(db, sql: "SELECT EXISTS (\(sql))")! }
      let schema = try SchemaReader(db: db).schema(of: names)
      let columns = try schema.names.sorted().flatMap { name -> [String] in
        guard let table = schema[name], let there = target[name] else { return [] }
        let known = MappedColumns(table: table, mapping: mapping)
        let shared = Set(SharedColumns(table, there, model, mapping).names.map(\.sqlName))
        return try table.columns.filter { column in
          try !column.isGenerated && !known.contains(column.name)
            && !shared.contains(column.name.sqlName)
            && exists(
              "SELECT 1 FROM \(Dialect.sqlite.table(name)) WHERE \(Dialect.sqlite.name(column.name)) IS NOT NULL"
            )
        }.map { "the column '\($0.name)' of the table '\(name)'" }
      }
      let own = ["grdb_migrations", MetadataTable.name] + CoreDataMapping.ownTables
      let known = Set(names.map(\.sqlName) + own)
      let shadows = try StoreSchemaCopy(db).shadowTables()
      let tables = try SchemaReader(db: db).tableNames().sorted().filter { name in
        try !known.contains(name.sqlName) && !shadows.contains(name)
          && exists("SELECT 1 FROM \(Dialect.sqlite.table(name))")
      }
      return columns + tables.map { "the table '\($0)'" } + StoreFile(try access.path).support
    }
  }
}
