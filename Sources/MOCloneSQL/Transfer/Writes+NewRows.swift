import MOCloneEngine
import MOCloneModel

// What new objects hold.
extension Writes {
  /// Inserts the new objects of a stream, in the order of its rows.
  ///
  /// - Parameter condition: the rows meant, where not all are.
  package func insert(_ stream: RowStream, where condition: Condition = .always) -> String {
    let values = startValues(stream)
    return Insert(
      into: stream.table.sql, values.map { dialect.name($0.column) },
      rows: inOrder(withKeys(keys.newRows(stream), of: stream), of: stream).where(condition)
        .with(values.map(\.sql)).text(dialect),
      conflict: stream.table.schema.conflict
    ).text(dialect)
  }

  /// Rows in the order of their keys; where triggers keep values, after those of its table that they refer to.
  private func inOrder(_ rows: Select, of stream: RowStream) -> Select {
    let key = stream.key("s")
    guard let levels = levels(stream) else { return rows.ordered(by: key) }
    return rows.joined(levels.join(to: key)).ordered(by: [RowLevels.order] + key)
  }

  private func levels(_ stream: RowStream) -> RowLevels? {
    guard layout.hasKeptColumns else { return nil }
    let own = stream.references.filter { $0.destination == stream.index && $0.isFormed }
    guard let reference = own.first(where: { stream.table.schema.isCounted($0.key.columns) }) ?? own.first
    else {
      return nil
    }
    let columns = dialect.columns("s", reference.columns)
    let referenced =
      stream.source == nil
      ? stream.key("p") : dialect.columns("p", reference.key.references)
    let links = keys.newRows(stream).where(layout.holds(reference, of: stream))
      .joined("\(stream.sql) p", on: .equal(referenced, columns))
    return RowLevels(
      links: links.with(stream.key("s") + stream.key("p")), width: stream.keys.columns.count, dialect: dialect
    )
  }

  /// Inserts the objects of a table that has none, in the order of what identifies them, of equal ones the first: its
  /// unique index tells them apart.
  package func insertFirst(
    _ stream: RowStream, by identity: [String], where condition: Condition = .always
  ) -> String {
    let values = newValues(stream)
    let order = identity.compactMap { stream.plain($0, "s") } + stream.key("s")
    let rows = withKeys(keys.rows(stream), of: stream).where(.sql("TRUE") && condition)
      .with(values.map(\.sql)).ordered(by: order)
    return Insert(
      into: stream.table.sql, values.map { dialect.name($0.column) },
      rows: rows.text(dialect) + " ON CONFLICT(\(identity.map(dialect.name).list)) DO NOTHING"
    ).text(dialect)
  }

  /// Gives new objects the values again that triggers have changed as other rows were written, such as a counter of
  /// members that the model does not say triggers keep: it has counted them already.
  package var restoring: Restoring { Restoring(layout.reached.flatMap(restore), tables: written) }

  private func restore(_ stream: RowStream) -> [String] {
    guard stream.source != nil else { return [] }
    let table = stream.table
    let changed = updates.changed(in: table.schema, key: table.map.keyColumns)
      .filter { !table.isKeptByTriggers($0.name) }
    guard !changed.isEmpty else { return [] }
    let values = newValues(stream)
    let key = table.keyColumns.compactMap { value(in: $0, of: values) }.named(table.keys("k"))
    return changed.compactMap { column in
      guard let value = value(in: column, of: values) else { return nil }
      let rows = keys.newRows(stream).with(key + ["\(dialect.cast(value, as: column)) AS v"])
      let isOther = dialect.differentBytes(dialect.column("t", column.name), b: "x.v", column: nil)
      return Update(
        "\(table.sql) AS t", assignments: [(dialect.name(column.name), "x.v")],
        from: From(rows, as: "x", dialect: dialect)
      ).where(.equal(table.key("t"), table.keys("x.k")) && isOther).onConflict(table.schema.conflict)
        .text(dialect)
    }
  }

