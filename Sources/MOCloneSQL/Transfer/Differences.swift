import MOCloneEngine
import MOCloneModel

/// What rows hold that the objects which they became do not.
package struct Differences {
  private let writes: Writes
  private let layout: TransferLayout
  private let keys: TransferKeys
  /// Of columns by their names as SQL compares them those that unique indexes read which have refused what would be filled.
  private let refusals: Refusals
  private var dialect: Dialect { layout.dialect }

  /// What is known of the unique indexes that hold some rows only or compare what is computed: which rows they take is
  /// first seen by trying.
  package struct Refusals {
    /// The columns that are filled with a value of no other object only.
    package var once: Set<String> = []
    /// Those that are not filled, since that was refused all the same.
    package var again: Set<String> = []

    package init() {}

    /// - Returns: false where nothing is left to try.
    package mutating func note(_ columns: Set<String>) -> Bool {
      if !columns.isSubset(of: once) {
        once.formUnion(columns)
      } else if !columns.isSubset(of: again) {
        again.formUnion(columns)
      } else {
        return false
      }
      return true
    }
  }

  package init(_ writes: Writes, refusals: Refusals = Refusals()) {
    self.writes = writes
    self.refusals = refusals
    layout = writes.layout
    keys = writes.keys
  }

  /// A value of a row `s`, and of the object `t` that is its counterpart.
  private struct Pair {
    var name: String
    var row: String
    var stored: String
    /// Where it can be filled.
    var isFilled = false
    /// Whether it may be one object's alone, so that it is filled only where no other one has or gets it.
    var isUnique = false
    /// The attribute; nil for columns of the stores alone, and for references.
    var attribute: AttributeColumn?
    /// Nil where values are the same only byte by byte.
    var notation: AttributeColumn?
    /// The column of an attribute or of the stores alone.
    var column: String?
  }

  /// - Parameter stored: the notation of the value that is compared with the row's.
  private func differs(_ pair: Pair, from stored: AttributeColumn?) -> Condition {
    .isNotNull(pair.row)
      && dialect.differentBytes(
        dialect.canonical(pair.row, pair.notation?.inSource), b: dialect.canonical(pair.stored, stored),
        column: pair.notation)
  }

  /// Keys of objects, and for each named value whether it differs.
  package struct Values: Sendable {
    package let stream: RowStream
    package let names: [String]
    package let query: Select
  }

  package var values: [Values] {
    layout.streams.filter(keys.canBeFound).compactMap { stream in
      let pairs = attributes(stream) + unnamed(stream) + references(stream)
      return differing(pairs, of: stream, in: keys.foundPairs(stream))
    }
  }

  /// - Parameter earlier: the key of the row that a row is compared with; nil where it is compared with an object.
  private func differing(
    _ pairs: [Pair], of stream: RowStream, in rows: Select, from earlier: [String]? = nil
  ) -> Values? {
    guard !pairs.isEmpty else { return nil }
    let differ = pairs.map { differs($0, from: earlier == nil ? $0.notation : $0.notation?.inSource) }
    return Values(
      stream: stream, names: pairs.map(\.name),
      query: rows.where(differ.any).with(stream.key("s") + (earlier ?? []) + differ.map(\.text))
        .ordered(by: stream.key("s")))
  }

  /// The rows of which an earlier one stands for the object: their keys, those of the earlier ones, and for each named
  /// value whether it differs; nil where nothing can.
  package func joined(_ stream: RowStream) -> Values? {
    let values = (attributes(stream) + unnamed(stream)).map { pair in
      var pair = pair
      pair.stored = pair.column.flatMap { stream.plain($0, "f") } ?? dialect.column("f", pair.column!)
      return pair
    }
    let references = stream.references.filter(\.isFormed).map { reference in
      Pair(
        name: reference.reference.relationship.name, row: keys.reference(reference, "s")[0],
        stored: keys.reference(reference, "f")[0])
    }
    let map = layout.map(stream).sql
    let isFirst = Condition.equal(stream.table.keys("h.n"), stream.table.keys("m.n")) && !layout.isJoined("h")
    let rows = Select([], from: layout.map(stream).rows("m"))
      .joined(
        "\(stream.sql) s", on: .equal(stream.key("s"), stream.keys.parts("m.o")) && layout.isJoined("m")
      )
      .joined("\(map) h", on: isFirst)
      .joined("\(stream.sql) f", on: .equal(stream.key("f"), stream.keys.parts("h.o")))
    return differing(values + references, of: stream, in: rows, from: stream.key("f"))
  }

  /// The keys of rows that became new objects in which the store computes other values, by what the values are called.
  package func computed(_ stream: RowStream) -> [(name: String, query: Select)] {
    guard stream.table.schema.columns.contains(where: \.isGenerated), let rows = writes.newPairs(stream)
    else { return [] }
    return attributes(stream).filter { pair in
      stream.table.schema.isGenerated(pair.column!)
        && !stream.entities.allSatisfy { isExcluded(pair.name, of: $0) }
    }.map { ($0.name, rows.where(differs($0, from: $0.notation)).with(stream.key("s"))) }
  }

  private func isExcluded(_ name: String, of entity: String) -> Bool {
    layout.model.attribute(name, of: entity).map { layout.rules!.excludes($0, of: entity) } ?? true
  }

  // MARK: Lists and pairs

  /// Counts of members and pairs that lie otherwise there, by what is wrong with them.
  package var counts: [(name: String, query: Select)] {
    layout.streams.flatMap { stream in stream.references.compactMap { order(of: $0, stream) } }
      + layout.joinRows.flatMap(self.joinRows)
  }

  /// How many members of a list stand there in another order among each other.
  private func order(of reference: StreamReference, _ stream: RowStream) -> (name: String, query: Select)? {
    guard let here = reference.orderColumn, let there = reference.key.orderColumn, reference.isFormed,
      keys.canBeFound(stream)
    else { return nil }
    let owner = dialect.columns("t", reference.key.columns)
    let rows = keys.foundPairs(stream).where(
      layout.holds(reference, of: stream) && .equal(owner, keys.reference(reference, "s")))
    return (
      "\(reference.reference.relationship.qualifiedName), members in another order",
      reordered(rows, by: owner, here: dialect.column("s", here), there: dialect.column("t", there))
    )
  }

  private func reordered(_ rows: Select, by owner: [String], here: String, there: String) -> Select {
    func place(_ column: String, _ name: String) -> String {
      "\(dialect.number(within: owner, by: [dialect.sorting(position: column)])) AS \(name)"
    }
    return Select(
      ["count(*)"], from: From(rows.with([place(here, "a"), place(there, "b")]), as: "x", dialect: dialect)
    )
    .where(.sql("a <> b"))
  }

  /// The pairs of objects that were found which the store lacks, or holds with other values or in another order.
  private func joinRows(_ pairs: JoinRowStream) -> [(name: String, query: Select)] {
    let streams = pairs.ends.map { layout.streams[$0.stream] }
    guard pairs.isFormed, streams.allSatisfy(keys.canBeFound) else { return [] }
    let ends = zip(streams, pairs.ends).map { ($0, dialect.columns("j", $1.columns)) }
    let found = ends.map { layout.hasEntry($0, $1, where: layout.isFound("m")) }.all
    let columns = pairs.ends.flatMap { end in dialect.columns("t", end.mapping.columns) }
    let tie = Condition.equal(columns, ends.flatMap { keys.moved($0, old: $1) })
    let same = pairs.unmapped.map {
      !dialect.differentBytes(dialect.column("t", $0), b: dialect.column("j", $0), column: nil)
    }
    let target = "\(dialect.table(pairs.join.schema.name)) t"
    let source = Select([], from: From("\(pairs.sql) j")).where(found)
    let hasCounterpart = Condition.exists(
      in: From(target), where: same.reduce(tie) { $0 && $1 }, dialect)
    let name = pairs.join.relationship.qualifiedName
    let orders = pairs.ends.compactMap { end -> (name: String, query: Select)? in
      guard let column = end.orderColumn else { return nil }
      let owner = dialect.columns("t", end.mapping.columns)
      return (
        "\(name), join rows in another order",
        reordered(
          source.joined(target, on: tie), by: owner, here: dialect.column("j", column),
          there: dialect.column("t", column))
      )
    }
    return [
      (
        "\(name), join rows or their values",
        source.where(!hasCounterpart).with(["count(*)"])
      )
    ] + orders
  }

  // MARK: Values

  private func attributes(_ stream: RowStream) -> [Pair] {
    let table = stream.table
    var seen: Set<String> = []
    return stream.entities.flatMap { layout.rules!.compared(of: $0, writes.modified) }.compactMap {
      attribute in
      guard let column = layout.mapping[attribute.entity].attributes[attribute.name],
        column.keyPart == nil || stream.newKey == .kept, seen.insert(column.column.sqlName).inserted,
        let stored = table.schema.column(column.column),
        !layout.rules!.computed.contains("\(attribute.entity).\(attribute.name)"),
        case let isTyped = stored.base.map({ !TypedColumns.isText($0) }) ?? false,
        let value = isTyped ? stream.value(column.column, "s") : stream.plain(column.column, "s")
      else { return nil }
      let isUnique = layout.rules!.isUnique(attribute) || isOnce(column.column, in: table.schema)
      // What is found is never null in what identifies it, values of some types cannot be compared, and of what is unique
      // together a half would say what no object says.
      let isOpen =
        !isUnique
        || attribute.type != .transformable && !identifies(attribute, all: stream)
          && !layout.rules!.isUniqueBesideOthers(attribute)
          && !table.schema.isUniqueBesideOthers(column.column)
      // What was found by another notation is the same, and so is what the type of a column makes of it, and what a file
      // of another name holds.
      return Pair(
        name: attribute.name, row: value, stored: dialect.column("t", column.column),
        isFilled: column.keyPart == nil && !stored.isRequired && !stored.isGenerated && isOpen,
        isUnique: isUnique,
        attribute: column,
        notation: isTyped || column.isExternal || identifies(attribute, stream: stream) ? column : nil,
        column: column.column)
    }
  }

  private func identifies(_ attribute: AttributeDescription, stream: RowStream) -> Bool {
    layout.groups(of: stream).contains { $0.identity?.isOf(attribute) ?? false }
  }

  /// Whether an attribute is a part of the identity of all objects.
  private func identifies(_ attribute: AttributeDescription, all stream: RowStream) -> Bool {
    layout.groups(of: stream).allSatisfy { $0.identity?.isOf(attribute) ?? false }
  }

  /// Columns that only the stores know.
  private func unnamed(_ stream: RowStream) -> [Pair] {
    let table = stream.table.schema
    let shared = SharedColumns(
      stream.source!, target: table, in: layout.model, mapping: layout.mapping, keepsRowids: false)
    return shared.names.map { name in
      Pair(
        name: name, row: dialect.column("s", name), stored: dialect.column("t", name),
        isFilled: table.column(name)?.isRequired != true && !table.isUniqueBesideOthers(name),
        isUnique: isOnce(name, in: table), column: name)
    }
  }

  /// References to objects that something identifies: others are made anew, so nobody can say which they are.
  private func references(_ stream: RowStream) -> [Pair] {
    stream.references.filter { reference in
      reference.isFormed
        && layout.groups(of: layout.destination(of: reference)!).allSatisfy { $0.identity != nil }
    }.flatMap { reference in
      let isLost = keys.leadsToEmpty(reference, "s")
      let rows = zip(keys.reference(reference, "s"), dialect.columns("s", reference.columns)).map {
        isLost.choose($1, else: $0)
      }
      return zip(reference.key.columns, rows).map { column, row in
        Pair(
          name: reference.reference.relationship.name, row: row, stored: dialect.column("t", column))
      }
    }
  }

  // MARK: Filling

  /// Fills nulls of the objects that were there; nil where nothing can be filled.
  package func fill(_ stream: RowStream) -> Writes.Overwriting? {
    writes.overwrite(
      stream,
      changes: filled(stream).filter { !isRefused($0) }.compactMap { pair in
        pair.column.flatMap { column in
          stream.value(column, "s").map { value in
            Writes.Change(
              columns: [column], values: [value],
              isGiven: pair.isUnique ? isAlone(pair, value: value, column: column, stream: stream) : .always,
              existing: .fill)
          }
        }
      })
  }

  private func filled(_ stream: RowStream) -> [Pair] {
    (attributes(stream) + unnamed(stream)).filter(\.isFilled)
  }

  /// Whether a value may not be another object's: the column is in a unique index of all rows, or one that reads it has
  /// refused such values.
  private func isOnce(_ column: String, in table: TableSchema) -> Bool {
    table.uniqueColumns.joined().contains { $0.sqlName == column.sqlName }
      || refusals.once.contains(column.sqlName) && table.canTellApart(by: column)
  }

  private func isRefused(_ pair: Pair) -> Bool {
    pair.column.map { refusals.again.contains($0.sqlName) } ?? false
  }

  /// Whether no object holds the value of a row, and no other row of what was found has it.
  private func isAlone(_ pair: Pair, value: String, column: String, stream: RowStream) -> Condition {
    let table = stream.table
    let schema = table.schema.column(column)
    let stored = dialect.canonical(dialect.column("o", column), pair.attribute)
    var new = dialect.cast(value, as: schema)
    if let attribute = pair.attribute, dialect.hasNotations(attribute) {
      new = dialect.canonical(new, attribute.inSource)
    } else if let schema {
      new = dialect.collate(new, schema.collation)
    }
    let held = Select([stored], from: table.rows("o")).where(.isNotNull(stored))
    let isOnce = Condition.sql("count(*) OVER (PARTITION BY \(new)) = 1")
    return isOnce && !.among([new], query: held, dialect: dialect)
  }

  /// The keys of rows whose values did not come into the objects that lack them, by what is said of them.
  package func unfilled(_ stream: RowStream) -> [(reason: String, query: Select)] {
    filled(stream).filter { $0.isUnique || isRefused($0) }.map { pair in
      let isLacking = Condition.isNull(pair.stored) && .isNotNull(pair.row)
      let reason =
        isRefused(pair) ? TransferReport.fillRefused(pair.name) : TransferReport.notFilled(pair.name)
      return (reason, keys.foundPairs(stream).where(isLacking).with(stream.key("s")))
    }
  }
}

extension Identity {
  /// Whether an attribute of the objects themselves is a part of it.
  fileprivate func isOf(_ attribute: AttributeDescription) -> Bool {
    paths.contains { $0.steps.isEmpty && $0.attribute?.name == attribute.name }
  }
}

extension TableSchema {
  /// Whether a column is unique together with others.
  fileprivate func isUniqueBesideOthers(_ column: String) -> Bool {
    uniqueColumns.filter { $0.count > 1 }.joined().contains { $0.sqlName == column.sqlName }
  }
}
