import MOCloneEngine
import MOCloneModel

/// References of the model to what goes.
extension MergeRenderer {
  /// The references to the table's rows, but for those that lead back to their own.
  package var references: [RowReference] { layout.references(to: table).filter { !layout.leadsBack($0) } }

  /// The one-to-one references in the table's rows, but for those that lead back to them.
  package var owners: [RowReference] {
    layout.references(in: table).filter { $0.isOneToOne && !layout.leadsBack($0) }
  }

  /// The rows `x` that refer to what goes, and the referenced values of what stays.
  func referrers(_ reference: RowReference) -> (from: From, new: [String]) {
    let key = reference.key
    let member = layout.table(of: key.entity)
    let way = way(key.references)
    let tie = Condition.equal(dialect.columns("x", key.columns), way.old) && layout.holds(reference, "x")
    if !member.schema.hasIndex(key.columns), !way.hasSurvivors {
      return (member.rows("x") + [.ordered("\(map.sql) m", on: tie)], way.new)
    }
    return (way.from + [.ordered("\(member.sql) x", on: tie)], way.new)
  }

  /// Leads the rows that refer to what goes to what stays.
  package func move(_ reference: RowReference) -> [String] {
    guard !isComputed(reference) else { return [] }
    let member = layout.table(of: reference.entity)
    let columns = reference.key.columns
    let way = way(reference.key.references)
    let isPlain = reference.orderColumn == nil && !reference.isOneToOne && member != table
    if isPlain, !way.hasSurvivors {
      let condition = refers(columns, way: way) && layout.holds(reference, "x")
      let renewals = renewals(of: member, columns, where: condition, way: way)
      return dates.change(member, as: "x", where: condition, renewals: renewals) {
        redirect($0, columns, of: member.schema, way)
      }
    }
    let moves = MovedRows("moves", of: member, to: reference, dialect: dialect)
    let write = moves.write(dates) { new in
      renewals(of: member, columns, where: moves.rows.holds("x"), new: new)
    }
    return moves.rows.setUp + [
      moves.find(reference.isOneToOne ? relatedObjects(reference) : members(reference))
    ]
      + release(reference, for: moves) + write + [moves.rows.clear]
  }

  /// Empties a one-to-one reference in what goes where another row is to hold the same: a unique index takes no two even
  /// for a moment.
  private func release(_ reference: RowReference, for moves: MovedRows) -> [String] {
    let member = layout.table(of: reference.entity)
    let (key, own) = (reference.key.columns, ownColumns(of: reference))
    let canBeEmpty = own.allSatisfy {
      member.schema.column($0)?.isRequired == false && !member.schema.isGenerated($0)
    }
    guard reference.isOneToOne, merged.contains(member.index), !member.isInKey(own), canBeEmpty else {
      return []
    }
    let isTaken = Condition.equal(key.indices.map { "v.c\($0)" }, dialect.columns("x", key))
    let empty = Update("\(member.sql) AS x", assignments: own.map { (dialect.name($0), "NULL") })
      .where(maps[member.index].holds("x") && layout.holds(reference, "x"))
      .where(.exists(in: moves.rows.rows("v"), where: isTaken, dialect))
      .onConflict(member.schema.conflict)
    return [empty.text(dialect)]
  }

  /// Whether the database computes every column of a reference, so that nobody can lead it elsewhere.
  package func isComputed(_ reference: RowReference) -> Bool {
    reference.key.columns.allSatisfy(layout.table(of: reference.entity).schema.isGenerated)
  }

  /// How many rows that stay still refer to what goes, though all were led to what stays.
  package func countUnmoved(_ reference: RowReference) -> String {
    let from = referrers(reference).from
    return Select(["count(*)"], from: from).where(isKept("x", table: layout.table(of: reference.entity)))
      .text(
        dialect)
  }

  /// Counts rows that refer to what goes by values that what stays does not have; nil where they refer to keys.
  package func countLost(_ reference: RowReference) -> String? {
    let rows = "\(layout.table(of: reference.entity).sql) AS x"
    return countLost(reference.key.columns, in: rows, way(reference.key.references))
  }