  private func value(in column: ColumnSchema, of values: [Value]) -> String? {
    values.first { $0.column.sqlName == column.name.sqlName }?.sql
  }

  /// Counts new objects that a trigger has deleted again, or stored under another key; nil where none can.
  package func gone(_ stream: RowStream) -> Select? {
    let table = stream.table
    guard table.schema.canLoseNewRows else { return nil }
    let exists = Condition.exists(
      in: table.rows("t"), where: .equal(table.key("t"), table.keys("x.k")), dialect)
    return written(stream).map { $0.where(!exists) }
  }

  /// Counts new objects to which a trigger has given another destination; nil where none can.
  package func moved(_ reference: StreamReference, of stream: RowStream) -> Select? {
    changed(reference.key.columns, of: stream)
  }

  /// Counts new objects in which a trigger has changed what rows of another stream reference them by; nil where none can.
  package func renamed(by reference: StreamReference, of other: RowStream, _ stream: RowStream) -> Select? {
    let columns = reference.key.references
    guard reference.isFormed, stream.isRewritten(for: reference) else { return nil }
    let referenced = stream.source == nil ? stream.key("s") : dialect.columns("s", columns)
    let refers = Condition.equal(
      dialect.columns("r", reference.columns), referenced.indices.map { "x.q\($0)" })
    return changed(
      columns, of: stream, with: referenced.enumerated().map { "\($1) AS q\($0)" },
      where: .exists(in: other.rows("r"), where: refers, dialect))
  }

  /// Counts new objects in which columns hold something else than was written; nil where none can.
  ///
  /// - Parameters:
  ///   - more: what the condition asks of a row, as its columns.
  ///   - condition: of the rows `x` that hold something else, each of which is asked.
  private func changed(
    _ columns: [String], of stream: RowStream, with more: [String] = [], where condition: Condition = .always
  ) -> Select? {
    let table = stream.table
    guard table.schema.rewritesNewRows(columns) else { return nil }
    let values = newValues(stream).filter { value in
      columns.contains { $0.sqlName == value.column.sqlName }
    }
    let isOther = values.enumerated().map { dialect.different(dialect.column("t", $1.column), "x.v\($0)") }
      .any
    let row = Condition.exists(
      in: table.rows("t"), where: .equal(table.key("t"), table.keys("x.k")) && isOther, dialect)
    // Few rows are changed, and what refers to them may be found by no index.
    let isMeant = condition == .always ? row : .sql("CASE WHEN \(row.text) THEN \(condition.text) END")
    return written(stream, values.enumerated().map { "\($1.sql) AS v\($0)" } + more).map { $0.where(isMeant) }
  }

  /// What the database has computed of references, once everything is written.
  package var computedReferences: [Check] {
    layout.reached.flatMap { stream in stream.references.flatMap { computed($0, of: stream) } }
  }

  private func computed(_ reference: StreamReference, of stream: RowStream) -> [Check] {
    let (table, columns) = (stream.table, reference.key.columns)
    let places = columns.indices.filter { table.schema.isGenerated(columns[$0]) }
    guard let first = places.first else { return [] }
    let new =
      reference.isFormed ? withinSubtree(keys.reference(reference, "s"), of: reference, stream: stream) : nil
    let values = places.map { dialect.cast(new?[$0] ?? "NULL", as: table.schema.column(columns[$0])) }
    func isOther(than values: [String]) -> Condition {
      zip(places, values).map { dialect.different(dialect.column("t", columns[$0]), $1) }.any
    }
    let isMeant = stream.isGiven(reference, "s") && layout.holds(reference, of: stream)
    let relationship = reference.reference.relationship
    func check(_ query: Select) -> Check {
      Check(
        subject: .computed(relationship, column: columns[first], isLeftOut: !reference.isFormed),
        stream: stream,
        query: query)
    }
    let row = stream.key("s") + (stream.source == nil ? ["s.line"] : [])
    let names = row.indices.map { "r\($0)" } + values.indices.map { "v\($0)" } + ["is_meant"]
    let known = row + values + [isMeant.choose("1", else: "0")]
    let isWrong = Condition.exists(
      in: table.rows("t"),
      where: .equal(table.key("t"), table.keys("x.k")) && isOther(than: values.indices.map { "x.v\($0)" }),
      dialect)
    var checks: [Check] = []
    if let made = written(stream, zip(known, names).map { "\($0) AS \($1)" }) {
      let shown = row.indices.map { "x.r\($0)" }
      checks.append(check(made.where(.sql("x.is_meant = 1") && isWrong).with(shown)))
    }
    // What was there keeps what it has, unless it is to be overwritten.
    if policy.references == .update, reference.isFormed, keys.canBeFound(stream),
      layout.overwrites(relationship.name, of: stream)
    {
      let leads = values.map { Condition.isNotNull($0) }.all
      checks.append(
        check(keys.foundPairs(stream).where(isMeant && leads && isOther(than: values)).with(row)))
    }
    return checks
  }

