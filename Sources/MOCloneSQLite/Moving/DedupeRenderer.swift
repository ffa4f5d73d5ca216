import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The statements that find duplicates: groups of rows with one identity, the rows of each in the order of preference,
/// and a map from the keys that go to those that stay.
struct DedupeRenderer {
  let layout: MoveLayout
  let plan: DedupePlan
  let request: DedupeRequest
  /// For each table what goes (`o`), what stays in its place (`n`), and its rank in the group.
  let maps: [TemporaryTable]
  let dates: DatesBefore

  init(_ layout: MoveLayout, _ plan: DedupePlan, _ request: DedupeRequest, _ modified: ModifiedRule) {
    dates = DatesBefore(layout, modified, isNeeded: plan.needsAnotherLook)
    self.layout = layout
    self.plan = plan
    self.request = request
    maps = layout.tables.map {
      TemporaryTable(
        "merged_\($0.index)",
        $0.uniqueKeyDefinitions("o") + $0.keyDefinitions("n") + ["rank INTEGER"] + $0.uniqueKeyConstraint("o")
      )
    }
  }

  var setUp: [String] {
    zip(layout.tables, maps).flatMap { table, map in map.setUp + [map.index(table.keys("n") + ["rank"])] }
  }

  func table(_ unit: DedupePlan.Unit) -> ObjectTable { layout.table(of: unit.entity) }

  // MARK: Groups

  /// What one unit is found by.
  struct Search {
    let table: ObjectTable
    let unit: DedupePlan.Unit
    let identity: IdentityRenderer
    let groups: TemporaryTable
    let members: TemporaryTable

    /// The columns of the groups that hold the identity.
    var parts: [String] { identity.parts.indices.map { "e\($0)" } }
  }

  /// - Parameter number: the place of the unit in the plan.
  func search(_ number: Int) -> Search {
    let unit = plan.units[number]
    let table = table(unit)
    // What is only deleted leads nowhere else.
    let before = request.merge == .none ? [] : Set(plan.units.prefix(number).map { self.table($0).index })
    let identity = IdentityRenderer(
      unit.identity, of: unit.entity, layout: layout,
      maps: Dictionary(uniqueKeysWithValues: before.map { ($0, maps[$0]) }))
    let parts = identity.parts.enumerated().map { "e\($0) \($1.definition)" }
    return Search(
      table: table, unit: unit, identity: identity,
      groups: TemporaryTable(
        "groups_\(number)",
        ["g INTEGER PRIMARY KEY"] + parts + ["UNIQUE (\(SQL.list(identity.parts.indices.map { "e\($0)" })))"]),
      members: TemporaryTable(
        "members_\(number)",
        ["g INTEGER", "rank INTEGER"] + table.keyDefinitions("o") + [
          "entity", "date", "count", "PRIMARY KEY (g, rank)",
        ], isOrdered: true))
  }

  private func conditions(_ search: Search, isMerged: Bool) -> String {
    let merged =
      "NOT EXISTS (SELECT 1 FROM \(maps[search.table.index].sql) y WHERE "
      + SQL.equal(search.table.keys("y.o"), search.table.key("s")) + ")"
    let all =
      [layout.kind(of: search.unit.entity, "s"), isMerged ? merged : nil]
      + search.identity.parts.map(\.isThere)
    return all.compactMap { $0 }.joined(separator: " AND ")
  }

  /// - Parameter isMerged: whether an earlier unit lies in the same table, whose losers are left out.
  func findGroups(_ search: Search, isMerged: Bool) -> String {
    let parts = SQL.list(search.identity.parts.map(\.sql))
    return "INSERT INTO \(search.groups.sql)(\(SQL.list(search.parts))) SELECT \(parts) "
      + "FROM \(search.table.sql) s\(search.identity.joins) WHERE \(conditions(search, isMerged: isMerged)) "
      + "GROUP BY \(parts) HAVING count(*) > 1 ORDER BY min(\(search.table.key("s")[0]))"
  }

