import MOCloneEngine
import MOCloneModel

/// Renders the statement that inserts the rows of one join table.
struct JoinRenderer {
  let layout: CloneLayout
  let relationship: RelationshipDescription
  let table: TableSchema
  private var dialect: Dialect { layout.dialect }
  private let join: JoinTableMapping
  private let inverse: RelationshipDescription?
  private let source: Side
  private let destination: Side

  /// One end of the rows, and what belongs to it in their selection.
  private struct Side {
    /// The relationship whose rows these are, seen from here.
    var relationship: RelationshipDescription?
    var entity: String
    /// The table, seen from here.
    var join: JoinTableMapping
    /// Nil where the end is not in the closure.
    var tablePlan: CloneTablePlan?
    /// What its row in the map is called.
    var alias: String
    /// What its columns in the selection are called.
    var name: String
    /// What its position in the list is called there.
    var place: String
  }

  /// Every join table that some object of the plan asks for, each once.
  static func all(in layout: CloneLayout) -> [JoinRenderer] {
    var seen: Set<String> = []
    return layout.mapping.joins(of: layout.plan.model).compactMap { relationship, join in
      guard let table = layout.schema[join.table] else { return nil }
      let renderer = JoinRenderer(layout, relationship: relationship, join: join, table: table)
      guard renderer.isAsked, seen.insert(renderer.identity).inserted else { return nil }
      return renderer
    }
  }

  private init(
    _ layout: CloneLayout, relationship: RelationshipDescription, join: JoinTableMapping,
    table: TableSchema
  ) {
    self.layout = layout
    self.relationship = relationship
    self.join = join
    self.table = table
    let inverse = layout.plan.model.inverse(of: relationship)
    self.inverse = inverse
    source = Side(
      relationship: relationship, entity: relationship.entity, join: join,
      tablePlan: layout.tablePlan(of: relationship.entity), alias: "x", name: "c", place: "p")
    destination = Side(
      relationship: inverse, entity: relationship.destination, join: join.inverted,
      tablePlan: layout.tablePlan(of: relationship.destination), alias: "y", name: "d", place: "q")
  }

  /// The same for both sides of a join row.
  private var identity: String {
    let names = [relationship.qualifiedName] + (inverse.map { [$0.qualifiedName] } ?? [])
    return names.sorted().joined(separator: " ")
  }

  private func asks(_ side: Side) -> Condition {
    side.tablePlan.map { Asking(layout: layout).asks(side.relationship, anyIn: $0, alias: side.alias) }
      ?? .never
  }

  /// Whether just one end is in the closure, and no list at the other end goes on.
  var hasOneEnd: Bool {
    let others = [source, destination].filter { $0.tablePlan == nil }
    return others.count == 1 && others[0].join.orderColumn == nil
  }

  /// The end that is in the closure, the one with the relationship first.
  var end: CloneTablePlan { source.tablePlan ?? destination.tablePlan! }

  /// Whether the rows of that end are found by parameters just as by its key.
  var endComparesAsKey: Bool {
    let join = (source.tablePlan == nil ? destination : source).join
    return table.compares(join.columns, asKeys: join.references, of: end)
  }

  private var isAsked: Bool { asks(source) != .never || asks(destination) != .never }

  /// The relationship whose rows these are: the one that the plan asks for, where it asks for one of both only.
  var asked: RelationshipDescription { asks(source) == .never ? inverse ?? relationship : relationship }

  // MARK: Statements

  var insert: String {
    Insert(
      into: dialect.table(table.name), columns.map(dialect.name), rows: values, conflict: table.conflict
    ).text(dialect)
  }

  /// The columns that are written.
  var columns: [String] {
    join.columns + ownDestinations.map { join.destinationColumns[$0] } + orders.map(\.column) + extras.copied
      + (newKey == nil ? [] : [extras.key!.column])
  }

  /// Selects what is written there, in the order of the original rows where these are counted: readers may take it for the
  /// order of a list. Of one object the rows come with their numbers behind the columns instead, since those of all
  /// objects are written together.
  var values: String {
    let ends = ends("c", count: join.columns.count) + ownDestinations.map { "d\($0)" }
    let selected =
      ends + orders.map(\.position) + extras.copied.indices.map { "u\($0)" } + [newKey].compactMap { $0 }
    let rows = Select(selected, from: rankedRows)
    guard table.countedKey != nil else { return rows.text(dialect) }
    return end.form == .row
      ? rows.with(selected + ["number"]).text(dialect)
      : rows.ordered(by: (hasCopy ? ["copy"] : []) + ["number"]).text(dialect)
  }