  /// The rows of new objects, with these as `t` once they are written; nil where nobody knows their keys.
  func newPairs(_ stream: RowStream) -> Select? {
    let (table, all) = (stream.table, newValues(stream))
    let key = table.keyColumns.compactMap { value(in: $0, of: all) }
    guard key.count == table.keyColumns.count else { return nil }
    return withKeys(keys.newRows(stream), of: stream).joined(
      "\(table.sql) t", on: .equal(table.key("t"), key))
  }

  /// Counts the new objects `x` of a stream, with keys `k` and further values; nil where nobody knows their keys.
  private func written(_ stream: RowStream, _ values: [String] = []) -> Select? {
    let (table, all) = (stream.table, newValues(stream))
    let key = table.keyColumns.compactMap { value(in: $0, of: all) }
    guard key.count == table.keyColumns.count else { return nil }
    let rows = withKeys(keys.newRows(stream), of: stream)
      .with(key.named(table.keys("k")) + values)
    return Select(["count(*)"], from: From(rows, as: "x", dialect: dialect))
  }

  /// The statements that have the database count on behind keys that rows brought along.
  package func advance(_ stream: RowStream) -> [String] {
    stream.table.map.keyColumns.compactMap { column in
      guard let sequence = stream.table.schema.column(column)?.sequence,
        stream.newKey == .kept || stream.newKey == .written || stream.plain(column, "s") != nil
      else { return nil }
      return dialect.advance(sequence, stream.table.sql, dialect.name(column))
    }
  }

  /// Whether the objects of a stream that is cut out are its rows, value by value, so that the rows can be staged where
  /// they end up.
  package func keepsRows(of stream: RowStream) -> Bool {
    // What a column of numbers would make of a text is found where the text stands still.
    guard keepsKeys(of: stream), !keys.state(stream).hasLinked,
      stream.columnTransfers.allSatisfy(\.keepsNumbers),
      let rows = stream.source
    else { return false }
    return keepsColumns(of: rows, startValues(stream), alias: "s")
  }

  /// The same for pairs.
  package func keepsRows(of joinRows: JoinRowStream) -> Bool {
    guard joinRows.isFormed, joinRows.ends.allSatisfy({ keepsKeys(of: layout.streams[$0.stream]) }),
      let rows = joinRows.source, isAsked(joinRows) == .always
    else { return false }
    return keepsColumns(of: rows, newValues(joinRows), alias: "j")
  }

  /// Whether every row has an object of its key.
  private func keepsKeys(of stream: RowStream) -> Bool {
    let state = keys.state(stream)
    return stream.newKey == .kept && !state.hasMap && !state.joins && keys.isTotal(stream)
  }

  private func keepsColumns(of rows: TableSchema, _ values: [Value], alias: String) -> Bool {
    Set(values.map(\.column.sqlName)) == Set(rows.columns.map(\.name.sqlName))
      && values.allSatisfy { $0.sql == dialect.column(alias, $0.column) }
  }

