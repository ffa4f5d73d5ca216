import MOCloneEngine
import MOCloneModel

/// The statement that finds, before a merge, the values of what goes that what stays will not hold.
package struct GivenUpRenderer {
  private let merge: MergeRenderer
  private let fill: FillRenderer
  /// Whether nulls of what stays are filled.
  private let fills: Bool
  private let properties: [Property]
  private var table: TablePlan { merge.table }
  private var dialect: Dialect { merge.dialect }

  private enum Property {
    case column(ColumnSchema, name: String, AttributeColumn?, isIdentifying: Bool)
    case reference(RowReference)
  }

  /// - Parameter identifying: the attributes by which objects of the table are duplicates.
  package init(_ merge: MergeRenderer, fills: Bool, identifying: Set<String>) {
    self.merge = merge
    self.fills = fills
    fill = FillRenderer(merge)
    properties =
      Self.columns(merge, identifying: identifying)
      + merge.layout.references(in: merge.table).map { .reference($0) }
  }

  // MARK: Values

  /// What a row of the query says is given up: names, and values as people write them.
  package func values(in row: [StoredValue]) -> [(String, String)] {
    var place = 1 + 2 * table.keyColumns.count
    return properties.compactMap { property in
      switch property {
      case .column(_, let name, let column, _):
        defer { place += 1 }
        return row[place].isNull ? nil : (name, text(row[place], column))
      case .reference(let reference):
        let destination = merge.layout.table(of: reference.key.destination)
        defer { place += destination.keyColumns.count }
        return row[place].isNull
          ? nil : (reference.relationship.name, row.key(of: destination, from: place).description)
      }
    }
  }

  /// What is not a value of the attribute's type stands as it is, and for a value in a file the file's name.
  private func text(_ stored: StoredValue, _ column: AttributeColumn?) -> String {
    if column?.isExternal == true, let file = stored.bytes.flatMap(ExternalMark.file) { return file }
    let value = column.flatMap { ValueCoding($0).decode(stored) }
    return (value ?? AttributeValue(raw: stored)).description
  }

  private static func columns(_ merge: MergeRenderer, identifying: Set<String>) -> [Property] {
    let (layout, table) = (merge.layout, merge.table)
    var seen = Set(merge.dates.columns(table).map(\.sqlName))
    let attributes = table.entities.flatMap { entity in
      layout.model.attributes(of: entity).compactMap { attribute -> Property? in
        guard !attribute.isDerived, let column = layout.mapping[entity].attributes[attribute.name],
          column.keyPart == nil, let schema = table.schema.column(column.column), !schema.isGenerated,
          seen.insert(schema.name.sqlName).inserted
        else { return nil }
        return .column(
          schema, name: attribute.name, column, isIdentifying: identifying.contains(attribute.name))
      }
    }
    let unmapped = table.schema.unmappedColumns(layout.mapping).filter { !table.schema.isRowid($0.name) }
    return attributes + unmapped.map { .column($0, name: $0.name, nil, isIdentifying: false) }
  }

  // MARK: Statements

  /// Mark and key of what goes, the key of what stays, and for each property the value that is given up, or null.
  package var query: Select {
    let isGivenUp = properties.map(isGivenUp)
    let (key, survivor) = (merge.map.key("m"), table.keys("m.n"))
    let values = zip(properties, isGivenUp).flatMap { property, isGivenUp in
      columns(of: property).map { isGivenUp.choose($0, else: "NULL") }
    }
    return Select([table.mark("l")] + key + survivor + values, from: merge.pairs(survivor: "s"))
      .where(isGivenUp.any).ordered(by: key)
  }

  /// What a row `l` holds: a value, or the key of what it refers to.
  private func columns(of property: Property) -> [String] {
    switch property {
    case .column(let column, _, _, _): [dialect.column("l", column.name)]
    case .reference(let reference):
      merge.settled(reference, columns: dialect.columns("l", reference.key.columns))
    }
  }

  private func isGivenUp(_ property: Property) -> Condition {
    switch property {
    case .column(let column, _, let attribute, let isIdentifying):
      let (own, other) = (dialect.column("l", column.name), fill.filled([column.name], fills: fills)[0])
      let isOther =
        isIdentifying
        ? dialect.different(own, other) : dialect.differentBytes(own, b: other, column: attribute)
      return .isNotNull(own) && isOther
        && isOtherValue(own, other, attribute)
    case .reference(let reference) where merge.layout.leadsBack(reference): return isGivenUp(back: reference)
    case .reference(let reference):
      let columns = reference.key.columns
      let (old, new) = (dialect.columns("l", columns), fill.filled(columns, fills: fills))
      let (own, other) = (merge.settled(reference, columns: old), merge.settled(reference, columns: new))
      // A reference to one's own double is none to keep.
      let isOwn: Condition =
        merge.layout.table(of: reference.key.destination) == table ? .equal(own, table.keys("m.n")) : .never
      // Most hold the same, and need not be looked up.
      let isOther =
        zip(old, new).map { dialect.different($0, $1) }.any
        && zip(own, other).map { dialect.different($0, $1) }.any
      return (isOther || merge.isOutranked(reference, "s")) && .isNotNull(own[0]) && !isOwn
        && merge.layout.holds(reference, "l")
    }
  }

  /// The same for a reference that leads to what belongs to its own row, which moves to what stays.
  private func isGivenUp(back reference: RowReference) -> Condition {
    func led(_ alias: String) -> [String] {
      merge.settled(reference, columns: dialect.columns(alias, reference.key.columns))
    }
    let own = led("l")
    let best = own.map { value in
      let rows = merge.map.rows("m", with: "l")
      let isLed = Condition.equal(table.keys("m.n"), table.key("s")) && .isNotNull(value)
      return Select([value], from: rows).where(isLed).ordered(by: ["m.rank"]).limited(to: 1).text(dialect)
    }
    let stays = fills ? zip(led("s"), best).map { "coalesce(\($0), (\($1)))" } : led("s")
    return .isNotNull(own[0]) && zip(own, stays).map { dialect.different($0, $1) }.any
      && merge.layout.holds(reference, "l")
  }

  /// Whether values are not the same in two notations; what is not a value of the type has none.
  private func isOtherValue(_ a: String, _ b: String, _ column: AttributeColumn?) -> Condition {
    guard let column, dialect.hasNotations(column) else { return .always }
    return .sql("NOT coalesce(\(dialect.canonical(a, column)) = \(dialect.canonical(b, column)), FALSE)")
  }
}
