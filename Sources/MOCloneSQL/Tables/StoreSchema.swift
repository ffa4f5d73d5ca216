import MOCloneModel

/// What a database says of its tables, as a value: SQL is rendered from it without a connection.
package struct StoreSchema: Sendable, Equatable {
  private var tables: [String: TableSchema] = [:]
  /// How the database's SQL is spelled.
  package private(set) var dialect: Dialect
  /// What else has a name that was asked for, by that name: a view, a virtual table.
  private var others: [String: String] = [:]
  private let indexNames: Set<String>
  /// The entities as a Core Data store numbers them.
  package private(set) var coreData: CoreDataEntities?

  package init(_ tables: [TableSchema], others: [String: String], dialect: Dialect) {
    self.dialect = dialect
    self.others = others
    indexNames = Set(tables.flatMap(\.indexes).map(\.name.sqlName))
    for table in tables { self.tables[table.name.sqlName] = table }
  }

  /// The same tables in SQL that is spelled otherwise.
  package func with(_ dialect: Dialect) -> StoreSchema {
    var schema = self
    schema.dialect = dialect
    return schema
  }

  /// Whether a trigger, of whatever table, updates a column.
  package func isUpdatedByTriggers(_ column: String, of table: String) -> Bool {
    tables.values.flatMap(\.triggers).flatMap(\.updates).contains {
      $0.table.sqlName == table.sqlName && $0.columns.contains(column.sqlName)
    }
  }

  package func with(_ coreData: CoreDataEntities) -> StoreSchema {
    var schema = self
    schema.coreData = coreData
    return schema
  }

  /// The schema of a Core Data store, which counts the keys of each table with its root entity.
  package func counting(_ coreData: CoreDataEntities, mapping: CoreDataMapping) -> StoreSchema {
    var schema = with(coreData)
    for (table, number) in mapping.tables {
      schema.tables[table]?.keyCounter =
        "SELECT Z_MAX FROM \(dialect.table(CoreDataMapping.entityTable)) WHERE Z_ENT = \(number)"
    }
    return schema
  }

  /// A table by its name, compared as SQL compares names; nil where there is none.
  package subscript(table: String) -> TableSchema? { tables[table.sqlName] }

  /// What a name represents that is no ordinary table; nil where it is one, or nothing has the name.
  package func otherKind(of name: String) -> String? { others[name.sqlName] }

  package var names: [String] { tables.values.map(\.name).sorted() }

  /// Whether a table or an index of these tables has a name.
  package func hasName(_ name: String) -> Bool {
    let name = name.sqlName
    return tables[name] != nil || indexNames.contains(name)
  }
}

