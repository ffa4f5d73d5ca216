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
    inverse = layout.plan.model.inverse(of: relationship)
  }

  /// The same for both sides of a join row.
  private var identity: String {
    let names = [relationship.qualifiedName] + (inverse.map { [$0.qualifiedName] } ?? [])
    return names.sorted().joined(separator: " ")
  }

  private var source: CloneTablePlan? { layout.tablePlan(of: relationship.entity) }
  private var destination: CloneTablePlan? { layout.tablePlan(of: relationship.destination) }
  private var asking: Asking { Asking(layout: layout) }

  private func sourceAsks(_ alias: String) -> Condition {
    source.map { asking.asks(relationship, anyIn: $0, alias: alias) } ?? .never
  }

  private func destinationAsks(_ alias: String) -> Condition {
    destination.map { asking.asks(inverse, anyIn: $0, alias: alias) } ?? .never
  }

  /// Whether just one end is in the closure, and no list at the other end goes on.
  var hasOneEnd: Bool {
    if source == nil { return destination != nil && join.orderColumn == nil }
    return destination == nil && join.inverseOrderColumn == nil
  }

  /// The end that is in the closure, the one with the relationship first.
  var end: CloneTablePlan { source ?? destination! }

  /// Whether the rows of that end are found by parameters just as by its key.
  var endComparesAsKey: Bool {
    source == nil
      ? table.compares(join.destinationColumns, asKeys: join.destinationReferences, of: end)
      : table.compares(join.columns, asKeys: join.references, of: end)
  }

  private var isAsked: Bool { sourceAsks("x") != .never || destinationAsks("y") != .never }

  /// The relationship whose rows these are: the one that the plan asks for, where it asks for one of both only.
  var asked: RelationshipDescription { sourceAsks("x") == .never ? inverse ?? relationship : relationship }

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
    var parts: [Select] = []
    if sourceAsks("x") != .never { parts.append(fromSource) }
    if destinationAsks("y") != .never { parts.append(fromDestination) }
    return From(Union(parts: parts), as: "joined", dialect: dialect)
  }

  /// The same with their ranks in ordered lists.
  private var rankedRows: From {
    let ranks = orders.map(\.rank)
    return ranks.isEmpty
      ? joinRows : From(Select(["joined.*"] + ranks, from: joinRows), as: "joined", dialect: dialect)
  }

  private var fromSource: Select {
    let found = lookup(
      destination, alias: "y", references: join.destinationReferences, columns: join.destinationColumns,
      from: "x")
    let condition = Condition.equal(
      keys(source!, alias: "x", references: join.references), dialect.columns("s", join.columns))
    let rows = source!.rows("s", of: table.name, with: "x", on: condition)
    return Select(selected("x"), from: rows + found).where(sourceAsks("x"))
  }

  private var fromDestination: Select {
    let found = lookup(source, alias: "x", references: join.references, columns: join.columns, from: "y")
    let already = source == nil ? Condition.never : .isNotNull("x.seq") && sourceAsks("x")
    let condition = Condition.equal(
      keys(destination!, alias: "y", references: join.destinationReferences),
      dialect.columns("s", join.destinationColumns))
    let rows = destination!.rows("s", of: table.name, with: "y", on: condition)
    return Select(selected("y"), from: rows + found).where(destinationAsks("y") && !already)
  }

  /// `known` is the end that is looked up from.
  private func selected(_ known: String) -> [String] {
    var sql = end(source, alias: "x", references: join.references, columns: join.columns, name: "c")
    sql += end(
      destination, alias: "y", references: join.destinationReferences, columns: join.destinationColumns,
      name: "d")
    if let column = join.orderColumn { sql.append("\(dialect.column("s", column)) AS p") }
    if let column = join.inverseOrderColumn { sql.append("\(dialect.column("s", column)) AS q") }
    sql += extras.copied.enumerated().map { "\(dialect.column("s", $1)) AS u\($0)" }
    if let key = extras.key?.column ?? table.countedKey {
      sql.append("\(dialect.column("s", key)) AS number")
    }
    if hasCopy { sql.append("\(known).copy AS copy") }
    return sql
  }

  private var hasCopy: Bool { layout.hasCopies }

  private func end(
    _ tablePlan: CloneTablePlan?, alias: String, references: [String], columns: [String], name: String
  ) -> [String] {
    let isIn = tablePlan.map { $0.form == .row ? "TRUE" : "\(alias).seq IS NOT NULL" } ?? "FALSE"
    return ["\(isIn) AS i\(name)"]
      + columns.indices.flatMap { i in
        let original = dialect.column("s", columns[i])
        let new = tablePlan.map { tablePlan in
          "CASE WHEN \(isIn) THEN \(tablePlan.newKey(alias, part: tablePlan.keyPart(references[i])!)) ELSE \(original) END"
        }
        return ["\(new ?? original) AS \(name)\(i)", "\(original) AS o\(name)\(i)"]
      }
  }

  private func lookup(
    _ tablePlan: CloneTablePlan?, alias: String, references: [String], columns: [String],
    from known: String
  ) -> [From.Join] {
    guard let tablePlan else { return [] }
    let isEnd = Condition.equal(
      keys(tablePlan, alias: alias, references: references), dialect.columns("s", columns))
    return [
      .left("\(dialect.temporary(tablePlan.map)) \(alias)", on: isEnd && tablePlan.sameCopy(alias, known))
    ]
  }

  private func keys(_ tablePlan: CloneTablePlan, alias: String, references: [String]) -> [String] {
    references.map { tablePlan.old(alias)[tablePlan.keyPart($0)!] }
  }

  private func ends(_ name: String, count: Int) -> [String] {
    (0..<count).map { "\(name)\($0)" }
  }

  // MARK: Columns

  /// Ranks and positions in the lists of both ends.
  private var orders: [(column: String, rank: String, position: String)] {
    let own = join.orderColumn.map {
      order($0, isClone: isClone(source, others: destinationAsks("y"), "ic"), "p", sources, by: destinations)
    }
    let other = join.inverseOrderColumn.map {
      order($0, isClone: isClone(destination, others: sourceAsks("x"), "id"), "q", destinations, by: sources)
    }
    return [own, other].compactMap { $0 }
  }

  /// Whether an end is a clone: each is where only that end asks for rows.
  private func isClone(_ tablePlan: CloneTablePlan?, others: Condition, _ column: String) -> Condition {
    if tablePlan == nil { return .never }
    return others == .never ? .always : .sql(column)
  }

  private var sources: JoinEnd {
    JoinEnd(
      join.columns, references: join.references, of: relationship.entity, in: table,
      originals: ends("oc", count: join.columns.count), layout: layout)
  }

  private var destinations: JoinEnd {
    JoinEnd(
      join.destinationColumns, references: join.destinationReferences, of: relationship.destination,
      in: table,
      originals: ends("od", count: join.destinationColumns.count), layout: layout)
  }

  /// - Parameter place: the column of the rows that holds the original's position.
  private func order(
    _ column: String, isClone: Condition, _ place: String, _ list: JoinEnd, by others: JoinEnd
  ) -> (column: String, rank: String, position: String) {
    // The list of a clone is one for each copy; a list outside the copies join one after another.
    let copy = hasCopy && isClone != .never ? [isClone.choose("copy", else: "NULL")] : []
    let lists = list.original + copy
    let position = dialect.sorting(position: place, in: table.column(column))
    let rank = dialect.number(within: lists, by: (hasCopy ? ["copy"] : []) + [position] + others.original)
    let positions = layout.mapping.positions
    let end = dialect.end(
      of: dialect.column("e", column), in: table.name, empty: positions.start,
      where: .equal(list.key(of: "e"), list.original))
    return (
      column, "\(rank) AS r\(place)",
      positions.position(rank: "r\(place)", in: lists, isNew: isClone, end: end)
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
    var links: [(String, Select)] = []
    if sourceAsks("x") != .never {
      links.append(
        (
          relationship.destination,
          outside(
            fromSource, end: join, columns: ends("od", count: join.destinationColumns.count),
            isIn: destination == nil ? nil : "id", of: relationship.destination)
        ))
    }
    if destinationAsks("y") != .never {
      links.append(
        (
          relationship.entity,
          outside(
            fromDestination, end: join.inverted, columns: ends("oc", count: join.columns.count),
            isIn: source == nil ? nil : "ic", of: relationship.entity)
        ))
    }
    return links
  }

  /// - Parameters:
  ///   - end: the table, seen from the end that is in the closure.
  ///   - columns: those of the rows that hold the other end.
  ///   - isIn: says of a row whether the other end is a clone; nil where it never is.
  private func outside(
    _ rows: Select, end: JoinTableMapping, columns: [String], isIn: String?, of entity: String
  ) -> Select {
    let name = layout.mapping[entity].table
    let mayDangle = layout.mayDangle(
      end.destinationColumns, in: table, to: end.destinationReferences, of: entity)
    let isRow = Condition.equal(
      dialect.columns("l", end.destinationReferences), columns.map { "links." + $0 })
    let isThere: Condition =
      mayDangle ? .exists(in: From("\(dialect.table(name)) l"), where: isRow, dialect) : .always
    let isOutside: Condition = isIn.map { !.sql($0) } ?? .always
    return Select(
      (hasCopy ? ["links.copy AS copy"] : []) + columns, from: From(rows, as: "links", dialect: dialect)
    ).where(isOutside && isThere)
  }
}
