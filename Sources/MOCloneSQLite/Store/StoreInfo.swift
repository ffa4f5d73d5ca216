import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// What a store is and how much it holds.
public struct StoreInfo: Codable, Sendable, Equatable {
  /// The version of the JSON; always 1.
  public var version = 1
  /// The path of the database file, as it was given.
  public var path: String
  /// The size of the database file in bytes, without the files beside it.
  public var bytes: Int
  /// The size of the -wal file in bytes; 0 where there is none.
  public var walBytes: Int
  /// The size of a page in bytes.
  public var pageSize: Int
  /// How many pages the database has.
  public var pages: Int
  /// How many of the pages hold nothing.
  public var freePages: Int
  /// The journal mode as SQLite names it, such as `wal` or `delete`.
  public var journalMode: String
  /// The encoding of strings as SQLite names it, such as `UTF-8`.
  public var encoding: String
  /// The number that the app keeps in `PRAGMA user_version`; 0 where it keeps none.
  public var userVersion: Int
  /// The version of the SQLite library that read the store.
  public var sqlite: String
  /// Rows by table.
  public var tables: [String: Int]
  /// Objects by entity, where a model was given.
  public var entities: [String: Int]?
  /// The store's metadata by key.
  public var metadata: [String: String]
}

extension StoreFile {
  /// Reads what the store is and how much it holds; nothing is written.
  ///
  /// - Throws: `CloneError` (`no-such-store`, `store-damaged`, `store-busy`).
  public func info(model: ObjectModel? = nil) throws -> StoreInfo {
    try read { db in
      func number(_ pragma: String) throws -> Int { try Int.fetchOne(db, sql: "PRAGMA main.\(pragma)") ?? 0 }
      func text(_ pragma: String) throws -> String {
        try String.fetchOne(db, sql: "PRAGMA main.\(pragma)") ?? ""
      }
      let names = try SchemaReader(db: db).tableNames().filter { $0 != MetadataTable.name }
      return StoreInfo(
        path: path, bytes: size(path), walBytes: size(path + "-wal"), pageSize: try number("page_size"),
        pages: try number("page_count"), freePages: try number("freelist_count"),
        journalMode: isInWALMode ? "wal" : try text("journal_mode"), encoding: try text("encoding"),
        userVersion: try number("user_version"),
        sqlite: try String.fetchOne(db, sql: "SELECT sqlite_version()") ?? "",
        tables: Dictionary(named: try names.map { ($0, try count($0, db: db)) }),
        entities: try model.map { try entities($0, tables: names, in: db) },
        metadata: try MetadataTable(db: db).all())
    }
  }

  private func count(_ table: String, db: Database) throws -> Int {
    try Int.fetchOne(db, sql: "SELECT count(*) FROM \(Dialect.sqlite.table(table))") ?? 0
  }

  /// Objects of each concrete entity whose table exists, without sub-entities.
  private func entities(_ model: ObjectModel, tables: [String], in db: Database) throws -> [String: Int] {
    let mapping = SchemaMapping(model, in: .sqlite)
    let there = Set(tables.map(\.sqlName))
    var counts: [String: Int] = [:]
    for entity in model.entities where !entity.isAbstract {
      let map = mapping[entity.name]
      guard there.contains(map.table.sqlName) else { continue }
      let filter =
        map.discriminator.map {
          " WHERE \(Dialect.sqlite.name($0.column)) = \(Dialect.sqlite.text($0.value))"
        } ?? ""
      counts[entity.name] =
        try Int.fetchOne(db, sql: "SELECT count(*) FROM \(Dialect.sqlite.table(map.table))\(filter)") ?? 0
    }
    return counts
  }

  private func size(_ path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }
}

extension StoreInfo {
  /// The same for people.
  public var text: String {
    let wal = walBytes > 0 ? ", and \(walBytes) in its -wal" : ""
    let free = freePages > 0 ? ", \(freePages) of them free" : ""
    var lines = [
      "store          \(path)",
      "size           \(bytes) bytes in \(pages) pages of \(pageSize)\(free)\(wal)",
      "journal mode   \(journalMode)",
      "encoding       \(encoding)",
      "user version   \(userVersion)",
      "SQLite         \(sqlite)",
    ]
    lines += Self.counts(entities == nil ? "table" : "entity", counts: entities ?? tables)
    lines += metadata.sorted { $0.key < $1.key }.map { "metadata       \($0.key): \($0.value)" }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func counts(_ title: String, counts: [String: Int]) -> [String] {
    let width = counts.keys.map(\.count).max() ?? 0
    return counts.sorted { $0.key < $1.key }.map { name, count in
      title.padding(toLength: 15, withPad: " ", startingAt: 0)
        + name.padding(toLength: width, withPad: " ", startingAt: 0) + "  \(count)"
    }
  }
}
