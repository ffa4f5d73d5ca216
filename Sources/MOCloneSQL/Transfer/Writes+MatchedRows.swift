import MOCloneEngine
import MOCloneModel

// What becomes of objects that were there: their rows are overwritten or filled.
extension Writes {
  /// Columns of the objects `t` that take the values of the rows `x`.
  struct Change {
    /// Columns that change together: an attribute's, or those of a foreign key.
    var columns: [String]
    /// Their values in a row `s`.
    var values: [String]
    /// Columns that are not written, as those of the key, so that only rows which hold these values already can change.
    var fixed: [(column: String, value: String)] = []
    /// Columns that must all hold something: those of a reference that is emptied.
    var held: [String] = []
    /// Whether a row gives them.
    var isGiven = Condition.always
    /// Whether objects count as changed: not by their places in lists.
    var isDated = true
    /// Overwriting or filling.
    var existing: ExistingPolicy
    /// Nil for a reference.
    var attribute: AttributeColumn?
    /// Nil for an attribute.
    var reference: StreamReference?
  }

  /// Writes the rows' values to the objects that they were matched with.
  package struct Overwriting: Sendable {
    package let update: SwappingUpdate
    /// Counts the objects that it changes, by what marks their entity.
    package let count: Select
    /// Counts the rows that its statements change.
    package let changes: Select
    /// The objects that it changes, by what marks their entity and their key; once it is executed, those that a trigger
    /// kept from holding what their rows give.
    package let objects: Select
  }

  /// The attributes that rows give, and their references; nil where nothing is to be written.
  ///
  /// - Parameter condition: the rows meant, where not all are.
  package func overwriteAll(_ stream: RowStream, where condition: Condition = .always) -> Overwriting? {
    func isMeant(_ name: String) -> Bool { layout.overwrites(name, of: stream) }
    return overwrite(
      stream,
      changes: attributes(stream).filter { isMeant($0.name) }.map(\.change)
        + references(stream).filter { isMeant($0.reference.relationship.name) }.map {
          change($0, stream: stream)
        },
      where: condition)
  }

  /// The attributes by whose values rows refer to the objects; nil where there are none.
  package func overwriteReferenced(_ stream: RowStream, where condition: Condition) -> Overwriting? {
    let columns = columnsReferencedByValue(stream)
    return overwrite(
      stream,
      changes: attributes(stream).filter {
        layout.overwrites($0.name, of: stream) && columns.contains($0.change.columns[0].sqlName)
      }.map(\.change), where: condition)
  }

  /// Whether rows refer to objects of a stream by other columns than their key.
  package func isReferencedByValue(_ stream: RowStream) -> Bool {
    !columnsReferencedByValue(stream).isEmpty
  }

  private func columnsReferencedByValue(_ stream: RowStream) -> Set<String> {
    let references = layout.streams.flatMap(\.references).filter {
      $0.isFormed && $0.destination == stream.index && stream.table.keys.places(of: $0.key.references) == nil
    }
    return Set(references.flatMap(\.key.references).map(\.sqlName))
  }

  /// One reference of the objects that were there: where it is empty, or differs and is to be overwritten.
  package func overwrite(_ reference: StreamReference, of stream: RowStream) -> Overwriting? {
    overwrite(stream, changes: [change(reference, stream: stream)])
  }

  /// Empties one reference of the objects that were there, where that of the row references nothing; nil where it is
  /// kept.
  package func clear(_ reference: StreamReference, of stream: RowStream) -> Overwriting? {
    let (schema, columns) = (stream.table.schema, layout.store.columns(emptying: reference.reference))
    guard let relationship = reference.reference.forward, layout.rules?.clears(relationship) == true,
      !columns.isEmpty, columns.allSatisfy({ stream.table.map.keyPart(of: $0) == nil })
    else { return nil }
    let order = reference.key.orderColumn.flatMap { schema.column($0)?.isRequired == true ? nil : $0 }
    let emptied = columns + [order].compactMap { $0 }
    let change = Change(
      columns: emptied, values: emptied.map { _ in "NULL" }, held: reference.key.columns, existing: .update)
    return overwrite(
      stream, changes: [change],
      where: !leads(reference, of: stream) && layout.holds(reference, of: stream))
  }

