import MOCloneModel

// Many-to-many relationships that are their own inverse, such as friends: Core Data writes a join row for each direction, so
// what a run does to one of them is done to the other.
extension CoreDataUpkeep {
  private static let pairs = "moclone_core_data_pairs"

  private var mutualJoins: [(place: Int, join: TableJoin)] {
    store.joins.enumerated().filter { $1.isMutual }.map { ($0, $1) }
  }

  var beginPairs: [String] {
    if mutualJoins.isEmpty { return [] }
    return [
      "\(dialect.createTemporaryTable) \(dialect.name(Self.pairs))"
        + "(j INTEGER, a INTEGER, b INTEGER, kind INTEGER, PRIMARY KEY (j, a, b))\(dialect.orderedTable)",
      "DELETE FROM \(dialect.temporary(Self.pairs))",
    ]
  }

  /// The statements of a trigger that note what became of a join row.
  func notePair(of join: TableJoin, _ place: Int, row: String) -> [String] {
    guard join.isMutual else { return [] }
    let pairs = dialect.name(Self.pairs)
    let (a, b) = (
      row + "." + dialect.name(join.mapping.columns[0]),
      row + "." + dialect.name(join.mapping.destinationColumns[0])
    )
    let kind: Kind = row == "NEW" ? .inserted : .deleted
    return [
      "DELETE FROM \(pairs) WHERE j = \(place) AND a = \(a) AND b = \(b)",
      "INSERT INTO \(pairs) SELECT \(place), \(a), \(b), \(kind.rawValue)",
    ]
  }

  /// The statements that delete and insert the rows of the other direction, after each change; where one row is deleted and
  /// the other inserted, both stand in the end.
  package var mirrorPairs: [String] {
    let statements = mutualJoins.flatMap(mirrors)
    return statements.isEmpty ? [] : statements + ["DELETE FROM \(dialect.temporary(Self.pairs))"]
  }

  private func mirrors(_ place: Int, join: TableJoin) -> [String] {
    let (a, b) = (dialect.name(join.mapping.columns[0]), dialect.name(join.mapping.destinationColumns[0]))
    let table = dialect.table(join.mapping.table)
    func isNoted(_ kind: Kind, first: String, second: String) -> Condition {
      let row = "n.j = \(place) AND n.kind = \(kind.rawValue) AND n.a = t.\(first) AND n.b = t.\(second)"
      return .exists(in: From("\(dialect.temporary(Self.pairs)) n"), where: .sql(row), dialect)
    }
    /// The row of the other direction.
    func other(_ column: String) -> Select {
      Select([column], from: From("\(table) o")).where(.sql("o.\(a) = t.\(b) AND o.\(b) = t.\(a)"))
    }
    let orders = positions(of: join)
    let columns = [a, b] + (orders.map { [$0.own, $0.other] } ?? [])
    let mirrored = [b, a] + (orders.map { [$0.other, $0.own] } ?? [])
    let missing = Select(mirrored.map { "t." + $0 }, from: From("\(table) t"))
      .where(isNoted(.inserted, first: a, second: b) && !.exists(other("1"), dialect))
    // The position in the list of the second object is that which the other row has for it.
    let pairs = "FROM \(dialect.temporary(Self.pairs)) n WHERE n.j = \(place)"
    let settle = orders.map { orders in
      Update("\(table) AS t", assignments: [(orders.other, "(\(other("o." + orders.own).text(dialect)))")])
        .where(.sql("(t.\(a), t.\(b)) IN (SELECT n.a, n.b \(pairs) UNION ALL SELECT n.b, n.a \(pairs))"))
        .text(dialect)
    }
    return [
      Delete(table + " AS t").where(
        isNoted(.deleted, first: b, second: a) && !isNoted(.inserted, first: a, second: b)
      ).text,
      Insert(into: table, columns, rows: missing.text(dialect)).text(dialect),
    ] + [settle].compactMap { $0 }
  }

  /// The columns of an ordered one with the positions in the list of the first object and in that of the second.
  private func positions(of join: TableJoin) -> (own: String, other: String)? {
    guard let own = join.mapping.orderColumn, let other = join.mapping.inverseOrderColumn else { return nil }
    return (dialect.name(own), dialect.name(other))
  }
}

extension TableJoin {
  /// Whether both of its columns hold objects of one relationship, which is its own inverse.
  var isMutual: Bool {
    relationship.isToMany && inverse == nil
      && (mapping.columns + mapping.destinationColumns).contains {
        $0.sqlName == CoreDataMapping.mutualColumn.sqlName
      }
  }
}