  /// The parts of the destination's key that have a column of their own.
  private var ownDestinations: [Int] { join.destinationColumns.indices.filter { sharedPart($0) == nil } }

  /// How many rows `insert` must write.
  var count: String { counting(.always) }

  /// Counts those that a trigger has removed again; nil where none can.
  var gone: String? {
    guard table.canLoseNewRows else { return nil }
    let ends = join.columns + join.destinationColumns
    let new = self.ends("c", count: join.columns.count) + self.ends("d", count: join.destinationColumns.count)
    let isRow = Condition.equal(dialect.columns("t", ends), new)
    return counting(!.exists(in: From("\(dialect.table(table.name)) t"), where: isRow, dialect))
  }

  private func counting(_ condition: Condition) -> String {
    Select(["count(*)"], from: joinRows).where(condition).text(dialect)
  }

  /// The part of the source's key that is in the same column as a part of the destination's.
  private func sharedPart(_ part: Int) -> Int? {
    join.columns.firstIndex { $0.sqlName == join.destinationColumns[part].sqlName }
  }

  /// Counts the rows whose two ends need different values of a column that they share, as of another tenant each; nil
  /// where they share none.
  var disagreement: (columns: [String], sql: String)? {
    let shared = join.destinationColumns.indices.compactMap { part in sharedPart(part).map { (part, $0) } }
    guard !shared.isEmpty else { return nil }
    let differ = shared.map { dialect.different("d\($0)", "c\($1)") }.any
    return (shared.map { join.destinationColumns[$0.0] }, counting(differ))
  }

  /// The rows to write: new ends `c` and `d`, original ends `oc` and `od`, whether each end is a clone (`ic`, `id`),
  /// positions `p` and `q`, the other columns `u`, and as `number` the own key of the original row where it has one.
  private var joinRows: From {
    From(Union(parts: parts.map(\.rows)), as: "joined", dialect: dialect)
  }

  /// The same with their ranks in ordered lists.
  private var rankedRows: From {
    let ranks = orders.map(\.rank)
    return ranks.isEmpty
      ? joinRows : From(Select(["joined.*"] + ranks, from: joinRows), as: "joined", dialect: dialect)
  }

  /// The rows that each end asks for, of the destination those that the source has not asked for already.
  private var parts: [(from: Side, to: Side, rows: Select)] {
    var parts: [(from: Side, to: Side, rows: Select)] = []
    if asks(source) != .never { parts.append((source, destination, rows(from: source, to: destination))) }
    if asks(destination) != .never {
      let already = source.tablePlan == nil ? Condition.never : .isNotNull("x.seq") && asks(source)
      parts.append((destination, source, rows(from: destination, to: source).where(!already)))
    }
    return parts
  }

  private func rows(from side: Side, to other: Side) -> Select {
    let rows = side.tablePlan!.rows("s", of: table.name, with: side.alias, on: isEnd(side))
    return Select(selected(side.alias), from: rows + lookup(other, from: side.alias)).where(asks(side))
  }

  /// `known` is the end that is looked up from.
  private func selected(_ known: String) -> [String] {
    var sql = [source, destination].flatMap(ends(of:))
    for side in [source, destination] {
      if let column = side.join.orderColumn { sql.append("\(dialect.column("s", column)) AS \(side.place)") }
    }
    sql += extras.copied.enumerated().map { "\(dialect.column("s", $1)) AS u\($0)" }
    if let key = extras.key?.column ?? table.countedKey {
      sql.append("\(dialect.column("s", key)) AS number")
    }
    if hasCopy { sql.append("\(known).copy AS copy") }
    return sql
  }

  private var hasCopy: Bool { layout.hasCopies }

  private func ends(of side: Side) -> [String] {
    let isIn = side.tablePlan.map { $0.form == .row ? "TRUE" : "\(side.alias).seq IS NOT NULL" } ?? "FALSE"
    let ends = zip(side.join.columns, side.join.references).enumerated().flatMap { i, end -> [String] in
      let original = dialect.column("s", end.0)
      let new = side.tablePlan.map { tablePlan in
        let key = tablePlan.newKey(side.alias, part: tablePlan.keyPart(end.1)!)
        return "CASE WHEN \(isIn) THEN \(key) ELSE \(original) END"
      }
      return ["\(new ?? original) AS \(side.name)\(i)", "\(original) AS o\(side.name)\(i)"]
    }
    return ["\(isIn) AS i\(side.name)"] + ends
  }

