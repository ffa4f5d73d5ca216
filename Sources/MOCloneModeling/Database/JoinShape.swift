import MOCloneModel
import MOCloneSQL

/// A table whose rows are nothing but pairs of keys.
struct JoinShape {
  var table: DatabaseTable
  /// The references of its two ends.
  var ends: [TableReference]
  /// The position in the list of one end's object, and which end that is.
  var order: (column: String, end: Int)?
}

/// Tells join tables from tables of objects.
struct JoinShapes {
  let db: any SQLConnection
  let contents: DatabaseContents
  let references: TableReferences

  /// The join tables by name.
  func all() throws -> [String: JoinShape] {
    var shapes: [String: JoinShape] = [:]
    for table in contents.tables {
      if let shape = try shape(of: table) { shapes[table.id] = shape }
    }
    // What a join table references has to be an object.
    return shapes.filter { _, shape in shape.ends.allSatisfy { shapes[$0.target] == nil } }
  }

  private func shape(of table: DatabaseTable) throws -> JoinShape? {
    let ends = references.of(table.id)
    let columns = ends.map(\.columns).joined().names
    guard ends.count == 2, ends.count == table.schema.foreignKeys.count, references.to(table.id).isEmpty,
      ends.allSatisfy(\.referencesKey), areApart(ends), arePlain(columns, in: table)
    else { return nil }
    let isPaired = table.schema.uniqueColumns.contains { $0.names.isSubset(of: columns) }
    let isOneToOne = ends.contains { end in
      table.schema.uniqueColumns.contains { $0.names.isSubset(of: end.columnNames) }
    }
    guard !isOneToOne, try isPaired || !repeats(table, columns: columns) else { return nil }
    let others = table.schema.columns.filter {
      !columns.contains($0.name.sqlName) && table.schema.rowidColumn?.sqlName != $0.name.sqlName
    }
    if others.isEmpty { return JoinShape(table: table, ends: ends) }
    guard others.count == 1, Self.positions.contains(others[0].name.sqlName), !others[0].isGenerated,
      let end = try orderedEnd(by: others[0].name, in: table, ends)
    else { return nil }
    return JoinShape(table: table, ends: ends, order: (others[0].name, end))
  }

  /// Each end has a column of its own.
  private func areApart(_ ends: [TableReference]) -> Bool {
    let shared = ends[0].columnNames.intersection(ends[1].columnNames)
    return ends.allSatisfy { !shared.isSuperset(of: $0.columnNames) }
  }

  /// Whether every row has both ends, and nothing computes them.
  private func arePlain(_ columns: Set<String>, in table: DatabaseTable) -> Bool {
    table.schema.columns.filter { columns.contains($0.name.sqlName) }.allSatisfy { column in
      !column.isGenerated && (column.isRequired || !table.values(of: column.name).hasNull)
        && table.schema.rowidColumn?.sqlName != column.name.sqlName
    }
  }

  private func repeats(_ table: DatabaseTable, columns: Set<String>) throws -> Bool {
    let names = table.schema.columns.map(\.name).filter { columns.contains($0.sqlName) }
    return try table.hasRows(1) && TableSurvey(db: db, table: table.schema).repeats(names)
  }

  // MARK: Order

  /// The names of columns for the place of a row among others.
  static let positions: Set<String> = [
    "position", "pos", "sort", "sort_order", "sortorder", "sort_index", "order", "ord", "ordinal", "seq",
    "sequence", "rank", "idx", "index", "list_order", "display_order", "order_index", "item_order",
  ]

  /// The end whose objects have lists that the column numbers without gaps.
  private func orderedEnd(by column: String, in table: DatabaseTable, _ ends: [TableReference]) throws -> Int?
  {
    guard table.values(of: column).classes == ["integer"], !table.values(of: column).hasNull else {
      return nil
    }
    let survey = TableSurvey(db: db, table: table.schema)
    let fitting = try ends.indices.filter {
      try survey.numbers(column, within: ends[$0].columns, from: 0...1)
    }
    return fitting.count == 1 ? fitting[0] : nil
  }
}