  /// Gives members that lists had already the places of their rows; nil where they keep theirs.
  package func order(_ reference: StreamReference, of stream: RowStream) -> Overwriting? {
    guard lists.orders(reference, stream), let order = reference.key.orderColumn else { return nil }
    let owner = keys.reference(reference, "s")
    let change = Change(
      columns: [order], values: [lists.position(reference, owner, stream)],
      fixed: zip(reference.key.columns, owner).map { (column: $0, value: $1) }, isDated: false,
      existing: .update)
    return overwrite(stream, changes: [change], where: layout.holds(reference, of: stream))
  }

  /// Whether a reference of a row `s` leads to a row of the source.
  private func leads(_ reference: StreamReference, of stream: RowStream) -> Condition {
    let isGiven = stream.isGiven(reference, "s")
    guard let destination = layout.destination(of: reference), keys.state(destination).hasDangling else {
      return isGiven
    }
    let leads = reference.key.leads(from: "s", to: "d", in: dialect)
    return isGiven && .exists(in: destination.rows("d"), where: leads, dialect)
  }

  /// The references that can be written in rows that were there: those that are not the key's or the database's alone.
  package func references(_ stream: RowStream) -> [StreamReference] {
    stream.references.filter { reference in
      reference.isFormed && reference.key.columns.contains { isWritten($0, in: stream.table) }
    }
  }

  /// Whether a column of rows that were there can be given another value.
  private func isWritten(_ column: String, in table: TablePlan) -> Bool {
    table.map.keyPart(of: column) == nil && !table.schema.isGenerated(column)
  }

  /// The attributes that rows give and that can be written.
  private func attributes(_ stream: RowStream) -> [(name: String, change: Change)] {
    stream.entities.flatMap { entity in
      layout.model.attributes(of: entity).compactMap { attribute in
        guard let column = layout.mapping[entity].attributes[attribute.name], column.keyPart == nil,
          let value = stream.value(column.column, "s"),
          !stream.table.schema.isGenerated(column.column)
        else { return nil }
        let change = Change(
          columns: [column.column], values: [value], isGiven: stream.isGiven(column.column, "s"),
          existing: policy.existing, attribute: column)
        return (attribute.name, change)
      }
    }
  }

  private func change(_ reference: StreamReference, stream: RowStream) -> Change {
    let all = Array(zip(reference.key.columns, keys.reference(reference, "s")))
    let own = all.filter { isWritten($0.0, in: stream.table) }
    // What is computed from other columns is only known when these are written.
    let fixed = all.filter { column, _ in
      stream.table.map.keyPart(of: column) != nil
        || stream.table.schema.isGenerated(column) && stream.table.schema.column(column)!.inputs.isEmpty
    }
    return Change(
      columns: own.map(\.0), values: own.map(\.1), fixed: fixed.map { (column: $0.0, value: $0.1) },
      isGiven: stream.isGiven(reference, "s") && layout.holds(reference, of: stream),
      existing: policy.references, reference: reference)
  }

  // MARK: Statements

  func overwrite(
    _ stream: RowStream, changes: [Change], where condition: Condition = .always
  ) -> Overwriting? {
    let changes = changes.filter { $0.existing != .keep }
    guard !changes.isEmpty else { return nil }
    let rows = rows(of: changes, stream, where: condition)
    let parts = parts(of: changes, stream).map { part($0, of: changes, stream: stream, rows: rows) }
    let all = part(Part(places: Array(changes.indices)), of: changes, stream: stream, rows: rows).objects
    let count = all.with([stream.table.mark("t"), "count(*)"])
    let counts = Union(parts: parts.map { $0.objects.with(["count(*) AS n"]) })
    return Overwriting(
      update: SwappingUpdate(
        statements: parts.map { $0.update.text(dialect) },
        parking: Room.allCases.map { room in parts.compactMap { $0.parking[room]?.text(dialect) } }
          .filter { !$0.isEmpty }.uniqued()),
      count: stream.table.discriminator == nil ? count : count.grouped(by: [stream.table.mark("t")]),
      changes: Select(
        ["CAST(sum(n) AS \(dialect.types.integer))"], from: From(counts, as: "x", dialect: dialect)),
      objects: all)
  }

  /// Changes that are written by one statement, in the objects that meet a condition.
  private struct Part {
    var places: [Int]
    var condition = Condition.always
  }

