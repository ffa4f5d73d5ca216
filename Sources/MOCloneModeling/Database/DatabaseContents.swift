import MOCloneModel
import MOCloneSQL

/// A table of a database that a model can have, with what some of its rows show.
struct DatabaseTable {
  /// The name as SQL compares names.
  let id: String
  let schema: TableSchema
  let listed: ListedTable
  let values: [String: ColumnValues]
  /// The columns that tell the rows apart: the primary key, else the row's number or columns that are unique.
  let key: [String]
  /// Whether nothing tells the rows apart, so that they can be pairs of keys at most, whose columns stand for a key.
  let isKeyless: Bool
  /// The types of the columns by their names as SQL compares them; one that no type fits has none.
  private let types: [String: ColumnType]

  init(_ listed: ListedTable, in schema: TableSchema, values: [String: ColumnValues], key: [String]?) {
    id = schema.name.sqlName
    self.schema = schema
    self.listed = listed
    self.values = values
    self.key = key ?? schema.pairColumns
    isKeyless = key == nil
    let types = schema.columns.map { column in
      let name = column.name.sqlName
      return (
        name, TypeChoice(column, values: values[name] ?? ColumnValues(), listed: listed.columns[name]).type
      )
    }
    self.types = Dictionary(types, uniquingKeysWith: { first, _ in first }).compactMapValues { $0 }
  }

  var words: NameWords { NameWords(listed.title) }

  func isInKey(_ column: String) -> Bool { key.contains { $0.sqlName == column.sqlName } }

  /// Whether so many rows have a value somewhere.
  func hasRows(_ count: Int) -> Bool { values.values.contains { $0.sample.count >= count } }

  func values(of column: String) -> ColumnValues { values[column.sqlName] ?? ColumnValues() }

  func type(of column: String) -> ColumnType? { types[column.sqlName] }

  /// Whether no attribute stands for a column of SQLite, since its rows hold values of several kinds.
  func holdsSeveralKinds(_ column: String) -> Bool { type(of: column) == nil && !isInKey(column) }

  func listed(_ column: String) -> ListedColumn { listed.columns[column.sqlName] ?? ListedColumn() }
}

/// What a database has for a model, in the order of its listing, and what is left out.
struct DatabaseContents {
  let listing: StoreListing
  private(set) var tables: [DatabaseTable] = []
  /// Names of what is left out, by what they are.
  private(set) var leftOut: [(kind: String, names: [String])]
  /// Every ordinary table.
  var schema: StoreSchema { listing.schema }
  private var numbers: [String: Int] = [:]

  init(_ listing: StoreListing, in db: any SQLConnection) throws {
    self.listing = listing
    leftOut = listing.leftOut
    let system = listing.schema.systemTables
    for listed in listing.tables where !system.contains(listed.name.sqlName) {
      guard let schema = listing.schema[listed.name] else { continue }
      let key = schema.usableKey
      if key == nil, schema.pairColumns.isEmpty { continue }
      let values = TableSurvey(db: db, table: schema).values()
      tables.append(DatabaseTable(listed, in: schema, values: values, key: key))
    }
    number()
    let names = listing.tables.map(\.name)
    note("tables of frameworks and migrations", names: names.filter { system.contains($0.sqlName) })
    let own = names.filter { !system.contains($0.sqlName) }
    // The schema has only one of the names that Unicode takes for equal.
    note(
      "tables whose names differ from another table's only by Unicode normalization",
      names: own.filter { listing.schema[$0] == nil })
    note(Self.keyless, names: own.filter { numbers[$0.sqlName] == nil && listing.schema[$0] != nil })
  }

  private static let keyless = "tables without a key"

  private mutating func number() {
    numbers = Dictionary(uniqueKeysWithValues: tables.enumerated().map { ($1.id, $0) })
  }

  private mutating func note(_ kind: String, names: [String]) {
    if names.isEmpty { return }
    let place = leftOut.firstIndex { $0.kind == kind }
    if let place { leftOut[place].names += names } else { leftOut.append((kind, names)) }
  }

  /// The same without tables that have no key, but for join tables, whose rows are pairs of keys.
  func leavingOutKeyless(except joins: [String: JoinShape]) -> DatabaseContents {
    let lost = tables.filter { $0.isKeyless && joins[$0.id] == nil }
    guard !lost.isEmpty else { return self }
    var contents = self
    contents.tables.removeAll { $0.isKeyless && joins[$0.id] == nil }
    contents.number()
    contents.note(Self.keyless, names: lost.map(\.schema.name))
    return contents
  }

  /// A table by its name, compared as SQL compares names; nil where the model has no place for it.
  subscript(table: String) -> DatabaseTable? { numbers[table.sqlName].map { tables[$0] } }

  /// Where a model of the database lies in it.
  func mapping(_ model: ObjectModel) -> SchemaMapping { SchemaMapping(model, in: schema.dialect) }

  /// What in the database disagrees with a model of it.
  func findings(_ model: ObjectModel) -> [Diagnostic] { validator(model).findings }

  func validator(_ model: ObjectModel) -> StoreValidator {
    StoreValidator(schema: schema, model: model, mapping: mapping(model), writes: listing.writes)
  }
}

extension StoreSchema {
  /// The tables of frameworks, but for those that foreign keys tie to other tables.
  fileprivate var systemTables: Set<String> {
    let tables = names.compactMap { self[$0] }
    let named = Set(tables.map(\.name.sqlName).filter(SystemTables.contains))
    let tied = tables.flatMap { table in
      table.foreignKeys.filter { named.contains(table.name.sqlName) != named.contains($0.table.sqlName) }
        .flatMap { [table.name.sqlName, $0.table.sqlName] }
    }
    return named.subtracting(tied)
  }
}

extension TableSchema {
  /// The primary key, else SQLite's number of the row, else the fewest columns that are unique and never null; nil where
  /// there are none.
  fileprivate var usableKey: [String]? {
    if !primaryKey.isEmpty { return primaryKey }
    if let rowidName { return [rowidName] }
    return uniqueColumns.filter { $0.allSatisfy { column($0)?.isRequired == true } }
      .min { $0.count < $1.count }
  }

  /// The columns of two foreign keys; empty where there are more or fewer.
  fileprivate var pairColumns: [String] {
    foreignKeys.count == 2 ? foreignKeys.flatMap(\.columns).uniqued() : []
  }
}