  /// Selects two owners that what goes and what stays belong to by a one-to-one reference, and that do not become one:
  /// mark and key of each. One of them would lose its one-to-one object.
  package func lostRelatedObjects(_ reference: RowReference) -> String {
    separateOwners(reference, of: pairs(survivor: "t")).limited(to: 1).text(dialect)
  }

  /// The same for two that go, where what stays belongs to nothing and can be filled by one of them only.
  package func lostFills(_ reference: RowReference) -> String {
    let rows =
      map.rows("m") + [
        table.row("s", of: table.keys("m.n")), table.row("l", of: map.key("m")), others(of: table),
        table.row("t", of: map.key("o")),
      ]
    let isFree = Condition.isNull(dialect.column("s", ownColumns(of: reference)[0]))
    return separateOwners(reference, of: rows).where(isFree).limited(to: 1).text(dialect)
  }

  /// The owners `a` and `b` of the rows `l` and `t`, where they do not become one.
  private func separateOwners(_ reference: RowReference, of rows: From) -> Select {
    let owner = layout.table(of: reference.key.destination)
    let owners = [("l", "a"), ("t", "b")].map { member, alias in
      From.Join.ordered(
        "\(owner.sql) \(alias)",
        on: reference.key.leads(from: member, to: alias, in: dialect) && layout.holds(reference, member))
    }
    return separate(owner, in: rows + owners)
  }

  /// Each query selects two one-to-one objects whose owners are merged while they themselves are not: mark and key of
  /// each. The first query compares a deleted owner with the survivor, the second one two deleted owners.
  package func lostMembers(_ reference: RowReference) -> [String] {
    let owner = layout.table(of: reference.key.destination)
    guard merged.contains(owner.index) else { return [] }
    let map = maps[owner.index]
    let others = [
      [owner.row("t", of: owner.keys("m.n"))], [others(of: owner), owner.row("t", of: map.key("o"))],
    ]
    let members = [("l", "a"), ("t", "b")].map { own, alias in
      From.Join.ordered(
        "\(table.sql) \(alias)",
        on: reference.key.leads(from: alias, to: own, in: dialect) && layout.holds(reference, alias))
    }
    return others.map { other in
      let rows = map.rows("m", with: "l") + other + members
      return separate(table, in: rows).limited(to: 1).text(dialect)
    }
  }

  /// Mark and key of the rows `a` and `b` of one table that do not become one.
  private func separate(_ table: TablePlan, in rows: From) -> Select {
    let (settled, maps) = merged.contains(table.index) ? settled(table) : (["a", "b"].map(table.key), [])
    return Select(["a", "b"].flatMap { [table.mark($0)] + table.key($0) }, from: rows + maps)
      .where(!.equal(settled[0], settled[1]))
  }

  /// The keys that the rows `a` and `b` are merged into.
  private func settled(_ table: TablePlan) -> (keys: [[String]], joins: [From.Join]) {
    let map = maps[table.index]
    let keys = ["a", "b"].map { alias in
      zip(table.keys("w\(alias).n"), table.key(alias)).map { "coalesce(\($0), \($1))" }
    }
    let joins = ["a", "b"].map {
      From.Join.left("\(map.sql) w\($0)", on: .equal(map.key("w\($0)"), table.key($0)))
    }
    return (keys, joins)
  }