  func findMembers(_ search: Search, isMerged: Bool) -> String {
    let table = search.table
    let tie = zip(search.identity.parts, search.parts).map { "\($0.sql) = q.\($1)" }.joined(
      separator: " AND ")
    let isLookedUp = search.identity.plainColumns.map { table.schema.hasIndex($0) } ?? false
    let from =
      isLookedUp
      ? "\(search.groups.sql) q CROSS JOIN \(table.sql) s\(search.identity.joins) ON \(tie)"
      : "\(table.sql) s\(search.identity.joins) CROSS JOIN \(search.groups.sql) q ON \(tie)"
    let inner =
      "SELECT q.g AS g, \(SQL.list(zip(table.key("s"), table.keys("o")).map { "\($0) AS \($1)" })), "
      + "\(layout.discriminator(table, "s")) AS entity, \(date(search)) AS date, \(count(search)) AS count "
      + "FROM \(from)\(dates.join(table)) WHERE \(conditions(search, isMerged: isMerged))"
    return
      "INSERT INTO \(search.members.sql) SELECT g, row_number() OVER (PARTITION BY g ORDER BY \(preference(table))), "
      + "\(SQL.list(table.keys("o"))), entity, date, count FROM (\(inner))"
  }

  private func preference(_ table: ObjectTable, values: [String] = []) -> String {
    let date = if case .oldest = request.keep { "date ASC NULLS LAST" } else { "date DESC NULLS LAST" }
    let order = if case .fullest = request.keep { ["count DESC", date] } else { [date, "count DESC"] }
    return SQL.list(order + (values + table.keys("o")).map { $0 + " COLLATE BINARY" })
  }

  /// Ranks the members of groups anew in which neither date nor number of values decides: by their values, which every
  /// device has, and only then by their keys, which it has not.
  func settleTies(_ search: Search) -> [String] {
    let (table, members) = (search.table, search.members.sql)
    let values = tieValues(search)
    guard !values.isEmpty else { return [] }
    let tied =
      "SELECT a.g FROM \(members) a JOIN \(members) b ON b.g = a.g AND b.rank = a.rank + 1 "
      + "WHERE a.date IS b.date AND a.count = b.count"
    let ranks =
      "SELECT g, rank, row_number() OVER (PARTITION BY g ORDER BY \(preference(table, values: values))) AS place "
      + "FROM \(members) m CROSS JOIN \(table.sql) s ON \(SQL.equal(table.key("s"), table.keys("m.o")))"
      + "\(dates.join(table)) WHERE g IN (\(tied))"
    return [
      "UPDATE \(members) AS m SET rank = -x.place FROM (\(ranks)) x WHERE m.g = x.g AND m.rank = x.rank",
      "UPDATE \(members) SET rank = -rank WHERE rank < 0",
    ]
  }

  /// The values of a row, each attribute in turn.
  private func tieValues(_ search: Search) -> [String] {
    var seen: Set<String> = []
    return layout.model.concreteEntities(of: search.unit.entity).flatMap { entity in
      layout.model.attributes(of: entity).compactMap { attribute -> String? in
        guard let column = layout.mapping[entity].attributes[attribute.name], column.keyPart == nil,
          seen.insert(column.column.sqlName).inserted
        else { return nil }
        return column.canonical("(\(dates.value(column.column, search.table)))")
      }
    }
  }

  private func date(_ search: Search) -> String {
    guard let date = search.unit.date else { return "NULL" }
    let column = layout.mapping[search.unit.entity].attributes[date.name]!
    return column.canonical("(\(dates.value(column.column, search.table)))")
  }

  /// How many values a row has.
  private func count(_ search: Search) -> String {
    let entities = layout.model.concreteEntities(of: search.unit.entity) + [search.unit.entity]
    let columns = Set(entities.flatMap { layout.mapping[$0].attributes.values.map(\.column) }).sorted()
    guard !columns.isEmpty else { return "0" }
    return columns.map { "((\(dates.value($0, search.table))) IS NOT NULL)" }.joined(separator: " + ")
  }

  // MARK: Groups that are left alone