  // MARK: Values

  private func newValues(_ stream: RowStream) -> [Value] {
    written(
      keyValues(stream) + markValues(stream) + attributeValues(stream) + referenceValues(stream)
        + stream.unmapped.compactMap { name in stream.value(name, "s").map { Value(column: name, sql: $0) } },
      in: stream.table.schema)
  }

  /// The same as the rows are inserted: some columns that triggers count begin with their defaults.
  private func startValues(_ stream: RowStream) -> [Value] {
    let values = newValues(stream)
    guard stream.source != nil else { return values }
    let begun = updates.begun(in: stream.table.schema, key: stream.table.map.keyColumns)
    guard !begun.isEmpty else { return values }
    return values.map { value in
      guard begun.contains(where: { $0.name.sqlName == value.column.sqlName }),
        let start = start(value.column, of: stream)
      else { return value }
      return Value(column: value.column, sql: start)
    }
  }

  /// The default of the number in a column; nil where entities of the table differ in it.
  private func start(_ column: String, of stream: RowStream) -> String? {
    let starts = stream.entities.map { entity in
      layout.model.attributes(of: entity).lazy.compactMap { attribute -> String? in
        guard let mapped = layout.mapping[attribute.entity].attributes[attribute.name], mapped.keyPart == nil,
          mapped.column.sqlName == column.sqlName, attribute.type.isNumber
        else { return nil }
        return attribute.defaultValue.map { dialect.value($0, as: mapped) }
      }.first
    }
    return Set(starts).count == 1 ? starts[0] : nil
  }

  private func markValues(_ stream: RowStream) -> [Value] {
    guard let column = stream.table.discriminator else { return [] }
    // A mark that the statement writes itself is a text, also where the column is an enum.
    let type = stream.source == nil ? stream.table.schema.column(column).map(dialect.columnType) : nil
    return [Value(column: column, sql: dialect.cast(stream.mark("s"), type))]
  }

  func keyValues(_ stream: RowStream) -> [Value] {
    let columns = stream.table.map.keyColumns
    let state = keys.state(stream)
    if state.leavesKeys {
      let made = NewKeys(layout: layout, keys: keys, stream: stream)
      return columns.indices.compactMap { part in
        made.value(part, "s").map { Value(column: columns[part], sql: $0) }
      }
    }
    if state.isMapped { return zip(columns, stream.table.keys("m.n")).map { Value(column: $0, sql: $1) } }
    let own = stream.key("s")[0]
    guard case .uuid = stream.newKey, state.hasMap else {
      return [Value(column: columns[0], sql: keys.offsetKey(stream, old: own))]
    }
    let renewed = Select(["m.n0"], from: layout.map(stream).rows("m"))
      .where(.equal(["m.o0"], [own]) && layout.isNew("m"))
    return [Value(column: columns[0], sql: "coalesce((\(renewed.text(dialect))), \(own))")]
  }

  private func attributeValues(_ stream: RowStream) -> [Value] {
    var seen: Set<String> = []
    return stream.entities.flatMap { layout.model.attributes(of: $0) }.compactMap { attribute in
      guard let column = layout.mapping[attribute.entity].attributes[attribute.name], column.keyPart == nil,
        seen.insert(column.column.sqlName).inserted, !isLeftToDefault(attribute, column, stream)
      else { return nil }
      let own = newValue(of: attribute, column, stream: stream)
      return Value(column: column.column, sql: followed(by: attribute, column, stream: stream, else: own))
    }
  }