  /// Each selects two rows that a reference in their key gives one key, but that do not become one: mark and key of each.
  /// The first looks for what refers to what goes and what stays, the other among what refers to what goes.
  package func collisions(_ reference: RowReference) -> [String] {
    let key = reference.key
    let member = layout.table(of: reference.entity)
    // One-to-one objects have been merged.
    guard member.isInKey(key.columns), !reference.isOneToOne else { return [] }
    let (from, new) = referrers(reference)
    let own = Set(key.columns.map(\.sqlName))
    let rest = member.keyColumns.map(\.name).filter { !own.contains($0.sqlName) }
    let parts = key.columns.indices.filter { member.isInKey([key.columns[$0]]) }
    let isAlike = Condition.equal(dialect.columns("z", rest), dialect.columns("x", rest))
    let isTaken = Condition.equal(
      dialect.columns("z", parts.map { key.columns[$0] }), parts.map { new[$0] })
    let isMoved = key.leads(from: "z", to: "p", in: dialect) && layout.holds(reference, "z")
    let others: [(joins: [From.Join], tie: Condition)] = [
      ([], isTaken), ([others(of: table), table.row("p", of: map.key("o"))], isMoved),
    ]
    return others.map { other -> String in
      // A key of which only a part is shared with the reference can stay what it is.
      let isOtherRow = !Condition.equal(member.key("z"), member.key("x"))
      let row = From.Join.ordered("\(member.sql) z", on: other.tie && isAlike && isOtherRow)
      let columns = ["x", "z"].flatMap { [member.mark($0)] + member.key($0) }
      return Select(columns, from: from + other.joins + [row])
        .where(isKept("x", table: member) && isKept("z", table: member)).limited(to: 1).text(dialect)
    }
  }

  func isKept(_ alias: String, table: TablePlan) -> Condition {
    merged.contains(table.index) ? !maps[table.index].has(alias) : .always
  }

  private func members(_ reference: RowReference) -> Select {
    let member = layout.table(of: reference.entity)
    let (from, new) = referrers(reference)
    return Select(
      member.key("x") + led(reference, to: new) + [position(reference, new: new)], from: from)
  }

  /// What the rows `x` are to hold: a reference to one's own double is none to keep.
  private func led(_ reference: RowReference, to new: [String]) -> [String] {
    guard layout.table(of: reference.entity) == table, !reference.isRequired else { return new }
    let isOwn = Condition.equal(table.keys("m.n"), table.key("x"))
    return new.map { isOwn.choose("NULL", else: $0) }
  }

  /// Behind what the list of the survivor holds, in the order of the groups.
  private func position(_ reference: RowReference, new: [String]) -> String {
    guard let order = reference.orderColumn else { return "NULL" }
    let member = layout.table(of: reference.entity)
    let isElement = Condition.equal(dialect.columns("e", reference.key.columns), new)
    let end = dialect.end(
      of: order, in: member.schema.name, empty: layout.mapping.positions.start,
      where: isElement && layout.holds(reference, "e"))
    let position = dialect.sorting(position: dialect.column("x", order), in: member.schema.column(order))
    let rank = dialect.number(within: new, by: ["m.rank", position] + member.key("x"))
    return "\(end) + \(layout.mapping.positions.distance(rank))"
  }

  /// Selects the one-to-one objects that are kept and move to the survivor, which has none. Of those that belong to it anyway
  /// that of the best moves, and the others reference nothing.
  private func relatedObjects(_ reference: RowReference) -> Select {
    let member = layout.table(of: reference.entity)
    let (from, new) = referrers(reference)
    let stays = isKept("x", table: member)
    let values = led(reference, to: new)
    guard layout.leadsToMember(reference.backward) else {
      return Select(member.key("x") + values + ["NULL"], from: from)
        .where(stays && isFree(of: reference, new: new))
    }
    let moves = isBest(of: reference, new: new)
    return Select(member.key("x") + values.map { moves.choose($0, else: "NULL") } + ["NULL"], from: from)
      .where(stays)
  }

  /// Whether what stays has no one-to-one object that is kept.
  private func isFree(of reference: RowReference, new: [String]) -> Condition {
    let member = layout.table(of: reference.entity)
    let isHolder =
      Condition.equal(dialect.columns("z", reference.key.columns), new) && layout.holds(reference, "z")
      && isKept("z", table: member)
    return !Condition.exists(in: member.rows("z"), where: isHolder, dialect)
  }

  /// Whether what stays is free, and no better object moves to it.
  private func isBest(of reference: RowReference, new: [String]) -> Condition {
    isFree(of: reference, new: new) && .equal([dialect.number(within: new, by: ["m.rank"])], ["1"])
  }

