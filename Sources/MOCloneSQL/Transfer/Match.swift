import MOCloneEngine
import MOCloneModel

/// SQL that finds the objects of a group's rows in the store, by what identifies them: the one place that compares
/// identities, always in the form that equal values share.
package struct Match {
  private let layout: TransferLayout
  private let keys: TransferKeys
  package let group: StreamGroup
  package let stream: RowStream
  package let parts: [MatchedPart]
  private var table: TablePlan { stream.table }
  private var dialect: Dialect { layout.dialect }

  package init(_ group: StreamGroup, in layout: TransferLayout, states: [TransferState]) {
    self.group = group
    self.layout = layout
    keys = TransferKeys(layout: layout, states: states)
    stream = layout.streams[group.stream]
    parts = keys.parts(of: group)
  }

  // MARK: Rows

  /// The group's rows that are moved; of a subtree that is cut out only what it is linked to is looked for.
  private var rows: Select {
    let isLinked =
      SubtreeReach(layout, states: keys.states).map { $0.isLinked(stream, stream.key("s")) } ?? .always
    return keys.rows(stream).where(stream.isKind(group.entities, alias: "s") && isLinked)
  }

  // MARK: Rows without identity

  /// The parts that can be empty, and when they are.
  private var empty: [(path: Int, condition: Condition)] {
    parts.flatMap { part -> [(Int, Condition)] in
      let place = group.identity!.paths.firstIndex(of: part.path)!
      let isNeverNull = part.plain != nil && part.column.map { isRequired($0.name) } ?? false
      // A UUID has no other value that stands for nothing.
      let value = part.attribute?.type == .uuid ? part.plain ?? part.row : part.row
      let isNull: [(Int, Condition)] = isNeverNull && value == part.plain ? [] : [(place, .isNull(value))]
      return isNull + (part.isText ? [(place, dialect.isEmpty(text: part.row))] : [])
    }
  }

  private func isRequired(_ column: String) -> Bool {
    stream.source.map { $0.column(column)?.isRequired == true || $0.isRowid(column) } ?? false
  }

  /// The keys of the rows without identity, each with the part that is empty; nil where there can be none.
  package var unidentified: Select? {
    let empty = empty
    guard !empty.isEmpty else { return nil }
    let which = empty.map { "WHEN \($0.condition.text) THEN \($0.path)" }.joined(separator: " ")
    let isEmpty = empty.map(\.condition).any
    return rows.with(stream.key("s") + ["CASE \(which) END"]).where(isEmpty)
  }

  /// Line and number of a row without identity, and the part that is empty; nil where there can be none.
  package var unidentifiedLines: Select? {
    unidentified.map { rows in
      rows.with(["s.line", "s.number", rows.columns[rows.columns.count - 1]]).limited(to: 1)
    }
  }

  /// Leaves them out.
  package var skip: String? {
    unidentified.map { rows in
      layout.skipped(stream).insert(stream.keys.parts("o") + ["part"], rows)
    }
  }

  // MARK: Identities

  /// The identities of the rows in their order, with the rows' keys.
  var identities: TemporaryTable {
    let values = parts.enumerated().map { i, part -> String in
      guard let schema = part.schema else { return "i\(i)" }
      return part.hasNotations
        ? dialect.plainDefinition("i\(i)", as: schema) : dialect.definition("i\(i)", as: schema)
    }
    let key = parts.indices.map { "i\($0)" } + stream.keys.parts("k")
    return layout.temporary(
      "identity\(stream.index)",
      columns: values + stream.keys.definitions("k") + ["PRIMARY KEY (\(key.list))"], isOrdered: true)
  }

  /// Whether the rows are found by their own columns, so that their identities need not be written down.
  ///
  /// Of rows that the source itself keeps apart none has the identity of another one.
  package var isDirect: Bool {
    stream.source.map { source in
      isLookedUp && parts.allSatisfy { $0.plain != nil && !$0.hasNotations && $0.column != nil }
        && !leadsToJoined && source.isUnique(parts.compactMap { $0.column?.name })
    } ?? false
  }

  /// Whether a part of the identity is an object that several rows may become.
  private var leadsToJoined: Bool {
    parts.contains { part in
      guard part.attribute == nil, let step = part.path.steps.last else { return false }
      let table = layout.store.table(of: step.destination)
      return layout.streams.contains { $0.table == table && keys.state($0).joins }
    }
  }

  /// Writes the identities down.
  package var prepare: [String] {
    guard !isDirect else { return [] }
    let columns = parts.indices.map { "i\($0)" } + stream.keys.parts("k")
    let isEmpty = empty.map(\.condition).any
    let identified = layout.policy.unidentified == .made ? rows.where(!isEmpty) : rows
    return identities.setUp + [
      identities.insert(columns, identified.with(parts.map(\.row) + stream.key("s")))
    ]
  }

  package var clear: [String] { isDirect ? [] : [identities.clear] }

  // MARK: Rows of one identity

  private var values: [String] { parts.indices.map { "i\($0)" } }

  /// Identities that several rows have.
  private var repeatedIdentities: Select {
    Select(values, from: identities.rows("i")).grouped(by: values).having(.sql("count(*) > 1"))
  }

  /// The keys of rows whose identity an earlier row has already, each with that of the first.
  var later: Select {
    let first = repeatedIdentities.with(values + ["min(k0) AS f"])
    let same = Condition.equal(values.map { "i.\($0)" }, values.map { "g.\($0)" })
    return Select(
      ["i.k0", "g.f"],
      from: From(first, as: "g", dialect: dialect) + [.ordered("\(identities.sql) i", on: same)]
    )
    .where(.sql("i.k0 <> g.f"))
  }

  /// What identifies a row, as it is written; the parameter `number` names it.
  package var identityOfRow: Select {
    Select(parts.map { $0.written(dialect) }, from: stream.rows("s"))
      .where(.equal(["s.number"], [dialect.parameter("number")]))
  }

  /// Selects something where several rows have one identity.
  package var isRepeated: Select { repeatedIdentities.with(["1"]).limited(to: 1) }

  /// The keys of rows that share their identity with others, each behind a number that those of one identity share, and
  /// whether it is only the collation of the store that takes them for one.
  package var repeated: Select {
    let keys = stream.keys.parts("k")
    let group = "OVER (PARTITION BY \(values.list))"
    let differs = zip(values, parts).compactMap { value, part -> Condition? in
      guard let column = part.schema, column.collation != "BINARY" else { return nil }
      let bytes = dialect.bytewise(value, column: column)
      return .sql("min(\(bytes)) \(group) <> max(\(bytes)) \(group)")
    }
    let numbered = Select(
      keys + [
        "dense_rank() OVER (ORDER BY \(values.list)) AS g", "count(*) \(group) AS c",
        "\(differs.any.choose("1", else: "0")) AS d",
      ], from: identities.rows("i"))
    return Select(["g", "d"] + keys, from: From(numbered, as: "i", dialect: dialect)).where(.sql("c > 1"))
      .ordered(by: ["g"] + keys)
  }

  /// The key of a row whose identity rows of other entities have; nil where there can be none.
  package var mixed: Select? {
    guard table.discriminator != nil, group.entities.count > 1 else { return nil }
    let mark = stream.mark("s")
    let same = "OVER (PARTITION BY \(values.map { "i.\($0)" }.list))"
    let keys = stream.keys.parts("i.k").named(stream.keys.parts("k"))
    let rows = Select(
      keys + ["min(\(mark)) \(same) AS least", "max(\(mark)) \(same) AS greatest"],
      from: identities.rows("i")
    ).joined("\(stream.sql) s", on: .equal(stream.key("s"), stream.keys.parts("i.k"))).where(!isFound)
    return Select(stream.keys.parts("k"), from: From(rows, as: "i", dialect: dialect))
      .where(.sql("least <> greatest")).limited(to: 1)
  }

  private var isFound: Condition {
    layout.hasEntry(stream, stream.keys.parts("i.k"), where: layout.isFound("m"))
  }

  // MARK: Rows that are joined

  /// Marks the rows whose identity an earlier one has: they stand for the object that it was found to be.
  package var joinFound: String {
    let later = laterRows.with(stream.keys.parts("x.k"))
    return Update(
      "\(layout.map(stream).sql) AS m", assignments: [("is_new", layout.joinedToFound)],
      from: From(later, as: "x", dialect: dialect)
    ).where(.equal(stream.keys.parts("m.o"), stream.keys.parts("x.k"))).text(dialect)
  }

  /// Enters those whose object is new, without a key.
  package var joinNew: String {
    let isOpen = !layout.hasEntry(stream, stream.keys.parts("x.k"))
    let later = laterRows.where(isOpen).with(stream.keys.parts("x.k") + [layout.joinedToNew])
    return layout.map(stream).insert(stream.keys.parts("o") + ["is_new"], later)
  }

  /// Gives these the keys of the earlier ones, once they have theirs.
  package var settleJoined: [String] {
    let map = layout.map(stream)
    let (old, own) = (stream.keys.parts("x.f"), table.keys("n"))
    let first = Condition.equal(stream.keys.parts("h.o"), old)
    let isEntered = Condition.exists(in: map.rows("h"), where: first, dialect)
    let heads = laterRows.where(!isEntered).with(old + [keys.offsetKey(stream, old: old[0]), "1"]).distinct(
      dialect)
    let later = laterRows.joined("\(map.sql) h", on: first)
      .with(stream.keys.parts("x.k") + table.keys("h.n"))
    let settle = Update(
      "\(map.sql) AS m", assignments: zip(own, own).map { ($0, "x.\($1)") },
      from: From(later, as: "x", dialect: dialect)
    ).where(.equal(stream.keys.parts("m.o"), stream.keys.parts("x.k")))
    return (stream.newKey == .written ? [] : [enter(heads)]) + [settle.text(dialect)]
  }

  /// The keys `k0...` of the rows whose identity an earlier one has, with that one's, `f0...`.
  private var laterRows: Select {
    let key = stream.keys.parts("k")
    let group = "OVER (PARTITION BY \(values.list) ORDER BY \(key.list))"
    let first = zip(key, stream.keys.parts("f")).map { "first_value(\($0)) \(group) AS \($1)" }
    return Select([], from: From(Select(key + first, from: identities.rows("i")), as: "x", dialect: dialect))
      .where(!.equal(key.map { "x.\($0)" }, stream.keys.parts("x.f")))
  }

  private func enter(_ rows: Select) -> String { layout.enter(rows, of: stream) }

  // MARK: Objects of the store

  /// The entities among whose objects an identity is unique.
  private var isInScope: Condition { layout.store.isKind(group.identity!.scope, alias: "t") }

  /// The same without objects whose identity is a reference to a missing row, which is none, also where that row comes
  /// along.
  private var isIdentified: Condition {
    group.identity!.paths.filter { $0.attribute == nil }.reduce(isInScope) { condition, path in
      let destination = layout.store.table(of: path.steps.last!.destination)
      guard layout.streams.contains(where: { $0.table == destination && $0.keepsKeys }) else {
        return condition
      }
      let parts = parts.filter { $0.path == path }
      let isEnd = Condition.equal(
        parts.map { dialect.column("y", $0.schema!.name) }, parts.map(\.stored))
      return condition && .exists(in: destination.rows("y"), where: isEnd, dialect)
    }
  }

  /// Whether an index of the store finds the objects.
  private var isLookedUp: Bool {
    let own = parts.filter { part in part.attribute.map(dialect.isFoundByIndex) ?? true }
      .compactMap { $0.column?.name.sqlName }
    return table.schema.indexes.contains { index in
      index.condition == nil && index.columns.first?.name.map { own.contains($0.sqlName) } ?? false
    } || own.contains(where: table.schema.isRowid)
  }

  /// Selects whether there is anything to be found.
  package var hasObjects: Select {
    Select([Condition.exists(in: table.rows("t"), dialect).text], from: nil)
  }

  /// Pairs of rows and objects with one identity: key of the row, key of the object.
  private var pairs: Select {
    if isDirect {
      let tie = parts.map { Condition.sql("\($0.stored) = \($0.row)") }.all
      return rows.joined("\(table.sql) t", on: tie && isIdentified).with(stream.key("s") + table.key("t"))
    }
    let tie = parts.enumerated().map { i, part -> Condition in
      guard isLookedUp, let column = part.column, let attribute = part.attribute else {
        return .sql("\(part.stored) = i.i\(i)")
      }
      return dialect.equal(attribute, dialect.column("t", column.name), "i.i\(i)", isCanonical: true)
    }.all
    let (rows, objects) = ("\(identities.sql) i", "\(table.sql) t")
    let from =
      isLookedUp
      ? From(rows, joins: [.ordered(objects, on: tie)]) : From(objects, joins: [.ordered(rows, on: tie)])
    return Select(stream.keys.parts("i.k") + table.key("t"), from: from).where(isIdentified)
  }

  /// Writes down the objects that the store has already; the map takes one for each row.
  package var find: String {
    let pairs = pairs
    return enter(pairs.with(pairs.columns + ["0"]))
  }

  /// The pairs in an order in which those of one row follow each other.
  package var ambiguous: Select { pairs.ordered(by: Array(pairs.columns)) }

  // MARK: Keys

  /// Writes down the keys of new objects that consist of references, or of numbers within them.
  package var write: String {
    var new = table.map.key.map { part -> String in
      guard case .relationship(let name, let place) = part.source,
        let reference = stream.references.first(where: { $0.reference.forward?.name == name }),
        reference.destination != stream.index
      else { return dialect.column("s", part.column) }
      return keys.reference(reference, "s")[place]
    }
    let open = keys.openRows(stream).where(stream.isKind(group.entities, alias: "s"))
    let rows = layout.policy.keepsKeys || number(&new) ? nil : renewed(new, of: open)
    return enter(
      rows
        ?? open.with(stream.key("s") + new + ["1"]).ordered(by: dialect.hasTypes ? stream.key("s") : []))
  }

  /// Gives parts of new keys the numbers that follow, and tells whether there are such parts.
  private func number(_ new: inout [String]) -> Bool {
    let own = table.map.key.indices.filter { keepsNumber($0).rows != .always }
    let made = own.filter { table.next($0) != nil }
    for part in made {
      new[part] = keepsNumber(part).rows.choose(new[part], else: dialect.newKey(table.next(part)!))
    }
    guard let counted = own.first(where: isCounted) else { return !made.isEmpty }
    let others = new.indices.filter { $0 != counted }.map { new[$0] }
    new[counted] = layout.store.next(
      counted, of: table, within: others, by: stream.key("s"), besides: keepsNumber(counted))
    return true
  }

  private func isCounted(_ part: Int) -> Bool { countsWholeKeys || layout.store.counts(part, of: table) }

  /// Whether new keys are numbers that come after the parameter `last`.
  package var countsWholeKeys: Bool {
    table.map.key.count == 1 && table.map.key[0].source.isNumber && table.next(0) == nil
      && table.schema.countsKeys(in: table.map.key[0].column)
  }

  /// The rows with their keys, of which a UUID is made anew where the store has an object of that key or an earlier row gets
  /// it, as where both belong to what becomes one object; nil where there is no such UUID.
  private func renewed(_ new: [String], of open: Select) -> Select? {
    let parts = table.map.key.indices.filter { !identifies($0) }
    guard let part = parts.first(where: { uuid($0) != nil }), let uuid = uuid(part) else { return nil }
    let names = stream.keys.parts("o") + table.keys("n")
    var columns = (stream.key("s") + new).named(names)
    let meet = stream.references.contains { reference in
      table.isInKey(reference.key.columns)
        && layout.destination(of: reference).map { keys.state($0).joins } == true
    }
    if meet {
      var same = new
      same[part] = dialect.canonical(new[part], uuid)
      columns.append("\(dialect.number(within: same, by: stream.key("s"))) AS place")
    }
    var key = table.keys("x.n")
    let isKept = !isTaken(key) && (meet ? .sql("x.place = 1") : .always)
    key[part] = isKept.choose(key[part], else: made(part, uuid.uuids))
    let rows = From(open.with(columns), as: "x", dialect: dialect)
    return Select(stream.keys.parts("x.o") + key + ["1"], from: rows)
      .ordered(by: dialect.hasTypes ? stream.keys.parts("x.o") : [])
  }

  /// A part of the key that is a UUID, as a column that holds such; nil where it is none.
  private func uuid(_ part: Int) -> AttributeColumn? {
    guard case .uuid(let storage) = table.map.key[part].source else { return nil }
    let column = table.keyColumns[part]
    return AttributeColumn(column: column.name, type: .uuid, uuids: storage, base: column.base)
  }

  private func made(_ part: Int, _ storage: UUIDStorage) -> String {
    let column = table.keyColumns[part]
    return dialect.cast(dialect.newUUID(storage, column), as: column)
  }

  /// The rows `s` whose number in a part of the key is a value: where nothing is cut out all, if it identifies them.
  private func keepsNumber(_ part: Int) -> (rows: Condition, made: Condition) {
    let identifies = identifies(part)
    guard let subtree = SubtreeReach(layout, states: keys.states) else {
      let all: Condition = identifies ? .always : .never
      return (rows: all, made: all)
    }
    return subtree.keepsNumber(stream, identifies: identifies)
  }

  /// Whether a part of the key is a part of the identity, and so a value.
  private func identifies(_ part: Int) -> Bool {
    parts.contains { $0.column?.name.sqlName == table.map.key[part].column.sqlName }
  }

  /// The key of a row that is to keep it although an object of the store has the same UUID, however it is written there.
  package var taken: Select { takenRows.with(stream.key("s")).limited(to: 1) }

  private var takenRows: Select {
    keys.openRows(stream).where(stream.isKind(group.entities, alias: "s") && isTaken(stream.key("s")))
  }

  /// Whether an object of the store has a key, in which UUIDs are the same however they are written.
  private func isTaken(_ key: [String]) -> Condition {
    let same = table.map.key.indices.map { part -> Condition in
      let stored = table.key("t")[part]
      return uuid(part).map { dialect.equal($0, stored, key[part]) } ?? .equal([stored], [key[part]])
    }
    return .exists(in: table.rows("t"), where: same.all, dialect)
  }

  /// Makes keys for new objects whose own is taken in the store.
  package func renew(_ storage: UUIDStorage) -> String {
    enter(takenRows.with([stream.key("s")[0], made(0, storage), "1"]))
  }
}