  /// The number that a member follows: in the key of what it was reached from it is another one than in the store that it
  /// comes from.
  private func followed(
    by attribute: AttributeDescription, _ column: AttributeColumn, stream: RowStream, else own: String
  ) -> String {
    guard let subtree = layout.subtree, !subtree.keepsKeys, !subtree.followers.isEmpty else { return own }
    return stream.references.filter(\.isFormed).reduce(own) { own, reference in
      let (key, way) = (reference.key, reference.reference.backward)
      guard
        let name = subtree.followers.first(where: {
          $0.isAbout(attribute, over: way, of: key.destination, in: layout.model)
        })?.slot.attribute,
        let number = layout.mapping[key.destination].attributes[name], number.keyPart != nil,
        let place = key.references.firstIndex(where: { $0.sqlName == number.column.sqlName })
      else { return own }
      let isFollowed = Condition.equal(
        dialect.columns("s", [column.column]), dialect.columns("s", [reference.columns[place]]))
      let isLinked = SubtreeReach(layout, states: keys.states)!.isLinked(stream, stream.key("s"))
      let new = keys.reference(reference, "s")[place]
      return (isFollowed && !isLinked).choose("coalesce(\(new), \(own))", else: own)
    }
  }

  /// Whether no row of a file has a value, and the table has a default that the model does not know, as one that is computed.
  private func isLeftToDefault(
    _ attribute: AttributeDescription, _ column: AttributeColumn, _ stream: RowStream
  ) -> Bool {
    stream.source == nil && !stream.gives(column.column, without: keys.state(stream).ungiven)
      && attribute.defaultValue == nil
      && stream.table.schema.column(column.column)?.hasDefault == true
      && modified.attribute(of: attribute.entity, in: layout.model) != attribute
  }

  /// What the row gives, else the default; the date of change is the run's instant.
  private func newValue(
    of attribute: AttributeDescription, _ column: AttributeColumn, stream: RowStream
  ) -> String {
    let standard = attribute.defaultValue.map { dialect.value($0, as: column) } ?? "NULL"
    let holders = stream.entities.filter { layout.model.isKind($0, of: attribute.entity) }
    let isDate = modified.attribute(of: attribute.entity, in: layout.model) == attribute
    if isDate, policy.datesNewObjects {
      return stream.isKind(holders, alias: "s").choose(now(column, in: stream.table.schema), else: "NULL")
    }
    let absent = isDate && stream.source == nil ? now(column, in: stream.table.schema) : standard
    let own =
      stream.value(column.column, "s").map {
        stream.isGiven(column.column, "s").choose($0, else: absent)
      } ?? absent
    let excluded = holders.filter { layout.rules?.excludes(attribute, of: $0) ?? false }
    guard !excluded.isEmpty else { return own }
    return excluded == holders ? standard : stream.isKind(excluded, alias: "s").choose(standard, else: own)
  }

  // MARK: References

  /// The map that tells the new keys of what a staged reference leads to, joined, where the database finds all of them
  /// faster so than one by one; nil where they are looked up.
  private func joinedKeys(_ reference: StreamReference, stream: RowStream) -> (
    join: From.Join, keys: [String]
  )? {
    guard dialect.joinsMaps, stream.source == nil, let destination = layout.destination(of: reference),
      keys.state(destination).isMapped,
      let places = destination.table.keys.places(of: reference.key.references)
    else { return nil }
    let (map, alias) = (layout.map(destination), "r\(reference.number)m")
    let tie = Condition.equal(["\(alias).o0"], [dialect.column("s", reference.columns[0])])
    return (.left("\(map.sql) \(alias)", on: tie), places.map { "\(alias).n\($0)" })
  }

  private func withKeys(_ rows: Select, of stream: RowStream) -> Select {
    stream.references.filter(\.isFormed).compactMap { joinedKeys($0, stream: stream)?.join }
      .reduce(rows) { $0.joined($1) }
  }