  /// All changes at once; but an object with a dangling reference takes each of its references alone, since a database
  /// that enforces its foreign keys looks at every one that a statement writes, changed or not.
  private func parts(of changes: [Change], _ stream: RowStream) -> [Part] {
    let references = changes.indices.filter { changes[$0].reference != nil }
    guard keys.state(stream).meetsDangling, !references.isEmpty else {
      return [Part(places: Array(changes.indices))]
    }
    let isDangling = dangling(stream).holds("t")
    let plain = changes.indices.filter { changes[$0].reference == nil }
    return [Part(places: Array(changes.indices), condition: !isDangling)]
      + ((plain.isEmpty ? [] : [plain]) + references.map { [$0] }).map {
        Part(places: $0, condition: isDangling)
      }
  }

  private func part(
    _ part: Part, of changes: [Change], stream: RowStream, rows: Select
  ) -> (update: Update, parking: [Room: Update], objects: Select) {
    let table = stream.table
    let isOther = part.places.map { differs(changes[$0], place: $0, stream: stream) }.any
    let which = Condition.equal(table.key("t"), table.keys("x.k")) && isOther && part.condition
    let x = From(rows, as: "x", dialect: dialect)
    func update(_ values: [Value]) -> Update {
      Update("\(table.sql) AS t", assignments: values.map { (dialect.name($0.column), $0.sql) }, from: x)
        .where(which).onConflict(table.schema.conflict)
    }
    var parking: [Room: Update] = [:]
    for room in Room.allCases {
      let parked = parked(part, of: changes, stream: stream, in: room)
      parking[room] = parked.isEmpty ? nil : update(parked)
    }
    let objects = Select(
      [table.mark("t")] + table.key("t"), from: x + [.ordered("\(table.sql) t", on: which)])
    return (update(assignments(part, of: changes, stream: stream)), parking, objects)
  }

  /// The rows that have an object: its key `k0...`, values `v0...`, whether they are given, `g0...`, and places in
  /// lists, `p0...`.
  private func rows(of changes: [Change], _ stream: RowStream, where condition: Condition) -> Select {
    var columns = stream.table.keys("m.n").named(stream.table.keys("k"))
    for (i, change) in changes.enumerated() {
      columns += change.values.enumerated().map { j, value in
        "\(dialect.cast(value, as: stream.table.schema.column(change.columns[j]))) AS v\(i)_\(j)"
      }
      columns += change.fixed.enumerated().map { "\($1.value) AS w\(i)_\($0)" }
      if change.isGiven != .always { columns.append("(\(change.isGiven.text)) AS g\(i)") }
      if let reference = change.reference, reference.key.orderColumn != nil {
        let owner = keys.reference(reference, "s")
        columns.append("\(lists.position(reference, owner, stream)) AS p\(i)")
      }
    }
    return keys.foundRows(stream).where(condition).with(columns)
  }

  private func names(_ change: Change, place: Int) -> [String] {
    change.columns.indices.map { "x.v\(place)_\($0)" }
  }

  private func isGiven(_ change: Change, place: Int) -> Condition {
    let leads = change.reference?.destination != nil
    let exists: Condition = leads ? .isNotNull(names(change, place: place)[0]) : .always
    return (change.isGiven == .always ? .always : .sql("x.g\(place)")) && exists
  }

  /// Whether objects change.
  private func differs(_ change: Change, place: Int, stream: RowStream) -> Condition {
    let stored = dialect.columns("t", change.columns)
    let new = names(change, place: place)
    let isOther: Condition
    if change.existing == .fill {
      isOther = (stored.map { Condition.isNull($0) } + [.isNotNull(new[0])]).all
    } else {
      isOther = zip(stored, new).map { isOtherValue($0, $1, change.attribute) }.any
    }
    let isFixed = Condition.equal(
      change.fixed.map { dialect.column("t", $0.column) }, fixed(change, place: place))
    let isHeld = dialect.columns("t", change.held).map { Condition.isNotNull($0) }.all
    return isGiven(change, place: place) && isFixed && isHeld && isOther
      && isFree(change, place: place, stream: stream)
  }

  private func fixed(_ change: Change, place: Int) -> [String] {
    change.fixed.indices.map { "x.w\(place)_\($0)" }
  }

