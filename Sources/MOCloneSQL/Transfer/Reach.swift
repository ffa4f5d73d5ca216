import MOCloneEngine
import MOCloneModel

/// What a copy begins with, what that owns, and what all of it refers to, found by one recursive query where it has room
/// for all ways.
///
/// Each object is reached in ways, which the column `w` tells: 0 asked for or owned, 1 referred to by a foreign key,
/// more over a side of a join table. Only what was asked for or is owned brings what it owns, and nothing is
/// followed back over the pairs that it was reached by. So a product brings its tags, and these no other products.
package struct Reach {
  let layout: TransferLayout
  /// The entities whose objects can be reached, so that no step is taken from others; nil for all.
  var entities: EntityReach?
  private let width: Int
  /// The types of the parts of keys: numbers where all keys are, else texts, which hold all; empty in a database that has none.
  private let types: [String]
  var dialect: Dialect { layout.dialect }

  init(_ layout: TransferLayout) {
    self.layout = layout
    width = layout.streams.map(\.keys.columns.count).max() ?? 1
    guard layout.dialect.hasTypes else {
      types = Array(repeating: "", count: width)
      return
    }
    types = (0..<width).map { part in
      let columns = layout.streams.compactMap { $0.keys.columns.dropFirst(part).first }
      return columns.allSatisfy { Self.integers.contains(layout.dialect.columnType($0)) }
        ? layout.dialect.types.integer : "text"
    }
  }

  private static let integers: Set = ["bigint", "integer", "smallint"]

  // MARK: The table of what was reached

  /// The rows that were reached: the stream's number, and a key.
  package var table: TemporaryTable { table("reach", parts: layout.streams.count) }

  func table(_ purpose: String, parts: Int = 0) -> TemporaryTable {
    layout.temporary(purpose, columns: definitions, key: columns, isOrdered: true, parts: parts)
  }

  private var definitions: [String] {
    zip(columns, [dialect.types.integer] + types).map { $1.isEmpty ? $0 : "\($0) \($1) NOT NULL" }
  }

  var columns: [String] { ["t"] + (0..<width).map { "k\($0)" } }

  /// Whether a row was reached.
  func contains(_ stream: RowStream, key: [String]) -> Condition { contains(table, stream: stream, key: key) }

  func contains(_ table: TemporaryTable, stream: RowStream, key: [String]) -> Condition {
    let isEntry =
      Condition.sql("q.t = \(stream.index)") && .equal(stream.keys.parts("q.k"), sought(key, of: stream))
    return .exists(in: table.rows("q"), where: isEntry, dialect)
  }

  /// A key by which the table's index can be searched.
  ///
  /// The table's columns have no type of their own, so SQLite would compare them with a column of numbers one by one; what
  /// that column makes of a text is done here instead.
  private func sought(_ key: [String], of stream: RowStream) -> [String] {
    // Numbers of all types compare with each other, and a cast would round some.
    if dialect.hasTypes { return key.indices.map { hasText($0) ? noted(key)[$0] : key[$0] } }
    return zip(key, stream.keys.columns).map { part, column in
      let number = "CAST(\(part) AS NUMERIC)"
      return column.isNumeric ? "CASE WHEN \(part) = \(number) THEN \(number) ELSE \(part) END" : part
    }
  }

  /// The rows of a stream that were reached.
  func each(of stream: RowStream, _ alias: String) -> From {
    table.rows("g") + [
      .ordered(
        "\(stream.sql) \(alias)",
        on: .sql("g.t = \(stream.index)") && isEntry("g", of: stream, key: stream.key(alias)))
    ]
  }

  /// Whether an entry tells of a row, which is then searched by its key as it stands there.
  private func isEntry(_ entry: String, of stream: RowStream, key: [String]) -> Condition {
    let parts = stream.keys.parts("\(entry).k")
    let ties = stream.keys.columns.enumerated().map { place, column in
      // Texts of several collations could not be compared.
      guard hasText(place), column.collation == "BINARY" else {
        return Condition.equal([hasText(place) ? noted(key)[place] : key[place]], [parts[place]])
      }
      let own =
        "CASE WHEN \(entry).t = \(stream.index) THEN \(dialect.cast(parts[place], dialect.columnType(column))) END"
      return .equal([key[place]], [own])
    }
    return ties.all
  }

  /// The values of `columns` for an object.
  ///
  /// Keys of tables that hold numbers and of those that hold texts meet in one column; without the plus sign SQLite would
  /// turn them all into the kind of the first.
  func object(_ stream: RowStream, _ key: [String]) -> [String] {
    let values = ["\(stream.index)"] + (dialect.hasTypes ? noted(key) : key.map { "+\($0)" })
    return (values + padding(stream)).named(columns)
  }

  /// The same, for a key that is at hand. After such entries `respell` has them stand as the database writes them.
  func entry(of stream: RowStream, _ key: [StoredValue]) -> [StoredValue] {
    [.integer(Int64(stream.index))] + key + Array(repeating: .integer(0), count: width - key.count)
  }

  /// The statements that have keys which were entered in a table stand as the database's own casts write them: types as
  /// those of bytes, times and addresses read more spellings than they write.
  func respell(_ table: TemporaryTable) -> [String] {
    layout.streams.compactMap { stream in
      let spellings = stream.keys.columns.enumerated().compactMap { place, column -> (String, String)? in
        let type = dialect.columnType(column)
        guard hasText(place), type != "text", !Self.integers.contains(type) else { return nil }
        let part = "k\(place)"
        let own = "CASE WHEN t = \(stream.index) THEN CAST(CAST(\(part) AS \(type)) AS text) END"
        return (part, own)
      }
      guard !spellings.isEmpty else { return nil }
      let isOther = spellings.map { Condition.sql("\($0.0) <> \($0.1)") }.any
      return Update(table.sql, assignments: spellings.map { (column: $0.0, value: $0.1) })
        .where(.sql("t = \(stream.index)") && isOther).text(dialect)
    }
  }

  /// What stands behind a key that has fewer parts than others.
  private func padding(_ stream: RowStream) -> [String] {
    (stream.keys.columns.count..<width).map { dialect.cast(hasText($0) ? "'0'" : "0", types[$0]) }
  }

  private func hasText(_ part: Int) -> Bool { types[part] == "text" }

  /// A key as the table holds it.
  func noted(_ key: [String]) -> [String] { zip(key, types).map { dialect.cast($0, $1) } }

  // MARK: Selections

  /// Fills the table; parameters are the values of conditions.
  package func enter(_ roots: [CopyRoot], limit: Int?, by statements: any StatementRunning) throws {
    let edges = edges
    let rows = Dictionary(uniqueKeysWithValues: edges.map { ($0.place, $0.table.sql) })
    let recursion = Recursion(
      columns: columns + ["w"], start: roots.enumerated().map { seed($1, place: $0, limit: limit) },
      steps: forward + backward(over: rows) + paired(over: rows), name: "reach", row: "r", selected: columns)
    try statements.execute(table.setUp + edges.flatMap(\.setUp))
    try enter(table, recursion, by: statements)
  }

  /// The statements that enter every row, where the source holds what is meant and nothing else.
  package var everything: [String] {
    table.setUp
      + layout.streams.map { stream in
        table.insert(columns, Select(object(stream, stream.key("s")), from: stream.rows("s")))
      }
  }

  /// Enters the objects of a query that follows steps from what it has found, each from a row `r`, in a table, each once.
  func enter(
    _ table: TemporaryTable, _ recursion: Recursion, where condition: Condition = .always,
    by statements: any StatementRunning
  ) throws {
    if recursion.isOneQuery {
      let rows = recursion.text(dialect, where: condition)
      try statements.execute(table.insert(columns, rows: rows, conflict: .skip))
      return
    }
    let generations = Generations(recursion, in: found, dialect: dialect)
    try generations.find(by: statements)
    let rows = Select(columns, from: found.rows("x")).where(condition)
    try statements.execute(table.insert(columns, rows, conflict: .skip))
    try statements.execute(found.clear)
  }

  /// What one generation after another was found to lead to: objects, their ways, and the generation.
  private var found: TemporaryTable {
    let integer = dialect.types.integer
    return layout.temporary(
      "found", columns: definitions + ["w \(integer) NOT NULL DEFAULT 0", "g \(integer) NOT NULL"],
      key: columns + ["w"], isOrdered: true)
  }

  /// Gives the conditions of roots their values.
  package func bind(_ roots: [CopyRoot], to statements: any StatementRunning) {
    for (i, root) in roots.enumerated() {
      for (j, condition) in root.conditions.enumerated() {
        let column = layout.mapping[root.entity].attributes[condition.attribute.name]!
        statements.bind(Self.parameter(root: i, condition: j), ValueCoding(column).encode(condition.value))
      }
    }
  }

  /// The name of the parameter of a condition.
  package static func parameter(root: Int, condition: Int) -> String { "where_\(root)_\(condition)" }

  private func seed(_ root: CopyRoot, place: Int, limit: Int?) -> Select {
    let stream = layout.streams[layout.store.table(of: root.entity).index]
    let conditions = root.conditions.enumerated().map { i, condition -> Condition in
      let mapped = layout.mapping[root.entity].attributes[condition.attribute.name]!
      let column = dialect.column("s", mapped.column)
      let parameter = dialect.parameter(Self.parameter(root: place, condition: i))
      return condition.value.isNull ? .isNull(column) : dialect.equal(mapped, column, parameter)
    }
    let isMeant = conditions.reduce(layout.store.isKind(root.entity, alias: "s")) { $1 && $0 }
    let select = Select(object(stream, stream.key("s")) + ["0 AS w"], from: stream.rows("s")).where(isMeant)
    guard let limit else { return select }
    let first = select.ordered(by: stream.key("s")).limited(to: limit)
    return Select(["*"], from: From(first, as: "first", dialect: dialect))
  }

  private var rules: CopyRules { layout.rules! }
  private var followsAll: Bool { rules.follow == .all }
  private func starts(at entity: String) -> Bool { entities?.entities.contains(entity) ?? true }
  private func owns(_ entity: String) -> Bool { entities?.owners.contains(entity) ?? true }

  /// Ties a row to the object `r` that was reached; the constant comes first, so that others cost nothing.
  private func reached(_ stream: RowStream, alias: String) -> Condition {
    .sql("r.t = \(stream.index)") && isEntry("r", of: stream, key: stream.key(alias))
  }

  /// A step from an object `r` over joined rows to rows `x`; `way` tells how these are reached.
  private func step(
    from source: RowStream, to stream: RowStream, over joins: [(rows: String, tie: Condition)], way: String?
  ) -> Recursion.Step {
    Recursion.Step(
      source: source.index, columns: object(stream, stream.key("x")) + [way].compactMap { $0 },
      joins: joins.map { .ordered($0.rows, on: $0.tie) })
  }

  // MARK: Foreign keys

  private var references: [(stream: RowStream, reference: StreamReference)] {
    layout.streams.flatMap { stream in stream.references.map { (stream, $0) } }
  }

  /// Whether a row brings what it refers to.
  private func isFollowed(_ reference: RowReference) -> Bool {
    starts(at: reference.entity) && rules.follows(reference.ends[0])
      && (followsAll || reference.forward != nil)
  }

  /// Whether an object brings the rows that refer to it, over a relationship that it knows of.
  private func isFollowedBack(_ reference: RowReference) -> Bool {
    owns(reference.key.destination) && rules.follows(reference.ends[1])
      && (followsAll || reference.backward != nil)
  }

  /// The rows that a row references. Of a one-to-one relationship each side belongs to the other one.
  private var forward: [Recursion.Step] {
    references.filter { isFollowed($0.reference.reference) }.map { stream, reference in
      let own = reference.reference.isOneToOne ? "CASE r.w WHEN 0 THEN 0 ELSE 1 END" : "1"
      return forward(reference, of: stream, way: followsAll ? "0" : own)
    }
  }

  /// From a row to what it refers to.
  ///
  /// - Parameter fromAll: whether every row is meant, whatever was reached.
  func forward(
    _ reference: StreamReference, of stream: RowStream, way: String? = nil, fromAll: Bool = false
  ) -> Recursion.Step {
    let destination = layout.destination(of: reference)!
    let tie = Condition.equal(
      dialect.columns("x", reference.key.references), dialect.columns("s", reference.columns))
    return step(
      from: stream, to: destination,
      over: [
        (
          "\(stream.sql) s",
          (fromAll ? .always : reached(stream, alias: "s")) && layout.store.holds(reference.reference, "s")
        ),
        ("\(destination.sql) x", tie),
      ], way: way)
  }

  /// From a row to those that refer to it.
  ///
  /// - Parameter fromAll: whether every row is meant, whatever was reached.
  func backward(_ reference: StreamReference, of stream: RowStream, fromAll: Bool) -> Recursion.Step {
    let destination = layout.destination(of: reference)!
    let tie = Condition.equal(
      dialect.columns("x", reference.columns), dialect.columns("d", reference.key.references))
    return step(
      from: destination, to: stream,
      over: [
        ("\(destination.sql) d", fromAll ? .always : reached(destination, alias: "d")),
        ("\(stream.sql) x", tie && layout.store.holds(reference.reference, "x")),
      ], way: nil)
  }

  /// What belongs to an object.
  private func backward(over edges: [Edge.Place: String]) -> [Recursion.Step] {
    references.filter { isFollowedBack($0.reference.reference) }.map { stream, reference in
      let destination = layout.destination(of: reference)!
      let edge = edges[.reference(reference.number)]
      var tie = Condition.equal(
        dialect.columns("x", reference.columns), dialect.columns("d", reference.key.references))
      if edge == nil { tie = tie && layout.store.holds(reference.reference, "x") }
      let own = reached(destination, alias: "d") && (followsAll ? .always : .sql("r.w = 0"))
      return step(
        from: destination, to: stream,
        over: [("\(destination.sql) d", own), ("\(edge ?? stream.sql) x", tie)], way: "0")
    }
  }

  // MARK: Pairs

  private func paired(over edges: [Edge.Place: String]) -> [Recursion.Step] {
    layout.joinRows.flatMap { joinRows in
      joinRows.ends.indices.filter { isFollowed(joinRows, from: $0) }.map { end in
        let (there, back) = (2 * joinRows.index + 2 + end, 2 * joinRows.index + 3 - end)
        return pair(
          joinRows, end: end, edge: edges[.joinRows(joinRows.index, end: end)],
          where: followsAll ? .always : .sql("r.w <> \(back)"), way: followsAll ? "0" : "\(there)")
      }
    }
  }

  /// Whether objects at one end bring those at the other.
  private func isFollowed(_ joinRows: JoinRowStream, from end: Int) -> Bool {
    let join = joinRows.join
    guard starts(at: join.ends[end].entity) else { return false }
    return end == 0
      ? rules.follows(join.relationship)
      : rules.follows(join.inverse ?? join.relationship) && (followsAll || join.inverse != nil)
  }

  /// From objects at one end of a join table to those at the other.
  func pair(_ joinRows: JoinRowStream, end: Int, fromAll: Bool) -> Recursion.Step {
    pair(joinRows, end: end, edge: nil, where: .always, way: nil, fromAll: fromAll)
  }

  private func pair(
    _ joinRows: JoinRowStream, end: Int, edge: String?, where condition: Condition, way: String?,
    fromAll: Bool = false
  ) -> Recursion.Step {
    let (own, other) = (joinRows.ends[end], joinRows.ends[1 - end])
    let (stream, there) = (layout.streams[own.stream], layout.streams[other.stream])
    let tie = Condition.equal(dialect.columns("j", own.columns), dialect.columns("s", own.mapping.references))
    let end = Condition.equal(
      dialect.columns("x", other.mapping.references), dialect.columns("j", other.columns))
    return step(
      from: stream, to: there,
      over: [
        ("\(stream.sql) s", (fromAll ? .always : reached(stream, alias: "s")) && condition),
        ("\(edge ?? joinRows.sql) j", tie),
        ("\(there.sql) x", end),
      ], way: way)
  }

  // MARK: Edges

  /// What would be searched without an index, for every object that is reached: references in an order that they can be
  /// searched in.
  private struct Edge {
    /// What it stands for.
    enum Place: Hashable {
      case reference(Int)
      case joinRows(Int, end: Int)
    }

    var place: Place
    var table: TemporaryTable
    var setUp: [String]
  }

  private var edges: [Edge] {
    let rows = references.compactMap { stream, reference -> Edge? in
      guard isFollowedBack(reference.reference), stream.source?.hasIndex(reference.columns) == false else {
        return nil
      }
      return edge(
        .reference(reference.number), "edge\(reference.number)", rows: stream.rows("s"),
        columns: reference.columns,
        with: stream.keys.columns.map(\.name), in: stream.source!,
        condition: layout.store.holds(reference.reference, "s"))
    }
    return rows + layout.joinRows.compactMap(edge)
  }

  /// One of the two ends is the primary key's first columns in any join table that has one.
  private func edge(_ joinRows: JoinRowStream) -> Edge? {
    guard let source = joinRows.source else { return nil }
    let open = joinRows.ends.indices.first {
      isFollowed(joinRows, from: $0) && !source.hasIndex(joinRows.ends[$0].columns)
    }
    guard let open else { return nil }
    let (own, other) = (joinRows.ends[open], joinRows.ends[1 - open])
    return edge(
      .joinRows(joinRows.index, end: open), "pairs\(joinRows.index)", rows: From("\(joinRows.sql) s"),
      columns: own.columns, with: other.columns,
      in: source, condition: .always)
  }

  private func edge(
    _ place: Edge.Place, _ purpose: String, rows: From, columns: [String], with others: [String],
    in schema: TableSchema,
    condition: Condition
  ) -> Edge {
    let all = columns + others.filter { other in !columns.contains { $0.sqlName == other.sqlName } }
    let definitions = all.map { dialect.definition(dialect.name($0), as: schema.columnOrRowid($0)) }
    let table = layout.temporary(purpose, columns: definitions)
    let filled = Select(dialect.columns("s", all), from: rows)
      .where(.isNotNull(dialect.column("s", columns[0])) && condition)
    let fill = table.insert(all.map(dialect.name), filled)
    return Edge(
      place: place, table: table,
      setUp: table.setUp + [fill, table.index(columns.map(dialect.name), named: "by_column")])
  }
}
