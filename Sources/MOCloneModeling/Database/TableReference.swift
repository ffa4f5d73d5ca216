import MOCloneModel
import MOCloneSQL

/// A foreign key that can become a relationship of the model.
struct TableReference: Hashable {
  /// The table that has the foreign key, and the referenced table, by their names as SQL compares them.
  var table: String
  var target: String
  var columns: [String]
  /// The referenced columns of the target, in the order of `columns`.
  var references: [String]
  var onDelete: String
  /// Whether the foreign key references the target's key, in the order of its columns. Otherwise it references other
  /// columns that are unique together.
  var referencesKey: Bool
  /// Whether a row may reference nothing.
  var isOptional: Bool
  /// Whether no two rows reference the same row of the target.
  var isUnique: Bool
  /// Whether another foreign key has the same columns, so that they cannot be given the key of a clone of this target.
  var isContested = false

  func holds(_ column: String) -> Bool { columns.contains { $0.sqlName == column.sqlName } }

  var columnNames: Set<String> { Set(columns.map(\.sqlName)) }

  static func == (a: Self, b: Self) -> Bool {
    a.table == b.table && a.target == b.target && a.columns.map(\.sqlName) == b.columns.map(\.sqlName)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(table)
    hasher.combine(target)
    hasher.combine(columns.map(\.sqlName))
  }
}

/// The foreign keys of a database that become relationships, and for each other foreign key the reason why it is left out.
struct TableReferences {
  private(set) var all: [TableReference] = []
  /// The sentences about the foreign keys that the model leaves out, by table.
  private(set) var leftOut: [String: [String]] = [:]
  private var byTable: [String: [TableReference]] = [:]
  private var byTarget: [String: [TableReference]] = [:]

  /// - Parameter refused: the references that no model of the database can have.
  init(_ contents: DatabaseContents, refused: Set<TableReference> = []) {
    for table in contents.tables {
      let places = Dictionary(
        table.schema.columns.enumerated().map { ($1.name.sqlName, $0) }, uniquingKeysWith: { $1 })
      // SQLite lists the last one first.
      let declared = table.schema.foreignKeys.reversed().sorted {
        $0.columns.map { places[$0.sqlName] ?? 0 }.lexicographicallyPrecedes(
          $1.columns.map { places[$0.sqlName] ?? 0 })
      }
      for key in declared { add(key, of: table, contents: contents, refused: refused) }
    }
    byTable = Dictionary(grouping: all, by: \.table)
    byTarget = Dictionary(grouping: all, by: \.target)
  }

  func of(_ table: String) -> [TableReference] { byTable[table] ?? [] }

  func to(_ table: String) -> [TableReference] { byTarget[table] ?? [] }

  /// Whether a column of a table belongs to a reference.
  func hold(_ column: String, of table: DatabaseTable) -> Bool {
    of(table.id).contains { $0.holds(column) }
  }

  /// Whether a reference gives a column of a table its value. A reference that leads back does not give the row its key.
  func give(_ column: String, of table: DatabaseTable) -> Bool {
    of(table.id).contains { $0.holds(column) && !(table.isInKey(column) && leadsBack($0, of: table)) }
  }

  /// Whether a reference contains the whole key of its own row because the referenced row belongs to this row: a page
  /// that references the current one of its own revisions.
  func leadsBack(_ reference: TableReference, of table: DatabaseTable) -> Bool {
    let shared = zip(reference.columns, reference.references).filter { table.isInKey($0.0) }
    guard shared.count == table.key.count, reference.columns.count > shared.count else { return false }
    return of(reference.target).contains { back in
      back.target == table.id
        && shared.allSatisfy { column, other in
          zip(back.columns, back.references).contains {
            $0.sqlName == other.sqlName && $1.sqlName == column.sqlName
          }
        }
    }
  }

  private mutating func add(
    _ declared: ForeignKeySchema, of table: DatabaseTable, contents: DatabaseContents,
    refused: Set<TableReference>
  ) {
    let columns = declared.columns.map { "'\($0)'" }.joined(separator: ", ")
    func leaveOut(_ reason: String) {
      leftOut[table.id, default: []].append("The foreign key on \(columns) is left out: \(reason).")
    }
    guard let target = contents[declared.table] else {
      if contents.listing.partitions.contains(declared.table.sqlName) {
        return leaveOut(
          "'\(declared.table)' is a partition, and the model has no partitions, only the table that they divide"
        )
      }
      // A server has every table that a foreign key references, though it may be one of another schema.
      let exists = contents.schema.dialect.hasTypes || contents.schema[declared.table] != nil
      return leaveOut(
        exists ? "the model does not have '\(declared.table)'" : "there is no table '\(declared.table)'")
    }
    let references = declared.references.isEmpty ? target.schema.primaryKey : declared.references
    guard references.count == declared.columns.count,
      target.schema.uniqueColumns.contains(where: { $0.names == references.names })
    else {
      return leaveOut("what it references in '\(declared.table)' is not unique, so SQLite cannot enforce it")
    }
    if let first = all.firstIndex(where: { $0.table == table.id && $0.columnNames == declared.columns.names })
    {
      all[first].isContested = true
      return leaveOut("the same columns reference '\(all[first].target)', too")
    }
    let reference = reference(
      declared.columns, of: table, to: target, references: references, onDelete: declared.onDelete)
    if refused.contains(reference) {
      let mixed = contents.schema.dialect.hasTypes ? nil : references.first(where: target.holdsSeveralKinds)
      return leaveOut(
        mixed.map { "rows hold values of several kinds in '\($0)', which it references" }
          ?? "a model cannot have it beside the others")
    }
    all.append(reference)
  }

  private func reference(
    _ columns: [String], of table: DatabaseTable, to target: DatabaseTable, references: [String],
    onDelete: String
  ) -> TableReference {
    let referencesKey = references.names == target.key.names
    let order =
      referencesKey
      ? target.key.compactMap { key in references.firstIndex { $0.sqlName == key.sqlName } }
      : Array(columns.indices)
    let free = columns.filter { !table.isInKey($0) }
    let names = columns.names
    return TableReference(
      table: table.id, target: target.id, columns: order.map { columns[$0] },
      references: order.map { references[$0] }, onDelete: onDelete, referencesKey: referencesKey,
      isOptional: free.contains { table.schema.column($0)?.mayBeEmpty == true },
      isUnique: table.schema.uniqueColumns.contains { $0.names.isSubset(of: names) }
        || table.schema.indexes.contains { $0.keepsApart(names) })
  }
}

extension ColumnSchema {
  /// Whether rows may have no value. A column that is computed from no other column is the same in all rows.
  fileprivate var mayBeEmpty: Bool { !isRequired && !(isGenerated && inputs.isEmpty) }
}

extension IndexSchema {
  /// Whether no two rows have the same values in some columns. Rows without a value may be left out of the index.
  fileprivate func keepsApart(_ names: Set<String>) -> Bool {
    isUnique && isOfAllValues && columns.allSatisfy { $0.name.map { names.contains($0.sqlName) } ?? false }
  }
}

extension Sequence<String> {
  /// The names as SQL compares them.
  var names: Set<String> { Set(map(\.sqlName)) }
}
