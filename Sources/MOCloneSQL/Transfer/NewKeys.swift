import MOCloneEngine
import MOCloneModel

/// What new objects of staged rows get as keys, part by part.
package struct NewKeys {
  let layout: TransferLayout
  let keys: TransferKeys
  let stream: RowStream
  private var table: TablePlan { stream.table }
  private var dialect: Dialect { layout.dialect }

  /// Whether a part is a number that is counted.
  private func isNumber(_ part: Int) -> Bool {
    let (column, source) = (table.map.key[part].column, table.map.key[part].source)
    if table.next(part) != nil { return false }
    return switch source {
    case .rowid: table.schema.isRowid(column)
    case .max, .automatic: table.map.key.count == 1 && table.schema.countsKeys(in: column)
    default: false
    }
  }

  /// Whether some part is a number that is counted.
  package var countsNumbers: Bool { table.map.key.indices.contains(where: isNumber) }

  /// Whether the key is nothing but a number that is counted.
  package var isCounted: Bool {
    table.map.key.count == 1 && isNumber(0) && stream.plain(table.map.key[0].column, "s") == nil
  }

  /// Whether numbers are counted that the database does not count itself.
  package var countsOtherNumbers: Bool {
    table.map.key.indices.contains { isNumber($0) && !table.schema.isRowid(table.map.key[$0].column) }
  }

  /// The columns of the key that nothing gives a value.
  package var open: [String] {
    table.map.key.indices.filter { value($0, "s") == nil && !isNumber($0) }.map { table.map.key[$0].column }
  }

  /// A part of a new key; nil where the database makes it as it inserts the row.
  package func value(_ part: Int, _ alias: String) -> String? {
    let column = table.map.key[part].column
    let given = stream.value(column, alias)
    func made(_ sql: String) -> String { given.map { "coalesce(\($0), \(sql))" } ?? sql }
    switch table.map.key[part].source {
    case .uuid(let storage):
      let column = table.keyColumns[part]
      return made(dialect.cast(dialect.newUUID(storage, column), as: column))
    case .relationship(let name, let place):
      guard let reference = stream.references.first(where: { $0.reference.forward?.name == name }) else {
        return given
      }
      return keys.reference(reference, alias)[place]
    case .max where layout.store.counts(part, of: table):
      let others = table.map.key.indices.filter { $0 != part }
      let values = others.compactMap { value($0, alias) }
      guard values.count == others.count else { return given }
      return made(layout.store.next(part, of: table, within: values, by: stream.key(alias)))
    case .rowid, .max, .automatic:
      if let next = table.next(part) { return made(dialect.newKey(next)) }
      return isNumber(part) && !keys.state(stream).leavesKeys ? made(nextNumber(alias)) : given
    case .copied, .given: return given
    }
  }

  /// The number after the parameter `last`, and on from there in the order of the rows.
  private func nextNumber(_ alias: String) -> String {
    guard dialect.numbersRows else { return dialect.rowNumber }
    return "\(dialect.parameter("last")) + row_number() OVER (ORDER BY \(stream.key(alias).list))"
  }

  /// Enters the keys of all rows that have no object yet.
  package var enter: String { enter(keys.openRows(stream)) }

  package func enter(_ rows: Select) -> String {
    let new = table.map.key.indices.map { value($0, "s") ?? "NULL" }
    return layout.enter(
      rows.with(stream.key("s") + new + ["1"]).ordered(by: stream.key("s")), of: stream)
  }
}

extension StoreLayout {
  /// Whether a part of a key of several is a number that is counted within the others.
  func counts(_ part: Int, of table: TablePlan) -> Bool {
    table.map.key.count > 1 && table.map.key[part].source == .max && table.next(part) == nil
      && table.schema.countsKeys(in: table.map.key[part].column)
  }

  /// The next number of a part of a key; one that is the whole key comes after the parameter `last`.
  ///
  /// - Parameters:
  ///   - others: the values of the other parts.
  ///   - order: of the rows that get numbers.
  ///   - kept: the rows `s` that keep their number, and those of them above whose numbers the others count on.
  func next(
    _ part: Int, of table: TablePlan, within others: [String], by order: [String],
    besides kept: (rows: Condition, made: Condition) = (rows: .never, made: .never)
  ) -> String {
    let columns = table.map.key.indices.filter { $0 != part }.map {
      dialect.column("e", table.map.key[$0].column)
    }
    let column = table.map.key[part].column
    let last =
      columns.isEmpty
      ? dialect.cast(dialect.parameter("last"), as: table.schema.column(column))
      : dialect.end(of: column, in: table.schema.name, where: .equal(columns, others))
    guard kept.rows != .never else { return "\(last) + \(dialect.number(within: others, by: order))" }
    let own = dialect.column("s", column)
    let greatest = "max(\(kept.made.choose(own, else: last))) OVER (\(dialect.partition(by: others)))"
    let place = dialect.number(within: others + [kept.rows.choose("1", else: "0")], by: order)
    return kept.rows.choose(own, else: "\(greatest) + \(place)")
  }
}
