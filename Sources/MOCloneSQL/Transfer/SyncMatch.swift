import MOCloneEngine
import MOCloneModel

/// SQL that finds which objects of an entity differ from their rows, which have none, and which rows have no object: one
/// look at the objects, so that nothing is noted of those that stay as they are.
package struct SyncMatch {
  private let layout: TransferLayout
  private let plan: SyncPlan
  package let stream: RowStream
  private let rows: StagedRows
  private let writes: Writes
  private var table: TablePlan { stream.table }
  private var dialect: Dialect { layout.dialect }

  /// What a row can give.
  private struct Column {
    var attribute: AttributeColumn?
    /// What an object `t` holds.
    var stored: String
    /// The column of the object's own row; empty where the value lies in another one.
    var name: String
  }

  private let columns: [Column]

  package init(_ plan: SyncPlan, in layout: TransferLayout, writes: Writes) {
    self.plan = plan
    self.layout = layout
    self.writes = writes
    stream = layout.streams[0]
    let rows = stream.staged!
    self.rows = rows
    columns = zip(plan.columns, rows.columns).map { column, staged in
      guard case .path(let path) = column else {
        return Column(
          attribute: staged.attribute, stored: layout.dialect.column("t", staged.schema.name),
          name: staged.schema.name)
      }
      let stored = layout.values(at: path, of: plan.entity, "t")
      return Column(attribute: staged.attribute, stored: stored[0], name: "")
    }
  }

  // MARK: Rows

  /// What identifies a row, in the form that equal values share; an empty alias stands for the row itself.
  private func identity(_ alias: String) -> [String] {
    plan.identifying.map { place in
      dialect.canonical(alias.isEmpty ? "a\(place)" : "\(alias).a\(place)", columns[place].attribute)
    }
  }

  private var storedIdentity: [String] {
    plan.identifying.map { dialect.canonical(columns[$0].stored, columns[$0].attribute) }
  }

  /// What tells rows apart; without it they are staged faster.
  package var index: String? {
    // A server keeps no index of what depends on a setting, as the reading of dates does.
    let isKept =
      !dialect.hasTypes
      || !plan.identifying.contains { columns[$0].attribute.map(dialect.hasNotations) ?? false }
    return isKept ? rows.table.index(identity(""), named: "identity") : nil
  }
  package var dropIndex: String { rows.table.dropIndex(named: "identity") }

  /// Gives rows a value where they give none.
  package func complete(_ place: Int, _ value: AttributeValue) -> String {
    rows.complete(place, literal(place, value: value)).text(dialect)
  }

  private func literal(_ place: Int, value: AttributeValue) -> String {
    columns[place].attribute.map { dialect.value($0.type.value(fitting: value) ?? value, as: $0) }
      ?? dialect.literal(StorageForm.plain.stored(value))
  }

  private func canonical(_ place: Int, sql: String) -> String {
    dialect.canonical(sql, columns[place].attribute)
  }

  /// Selects a row where two values of a column are the same by its collation; nil where that keeps all values apart.
  package func isSame(_ value: AttributeValue, as other: AttributeValue, in place: Int) -> Select? {
    let column = rows.columns[place].staged
    guard column.collation != "BINARY" else { return nil }
    func compared(_ value: AttributeValue) -> String {
      let typed = dialect.cast(literal(place, value: value), dialect.columnType(column))
      return canonical(place, sql: dialect.collate(typed, column.collation))
    }
    return Select(["1"], from: nil).where(dialect.same(compared(value), compared(other)))
  }

  /// Writes keys that rows give in the notation of the objects that have them.
  package var settleKeys: [String] {
    plan.columns.enumerated().compactMap { place, column in
      guard case .reference(let relationship) = column, let attribute = columns[place].attribute,
        let reference = stream.references.first(where: { $0.columns == ["a\(place)"] })
      else { return nil }
      let there = layout.store.table(of: relationship.destination)
      let key = dialect.column("d", reference.key.references[0])
      let own = Select([key], from: there.rows("d")).where(dialect.equal(attribute, key, "s.a\(place)"))
        .limited(to: 1)
      return Update(
        "\(rows.table.sql) AS s",
        assignments: [("a\(place)", "coalesce((\(own.text(dialect))), s.a\(place))")]
      )
      .where(.isNotNull("s.a\(place)")).text(dialect)
    }
  }

  /// The lines of rows whose value is another one.
  package func outside(_ place: Int, value: AttributeValue) -> Select {
    let isOther = dialect.different(
      canonical(place, sql: "s.a\(place)"), canonical(place, sql: literal(place, value: value)))
    return Select(["s.line"], from: stream.rows("s")).where(isOther).ordered(by: ["s.line"]).limited(to: 10)
  }

  private func isText(_ place: Int) -> Bool {
    columns[place].attribute?.isText ?? false
  }

  /// The lines of rows without identity.
  package var unidentified: Select {
    let empty = plan.identifying.map { place -> Condition in
      .isNull("s.a\(place)") || (isText(place) ? dialect.isEmpty(text: "s.a\(place)") : .never)
    }
    return Select(["s.line"], from: stream.rows("s")).where(empty.any)
      .ordered(by: ["s.line"]).limited(to: 20)
  }

  /// Identities that several rows have, and the same for people.
  package var duplicates: Select {
    let keys = identity("s")
    return Select(keys + shown(keys), from: stream.rows("s")).grouped(by: keys).having(.sql("count(*) > 1"))
      .limited(to: 20)
  }

  private func shown(_ keys: [String]) -> [String] {
    zip(keys, plan.identifying).map { dialect.shown($0, columns[$1].attribute) }
  }

  /// The part for people of a row of `duplicates` or `storedDuplicates`.
  package func shownIdentity(_ row: [StoredValue]) -> [IdentityPart] {
    zip(plan.identifying, row.dropFirst(plan.identifying.count)).map {
      IdentityPart($1, in: columns[$0].attribute)
    }
  }

  /// The lines of the rows that have an identity, which the parameters `k0...` give.
  package var linesOfIdentity: Select {
    Select(["s.line"], from: stream.rows("s")).where(.equal(identity("s"), parameters)).ordered(by: ["s.line"]
    )
  }

  private var parameters: [String] {
    plan.identifying.enumerated().map { part, place in
      let parameter = dialect.parameter("k\(part)")
      // Booleans are read as numbers.
      return columns[place].attribute?.base == "bool" ? "(\(parameter) <> 0)" : parameter
    }
  }

  // MARK: Objects

  private var isCompared: Condition {
    plan.scope.map { place, value in
      dialect.same(
        canonical(place, sql: columns[place].stored), canonical(place, sql: literal(place, value: value)))
    }.reduce(isKind) { $0 && $1 }
  }

  private var isKind: Condition { layout.store.isKind(plan.entity, alias: "t") }

  package var countCompared: Select { Select(["count(*)"], from: table.rows("t")).where(isCompared) }

  /// Identities that several objects have, and the same for people; nil where an index of the store excludes them.
  package var storedDuplicates: Select? {
    let isPlain = zip(storedIdentity, plan.identifying).allSatisfy {
      !columns[$1].name.isEmpty && $0 == dialect.column("t", columns[$1].name)
    }
    if isPlain, table.schema.isUnique(plan.identifying.map { columns[$0].name }) { return nil }
    let key = storedIdentity
    let exists = zip(key, plan.identifying).map { value, place -> Condition in
      // In a database with types only a text can be empty.
      .isNotNull(value) && (dialect.hasTypes && !isText(place) ? .always : !dialect.isEmpty(text: value))
    }.reduce(isCompared) { $0 && $1 }
    return Select(key + shown(key), from: table.rows("t")).where(exists).grouped(by: key)
      .having(.sql("count(*) > 1")).limited(to: 1)
  }

  /// The objects that have an identity, which the parameters `k0...` give.
  package var storedOfIdentity: Select {
    Select([table.mark("t")] + table.key("t"), from: table.rows("t"))
      .where(.equal(storedIdentity, parameters) && isCompared).ordered(by: table.key("t")).limited(to: 11)
  }

  // MARK: Comparing

  /// Objects that no row has, and those that differ from theirs, with the number of the row.
  package var changes: TemporaryTable {
    layout.temporary(
      "changes", columns: table.keys.unique("n", beside: ["number \(dialect.types.integer)"]))
  }

  /// The rows that no object has.
  package var inserts: TemporaryTable { layout.temporary("fresh", columns: ["number \(dialect.numberKey)"]) }

  private var same: Condition { .equal(identity("s"), storedIdentity) }

  private var differs: Condition {
    plan.overwriting.map { place -> Condition in
      let column = columns[place]
      // As the table holds it, where it is its own.
      let own = rows.columns[place].isOwn ? stream.value(column.name, "s") : nil
      return rows.isGiven(place, "s")
        && writes.isOtherValue(column.stored, own ?? "s.a\(place)", column.attribute)
    }.any
  }

  package var findChanges: String {
    let from = table.rows("t") + [.left("\(stream.sql) s", on: same)]
    let found = Select(table.key("t") + ["s.number"], from: from)
      .where(isCompared && (.isNull("s.number") || differs))
    return changes.insert(table.keys("n") + ["number"], found)
  }

  package var findInserts: String {
    var open = Select(
      ["s.number"], from: stream.rows("s") + [.left("\(table.sql) t", on: same && isCompared)]
    )
    .where(.isNull(table.key("t")[0]))
    // What lies in other rows has no index that a row could be looked up by.
    if !plan.lookups.isEmpty {
      let met = Select(["s.number"], from: table.rows("t")).joined("\(stream.sql) s", on: same).where(
        isCompared)
      open = Select(["s.number"], from: stream.rows("s")).where(
        .sql("s.number NOT IN (\(met.text(dialect)))"))
    }
    return inserts.insert(["number"], open)
  }

  /// The lines of new rows whose identity an object has that is not compared.
  package var insertsOutOfScope: Select {
    Select(["s.line"], from: table.rows("t")).joined("\(stream.sql) s", on: same)
      .where(isKind && .sql("s.number IN (SELECT number FROM \(inserts.sql))")).ordered(by: ["s.line"])
      .limited(to: 20)
  }

  private var isDeleted: Condition { .isNull("c.number") }

  package var countDeletes: Select { Select(["count(*)"], from: changes.rows("c")).where(isDeleted) }
  package var deletes: Select { Select(table.keys("c.n"), from: changes.rows("c")).where(isDeleted) }

  /// The objects of a set that have a row: its line, mark and key.
  package func named(in set: RowSet) -> Select {
    let rows = set.rows("g", with: "t") + [.ordered("\(stream.sql) s", on: same)]
    return Select(["s.line", table.mark("t")] + table.key("t"), from: rows).where(isCompared)
      .ordered(by: ["s.line"]).limited(to: 20)
  }

  /// How many objects of each entity differ from their rows.
  package var countChanged: Select {
    let changed = Select([table.mark("t"), "count(*)"], from: changes.rows("c"))
      .joined("\(table.sql) t", on: .equal(table.key("t"), table.keys("c.n"))).where(!isDeleted)
    return table.discriminator == nil ? changed : changed.grouped(by: [table.mark("t")])
  }

  /// How many objects of each entity have a row.
  package var countMatched: Select {
    Select([table.mark("t"), "count(*)"], from: table.rows("t")).joined("\(stream.sql) s", on: same)
      .where(isCompared).grouped(by: [table.mark("t")])
  }

  /// The new rows that do not give something required: line and number.
  package func missing(_ place: Int) -> Select {
    Select(["s.line", "s.number"], from: inserts.rows("f")).joined(
      "\(stream.sql) s", on: .equal(["s.number"], ["f.number"])
    )
    .where(!rows.isGiven(place, "s")).ordered(by: ["s.line"]).limited(to: 20)
  }

  /// Whether an object `t` has a row that gives it what a reference holds, or that is its row by this.
  package func keeps(_ reference: StreamReference) -> Condition {
    let isGiven: Condition =
      reference.number < plan.columns.count
      ? rows.isGiven(reference.number, "o")
        && .equal(dialect.columns("o", reference.columns), dialect.columns("t", reference.key.columns))
      : .always
    let isSame = Condition.equal(identity("o"), storedIdentity)
    return .exists(in: stream.rows("o"), where: isSame && isCompared && isGiven, dialect)
  }

  // MARK: The map

  /// Enters what differs in the map of keys.
  package var enterChanges: String {
    let changed = Select(["c.number"] + table.keys("c.n") + ["0"], from: changes.rows("c")).where(!isDeleted)
    return layout.map(stream).insert(["o0"] + table.keys("n") + ["is_new"], changed)
  }

  /// Rows that name an object which is not there: line and key. The store need not know of the reference.
  ///
  /// - Parameters:
  ///   - isOverwritten: whether rows of objects that exist are looked at, too.
  ///   - orMade: whether objects count as there that the rows are about to make.
  package func dangling(
    _ place: Int, key: ForeignKeyMapping, isOverwritten: Bool, orMade: Bool
  ) -> Select {
    let rows = isOverwritten ? Select([], from: From("\(stream.sql) s")) : insertedRows
    let isNamed = Condition.equal([dialect.column("t", key.references[0])], ["s.a\(place)"])
    let exists = Condition.exists(
      in: layout.store.table(of: key.destination).rows("t"),
      where: isNamed && layout.store.isKind(key.destination, alias: "t"), dialect)
    let isKnown = exists || (orMade ? isMade("s.a\(place)", in: key.references[0]) : .never)
    return rows.with(["s.line", "s.a\(place)"]).where(.isNotNull("s.a\(place)") && !isKnown)
      .ordered(by: ["s.line"]).limited(to: 20)
  }

  /// Whether a row makes an object that is referenced by a value; of other columns than the key nobody knows before.
  private func isMade(_ value: String, in column: String) -> Condition {
    guard let part = table.map.keyPart(of: column) else { return .always }
    let keys = Select([table.keys("m.n")[part]], from: layout.map(stream).rows("m"))
    return .among([value], query: keys.where(layout.isNew("m")), dialect: dialect)
  }

  /// The rows that make objects.
  package var insertedRows: Select {
    Select([], from: inserts.rows("f")).joined("\(stream.sql) s", on: .equal(["s.number"], ["f.number"]))
  }
}

