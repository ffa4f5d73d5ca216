import MOCloneEngine
import MOCloneModel

/// Rows that become objects of one table, wherever they come from: `s` in statements.
package struct RowStream: Sendable {
  package enum Origin: Sendable {
    /// A table like the store's own, which holds keys and references as that does.
    case table(TableSchema, sql: String)
    /// A temporary table.
    case staged(StagedRows)
  }

  /// What becomes of the key of an object that is new.
  package enum NewKey: Equatable, Sendable {
    /// A number above the greatest there.
    case number
    /// The row's, or a new one where it is taken.
    case uuid(UUIDStorage)
    /// The row's.
    case kept
    /// Made part by part, so that every object's is written down.
    case written
  }

  package let index: Int
  package let table: TablePlan
  /// The concrete entities of the rows.
  package let entities: [String]
  package private(set) var origin: Origin
  package let newKey: NewKey
  /// The key of the rows themselves.
  package let keys: KeyColumns
  package var references: [StreamReference] = []
  /// Columns that only the stores know, in both of them.
  package let unmapped: [String]
  /// Those that lead to other rows, and are empty in new ones.
  package let emptied: [String]
  /// The columns of a row by those of the table that they are for, beside keys and references.
  private let columns: [String: Column]

  struct Column: Sendable {
    var name: String
    /// The place among the staged values; nil where every row has a value.
    var place: Int?
    /// Nil where both stores declare it alike.
    var columnTransfer: ColumnTransfer?
  }

  var dialect: Dialect { table.dialect }

  /// The rows of a table of the source.
  package init(
    index: Int, _ table: TablePlan, from source: TableSchema, sql: String, newKey: NewKey,
    attributes: [AttributeColumn], unnamed: SharedColumns
  ) {
    self.index = index
    self.table = table
    self.newKey = newKey
    unmapped = unnamed.names
    emptied = unnamed.references
    entities = table.entities
    origin = .table(source, sql: sql)
    keys = KeyColumns(table.map.keyColumns, of: source, dialect: table.dialect)
    let own = attributes.filter { $0.keyPart == nil }
    let named = own.map { ($0.column, Optional($0)) } + unmapped.map { ($0, nil) }
    columns = Dictionary(
      (named + attributes.map { ($0.column, Optional($0)) }).map { name, attribute in
        let columnTransfer: ColumnTransfer? =
          if let here = source.column(name), let there = table.schema.column(name),
            table.dialect.hasTypes ? here.type != there.type : here.affinity != there.affinity,
            attribute?.keyPart == nil
          {
            ColumnTransfer(source: here, target: there, attribute: attribute)
          } else { nil }
        return (name.sqlName, Column(name: name, columnTransfer: columnTransfer))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Staged rows of a concrete entity.
  package init(index: Int, _ table: TablePlan, entity: String, staged: StagedRows, newKey: NewKey) {
    self.index = index
    self.table = table
    self.newKey = newKey
    unmapped = []
    emptied = []
    entities = [entity]
    origin = .staged(staged)
    keys = KeyColumns(numbered: "number", table.dialect)
    columns = Dictionary(
      staged.columns.enumerated().filter(\.element.isOwn).map {
        (
          $1.schema.name.sqlName,
          Column(name: "a\($0)", place: $0, columnTransfer: $1.columnTransfer(table.dialect))
        )
      },
      uniquingKeysWith: { first, _ in first })
  }

  /// The same, with what is known of rows that are staged.
  func knowing(absent masks: [Int64]) -> RowStream {
    guard let staged else { return self }
    var stream = self
    stream.origin = .staged(staged.knowing(absent: masks))
    return stream
  }

  package var source: TableSchema? { if case .table(let table, _) = origin { table } else { nil } }
  package var staged: StagedRows? { if case .staged(let rows) = origin { rows } else { nil } }

  /// Whether triggers can remove new objects or change what they refer to, or the database computes that, so that they are
  /// looked at again.
  package var isLookedAtAgain: Bool {
    table.schema.canLoseNewRows
      || references.contains {
        table.schema.rewritesNewRows($0.key.columns)
          || $0.key.columns.contains(where: table.schema.isGenerated)
      }
  }

  /// Whether triggers can change the columns by which a reference leads to new objects.
  package func isRewritten(for reference: StreamReference) -> Bool {
    reference.destination == index && table.keys.places(of: reference.key.references) == nil
      && table.schema.rewritesNewRows(reference.key.references)
  }

  /// Whether a new object can have a key that its row brings along, to which references of the store may lead already.
  package var keepsKeys: Bool {
    switch newKey {
    case .uuid, .kept: true
    case .number, .written: table.map.key.contains { !$0.source.isNumber }
    }
  }

  /// The rows in a statement.
  package var sql: String {
    switch origin {
    case .table(_, let sql): sql
    case .staged(let rows): rows.table.sql
    }
  }

  package func rows(_ alias: String) -> From { From("\(sql) \(alias)") }
  package func key(_ alias: String) -> [String] { keys.of(alias) }

  // MARK: Values

  /// What a row holds for a column of the table, as it stands there; nil where rows give nothing for it.
  package func plain(_ column: String, _ alias: String) -> String? {
    columns[column.sqlName].map { dialect.column(alias, $0.name) }
  }

  /// What a row gives for a column of the table, as the table holds it.
  package func value(_ column: String, _ alias: String) -> String? {
    guard let plain = plain(column, alias) else { return nil }
    return columns[column.sqlName]!.columnTransfer.flatMap { dialect.columnTransfer(plain, $0)?.value }
      ?? plain
  }

  /// Whether staged rows may give a value for a column.
  ///
  /// - Parameter ungiven: columns, by their places, for which none of them does.
  func gives(_ column: String, without ungiven: Set<Int>) -> Bool {
    guard let known = columns[column.sqlName] else { return false }
    return known.place.map { !ungiven.contains($0) } ?? true
  }

  /// Whether a row gives a value for a column.
  package func isGiven(_ column: String, _ alias: String) -> Condition {
    guard let known = columns[column.sqlName] else { return .never }
    return known.place.map { staged!.isGiven($0, alias) } ?? .always
  }

  /// The columns whose values the table holds in another way.
  package var columnTransfers: [ColumnTransfer] {
    columns.values.compactMap(\.columnTransfer).sorted { $0.target.name < $1.target.name }
  }

  // MARK: Entities

  /// Whether a row is of some concrete entities.
  package func isKind(_ entities: [String], alias: String) -> Condition {
    source == nil
      ? (entities.contains(self.entities[0]) ? .always : .never) : table.isKind(entities, alias: alias)
  }

  /// Whether a row gives a reference.
  func isGiven(_ reference: StreamReference, _ alias: String) -> Condition {
    if let staged, let place = staged.values.firstIndex(of: reference.columns[0]) {
      return staged.isGiven(place, alias)
    }
    let exists = reference.columns.map { Condition.isNotNull(dialect.column(alias, $0)) }
    return exists.all
  }

  /// What marks a row's entity.
  package func mark(_ alias: String) -> String {
    source == nil ? dialect.cast(table.literals(entities).first ?? "NULL", "text") : table.mark(alias)
  }
}

/// A foreign key of a stream's rows.
package struct StreamReference: Sendable {
  package let reference: RowReference
  /// The columns of a row that hold it.
  package let columns: [String]
  /// The stream that it leads to; nil where the columns hold what the store's are to hold.
  package let destination: Int?
  /// Its place among the references of the layout.
  package let number: Int
  /// Whether it is written.
  package var isFormed = true
  /// What orders the rows in a list: a column of theirs; nil where the list has no order.
  package var orderColumn: String?

  package var key: ForeignKeyMapping { reference.key }
}

/// Pairs of rows of two streams: `j` in statements.
package struct JoinRowStream: Sendable {
  package let index: Int
  package let join: TableJoin
  /// The relationship that people know the pairs by.
  package let relationship: RelationshipDescription
  /// The pairs in a statement.
  package let sql: String
  /// Their table, where it is one like the store's own.
  package let source: TableSchema?
  /// For each end the stream, the columns that hold its rows' keys, and the column of the place in its list.
  package let ends: [End]
  /// Columns that only the stores know, in both of them.
  package let unmapped: [String]
  /// The key that the pairs themselves have there, where new ones need not keep it.
  package let ownKey: JoinKey?
  package let isFormed: Bool

  package struct End: Sendable {
    package let stream: Int
    package let columns: [String]
    /// The columns of the store's join table, what they refer to, and the place in this end's list.
    package let mapping: JoinTableMapping
    package var orderColumn: String? { mapping.orderColumn }
  }
}