  private func referenceValues(_ stream: RowStream) -> [Value] {
    let values = stream.references.flatMap { reference -> [(holders: [String], value: Value)] in
      let holders = layout.model.concreteEntities(of: reference.reference.entity)
      return self.values(of: reference, stream).map { (holders, $0) }
    }
    let shared = Dictionary(grouping: values) { $0.value.column.sqlName }
    var seen: Set<String> = []
    return values.compactMap { _, value in
      guard seen.insert(value.column.sqlName).inserted else { return nil }
      let all = shared[value.column.sqlName]!
      guard all.count > 1 else { return value }
      // Several streams that a staged relationship may lead to; siblings that keep their own references in the column.
      if stream.source == nil {
        return Value(column: value.column, sql: "coalesce(\(all.map(\.value.sql).list))")
      }
      guard all.allSatisfy({ stream.isKind($0.holders, alias: "s") != .always }) else { return value }
      return Value(
        column: value.column,
        sql: stream.table.choose(all.map { (entities: $0.holders, value: $0.value.sql) }, "s"))
    }
  }

  private func values(of reference: StreamReference, _ stream: RowStream) -> [Value] {
    let columns = reference.key.columns
    guard reference.isFormed else {
      return (columns + [reference.key.orderColumn].compactMap { $0 }).map { Value(column: $0, sql: "NULL") }
    }
    let found = joinedKeys(reference, stream: stream)?.keys ?? keys.reference(reference, "s")
    let new = withinSubtree(found, of: reference, stream: stream)
    let order = reference.key.orderColumn.map { column in
      let position = lists.position(reference, found, stream)
      let isListed = isListed(reference, found: found, new: new, stream: stream)
      return Value(
        column: column,
        sql: stream.table.schema.column(column)?.isRequired == true
          ? position : isListed.choose(position, else: "NULL"))
    }
    let isFree = keys.isFree(reference, new: new, stream: stream)
    return zip(columns, new).map { Value(column: $0, sql: isFree.choose($1, else: "NULL")) }
      + [order].compactMap { $0 }
  }

  /// Whether a row keeps its position: not where it loses the list that it has in the source.
  private func isListed(
    _ reference: StreamReference, found: [String], new: [String], stream: RowStream
  ) -> Condition {
    guard stream.source != nil, let destination = layout.destination(of: reference),
      new != reference.columns.map({ dialect.column("s", $0) })
    else { return .always }
    let state = keys.state(destination)
    // What members of a subtree ask for comes along, unless it is linked to and missing.
    let comesAlong = layout.subtree.map { $0.asks(reference.reference.forward) && !state.hasLinked } ?? false
    let isPart = state.isPartial && !comesAlong
    guard new != found || isPart || state.hasDangling || state.hasSkipped else { return .always }
    return new.map { .isNotNull($0) }.all || !stream.isGiven(reference, "s")
  }

  private func withinSubtree(_ new: [String], of reference: StreamReference, stream: RowStream) -> [String] {
    SubtreeReach(layout, states: keys.states)?.values(new, of: reference, stream: stream) ?? new
  }

  /// The new rows whose one-to-one destination existed before the run and belongs to another object. The result is nil if
  /// there can be none.
  package func withoutRelatedObject(_ reference: StreamReference, of stream: RowStream) -> Select? {
    guard reference.isFormed else { return nil }
    let new = withinSubtree(keys.reference(reference, "s"), of: reference, stream: stream)
    let isFree = keys.isFree(reference, new: new, stream: stream)
    guard isFree != .always else { return nil }
    return keys.newRows(stream)
      .where(.isNotNull(new[0]) && !isFree && layout.holds(reference, of: stream)).with(stream.key("s"))
  }

  /// Line and number of the rows that make objects and do not give what these must have; nil where none can.
  package func incomplete(_ stream: RowStream, required: [String]) -> Select? {
    guard !required.isEmpty else { return nil }
    let map = layout.mapping[stream.entities[0]]
    let lacks = required.map { name -> Condition in
      if let column = map.attributes[name], let value = stream.plain(column.column, "s") {
        return .isNull(value)
      }
      let own = stream.references.filter { $0.reference.forward?.name == name }
      return own.map { .isNull("s.\($0.columns[0])") }.all
    }
    let isIncomplete = lacks.any
    return keys.newRows(stream).where(isIncomplete).with(["s.line", "s.number"]).ordered(by: ["s.number"])
  }
}
