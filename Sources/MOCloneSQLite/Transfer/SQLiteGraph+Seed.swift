import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension SQLiteGraph {
  /// Merges a local store into this one: a copy whose new objects were changed now, after which duplicates are merged. What
  /// is marked as done once there is done here, too.
  ///
  /// The source stays as it is; it can go where `lacking(of:identifiedBy:seeded:)` finds nothing.
  ///
  /// - Throws: as `copyObjects(from:_:options:)`.
  @discardableResult
  public func seed(
    from source: any ObjectGraph, identifiedBy request: IdentityRequest = [:],
    options: TransferOptions = TransferOptions()
  ) throws -> TransferReport {
    try seed(from: source, identifiedBy: request, options: options) { access, options in
      try SQLiteGraph.with(access.db, model: model) { graph in
        try graph.dedupe(DedupeRequest(identifiedBy: request), options: options)
      }
    }
  }

  /// What a source holds that no copy takes along: tables with rows and columns with values that the model does not
  /// name.
  public func unnamedContents(of source: SQLiteGraph) throws -> [String] {
    try source.unnamedContents(sharing: sharedSchema(with: source))
  }

  package func missingFiles(of source: any StoreGraph) throws -> [String] {
    guard let source = source as? SQLiteGraph else { return [] }
    let others = try source.read { try ExternalFiles(of: $0.path) }
    return try read { access in
      guard let upkeep = CoreDataUpkeep(try access.storeLayout(of: [])) else { return [] }
      let files = try ExternalFiles(of: access.path)
      let names = try upkeep.externalColumns.flatMap { column in
        try Data.fetchAll(access.db, sql: column.all).compactMap(ExternalMark.file)
      }
      return Set(names).sorted().filter { others.exists($0) && !files.hasEqual($0, in: others) }
        .map { "the file '\($0)' of a large value" }
    }
  }

  package func unnamedContents(sharing target: StoreSchema?) throws -> [String] {
    // The files of large values come with the values.
    let copiesFiles = model.entities.contains {
      mapping[$0.name].attributes.values.contains(where: \.isExternal)
    }
    let names = StoreCheck.tables(of: model.entities.map(\.name), model, mapping: mapping)
    return try read { access in
      let db = access.db
      let own = ["grdb_migrations", MetadataTable.name] + CoreDataMapping.ownTables
      let known = Set(names.map(\.sqlName) + own)
      let shadows = try StoreSchemaCopy(db: db).shadowTables()
      let tables = try SchemaReader(db: db).tableNames().sorted().filter { name in
        try !known.contains(name.sqlName) && !shadows.contains(name)
          && access.exists(Select(["1"], from: From(db.dialect.table(name))))
      }
      return try access.unnamedColumns(sharing: target, where: true) + tables.map { "the table '\($0)'" }
        + (copiesFiles ? [] : StoreFile(access.path).support)
    }
  }
}
