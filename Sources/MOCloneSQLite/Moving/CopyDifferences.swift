import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// What objects of the source hold that those of the other store, which were found for them, do not.
struct CopyDifferences {
  private let layout: CopyLayout
  private let states: [CopyState]
  private let modified: ModifiedRule
  private var keys: CopyKeys { CopyKeys(layout: layout, states: states) }

  init(_ layout: CopyLayout, _ states: [CopyState], _ modified: ModifiedRule) {
    self.layout = layout
    self.states = states
    self.modified = modified
  }

  /// A value of a row `s` of the source, and of the row `t` that is its counterpart.
  private struct Pair {
    var name: String
    var source: String
    var target: String
    /// Where it can be filled.
    var column: String?
  }

  // MARK: Listing

  /// `Author 1: born`, so many of each table.
  func all(_ statements: StatementRunner) throws -> [String] {
    try layout.tables.filter { states[$0.index].hasMoved || $0.newKey == .parts }.flatMap { table in
      let pairs = attributes(table) + unnamed(table) + references(table)
      guard !pairs.isEmpty else { return [String]() }
      let differ = pairs.map { "(\($0.source) IS NOT NULL AND \($0.source) IS NOT \($0.target))" }
      let found = CopyWrites(layout, states).foundPairs(table)
        .and("(" + differ.joined(separator: " OR ") + ")").sql
      return try statements.objects(table, "SELECT \(SQL.list(table.key("s") + differ)) \(found)").map {
        object, row in
        let names = pairs.indices.filter { (row[table.map.key.count + $0] as Int) == 1 }.map {
          pairs[$0].name
        }
        return "\(object): \(names.joined(separator: ", "))"
      }
    }
  }

  private func attributes(_ table: CopyTable) -> [Pair] {
    let unique = Set(table.target.uniqueColumns.joined().map(\.sqlName))
    var seen: Set<String> = []
    return table.entities.flatMap { layout.rules.compared(of: $0, modified) }.compactMap { attribute in
      guard let column = layout.mapping[attribute.entity].attributes[attribute.name],
        column.keyPart == nil || table.newKey == .kept, seen.insert(column.column.sqlName).inserted,
        let stored = table.target.column(column.column), !stored.isGenerated
      else { return nil }
      let isFilled =
        column.keyPart == nil && !stored.isRequired && !layout.rules.isUnique(attribute)
        && !unique.contains(column.column.sqlName)
      return pair(attribute.name, column.column, isFilled: isFilled)
    }
  }

  /// Columns that only the stores know.
  private func unnamed(_ table: CopyTable) -> [Pair] {
    let unique = Set(table.target.uniqueColumns.joined().map(\.sqlName))
    return SharedColumns(table.source, table.target, layout.model, layout.mapping).names.map { name in
      pair(
        name, name,
        isFilled: table.target.column(name)?.isRequired != true && !unique.contains(name.sqlName))
    }
  }

  private func pair(_ name: String, _ column: String, isFilled: Bool) -> Pair {
    Pair(
      name: name, source: SQL.column("s", column), target: SQL.column("t", column),
      column: isFilled ? column : nil)
  }

  /// References to objects that something identifies: others are made anew, so nobody can say which they are.
  private func references(_ table: CopyTable) -> [Pair] {
    layout.references(in: table).filter { reference in
      reference.isFormed
        && layout.groups(in: layout.tables[reference.destination]).allSatisfy { $0.identity != nil }
    }.flatMap { reference in
      zip(reference.key.columns, keys.reference(reference, "s")).map { column, new in
        Pair(name: reference.relationship.name, source: new, target: SQL.column("t", column), column: nil)
      }
    }
  }

  // MARK: Filling

  /// Fills nulls of the objects that were there, and counts these by what marks their entity; nil where nothing can be
  /// filled.
  func fill(
    _ table: CopyTable, modified: (column: String, value: String)?
  ) -> (count: String, update: String)? {
    let pairs = (attributes(table) + unnamed(table)).filter { $0.column != nil }
    guard !pairs.isEmpty else { return nil }
    let columns =
      table.new("m").enumerated().map { "\($1) AS k\($0)" }
      + pairs.enumerated().map { "\($1.source) AS v\($0)" }
    let x = "SELECT \(SQL.list(columns)) \(CopyWrites(layout, states).foundRows(table).sql)"
    var assignments = pairs.enumerated().map { "\(SQL.name($1.column!)) = coalesce(\($1.target), x.v\($0))" }
    if let modified { assignments.append("\(SQL.name(modified.column)) = \(modified.value)") }
    let lacks = pairs.enumerated().map { "(\($1.target) IS NULL AND x.v\($0) IS NOT NULL)" }
    let which =
      SQL.equal(table.key("t"), table.map.key.indices.map { "x.k\($0)" })
      + " AND (\(lacks.joined(separator: " OR ")))"
    let kind = table.discriminator.map { SQL.column("t", $0) } ?? "NULL"
    return (
      "SELECT \(kind), count(*) FROM (\(x)) x CROSS JOIN \(table.targetName) t ON \(which) GROUP BY 1",
      "UPDATE \(table.targetName) AS t SET \(SQL.list(assignments)) FROM (\(x)) x WHERE \(which)"
    )
  }
}