  /// Whether, of the owners that become one with that of a row, a better one has a one-to-one object that belongs to what
  /// stays anyway and becomes another row than `s`: only that is to hold the reference.
  func isOutranked(_ reference: RowReference, _ alias: String) -> Condition {
    let (key, owner) = (reference.key, layout.table(of: reference.key.destination))
    guard reference.isOneToOne, layout.leadsToMember(reference.backward), merged.contains(owner.index)
    else { return .never }
    func belongs(_ member: String, to owner: String) -> Condition {
      key.leads(from: member, to: owner, in: dialect) && layout.holds(reference, member)
    }
    let owners = maps[owner.index]
    let rows =
      owner.rows("a") + [.ordered("\(owners.sql) u", on: .equal(owners.key("u"), owner.key("a")))]
    let isBetter = Condition.equal(owner.keys("v.n"), owner.keys("u.n")) && .sql("v.rank < u.rank")
    let better: [[From.Join]] = [
      [owner.row("b", of: owner.keys("u.n"))],
      [.ordered("\(owners.sql) v", on: isBetter), owner.row("b", of: owners.key("v"))],
    ]
    let members: [From.Join] = [
      .ordered("\(table.sql) z", on: belongs("z", to: "b")),
      .left("\(map.sql) y", on: .equal(map.key("y"), table.key("z"))),
    ]
    let settled = zip(table.keys("y.n"), table.key("z")).map { "coalesce(\($0), \($1))" }
    let isOutranked = belongs(alias, to: "a") && !.equal(settled, table.key("s"))
    return better.map { Condition.exists(in: rows + $0 + members, where: isOutranked, dialect) }.any
  }

  /// Selects the one-to-one objects that are kept and belong to what goes, but not to what stays, as that has another one:
  /// mark and key of what goes, the key of what stays, and that of the object. Nil where there are none.
  package func parted(_ reference: RowReference) -> Select? {
    guard reference.isOneToOne, layout.leadsToMember(reference.backward), !isComputed(reference) else {
      return nil
    }
    let member = layout.table(of: reference.entity)
    let (from, new) = referrers(reference)
    let loser = way(reference.key.references).hasSurvivors ? [] : [table.row("l", of: map.key("m"))]
    let keys = map.key("m") + table.keys("m.n") + member.key("x")
    let names = keys.indices.map { "c\($0)" }
    let moves = isBest(of: reference, new: new).choose("1", else: "0")
    let columns = ([table.mark("l")] + keys + [moves]).named(["mark"] + names + ["moves"])
    let rows = Select(columns, from: from + loser).where(isKept("x", table: member))
    return Select(["mark"] + names, from: From(rows, as: "p", dialect: dialect)).where(.sql("moves = 0"))
      .ordered(by: names)
  }
}

/// Rows that are to hold a reference to another object, at a place in its list.
struct MovedRows {
  let rows: RowSet
  /// The columns that are written, all but generated ones, and where their values are noted.
  private let written: [(column: String, value: String)]
  private let values: [String]

  init(_ purpose: String, of member: TablePlan, to reference: RowReference, dialect: Dialect) {
    let key = reference.key.columns
    values = key.indices.map { "c\($0)" } + ["p"]
    written = zip(key + [reference.orderColumn].compactMap { $0 }, values)
      .filter { !member.schema.isGenerated($0.0) }.map { (column: dialect.name($0), value: "v." + $1) }
    rows = RowSet(
      purpose, of: member,
      noting: key.enumerated().map { dialect.definition("c\($0)", as: member.schema.columnOrRowid($1)) }
        + ["p \(dialect.types.integer)"])
  }

  /// - Parameter query: the keys of the rows, what the reference is to hold, and the place or null.
  func find(_ query: Select) -> String {
    rows.add(query, noting: values)
  }

  /// - Parameters:
  ///   - condition: which of the rows `x` are written.
  ///   - renewals: what has to be done before that, by what selects the columns of the reference with some of these places.
  func write(
    _ dates: DateOfChange, where condition: Condition = .always,
    renewals: (_ new: ([Int]) -> Select) -> [String] = { _ in [] }
  ) -> [String] {
    let renewals = renewals { places in rows.noted(places.map { "v.c\($0)" }, for: "x") }
    return dates.change(rows.table, as: "x", where: rows.holds("x") && condition, renewals: renewals) {
      $0.taking(written.map(\.column), from: rows.noted(written.map(\.value), for: "x"))
    }
  }
}