  private func lookup(_ side: Side, from known: String) -> [From.Join] {
    guard let tablePlan = side.tablePlan else { return [] }
    let isSame = tablePlan.sameCopy(side.alias, known)
    return [.left("\(dialect.temporary(tablePlan.map)) \(side.alias)", on: isEnd(side) && isSame)]
  }

  /// Whether an object of the closure is at the end of a row `s`.
  private func isEnd(_ side: Side) -> Condition {
    let (tablePlan, join) = (side.tablePlan!, side.join)
    let keys = join.references.map { tablePlan.old(side.alias)[tablePlan.keyPart($0)!] }
    return .equal(keys, dialect.columns("s", join.columns))
  }

  private func ends(_ name: String, count: Int) -> [String] {
    (0..<count).map { "\(name)\($0)" }
  }

  // MARK: Columns

  /// Ranks and positions in the lists of both ends.
  private var orders: [(column: String, rank: String, position: String)] {
    [(source, destination), (destination, source)].compactMap { side, other in
      side.join.orderColumn.map { order($0, of: side, by: other) }
    }
  }

  /// The columns of an end, comparable with those of rows that write it otherwise.
  private func comparable(_ columns: [String], at side: Side) -> [String] {
    zip(zip(side.join.columns, side.join.references), columns).map { end, column in
      ReferenceNotation(end.0, in: table, to: end.1, of: side.entity, layout: layout).asReferenced(column)
    }
  }

  private func originals(_ side: Side) -> [String] {
    ends("o" + side.name, count: side.join.columns.count)
  }

  private func order(
    _ column: String, of side: Side, by other: Side
  ) -> (column: String, rank: String, position: String) {
    // Each end is a clone where only that end asks for rows.
    let isClone: Condition =
      side.tablePlan == nil ? .never : asks(other) == .never ? .always : .sql("i" + side.name)
    let list = comparable(originals(side), at: side)
    // The list of a clone is one for each copy; a list outside the copies join one after another.
    let copy = hasCopy && isClone != .never ? [isClone.choose("copy", else: "NULL")] : []
    let lists = list + copy
    let position = dialect.sorting(position: side.place, in: table.column(column))
    let counted = dialect.number(
      within: lists,
      by: (hasCopy ? ["copy"] : []) + [position] + comparable(originals(other), at: other))
    let (positions, rank) = (layout.mapping.positions, "r" + side.place)
    let end = dialect.end(
      of: column, in: table.name, empty: positions.start,
      where: .equal(comparable(dialect.columns("e", side.join.columns), at: side), list))
    // The end of a list that was there is found for its first row only, since it may take a look at all members.
    let isFirst: Condition = !isClone && .sql("\(rank) = 1")
    let last = "max(CASE WHEN \(isFirst.text) THEN \(end) END) OVER (PARTITION BY \(lists.list))"
    let distance = positions.distance(rank)
    return (
      column, "\(counted) AS \(rank)",
      isClone.choose(positions.first(distance), else: "\(last) + \(distance)")
    )
  }

  private var extras: JoinExtras { JoinExtras(table, model: layout.plan.model, mapping: layout.mapping) }

  /// The key that a new row gets of its own; nil where it has none, or where the database counts.
  private var newKey: String? {
    extras.key?.value(
      "number", order: (hasCopy ? ["copy"] : []) + ["number"], keeps: false,
      uuids: layout.plan.model.store.uuids,
      dialect: dialect)
  }

  /// Whether new rows are counted by a statement that has to see them all.
  var countsRows: Bool { extras.key?.isNumber == true && newKey != nil }

  // MARK: Links

  /// Selects the keys of destinations outside the closure, by either side.
  var links: [(entity: String, query: Select)] {
    parts.map { (entity: $0.to.entity, query: outside($0.rows, end: $0.to)) }
  }

  /// - Parameter end: the one whose objects are meant.
  private func outside(_ rows: Select, end: Side) -> Select {
    let columns = originals(end)
    let mayDangle = layout.mayDangle(
      end.join.columns, in: table, to: end.join.references, of: end.entity)
    let isRow = Condition.equal(
      dialect.columns("l", end.join.references), columns.map { "links." + $0 })
    let exists: Condition =
      mayDangle
      ? .exists(in: From("\(dialect.table(layout.mapping[end.entity].table)) l"), where: isRow, dialect)
      : .always
    let isOutside: Condition = end.tablePlan == nil ? .always : !.sql("i" + end.name)
    return Select(
      (hasCopy ? ["links.copy AS copy"] : []) + columns, from: From(rows, as: "links", dialect: dialect)
    ).where(isOutside && exists)
  }
}
