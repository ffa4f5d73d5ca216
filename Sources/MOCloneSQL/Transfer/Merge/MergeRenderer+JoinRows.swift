import MOCloneEngine
import MOCloneModel

/// Join tables.
extension MergeRenderer {
  /// The end of a join table that refers to rows of this table.
  package struct End {
    package let mapping: JoinTableMapping
    package let merge: MergeRenderer

    package var move: [String] { merge.moveJoinRows(mapping) }
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
  private func moveJoinRows(_ join: JoinTableMapping) -> [String] {
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
    return moved.setUp + [find, drop.text, move.text(dialect)] + takePlaces(join, of: moved) + [moved.clear]
  }

  /// Gives pairs that were there the places of those that are dropped for them, where these stand before in the list at the
  /// other end.
  private func takePlaces(_ join: JoinTableMapping, of moved: TemporaryTable) -> [String] {
    let schema = layout.schema[join.table]!
    guard let order = join.inverseOrderColumn, !schema.isGenerated(order) else { return [] }
    // The ends that a pair has after the merge, as they are noted.
    let pair = join.columns.indices.map { "c\($0)" } + join.destinationColumns.indices.map { "b\($0)" }
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

/// Values of join rows in columns that the model does not name.
extension MergeRenderer {
  /// What counts the rows of a join table whose values the row that joins the same objects in the end does not hold.
  package struct LostPairs {
    package let table: String
    /// The columns that the model does not name.
    package let unnamed: [String]
    /// Notes the rows of what goes, before any is changed.
    package let note: [String]
    /// Counts them, once all have moved.
    package let count: String
    package let clear: String
  }

  /// One for each join table that has such columns and refers to what is merged.
  package static func lostPairs(_ dedupe: DedupeRenderer, merged: Set<Int>) -> [LostPairs] {
    let layout = dedupe.layout
    return layout.joins.enumerated().compactMap { number, join -> LostPairs? in
      let ends = join.ends.map { end in
        End(
          mapping: end.mapping,
          merge: MergeRenderer(dedupe, table: layout.table(of: end.entity), merged: merged))
      }
      let isMerged = ends.contains { merged.contains($0.merge.table.index) }
      return isMerged ? lostPairs(ends, number: number) : nil
    }
  }

  /// - Parameter ends: both ends of a join table; nil where the model names all of its columns.
  private static func lostPairs(_ ends: [End], number: Int) -> LostPairs? {
    let (join, layout, dialect) = (ends[0].mapping, ends[0].merge.layout, ends[0].merge.dialect)
    let schema = layout.schema[join.table]!
    let unnamed = schema.unmappedColumns(layout.mapping).map(\.name)
      .filter { name in !schema.isRowid(name) && !schema.primaryKey.contains { $0.sqlName == name.sqlName } }
    guard !unnamed.isEmpty else { return nil }
    let columns = join.columns + join.destinationColumns
    let (old, new) = (columns.indices.map { "o\($0)" }, columns.indices.map { "n\($0)" })
    let values = unnamed.indices.map { "u\($0)" }
    // As texts, by which the values are compared.
    let definitions: [String] =
      zip(old + new, columns + columns).map { dialect.definition($0, as: schema.column($1)!) }
      + values.map { dialect.hasTypes ? $0 + " text" : $0 }
    let noted = TemporaryTable(
      "lost_\(number)", columns: definitions + ["UNIQUE (\(old.list))"], dialect: dialect)
    let selected =
      dialect.columns("j", columns) + ends.flatMap { $0.merge.settledEnd($0.mapping) }
      + dialect.columns("j", unnamed).map { dialect.cast($0, "text") }
    let note = ends.filter { $0.merge.merged.contains($0.merge.table.index) }.map { end in
      let rows = end.merge.losers(end.mapping, way: end.merge.way(end.mapping.references))
      return noted.insert(old + new + values, Select(selected, from: rows), conflict: .skip)
    }
    let stays = From.Join.ordered(
      "\(dialect.table(join.table)) z", on: .equal(dialect.columns("z", columns), new.map { "v." + $0 }))
    let isLost = zip(unnamed, values).map { name, value in
      Condition.isNotNull("v." + value)
        && dialect.differentBytes("v." + value, b: dialect.column("z", name), column: nil)
    }
    let count = Select(["count(*)"], from: noted.rows("v") + [stays]).where(isLost.any)
    return LostPairs(
      table: join.table, unnamed: unnamed, note: noted.setUp + note, count: count.text(dialect),
      clear: noted.clear)
  }

  /// What a pair `j` holds at this end once that is merged.
  private func settledEnd(_ join: JoinTableMapping) -> [String] {
    let own = dialect.columns("j", join.columns)
    guard merged.contains(table.index) else { return own }
    let way = way(join.references)
    return zip(way.new, own).map { new, old in
      let settled = Select([new], from: way.lookup).where(.equal(way.old, own))
      return "coalesce((\(settled.text(dialect))), \(old))"
    }
  }
}