  func mixedGroups(_ search: Search) -> String {
    "SELECT g FROM \(search.members.sql) GROUP BY g HAVING count(DISTINCT entity) > 1"
  }

  func tiedGroups(_ search: Search) -> String {
    "SELECT a.g FROM \(search.members.sql) a JOIN \(search.members.sql) b ON b.g = a.g AND b.rank = 2 "
      + "WHERE a.rank = 1 AND a.date IS b.date AND a.count = b.count"
  }

  func members(_ search: Search, of groups: String) -> String {
    let keys = SQL.list(search.table.keys("o"))
    return "SELECT g, entity, \(keys) FROM \(search.members.sql) WHERE g IN (\(groups)) ORDER BY g, \(keys)"
  }

  func leaveAlone(_ search: Search, _ groups: String) -> String {
    "DELETE FROM \(search.members.sql) WHERE g IN (\(groups))"
  }

  /// Groups whose rows hold more than one value in some column beside key, place in a list and date of change.
  func differingGroups(_ search: Search, _ modified: ModifiedRule) -> String? {
    let table = search.table
    let owners = search.unit.identity.paths.compactMap(\.steps.first).flatMap { step in
      guard case .foreignKey(let key) = layout.mapping[search.unit.entity].relationships[step.name] else {
        return [String]()
      }
      return key.columns
    }
    let left =
      table.keyColumns.map(\.name) + owners + layout.dateColumns(table, modified)
      + layout.references.filter { layout.table(of: $0.entity).index == table.index }.compactMap(
        \.orderColumn)
    let known = Set(left.map(\.sqlName))
    let columns = table.schema.columns.filter { !$0.isGenerated && !known.contains($0.name.sqlName) }
    guard !columns.isEmpty else { return nil }
    let differ = columns.map { column in
      let value = SQL.column("s", column.name)
      // A null is no value to lose, but a value is lost where it does not fill one.
      return
        "count(DISTINCT \(value) COLLATE BINARY)\(request.fills ? "" : " + (count(\(value)) < count(*))") > 1"
    }
    return "SELECT m.g FROM \(search.members.sql) m CROSS JOIN \(table.sql) s "
      + "ON \(SQL.equal(table.key("s"), table.keys("m.o"))) GROUP BY m.g HAVING \(differ.joined(separator: " OR "))"
  }

  // MARK: The map

  func enter(_ search: Search) -> String {
    let (table, members) = (search.table, search.members.sql)
    // Beside a minimum SQLite gives the values of the row that has it.
    let kept = "SELECT g, min(rank) AS rank, \(SQL.list(table.keys("o"))) FROM \(members) GROUP BY g"
    return
      "INSERT INTO \(maps[table.index].sql) SELECT \(SQL.list(table.keys("m.o") + table.keys("k.o"))), m.rank "
      + "FROM (\(kept)) k CROSS JOIN \(members) m ON m.g = k.g AND m.rank > k.rank"
  }

  /// What stays by one identity can go by another one's.
  func followMap(_ table: ObjectTable) -> String {
    let map = maps[table.index].sql
    return
      "UPDATE \(map) AS m SET (\(SQL.list(table.keys("n")))) = (SELECT \(SQL.list(table.keys("y.n"))) FROM \(map) y "
      + "WHERE \(SQL.equal(table.keys("y.o"), table.keys("m.n")))) WHERE EXISTS (SELECT 1 FROM \(map) y "
      + "WHERE \(SQL.equal(table.keys("y.o"), table.keys("m.n"))))"
  }

  /// Groups with their identity, and each row with its entity and key, what stays first.
  func listedGroups(_ search: Search) -> String {
    "SELECT m.g, \(SQL.list(search.parts.map { "q.\($0)" })), m.entity, \(SQL.list(search.table.keys("m.o"))) "
      + "FROM \(search.members.sql) m JOIN \(search.groups.sql) q ON q.g = m.g "
      + "WHERE m.g IN (SELECT DISTINCT g FROM \(search.members.sql) ORDER BY g LIMIT :groups) ORDER BY m.g, m.rank"
  }
}
