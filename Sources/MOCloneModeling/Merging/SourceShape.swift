import MOCloneModel
import MOCloneSQL

/// The tables and columns of a source, as far as they are known.
package struct SourceShape: Sendable {
  private(set) var tables: [String: Set<String>] = [:]

  package init() {}

  package mutating func add(table: String, columns: some Sequence<String>) {
    tables[table.sqlName, default: []].formUnion(columns.map(\.sqlName))
  }

  /// Every ordinary table of a database.
  init(_ schema: StoreSchema) {
    for name in schema.names { add(table: name, columns: schema[name]?.columns.map(\.name) ?? []) }
  }

  init(_ index: TableIndex) {
    tables = index.tables.mapValues(\.columns).merging(index.joinColumns) { $0.union($1) }
  }

  func union(_ other: SourceShape) -> SourceShape {
    var both = self
    both.tables.merge(other.tables) { $0.union($1) }
    return both
  }

  func has(_ table: String) -> Bool { tables[table.sqlName] != nil }

  /// The first of some columns that a table lacks; nil where the table itself is missing.
  func missing(of columns: [String], in table: String) -> String? {
    guard let known = tables[table.sqlName] else { return nil }
    return columns.first { !known.contains($0.sqlName) }
  }
}
