import MOCloneEngine
import MOCloneModel

/// The statements that find duplicates: groups of rows with one identity, the rows of each in the order of preference,
/// and a map from the keys that go to those that stay.
package struct DedupeRenderer {
  package let layout: StoreLayout
  /// Those of the plan that can have objects.
  package let units: [DedupePlan.Unit]
  let request: DedupeRequest
  /// For each table what goes, what stays in its place (`n0...`), and its rank in the group.
  package let maps: [RowSet]
  package let dates: DateOfChange
  /// The references that lead to what belongs to their own rows.
  package let backs: [BackReference]
  /// The searches for what is equal before anything is merged, in tables of their own, by the numbers of the units; none
  /// where nothing depends on it.
  package private(set) var standing: [Int: Search] = [:]
  private var dialect: Dialect { layout.dialect }

  package init(_ layout: StoreLayout, plan: DedupePlan, request: DedupeRequest, modified: ModifiedRule) {
    self.layout = layout
    self.request = request
    units = plan.units.filter { layout.hasObjects(of: $0.entity) }
    dates = DateOfChange(layout, rule: modified, keepsBefore: plan.needsAnotherLook)
    maps = layout.tables.map {
      RowSet(
        "merged_\($0.index)", of: $0,
        noting: $0.keys.definitions("n") + ["rank \(layout.dialect.types.integer)"])
    }
    backs = layout.references.enumerated().filter { layout.leadsBack($0.element) }.map { number, reference in
      BackReference(reference, number: number, in: layout)
    }
    guard plan.remembersTies else { return }
    for number in units.indices where !units[number].isInseparable {
      standing[number] = search(number, following: [], purpose: "standing_")
    }
  }

  package var setUp: [String] {
    maps.flatMap { $0.setUp + [$0.index($0.table.keys("n") + ["rank"])] } + backs.flatMap(\.rows.setUp)
  }

  package func table(_ unit: DedupePlan.Unit) -> TablePlan { layout.table(of: unit.entity) }

  /// How many objects a unit looks at.
  package func count(_ unit: DedupePlan.Unit) -> String {
    Select(["count(*)"], from: table(unit).rows("s")).where(layout.isKind(unit.entity, alias: "s")).text(
      dialect)
  }

  // MARK: Groups

  /// What one unit is found by.
  package struct Search {
    package let table: TablePlan
    package let unit: DedupePlan.Unit
    let identity: IdentityRenderer
    let groups: TemporaryTable
    let members: TemporaryTable

    /// The columns of the groups that hold the identity.
    package var parts: [String] { identity.parts.indices.map { "e\($0)" } }
    package var setUp: [String] { groups.setUp + members.setUp }
    /// The statement after which members are found by their keys.
    package var index: String { members.index(table.keys("o")) }
    package var cleanUp: [String] { [groups.clear, members.clear] }

    var rows: From { members.rows("m") }

    /// The members `m` with their rows `s`.
    var rowsWithObjects: From { rows + [table.row("s", of: table.keys("m.o"))] }
  }

  /// - Parameters:
  ///   - number: the place of the unit.
  ///   - merged: the tables that have rows to be merged.
  package func search(_ number: Int, following merged: Set<Int>, purpose: String = "") -> Search {
    let unit = units[number]
    let table = table(unit)
    // What is only deleted leads nowhere else.
    let followed = request.merge == .none ? [] : merged
    let identity = IdentityRenderer(
      unit.identity, of: unit.entity, layout: layout,
      maps: Dictionary(uniqueKeysWithValues: followed.map { ($0, maps[$0]) }))
    let parts = identity.parts.enumerated().map { $1.definition("e\($0)", dialect: dialect) }
    let members =
      ["g \(dialect.types.integer)", "rank \(dialect.types.integer)"] + table.keys.definitions("o")
      + [
        "entity TEXT", dateDefinition(unit, table: table), "number \(dialect.types.integer)",
        "PRIMARY KEY (g, rank)",
      ]
    return Search(
      table: table, unit: unit, identity: identity,
      groups: TemporaryTable(
        "\(purpose)groups_\(number)",
        columns: ["g \(dialect.countingKey)"] + parts
          + ["UNIQUE (\(identity.parts.indices.map { "e\($0)" }.list))"], dialect: dialect),
      members: TemporaryTable(
        "\(purpose)members_\(number)", columns: members, isOrdered: true, dialect: dialect))
  }

  private func dateDefinition(_ unit: DedupePlan.Unit, table: TablePlan) -> String {
    guard let column = dateColumn(unit), !dialect.hasNotations(column),
      let schema = table.schema.column(column.column)
    else { return dialect.hasTypes ? "date text" : "date" }
    return dialect.definition("date", as: schema)
  }

  /// - Parameter isMerged: whether an earlier unit lies in the same table, whose losers are left out.
  private func isSearched(_ search: Search, isMerged: Bool) -> Condition {
    layout.isKind(search.unit.entity, alias: "s")
      && (isMerged ? !maps[search.table.index].has("s") : .always)
  }

  package func findGroups(_ search: Search, isMerged: Bool) -> String {
    let parts = search.identity.parts.map(\.sql)
    let groups = Select(parts, from: search.table.rows("s") + search.identity.joins)
      .where(isSearched(search, isMerged: isMerged)).where(search.identity.parts.map(\.exists).all)
      .grouped(by: parts).having(.sql("count(*) > 1"))
    return search.groups.insert(search.parts, groups)
  }

  package func findMembers(_ search: Search, isMerged: Bool) -> String {
    let table = search.table
    let tie = Condition.equal(search.identity.parts.map(\.sql), search.parts.map { "q.\($0)" })
    let isLookedUp = search.identity.ownColumns.map { table.schema.hasIndex($0) } ?? false
    let from =
      isLookedUp
      ? search.groups.rows("q") + [.ordered("\(table.sql) s", on: tie)]
      : table.rows("s") + search.identity.joins + [.ordered("\(search.groups.sql) q", on: tie)]
    let found = Select(
      ["q.g AS g"] + table.key("s").named(table.keys("o"))
        + ["\(table.mark("s")) AS entity", "\(date(search.unit)) AS date", "\(number(search)) AS number"],
      from: from + dates.joins(table)
    ).where(isSearched(search, isMerged: isMerged))
    let rank = dialect.number(within: ["g"], by: preference(search) + keyOrder(search))
    // Skipping no row has SQLite compute each date once, not wherever it is named.
    let ranked = Select(
      ["g", rank] + table.keys("o") + ["entity", "date", "number"],
      from: From(found.skipping("0", dialect: dialect), as: "m", dialect: dialect))
    return search.members.insert(
      ["g", "rank"] + table.keys("o") + ["entity", "date", "number"], ranked)
  }

  // MARK: Preference

  /// What decides which member `m` of a group is better, but for its values and its key.
  private func preference(_ search: Search) -> [String] {
    let order = if case .oldest = request.keep { "ASC" } else { "DESC" }
    let values = dateColumn(search.unit).map { dialect.canonicalOrder("m.date", $0) } ?? ["m.date"]
    let date = values.map { "\($0) \(order) NULLS LAST" }
    return if case .fullest = request.keep { ["m.number DESC"] + date } else { date + ["m.number DESC"] }
  }

  private func keyOrder(_ search: Search) -> [String] {
    zip(search.table.keys("m.o"), search.table.keyColumns).map { dialect.bytewise($0, column: $1) }
  }

  func isTied(_ a: String, _ b: String) -> Condition {
    dialect.same("\(a).date", "\(b).date") && .equal(["\(a).number"], ["\(b).number"])
  }

  /// Ranks the members of groups anew in which neither date nor number of values decides: by their values, which every
  /// device has, and only then by their keys, which it has not.
  package func settleTies(_ search: Search) -> [String] {
    let members = search.members
    let values = tieValues(search)
    guard !values.isEmpty else { return [] }
    let next = From.Join.ordered(
      "\(members.sql) b", on: .equal(["b.g", "b.rank"], ["a.g", "a.rank + 1"]) && isTied("a", "b"))
    let tied = Select(["a.g"], from: members.rows("a") + [next])
    let place = dialect.number(within: ["m.g"], by: preference(search) + values + keyOrder(search))
    let ranked = Select(
      ["m.g AS g", "m.rank AS rank", "\(place) AS place"],
      from: search.rowsWithObjects + dates.joins(search.table)
    ).where(.among(["m.g"], query: tied, dialect: dialect))
    return [
      Update(
        "\(members.sql) AS m", assignments: [("rank", "-x.place")],
        from: From(ranked, as: "x", dialect: dialect)
      )
      .where(.equal(["m.g", "m.rank"], ["x.g", "x.rank"])),
      Update(members.sql, assignments: [("rank", "-rank")]).where(.sql("rank < 0")),
    ].map { $0.text(dialect) }
  }

  /// The values of a row, each attribute in turn, in the form that sorts them.
  private func tieValues(_ search: Search) -> [String] {
    var seen: Set<String> = []
    return layout.model.concreteEntities(of: search.unit.entity).flatMap { entity in
      layout.model.attributes(of: entity).flatMap { attribute -> [String] in
        guard let column = layout.mapping[entity].attributes[attribute.name], column.keyPart == nil,
          !attribute.isDerived, let schema = search.table.schema.column(column.column),
          seen.insert(column.column.sqlName).inserted
        else { return [] }
        return dialect.order(dates.value(column.column, search.table), column, as: schema).map {
          $0 + " NULLS FIRST"
        }
      }
    }
  }

  private func dateColumn(_ unit: DedupePlan.Unit) -> AttributeColumn? {
    unit.date.map { layout.mapping[unit.entity].attributes[$0.name]! }
  }

  private func date(_ unit: DedupePlan.Unit) -> String {
    guard let column = dateColumn(unit) else { return "NULL" }
    return dialect.canonical(dates.value(column.column, table(unit)), column)
  }

  /// How many values a row has.
  private func number(_ search: Search) -> String {
    let entities = layout.model.concreteEntities(of: search.unit.entity) + [search.unit.entity]
    let columns = Set(entities.flatMap { layout.mapping[$0].attributes.values.map(\.column) })
      .filter { !search.table.isDerived($0) }.sorted()
    guard !columns.isEmpty else { return "0" }
    return columns.map {
      Condition.isNull(dates.value($0, search.table)).choose("0", else: "1")
    }.chained(by: "+")
  }
}
