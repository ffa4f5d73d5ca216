import MOCloneEngine
import MOCloneModel

/// Groups that are left alone, what the caller chooses, and what becomes of the others.
extension DedupeRenderer {
  private var dialect: Dialect { layout.dialect }

  // MARK: Groups that are left alone

  package func mixedGroups(_ search: Search) -> Select {
    Select(["g"], from: From(search.members.sql)).grouped(by: ["g"]).having(
      .sql("count(DISTINCT entity) > 1"))
  }

  /// - Parameter standing: what was equal before anything was merged, where only that can be left alone.
  package func tiedGroups(_ search: Search, standing: Search? = nil) -> Select {
    let second = From.Join.ordered(
      "\(search.members.sql) b", on: .equal(["b.g", "b.rank"], ["a.g", "2"]) && isTied("a", "b"))
    let tied = Select(["a.g"], from: search.members.rows("a") + [second]).where(.equal(["a.rank"], ["1"]))
    guard let standing else { return tied }
    let equal = Select(["m.g"], from: search.rows + [before(search, standing)]).grouped(by: ["m.g"])
      .having(.sql("count(q.g) = count(*) AND count(DISTINCT q.g) = 1"))
    return tied.where(.among(["a.g"], query: equal, dialect: dialect))
  }

  /// Leads from the members `m` to what they were before anything was merged.
  private func before(_ search: Search, _ standing: Search) -> From.Join {
    .left(
      "\(standing.members.sql) q", on: .equal(search.table.keys("q.o"), search.table.keys("m.o")))
  }

  /// Each group `g` with the least key of its members, which puts the groups in order.
  private func leastKeys(_ search: Search) -> Select {
    let least = dialect.least("o0", column: search.table.keyColumns[0])
    return Select(["g", "\(least) AS least"], from: From(search.members.sql)).grouped(by: ["g"])
  }

  /// Selects from the members `m`, group by group in the order of their least keys.
  private func byGroup(
    _ search: Search, _ columns: [String], of groups: Select? = nil, _ joins: [From.Join] = [],
    thenBy order: [String]
  ) -> String {
    let rows = From(groups ?? leastKeys(search), as: "f", dialect: dialect)
    let members = From.Join.ordered("\(search.members.sql) m", on: .equal(["m.g"], ["f.g"]))
    return Select(columns, from: rows + [members] + joins).ordered(by: ["f.least", "m.g"] + order).text(
      dialect)
  }

  /// Group, mark and key of the members of some groups; behind them group and rank of each before anything was merged,
  /// which stay what they are where keys change.
  package func members(_ search: Search, standing: Search? = nil, of groups: Select) -> String {
    let keys = search.table.keys("m.o")
    let some = leastKeys(search).where(.among(["g"], query: groups, dialect: dialect))
    return byGroup(
      search, ["m.g", "m.entity"] + keys + (standing == nil ? [] : ["q.g", "q.rank"]), of: some,
      standing.map { [before(search, $0)] } ?? [], thenBy: keys)
  }

  package func leaveAlone(_ search: Search, _ groups: Select) -> String {
    Delete(search.members.sql).where(.among(["g"], query: groups, dialect: dialect)).text
  }

  /// Groups whose rows hold more than one value in some column beside key, place in a list and date of change.
  package func differingGroups(_ search: Search) -> Select? {
    let table = search.table
    let owners = search.unit.identity.paths.compactMap(\.steps.first).flatMap { step in
      guard let key = layout.mapping[search.unit.entity].foreignKey(step.name) else { return [String]() }
      return key.columns
    }
    let left =
      table.keyColumns.map(\.name) + owners + dates.columns(table)
      + layout.references(in: table).compactMap(\.orderColumn)
    let known = Set(left.map(\.sqlName))
    let columns = table.schema.columns.filter {
      !$0.isGenerated && !known.contains($0.name.sqlName) && !table.isDerived($0.name)
    }
    guard !columns.isEmpty else { return nil }
    return Select(["m.g"], from: search.rowsWithObjects).grouped(by: ["m.g"]).having(
      columns.map(differs).any)
  }

