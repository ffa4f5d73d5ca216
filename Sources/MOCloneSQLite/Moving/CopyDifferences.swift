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
    /// The form in which equal values are the same, where a store may write one in several ways.
    var canonical: (String) -> String = { $0 }

    var differs: String {
      "(\(source) IS NOT NULL AND \(canonical(source)) IS NOT \(canonical(target)) COLLATE BINARY)"
    }
  }

  // MARK: Listing

  /// `Author 1: born`, so many of each table.
  func all(_ statements: StatementRunner) throws -> [String] {
    let values = try layout.tables.filter { states[$0.index].hasMoved || $0.newKey == .parts }.flatMap {
      table in
      let pairs = attributes(table) + unnamed(table) + references(table)
      guard !pairs.isEmpty else { return [String]() }
      let differ = pairs.map(\.differs)
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
    let lists = layout.tables.flatMap { table in
      layout.references(in: table).compactMap { order(of: $0, table) }
    }
    let counted = try (lists + layout.joins.flatMap(pairs)).compactMap { name, sql -> String? in
      let count = try statements.number(sql)
      return count == 0 ? nil : "\(name): \(count)"
    }
    return values + counted
  }

  // MARK: Lists and pairs

  /// How many members of a list stand there in another order among each other.
  private func order(of reference: CopyReference, _ table: CopyTable) -> (name: String, sql: String)? {
    guard let column = reference.key.orderColumn, reference.isFormed,
      states[table.index].hasMoved || table.newKey == .parts
    else { return nil }
    let owner = SQL.list(reference.key.columns.map { SQL.column("t", $0) })
    let new = keys.reference(reference, "s")
    let rows = CopyWrites(layout, states).foundPairs(table).and(layout.kind(reference, "s"))
      .and(SQL.equal(reference.key.columns.map { SQL.column("t", $0) }, new)).sql
    return (
      "\(reference.relationship.qualifiedName), members in another order",
      reordered(rows, by: owner, SQL.column("s", column), SQL.column("t", column))
    )
  }

  private func reordered(_ rows: String, by owner: String, _ here: String, _ there: String) -> String {
    func place(_ column: String, _ name: String) -> String {
      "row_number() OVER (PARTITION BY \(owner) ORDER BY \(column)) AS \(name)"
    }
    return "SELECT count(*) FROM (SELECT \(place(here, "a")), \(place(there, "b")) \(rows)) WHERE a <> b"
  }

  /// The pairs of objects that were found which the other store lacks, or holds with other values or in another order.
  private func pairs(_ join: CopyJoin) -> [(name: String, sql: String)] {
    let isFound = [join.table, join.destination].allSatisfy {
      states[$0].hasMoved || layout.tables[$0].newKey == .parts
    }
    guard join.isFormed, isFound else { return [] }
    let map = join.mapping
    let ends = [
      (layout.tables[join.table], map.columns), (layout.tables[join.destination], map.destinationColumns),
    ]
    let found = ends.map { table, columns in
      "EXISTS (SELECT 1 FROM \(table.movedName) m WHERE NOT m.is_new AND "
        + "\(SQL.equal(table.old("m"), columns.map { SQL.column("j", $0) })))"
    }
    let new = ends.flatMap { table, columns in keys.moved(table, columns.map { SQL.column("j", $0) }) }
    let tie = SQL.equal((map.columns + map.destinationColumns).map { SQL.column("t", $0) }, new)
    let same = join.unmapped.map { "\(SQL.column("t", $0)) IS \(SQL.column("j", $0)) COLLATE BINARY" }
    let source = SourceRows("\(CopySource.name(join.source.name)) j").and(found)
    let target = SQL.main(join.target.name)
    let lacking = source.and(
      "NOT EXISTS (SELECT 1 FROM \(target) t WHERE \(([tie] + same).joined(separator: " AND ")))")
    let name = join.relationship.qualifiedName
    let both = source.joined("\(target) t", on: tie).sql
    let orders = [(map.orderColumn, map.columns), (map.inverseOrderColumn, map.destinationColumns)]
    return [("\(name), pairs or their values", "SELECT count(*) \(lacking.sql)")]
      + orders.compactMap { column, owner in
        guard let column else { return nil }
        let partition = SQL.list(owner.map { SQL.column("t", $0) })
        return (
          "\(name), pairs in another order",
          reordered(both, by: partition, SQL.column("j", column), SQL.column("t", column))
        )
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
      var pair = pair(attribute.name, column.column, isFilled: isFilled)
      // What was found by another notation is the same.
      if identifies(attribute, table), column.hasNotations { pair.canonical = column.canonical }
      return pair
    }
  }

  private func identifies(_ attribute: AttributeDescription, _ table: CopyTable) -> Bool {
    layout.groups(in: table).contains { group in
      group.identity?.paths.contains { $0.steps.isEmpty && $0.attribute?.name == attribute.name } ?? false
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