/// One table of a database.
package struct TableSchema: Sendable, Equatable {
  package var name: String
  package let columns: [ColumnSchema]
  /// Where each column is, by its name as SQL compares names.
  private let places: [String: Int]
  /// The column that is SQLite's INTEGER PRIMARY KEY.
  package var rowidColumn: String?
  package var isAutoincrement: Bool
  package var isWithoutRowid: Bool
  /// Whether the table keeps values of other types out.
  package var isStrict: Bool
  package var foreignKeys: [ForeignKeySchema]
  /// In the order of SQLite's list; an INTEGER PRIMARY KEY has none.
  package var indexes: [IndexSchema]
  package var triggers: [TriggerSchema]
  /// Whether the table has triggers, and no ON CONFLICT clause of its own.
  package var leavesConflictsToTriggers: Bool
  /// The columns by which the table is divided into partitions, each of which keeps its own rows apart; nil for an expression.
  package var partitionKey: [String?] = []
  /// Selects the greatest key that the store's owner has counted, where it counts keys itself and SQLite must not.
  package var keyCounter: String?

  package init(
    name: String, columns: [ColumnSchema], rowidColumn: String? = nil, isAutoincrement: Bool,
    isWithoutRowid: Bool, isStrict: Bool, foreignKeys: [ForeignKeySchema], indexes: [IndexSchema],
    triggers: [TriggerSchema], leavesConflictsToTriggers: Bool
  ) {
    self.name = name
    self.columns = columns
    places = Dictionary(columns.enumerated().map { ($1.name.sqlName, $0) }) { first, _ in first }
    self.rowidColumn = rowidColumn
    self.isAutoincrement = isAutoincrement
    self.isWithoutRowid = isWithoutRowid
    self.isStrict = isStrict
    self.foreignKeys = foreignKeys
    self.indexes = indexes
    self.triggers = triggers
    self.leavesConflictsToTriggers = leavesConflictsToTriggers
  }

  /// Whether triggers can remove rows where one is inserted, or store the row under another key.
  package var canLoseNewRows: Bool {
    let insertions = triggers.filter { $0.event == "INSERT" }
    let key = Set(primaryKey.map(\.sqlName))
    return insertions.contains { $0.deletes || !key.isDisjoint(with: $0.assigned + rewritten(by: $0)) }
  }

  /// Whether triggers can change some columns of rows of the table where one is inserted.
  package func rewritesNewRows(_ columns: [String]) -> Bool {
    let names = Set(columns.map(\.sqlName))
    return triggers.filter { $0.event == "INSERT" }.contains { trigger in
      let changed = trigger.assigned + trigger.assignedUnderConditions + rewritten(by: trigger)
      return trigger.isOpaque || !names.isDisjoint(with: changed)
    }
  }

  private func rewritten(by trigger: TriggerSchema) -> [String] {
    trigger.updates.filter { $0.table.sqlName == name.sqlName }.flatMap(\.columns)
  }

  /// How a row is inserted so that a conflict is an error whatever the table says.
  ///
  /// The policy of a statement holds in the triggers that it runs too, in place of their own `INSERT OR IGNORE`. So it
  /// is left out where it makes no difference to the table itself.
  package var conflict: Conflict { leavesConflictsToTriggers ? .asDeclared : .fail }

  /// The columns of each index that keeps every row apart from every other, and of the primary key.
  package var uniqueColumns: [[String]] {
    let whole = indexes.filter { index in
      index.isUnique && index.condition == nil && index.columns.allSatisfy { $0.name != nil }
    }
    return whole.map { $0.columns.compactMap(\.name) } + [rowidColumn].compactMap { $0 }.map { [$0] }
  }

  /// The columns of the primary key; empty where there is none.
  package var primaryKey: [String] {
    if let rowidColumn { return [rowidColumn] }
    return indexes.first(where: \.isPrimaryKey)?.columns.compactMap(\.name) ?? []
  }

  /// The key columns that the table lets be null, as SQLite does where a primary key is no row number.
  package func nullable(_ key: [String]) -> [String] {
    key.filter { !isRowid($0) && !isWithoutRowid && column($0)?.isRequired == false }
  }

  /// What the table declares on some columns, in whatever order; nil where it declares no foreign key there.
  func foreignKey(on columns: [String]) -> ForeignKeySchema? { foreignKeys.first { $0.isOn(columns) } }

  package func column(_ name: String) -> ColumnSchema? {
    places[name.sqlName].map { columns[$0] }
  }

  /// Whether the database computes a column, so that nothing else may write it.
  package func isGenerated(_ column: String) -> Bool { self.column(column)?.isGenerated == true }

  /// Whether a column holds the row's number, by its own name or by SQLite's.
  package func isRowid(_ column: String) -> Bool {
    if let rowidColumn { return rowidColumn.sqlName == column.sqlName }
    return !isWithoutRowid && self.column(column) == nil
      && ["rowid", "_rowid_", "oid"].contains(column.sqlName)
  }

  /// A column of a name, or SQLite's own.
  package func columnOrRowid(_ name: String) -> ColumnSchema { column(name) ?? .rowid(named: name) }

  package func columns(named names: [String]) -> [ColumnSchema] { names.map(columnOrRowid) }
}

