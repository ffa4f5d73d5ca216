import MOCloneEngine
import MOCloneModel

/// Join tables.
extension MergeRenderer {
  /// The end of a join table that refers to rows of this table.
  package struct End {
    package let mapping: JoinTableMapping
    package let merge: MergeRenderer

    package var move: [String] { merge.movePairs(mapping) }
    package var countLeft: String { merge.countPairs(mapping) }
  }

  /// The ends of join tables that refer to what is merged.
  ///
  /// Of join rows that become one that of the better owner stays: of the one whose relationship is first by name, whose
  /// end comes last, then of the other.
  package static func ends(_ dedupe: DedupeRenderer, merged: Set<Int>) -> [End] {
    let layout = dedupe.layout
    return layout.joins.flatMap { join -> [End] in
      let isFirst = join.inverse.map { join.relationship.qualifiedName <= $0.qualifiedName } ?? true
      return (isFirst ? Array(join.ends.reversed()) : join.ends).compactMap { end in
        let table = layout.table(of: end.entity)
        guard merged.contains(table.index) else { return nil }
        return End(mapping: end.mapping, merge: MergeRenderer(dedupe, table: table, merged: merged))
      }
    }
  }

  /// How many pairs of what goes there are.
  private func countPairs(_ join: JoinTableMapping) -> String {
    Select(["count(*)"], from: losers(join, way: way(join.references))).text(dialect)
  }

  /// The pairs `j` of what goes.
  private func losers(_ join: JoinTableMapping, way: Way) -> From {
    let isLoser = Condition.equal(dialect.columns("j", join.columns), way.old)
    return way.from + [.ordered("\(dialect.table(join.table)) j", on: isLoser)]
  }

  /// Moves join rows from deleted objects to the survivors. A join row that exists already or joins an object with itself
  /// is dropped.
  private func movePairs(_ join: JoinTableMapping) -> [String] {
    let ends = join.columns + join.destinationColumns
    let schema = layout.schema[join.table]!
    let values = join.columns.indices.map { "c\($0)" }
    let moved = TemporaryTable(
      "pairs",
      columns: columns("a", columns: join.columns, of: schema)
        + columns("b", columns: join.destinationColumns, of: schema)
        + columns("c", columns: join.columns, of: schema) + [
          "p \(dialect.types.integer)", "kept \(dialect.types.integer)",
        ]
        + ["UNIQUE (\(names("", join: join).list))"], dialect: dialect)
    let rows = "\(dialect.table(join.table)) AS j"
    func isMoved(_ kept: String) -> Condition {
      let found = Select(names("", join: join), from: From(moved.sql)).where(.equal(["kept"], [kept]))
      return .among(dialect.columns("j", ends), query: found, dialect: dialect)
    }
    let written = zip(join.columns + [join.orderColumn].compactMap { $0 }, values + ["p"])
      .filter { !schema.isGenerated($0.0) }
    let taken = Select(written.map { "v." + $0.1 }, from: moved.rows("v"))
    let assigned = written.map { dialect.name($0.0) }
    let drop = Delete(rows).where(isMoved("0"))
    let move = Update(rows)
      .taking(assigned, from: taken.where(.equal(names("v.", join: join), dialect.columns("j", ends))))
      .where(isMoved("1")).onConflict(layout.schema[join.table]?.conflict ?? .asDeclared)
    let find = moved.insert(
      names("", join: join) + values + ["p", "kept"], found(join), conflict: .skip)
    return moved.setUp + [find, drop.text, move.text(dialect), moved.clear]
  }

  private func columns(_ prefix: String, columns: [String], of table: TableSchema) -> [String] {
    columns.enumerated().map { dialect.definition("\(prefix)\($0)", as: table.column($1)!) }
  }

  private func names(_ alias: String, join: JoinTableMapping) -> [String] {
    join.columns.indices.map { "\(alias)a\($0)" } + join.destinationColumns.indices.map { "\(alias)b\($0)" }
  }

  /// The pairs of what goes with their new end and place, and whether they are kept.
  private func found(_ join: JoinTableMapping) -> Select {
    let way = way(join.references)
    let others = dialect.columns("j", join.destinationColumns)
    var from = losers(join, way: way)
    var isRefused = isThere(join, new: way.new, others: others)
    if let survivor = survivor(join) {
      isRefused = isRefused || .equal(others, survivor.values)
      if survivor.isRow && !way.hasSurvivors { from = from + [table.row("t", of: table.keys("m.n"))] }
    }
    let first = dialect.number(within: way.new + others, by: ["m.rank"])
    let isKept = Condition.equal([first], ["1"]) && !isRefused
    return Select(
      dialect.columns("j", join.columns) + others + way.new + [place(join, new: way.new, others: others)]
        + [isKept.choose("1", else: "0")], from: from)
  }

  /// What a pair of what stays with itself holds at its other end, and whether that lies in the row `t`; nil of tables
  /// whose ends are different entities.
  private func survivor(_ join: JoinTableMapping) -> (values: [String], isRow: Bool)? {
    let isOwn = layout.joins.contains { other in
      other.mapping.table == join.table && other.ends.allSatisfy { layout.table(of: $0.entity) == table }
    }
    guard isOwn else { return nil }
    let other = way(join.destinationReferences)
    return (other.new, other.hasSurvivors)
  }

  private func isThere(_ join: JoinTableMapping, new: [String], others: [String]) -> Condition {
    let isPair = Condition.equal(
      dialect.columns("z", join.columns + join.destinationColumns), new + others)
    return .exists(in: From("\(dialect.table(join.table)) z"), where: isPair, dialect)
  }

  /// Behind what the list of the survivor holds, in the order of the groups.
  private func place(_ join: JoinTableMapping, new: [String], others: [String]) -> String {
    guard let order = join.orderColumn else { return "NULL" }
    let end = dialect.end(
      of: dialect.column("e", order), in: join.table, empty: layout.mapping.positions.start,
      where: .equal(dialect.columns("e", join.columns), new))
    let position = dialect.sorting(position: dialect.column("j", order))
    let rank = dialect.number(within: new, by: ["m.rank", position] + others)
    return "\(end) + \(layout.mapping.positions.distance(rank))"
  }
}
