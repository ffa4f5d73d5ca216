import MOCloneEngine
import MOCloneModel

/// The statements that merge the rows of one table that go into those that stay.
package struct MergeRenderer {
  let layout: StoreLayout
  package let table: TablePlan
  let maps: [RowSet]
  /// Tables that have rows to be merged.
  let merged: Set<Int>
  let dates: DateOfChange
  /// What was equal before anything was merged.
  let standing: [DedupeRenderer.Search]
  let backs: [BackReference]
  package var map: RowSet { maps[table.index] }
  var dialect: Dialect { layout.dialect }

  package init(_ dedupe: DedupeRenderer, table: TablePlan, merged: Set<Int>) {
    layout = dedupe.layout
    maps = dedupe.maps
    dates = dedupe.dates
    standing = dedupe.standing.sorted { $0.key < $1.key }.map(\.value)
    backs = dedupe.backs
    self.table = table
    self.merged = merged
  }

  /// The map `m` with the rows `l` of what goes, and those of what stays.
  func pairs(survivor alias: String) -> From {
    map.rows("m", with: "l") + [table.row(alias, of: table.keys("m.n"))]
  }

  /// The rows `s` that stay, each once.
  var survivors: From {
    let keys = Select(["DISTINCT \(table.keys("n").list)"], from: From(map.sql))
    return From(keys, as: "q", dialect: dialect) + [table.row("s", of: table.keys("q.n"))]
  }

  /// Leads from what goes, `m` in the map of a table, to what else goes in favour of the same, `o`.
  func others(of table: TablePlan) -> From.Join {
    let map = maps[table.index]
    return .ordered(
      "\(map.sql) o",
      on: .equal(table.keys("o.n"), table.keys("m.n")) && !.equal(map.key("o"), map.key("m")))
  }

  /// Joins the row of a table that a tie leads to, and what stays of it: `w` in the map and its row, null where it stays
  /// itself.
  func settled(_ table: TablePlan, as row: String, survivor: String, on tie: Condition) -> [From.Join] {
    let map = maps[table.index]
    return [
      .ordered("\(table.sql) \(row)", on: tie),
      .left("\(map.sql) w", on: .equal(map.key("w"), table.key(row))),
      .left("\(table.sql) \(survivor)", on: table.isRow(survivor, table.keys("w.n"))),
    ]
  }

  /// The key of what a reference in some columns leads to, once that is merged.
  func settled(_ reference: RowReference, columns: [String]) -> [String] {
    let destination = layout.table(of: reference.key.destination)
    let map = maps[destination.index]
    let isRow = Condition.equal(dialect.columns("r", reference.key.references), columns)
    let rows = destination.rows("r") + [.left("\(map.sql) w", on: .equal(map.key("w"), destination.key("r")))]
    return zip(destination.keys("w.n"), destination.key("r")).map { new, old in
      "(\(Select(["coalesce(\(new), \(old))"], from: rows).where(isRow).text(dialect)))"
    }
  }

  /// The columns that are null where a reference references nothing: not those that it shares with others.
  func ownColumns(of reference: RowReference) -> [String] {
    layout.mapping[reference.entity].columns(emptying: reference.key)
  }

  struct Way {
    var from: From
    /// The same for a search by what rows refer to, which begins there.
    var lookup: From
    var old: [String]
    var new: [String]
    /// Whether the rows `t` of what stays are among them.
    var hasSurvivors: Bool
  }

  /// From the map to what rows refer to: `old` and `new` are the referenced values of what goes and of what stays.
  func way(_ references: [String]) -> Way {
    let rows = map.rows("m")
    if let places = table.keys.places(of: references) {
      return Way(
        from: rows, lookup: rows, old: places.map { "m.k\($0)" }, new: places.map { "m.n\($0)" },
        hasSurvivors: false)
    }
    let survivor = table.row("t", of: table.keys("m.n"))
    let own = From.Join.ordered("\(map.sql) m", on: .equal(map.key("m"), table.key("l")))
    return Way(
      from: pairs(survivor: "t"), lookup: table.rows("l") + [own, survivor],
      old: dialect.columns("l", references), new: dialect.columns("t", references), hasSurvivors: true)
  }

  // MARK: Rows that the model does not know

  /// Rows of another table that refer to what goes by a foreign key of the database.
  package struct Unknown {
    package var table: String
    /// The statement that lets them reference the survivors, except rows that would repeat an existing row; nil where the
    /// database computes the reference.
    package var move: String?
    /// How many are left.
    package var count: String
    /// How many refer to values that what stays does not have; nil where they refer to keys.
    package var countLost: String?
    package var hasTriggers: Bool
  }

  /// - Parameter schema: every table of the database.
  package func unknown(in schema: StoreSchema) -> [Unknown] {
    // What is computed follows what it is computed from.
    (unknownKeys(to: table, in: schema) + unknownKeys(to: table, in: schema, areComputed: true)).map {
      other, key in unknown(key, in: other)
    }
  }

  /// - Parameter areComputed: whether the database computes the keys, or others are asked for.
  func unknownKeys(
    to table: TablePlan, in schema: StoreSchema, areComputed: Bool = false
  ) -> [(table: TableSchema, key: ForeignKeySchema)] {
    schema.names.compactMap { schema[$0] }.flatMap { other -> [(table: TableSchema, key: ForeignKeySchema)] in
      let mapped = MappedColumns(table: other, mapping: layout.mapping)
      return other.foreignKeys.filter { key in
        key.table.sqlName == table.schema.name.sqlName && !key.columns.allSatisfy(mapped.contains)
          && key.columns.allSatisfy(other.isGenerated) == areComputed
      }.map { (table: other, key: $0) }
    }
  }

  private func unknown(_ key: ForeignKeySchema, in other: TableSchema) -> Unknown {
    let way = way(key.references(in: table.schema))
    let rows = "\(dialect.table(other.name)) AS x"
    let move = redirect(Update(rows), key.columns, of: other, way).onConflict(.skip)
    let refers = refers(key.columns, way: way)
    let left = Select(["count(*)"], from: From(rows)).where(refers)
    let isComputed = key.columns.allSatisfy(other.isGenerated)
    return Unknown(
      table: other.name,
      move: isComputed
        ? nil
        : dialect.updateEachOrSkip?(move.text(dialect), rows, refers.text)
          ?? move.where(refers).text(dialect),
      count: left.text(dialect),
      countLost: countLost(key.columns, in: rows, way),
      hasTriggers: !other.triggers.isEmpty)
  }

  /// Counts rows `x` that refer to what goes by values that what stays does not have; nil where they refer to keys.
  func countLost(_ columns: [String], in rows: String, _ way: Way) -> String? {
    guard way.hasSurvivors else { return nil }
    let isLost = Condition.equal(way.old, dialect.columns("x", columns)) && way.new.map { .isNull($0) }.any
    return Select(["count(*)"], from: From(rows)).where(
      .exists(in: way.from, where: isLost, dialect)
    ).text(dialect)
  }

  /// Leads a table's rows `x` that refer to what goes to what stays; the database computes generated columns itself.
  func redirect(_ update: Update, _ columns: [String], of table: TableSchema, _ way: Way) -> Update {
    let written = zip(columns, way.new).filter { !table.isGenerated($0.0) }
    return update.taking(written.map { dialect.name($0.0) }, from: new(written.map(\.1), columns, way))
  }

  /// Selects what some columns of a row `x` are to hold.
  func new(_ values: [String], _ columns: [String], _ way: Way) -> Select {
    Select(values, from: way.lookup).where(.equal(way.old, dialect.columns("x", columns)))
  }

  func refers(_ columns: [String], way: Way) -> Condition {
    .among(dialect.columns("x", columns), query: Select(way.old, from: way.from), dialect: dialect)
  }
}