package struct ColumnSchema: Sendable, Equatable {
  package var name: String
  /// As declared; empty where nothing is.
  package var type: String
  package var collation: String
  /// Whether it is NOT NULL, or a CHECK says nothing else.
  package var isRequired: Bool
  package var isGenerated: Bool
  package var hasDefault: Bool = false
  /// Whether a CHECK of the table speaks of it.
  package var isChecked = false
  /// The columns that a generated one is computed from.
  package var inputs: [String] = []
  /// The sequence that counts the column's values, as SQL names it, where the database has sequences.
  package var sequence: String?
  /// What else makes the values of a key, as SQL writes it: a default that asks a sequence by an expression or a function.
  package var generator: String?
  /// What gives a new row its value.
  package var next: String? { generator ?? sequence.map { "nextval(\($0))" } }

  package init(
    name: String, type: String, collation: String, isRequired: Bool, isGenerated: Bool,
    hasDefault: Bool = false, inputs: [String] = [], sequence: String? = nil, kind: String? = nil,
    base: String? = nil, limitedBase: String? = nil
  ) {
    self.kind = kind
    self.base = base
    self.limitedBase = limitedBase
    self.sequence = sequence
    self.name = name
    self.type = type
    self.collation = collation
    self.isRequired = isRequired
    self.isGenerated = isGenerated
    self.hasDefault = hasDefault
    self.inputs = inputs
  }

  /// The affinity that stands for the type, in a database that has none.
  package var kind: String?
  /// The type that a domain is made of, or the type itself, as such a database calls it: `int4`.
  package var base: String?
  /// The same with what narrows it, also where that stands in a domain: `numeric(10,2)`.
  package var limitedBase: String?
  /// What the types are made of that the type names, where such a database lets its users make types: two databases can
  /// have different ones of one name.
  package var definition: String?

  package var isNumeric: Bool { ["INTEGER", "REAL", "NUMERIC"].contains(affinity) }

  /// The type without the domains around it, which can refuse the null that stands for what is not known yet.
  package var plainType: String { limitedBase ?? type }

  /// The type without what narrows it, as a length or a domain does, so that it holds every value of its kind.
  package var openType: String {
    let open = [
      "varchar": "text", "bpchar": "bpchar", "numeric": "numeric", "float4": "double precision",
      "float8": "double precision", "int2": "bigint", "int4": "bigint", "int8": "bigint",
      "timestamp": "timestamp", "timestamptz": "timestamp with time zone", "text": "text", "uuid": "uuid",
      "bool": "boolean", "date": "date", "bytea": "bytea", "name": "text", "char": "text",
      "time": "time without time zone", "timetz": "time with time zone", "interval": "interval",
    ]
    return base.flatMap { open[$0] } ?? plainType
  }

  /// The column that holds every value of an attribute before it is known to fit: a day has no room for a time, nor money
  /// for parts of cents.
  package func opened(for attribute: AttributeColumn?) -> ColumnSchema {
    var column = self
    switch attribute?.type {
    case .date where base == "date":
      (column.base, column.limitedBase) = ("timestamptz", nil)
      column.type = column.openType
    case .string where base == "date", .uri where base == "date":
      (column.base, column.limitedBase) = ("timestamp", nil)
      column.type = column.openType
    // Money is rounded to cents. A string is written as it is, `$1.50`, which is no number.
    case .decimal where base == "money", .double where base == "money", .float where base == "money":
      (column.base, column.limitedBase) = ("numeric", nil)
      column.type = column.openType
    // A number of SQLite has room for fifteen digits, and none for the zeros of a text.
    case .decimal where base == nil && isNumeric, .string where base == nil && isNumeric,
      .uri where base == nil && isNumeric:
      (column.type, column.kind) = ("TEXT", nil)
    // A real number rounds it.
    case .integer64 where base == nil && affinity == "REAL": (column.type, column.kind) = ("INTEGER", nil)
    default: break
    }
    return column
  }

  /// The same for rows that come: a real number of a server rounds a decimal, a whole number or a text before anybody can
  /// see that.
  package func staged(for attribute: AttributeColumn?) -> ColumnSchema {
    var column = opened(for: attribute)
    if [.decimal, .integer32, .integer64, .string, .uri].contains(attribute?.type),
      ["float4", "float8"].contains(base)
    {
      (column.base, column.limitedBase) = ("numeric", nil)
      column.type = column.openType
    }
    return column
  }

  /// The numbers that narrow the type, as in `numeric(10,2)`.
  package var limits: [Int] {
    let type = plainType
    guard let start = type.firstIndex(of: "("), let end = type.lastIndex(of: ")"), start < end else {
      return []
    }
    return type[type.index(after: start)..<end].split(separator: ",").compactMap { Int($0) }
  }

  /// The column's affinity, by the rules of "Datatypes In SQLite", section 3.1.
  package var affinity: String {
    if let kind { return kind }
    let type = type.uppercased()
    if type.contains("INT") { return "INTEGER" }
    if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return "TEXT" }
    if type.isEmpty || type.contains("BLOB") { return "BLOB" }
    if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) { return "REAL" }
    return "NUMERIC"
  }
}