  /// Whether the rows `s` of a group hold several values. A null is no value to lose, but a value is lost where it does
  /// not fill one.
  private func differs(_ column: ColumnSchema) -> Condition {
    let value = dialect.column("s", column.name)
    let isLost: Condition = request.fills ? .never : .sql("count(\(value)) BETWEEN 1 AND count(*) - 1")
    return .sql("count(DISTINCT \(dialect.bytewise(value, column: column))) > 1") || isLost
  }

  // MARK: What the caller chooses

  /// Group, mark, key and rank of all members, the best of each group first.
  package func candidates(_ search: Search) -> String { ranked(search, by: ["m.rank"]) }

  /// The same in the order of their keys.
  package func remembered(_ search: Search) -> String { ranked(search, by: search.table.keys("m.o")) }

  private func ranked(_ search: Search, by order: [String]) -> String {
    byGroup(search, ["m.g", "m.entity"] + search.table.keys("m.o") + ["m.rank"], thenBy: order)
  }

  /// Puts the member of group `:g` that has rank `:rank` before the others.
  package func choose(_ search: Search) -> String {
    Update(search.members.sql, assignments: [("rank", "0")]).where(isGroup)
      .where(.equal(["rank"], [dialect.parameter("rank")])).text(dialect)
  }

  /// Leaves group `:g` alone.
  package func leaveAlone(_ search: Search) -> String { Delete(search.members.sql).where(isGroup).text }

  private var isGroup: Condition { .equal(["g"], [dialect.parameter("g")]) }

  // MARK: The map

  /// - Parameter isMerged: whether the map holds what earlier units found, which comes before this.
  package func enter(_ search: Search, isMerged: Bool) -> String {
    let table = search.table
    let last = Select(["coalesce(max(rank), 0)"], from: From(maps[table.index].sql)).text(dialect)
    let rank = isMerged ? "m.rank * (1 + (\(last)))" : "m.rank"
    // What was chosen stands before the first.
    let first = if case .chosen = request.keep { "0" } else { "1" }
    let others = From.Join.ordered(
      "\(search.members.sql) m", on: .equal(["m.g"], ["k.g"]) && .sql("m.rank > k.rank"))
    let lost = Select(
      table.keys("m.o") + table.keys("k.o") + [rank], from: search.members.rows("k") + [others]
    ).where(.equal(["k.rank"], [first]))
    return maps[table.index].add(lost, noting: table.keys("n") + ["rank"])
  }

  /// What stays by one identity can go by another one's, and what it stands for comes right after it.
  package func followMap(_ table: TablePlan) -> String {
    let map = maps[table.index]
    let next = Select(table.keys("y.n") + ["y.rank + m.rank"], from: map.rows("y")).where(
      .equal(map.key("y"), table.keys("m.n")))
    return Update("\(map.sql) AS m").taking(table.keys("n") + ["rank"], from: next)
      .where(map.has(table.keys("m.n"))).text(dialect)
  }

  // MARK: The report

  /// How many objects of each mark go.
  package func countLosers(_ search: Search) -> Select {
    Select(["entity", "count(*) - count(DISTINCT g)"], from: From(search.members.sql))
      .grouped(by: ["entity"])
  }

  /// The first `:groups` groups with their identity, and each row with its mark and key, what stays first.
  package func listedGroups(_ search: Search) -> String {
    let first = leastKeys(search).ordered(by: ["least", "g"]).limited(to: dialect.parameter("groups"))
    let group = From.Join.ordered("\(search.groups.sql) q", on: .equal(["q.g"], ["m.g"]))
    let identity = zip(search.parts, search.identity.parts).map { dialect.shown("q.\($0)", $1.attribute) }
    return byGroup(
      search, ["m.g"] + identity + ["m.entity"] + search.table.keys("m.o"), of: first,
      [group], thenBy: ["m.rank"])
  }
}