  /// Whether an object holds another value, in whatever notation.
  func isOtherValue(_ stored: String, _ new: String, _ column: AttributeColumn?) -> Condition {
    // Whatever the column takes for equal: what is written is what the row says.
    let plain = dialect.differentBytes(stored, b: new, column: column)
    guard let column, dialect.hasNotations(column) else { return plain }
    // What is not a value of the type has no canonical form, as null has none.
    return plain
      && (.isNull(new)
        || dialect.different(dialect.canonical(stored, column), dialect.canonical(new, column.inSource)))
  }

  /// Whether no object holds the destination of a one-to-one reference. An overwriting run takes the destination away.
  private func isFree(_ change: Change, place: Int, stream: RowStream) -> Condition {
    guard let reference = change.reference, reference.reference.isOneToOne, change.existing == .fill,
      stream.source != nil
    else { return .always }
    let holds = Condition.equal(
      dialect.columns("o", change.columns + change.fixed.map(\.column)),
      names(change, place: place) + fixed(change, place: place))
    return !.exists(in: stream.table.rows("o"), where: holds, dialect)
  }

  /// What a statement assigns; where a row gives the date of change, every one that changes the object does.
  private func assignments(_ part: Part, of changes: [Change], stream: RowStream) -> [Value] {
    var values: [Value] = []
    for i in part.places {
      let change = changes[i]
      let changed = part.places.count == 1 ? .always : differs(change, place: i, stream: stream)
      values += zip(change.columns, names(change, place: i)).map { column, new in
        Value(column: column, sql: changed.choose(new, else: dialect.column("t", column)))
      }
      guard let order = change.reference?.key.orderColumn else { continue }
      values.append(Value(column: order, sql: changed.choose("x.p\(i)", else: dialect.column("t", order))))
    }
    guard part.places.contains(where: { changes[$0].isDated }) else { return values }
    return datesOfChange(stream.table).reduce(into: values) { values, date in
      let given = changes.indices.first { changes[$0].columns[0].sqlName == date.column.sqlName }
      let own = given.map {
        isGiven(changes[$0], place: $0).choose(names(changes[$0], place: $0)[0], else: date.sql)
      }
      values.removeAll { $0.column.sqlName == date.column.sqlName }
      values.append(Value(column: date.column, sql: own ?? date.sql))
    }
  }

  /// What stands meanwhile in place of a unique value that is about to change.
  private enum Room: CaseIterable {
    /// A value that no row has: what refers to the old one by the table's unique column follows to it, and to the new one.
    case unusedValue
    case null
  }

  private func parked(_ part: Part, of changes: [Change], stream: RowStream, in room: Room) -> [Value] {
    let schema = stream.table.schema
    return part.places.flatMap { i -> [Value] in
      let change = changes[i]
      guard change.existing == .update else { return [] }
      return zip(change.columns, names(change, place: i)).compactMap { column, new in
        guard schema.keepsApart(by: column), let declared = schema.column(column) else { return nil }
        let changed =
          differs(change, place: i, stream: stream)
          || entersIndexes(of: column, part, of: changes, place: i, stream: stream)
        let stored = dialect.column("t", column)
        let unused = dialect.unusedValue(declared)
        // Of a number that no row has another one may be computed that is too great.
        let isNull = (room == .null) == schema.isInUniqueIndex(column)
        let free =
          if declared.isRequired {
            unused
          } else if isNull || change.reference != nil {
            // A reference must lead somewhere.
            Condition.isNull(new).choose(unused, else: "NULL")
          } else {
            Condition.isNotNull(stored).choose(unused, else: "NULL")
          }
        return Value(column: column, sql: changed.choose(free, else: stored))
      }
    }
  }

  /// Whether an object that keeps its value in a column may enter or leave a unique index there, as another one of the same
  /// value does; its row then gives it the value back.
  private func entersIndexes(
    of column: String, _ part: Part, of changes: [Change], place: Int, stream: RowStream
  ) -> Condition {
    guard changes[place].reference == nil else { return .never }
    let selecting = stream.table.schema.selecting(for: column)
    let others = part.places.filter { other in
      other != place && changes[other].columns.contains { selecting.contains($0.sqlName) }
    }
    let moves = others.map { differs(changes[$0], place: $0, stream: stream) }.any
    return moves && isGiven(changes[place], place: place)
  }
}
