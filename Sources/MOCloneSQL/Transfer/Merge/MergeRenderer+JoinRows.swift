import MOCloneEngine
import MOCloneModel

/// Join tables.
extension MergeRenderer {
  /// The end of a join table that refers to rows of this table.
  package struct End {
    package let mapping: JoinTableMapping
    package let merge: MergeRenderer

    package var joinRows: MovedJoinRows { merge.joinRows(of: mapping) }
    package var countLeft: String { merge.countPairs(mapping) }
  }

  /// What moves the pairs of one end.
  package struct MovedJoinRows {
    /// The statements that note them, before any is changed.
    package let find: [String]
    /// The columns that the model does not name.
    package let unnamed: [String]
    /// Counts the pairs whose values in these columns go with them; nil where there are none.
    package let countLost: String?
    package let move: [String]
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
  private func joinRows(of join: JoinTableMapping) -> MovedJoinRows {
    let ends = join.columns + join.destinationColumns
    let schema = layout.schema[join.table]!
    let values = join.columns.indices.map { "c\($0)" }
    var noted = values + ["p", "kept"]
    var definitions =
      columns("a", columns: join.columns, of: schema)
      + columns("b", columns: join.destinationColumns, of: schema)
      + columns("c", columns: join.columns, of: schema)
    definitions += ["p", "kept"].map { "\($0) \(dialect.types.integer)" }
    if let order = join.inverseOrderColumn {
      noted.append("q")
      definitions.append(dialect.definition("q", as: schema.column(order)!))
    }
    definitions.append("UNIQUE (\(names("", join: join).list))")
    let moved = TemporaryTable("pairs", columns: definitions, dialect: dialect)
    let rows = "\(dialect.table(join.table)) AS j"
    func isMoved(_ kept: Condition) -> Condition {
      let found = Select(names("", join: join), from: From(moved.sql)).where(kept)
      return .among(dialect.columns("j", ends), query: found, dialect: dialect)
    }
    var written = Array(zip(join.columns, values))
    if let order = join.orderColumn { written.append((order, "p")) }
    if let order = join.inverseOrderColumn { written.append((order, "q")) }
    written.removeAll { schema.isGenerated($0.0) }
    let taken = Select(written.map { "v." + $0.1 }, from: moved.rows("v"))
    let assigned = written.map { dialect.name($0.0) }
    let drop = Delete(rows).where(isMoved(.sql("kept < 1")))
    let move = Update(rows)
      .taking(assigned, from: taken.where(.equal(names("v.", join: join), dialect.columns("j", ends))))
      .where(isMoved(.sql("kept = 1"))).onConflict(schema.conflict)
    let find = moved.insert(names("", join: join) + noted, found(join), conflict: .skip)
    let unnamed = schema.unmappedColumns(layout.mapping).map(\.name)
      .filter { name in !schema.isRowid(name) && !schema.primaryKey.contains { $0.sqlName == name.sqlName } }
    let index = unnamed.isEmpty ? [] : [moved.index(pair(join))]
    return MovedJoinRows(
      find: moved.setUp + [find] + index, unnamed: unnamed,
      countLost: unnamed.isEmpty ? nil : countLost(unnamed, of: join, in: moved),
      move: [drop.text, move.text(dialect)] + takePlaces(join, of: moved) + [moved.clear])
  }

  /// The ends that a pair has after the merge, as they are noted.
  private func pair(_ join: JoinTableMapping) -> [String] {
    join.columns.indices.map { "c\($0)" } + join.destinationColumns.indices.map { "b\($0)" }
  }

  /// Counts the pairs `j` that are dropped for another one and hold in some columns what that one, `z`, does not.
  private func countLost(_ columns: [String], of join: JoinTableMapping, in moved: TemporaryTable) -> String {
    let rows = dialect.table(join.table)
    let ends = join.columns + join.destinationColumns
    let pair = pair(join)
    func row(_ alias: String, notedBy note: String) -> From.Join {
      .ordered("\(rows) \(alias)", on: .equal(dialect.columns(alias, ends), names("\(note).", join: join)))
    }
    let noted = pair.map { "v." + $0 }
    let isMoved = Condition.equal(pair.map { "w." + $0 }, noted) && .sql("w.kept = 1")
    let exists = Condition.equal(dialect.columns("z", ends), noted)
    let lost = columns.map { name -> Condition in
      let value = dialect.column("j", name)
      let isSame = !dialect.differentBytes(value, b: dialect.column("z", name), column: nil)
      return .isNotNull(value)
        && !Condition.exists(in: From("\(rows) z"), where: exists && isSame, dialect)
        && !Condition.exists(
          in: moved.rows("w") + [row("z", notedBy: "w")], where: isMoved && isSame, dialect)
    }
    return Select(["count(*)"], from: moved.rows("v") + [row("j", notedBy: "v")])
      .where(.sql("v.kept = 0") && lost.any).text(dialect)
  }

  /// Gives pairs that were there the places of those that are dropped for them, where these stand before in the list at the
  /// other end.
  private func takePlaces(_ join: JoinTableMapping, of moved: TemporaryTable) -> [String] {
    let schema = layout.schema[join.table]!
    guard let order = join.inverseOrderColumn, !schema.isGenerated(order) else { return [] }
    let pair = pair(join)
    let ends = dialect.columns("j", join.columns + join.destinationColumns)
    let dropped = Select(pair, from: From(moved.sql)).where(.sql("kept = 0"))
    let isDouble = Condition.equal(pair.map { "v." + $0 }, ends) && .sql("v.kept = 0")
    let position = dialect.column("j", order)
    // What has no position stands first.
    let isBefore = Condition.isNull("v.q") || .sql("v.q < \(position)")
    let place = Select(["v.q"], from: moved.rows("v")).where(isDouble).limited(to: 1)
    let update = Update("\(dialect.table(join.table)) AS j").taking([dialect.name(order)], from: place)
      .where(.among(ends, query: dropped, dialect: dialect))
      .where(.exists(in: moved.rows("v"), where: isDouble && isBefore, dialect)).onConflict(schema.conflict)
    return [moved.index(pair), update.text(dialect)]
  }

  private func columns(_ prefix: String, columns: [String], of table: TableSchema) -> [String] {
    columns.enumerated().map { dialect.definition("\(prefix)\($0)", as: table.column($1)!) }
  }

  private func names(_ alias: String, join: JoinTableMapping) -> [String] {
    join.columns.indices.map { "\(alias)a\($0)" } + join.destinationColumns.indices.map { "\(alias)b\($0)" }
  }

  /// The pairs of what goes with their new end and place, and whether they are kept: 1, or 0 where what stays has the pair
  /// already, or -1 where it would be with itself; and the first place in the list at the other end.
  private func found(_ join: JoinTableMapping) -> Select {
    let way = way(join.references)
    let others = dialect.columns("j", join.destinationColumns)
    var from = losers(join, way: way)
    var isOwn = Condition.never
    if let survivor = survivor(join) {
      isOwn = .equal(others, survivor.values)
      if survivor.isRow && !way.hasSurvivors { from = from + [table.row("t", of: table.keys("m.n"))] }
    }
    let first = dialect.number(within: way.new + others, by: ["m.rank"])
    let isKept = Condition.equal([first], ["1"]) && !exists(join, new: way.new, others: others)
    let kept = isOwn.choose("-1", else: isKept.choose("1", else: "0"))
    let place = [join.inverseOrderColumn].compactMap { $0 }.map { order in
      let position = dialect.column("j", order)
      let all = "PARTITION BY \((way.new + others).list) ORDER BY \(dialect.sorting(position: position))"
      return "first_value(\(position)) OVER (\(all))"
    }
    var columns = dialect.columns("j", join.columns) + others + way.new
    columns += [self.place(join, new: way.new, others: others), kept] + place
    return Select(columns, from: from)
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

  private func exists(_ join: JoinTableMapping, new: [String], others: [String]) -> Condition {
    let isPair = Condition.equal(
      dialect.columns("z", join.columns + join.destinationColumns), new + others)
    return .exists(in: From("\(dialect.table(join.table)) z"), where: isPair, dialect)
  }

  /// Behind what the list of the survivor holds, in the order of the groups.
  private func place(_ join: JoinTableMapping, new: [String], others: [String]) -> String {
    guard let order = join.orderColumn else { return "NULL" }
    let end = dialect.end(
      of: order, in: join.table, empty: layout.mapping.positions.start,
      where: .equal(dialect.columns("e", join.columns), new))
    let position = dialect.sorting(position: dialect.column("j", order))
    let rank = dialect.number(within: new, by: ["m.rank", position] + others)
    return "\(end) + \(layout.mapping.positions.distance(rank))"
  }
}