/// SQL that finds the object which a new one belongs to, by values of its row.
package struct LookupMatch {
  private let layout: TransferLayout
  private let match: SyncMatch
  private let lookup: SyncLookup
  private let place: Int
  private let columns: [StagedRows.Column]
  private let reference: RowReference
  private var key: ForeignKeyMapping { reference.key }
  private var dialect: Dialect { layout.dialect }

  package init(_ place: Int, plan: SyncPlan, in layout: TransferLayout, match: SyncMatch) {
    self.layout = layout
    self.match = match
    self.place = place
    lookup = plan.lookups[place]
    columns = lookup.places.map { match.stream.staged!.columns[$0] }
    reference = TransferLayout.reference(of: lookup.relationship, plan.entity, store: layout.store)
  }

  /// `v0...` the values that objects are found by, `k0...` what a reference to them holds.
  private var objects: TemporaryTable {
    let values = columns.enumerated().map { i, column in
      column.attribute.map(dialect.hasNotations) == true
        ? "v\(i)" : dialect.definition("v\(i)", as: column.schema)
    }
    let there = layout.store.table(of: lookup.relationship.destination).schema.columns(named: key.references)
    return layout.temporary(
      "lead\(place)", columns: values + there.enumerated().map { dialect.plainDefinition("k\($0)", as: $1) })
  }

  private var names: [String] { columns.indices.map { "v\($0)" } }

  package var setUp: [String] {
    let destination = lookup.relationship.destination
    let there = layout.store.table(of: destination)
    let values = zip(lookup.paths, columns).map { path, column in
      dialect.canonical(layout.values(at: path, of: destination, "t")[0], column.attribute)
    }
    let found = Select(values + dialect.columns("t", key.references), from: there.rows("t"))
      .where(layout.store.isKind(destination, alias: "t"))
    let fill = objects.insert(names + key.columns.indices.map { "k\($0)" }, found)
    return objects.setUp + [objects.index(names), fill]
  }

  private var tie: Condition {
    .equal(
      zip(columns, lookup.places).map { dialect.canonical("s.a\($1)", $0.attribute) }, names.map { "l.\($0)" }
    )
  }

  /// New rows for which there is not just one object: line, number of objects, values.
  package var unfound: Select {
    let count = Select(["count(*)"], from: objects.rows("l")).where(tie).text(dialect)
    let rows = match.insertedRows.with(
      ["s.line AS line", "(\(count)) AS n"] + lookup.places.map { "s.a\($0)" })
    return Select(["*"], from: From(rows, as: "x", dialect: dialect)).where(.sql("n <> 1")).ordered(by: [
      "line"
    ])
    .limited(to: 20)
  }

  /// Notes in new rows what their references hold.
  package var settle: String {
    let values = TransferLayout.found(reference, lookup: place).enumerated().map { i, name in
      (name, "(\(Select(["l.k\(i)"], from: objects.rows("l")).where(tie).text(dialect)))")
    }
    return Update("\(match.stream.sql) AS s", assignments: values)
      .where(.sql("s.number IN (SELECT number FROM \(match.inserts.sql))")).text(dialect)
  }

  /// What a reference to an object holds of it, for people.
  package var references: String { key.references.joined(separator: ", ") }

  /// The lines of new rows whose object has no value that a reference could hold.
  package var empty: Select {
    let names = TransferLayout.found(reference, lookup: place)
    return match.insertedRows.where(names.map { Condition.isNull("s.\($0)") }.any)
      .with(["s.line", "s.number"]).ordered(by: ["s.line"]).limited(to: 20)
  }

  package var clear: String { objects.clear }
}