package struct ForeignKeySchema: Sendable, Equatable {
  package var columns: [String]
  package var table: String
  /// Empty represents the primary key.
  package var references: [String]

  package init(
    columns: [String], table: String, references: [String], onDelete: String = "NO ACTION",
    emptied: [String] = [], isDeferrable: Bool = true, name: String? = nil
  ) {
    self.name = name
    self.emptied = emptied
    self.isDeferrable = isDeferrable
    self.columns = columns
    self.table = table
    self.references = references
    self.onDelete = onDelete
  }
  /// What deleting the referenced row does, in upper case, as in `SET NULL`.
  package var onDelete: String
  /// The columns to which that is limited, as in `SET NULL (region)`; empty where it is not.
  package var emptied: [String]
  /// Whether a transaction can have it checked at the end.
  package var isDeferrable: Bool
  /// The name by which the database says what it refuses; nil where it says none.
  package var name: String?

  /// Whether it lies in some columns, in whatever order.
  func isOn(_ columns: [String]) -> Bool {
    Set(self.columns.map(\.sqlName)) == Set(columns.map(\.sqlName))
  }

  /// Whether it leads from some columns to others, in whatever order.
  ///
  /// - Parameter referenced: the columns that it references, in step with its own.
  func leads(from columns: [String], to others: [String], by referenced: [String]) -> Bool {
    Set(zip(self.columns, referenced).map { [$0.sqlName, $1.sqlName] })
      == Set(zip(columns, others).map { [$0.sqlName, $1.sqlName] })
  }

  /// The columns that it references in its table.
  func references(in table: TableSchema) -> [String] { references.isEmpty ? table.primaryKey : references }

  /// The columns that it references, in step with its own; nil where the table is not known or has no such key.
  package func referenced(in schema: StoreSchema) -> [String]? {
    let referenced = references.isEmpty ? schema[table]?.primaryKey : references
    return referenced?.count == columns.count ? referenced : nil
  }
}

package struct TriggerSchema: Sendable, Equatable {
  package var name: String
  /// `INSERT`, `UPDATE` or `DELETE`.
  package var event: String
  /// What its body updates.
  package var updates: [TriggerUpdate]
  /// Whether its body removes rows.
  package var deletes: Bool

  /// The columns of the new row that its body sets, whatever they held.
  package var assigned: [String]
  /// Those that its body sets in some cases only.
  package var assignedUnderConditions: [String] = []
  /// What its body makes of columns of the new row.
  package var formulas: [TriggerFormula] = []
  /// Whether it may do more than its body says, by other functions or by statements that it builds.
  package var isOpaque = false
  /// Whether it runs before a row is there, or in place of its statement, and not after all rows of the statement.
  package var isEarly = true
  /// What SET CONSTRAINTS calls it, where it waits until the end of the transaction.
  package var deferredName: String?

  package init(name: String, event: String, _ body: TriggerBody) {
    self.name = name
    self.event = event
    updates = body.updates
    deletes = body.deletes
    assigned = body.assigned
    assignedUnderConditions = body.assignedUnderConditions
    formulas = body.formulas
  }
}
