import MOCloneEngine
import MOCloneModel

/// Renders the statement that inserts every clone of a table plan at once, in the order of the new keys.
///
/// ```sql
/// INSERT OR ABORT INTO main."item"("id", "note_id", "name")
///   SELECT m.seq + :keyOffset1, m.parent + :keyOffset0, s."name"
///   FROM temp."moclone_map_x" m CROSS JOIN main."item" s ON s."id" = m.o0
///   WHERE m.seq BETWEEN :first AND :last ORDER BY m.seq
/// ```
struct WriteRenderer {
  let layout: CloneLayout
  let tablePlan: CloneTablePlan
  private let references: [ReferenceRenderer]
  private let attributes: ValueRenderer
  /// The attributes of each kind of object by their columns, as SQL compares names.
  private let attributesByColumn: [Variant: [String: AttributePlan]]
  private var dialect: Dialect { layout.dialect }

  init(layout: CloneLayout, tablePlan: CloneTablePlan) {
    self.layout = layout
    self.tablePlan = tablePlan
    references = layout.referenceRenderers(of: tablePlan)
    attributes = ValueRenderer(layout: layout)
    attributesByColumn = Dictionary(
      uniqueKeysWithValues: tablePlan.variants.map { variant in
        let columns = layout.mapping[variant.entity].attributes
        let attributes = tablePlan.nodes(of: variant)[0].attributes.compactMap { planned in
          columns[planned.attribute.name].map { ($0.column.sqlName, planned) }
        }
        return (variant, Dictionary(attributes, uniquingKeysWith: { first, _ in first }))
      })
  }

  /// The table plans whose rows this statement's rows may refer to; where triggers keep values, also without a declared
  /// foreign key, for they count only in rows that exist.
  var needs: Set<Int> {
    Set(
      references.filter { (isDeclared($0.reference) || layout.hasKeptColumns) && $0.canBeInside }
        .compactMap { $0.destination?.index })
  }

  /// Whether a row may refer to one that a later statement writes.
  var refersAhead: Bool {
    references.contains { isDeclared($0.reference) && refersToOther($0) }
  }

  /// Whether rows refer to others of the table plan, which are not their parents.
  private func refersToOther(_ renderer: ReferenceRenderer) -> Bool {
    !renderer.isParent && renderer.canBeInside && renderer.destination?.index == tablePlan.index
  }

  /// Whether the table declares a reference, so that the order of writing matters.
  private func isDeclared(_ reference: RowReference) -> Bool {
    tablePlan.table.foreignKey(on: reference.key.columns) != nil
  }

  var insert: String { insert(columns, rows: rows) }

  /// The same with keys that the statement counts itself, where SQLite does otherwise; `:written` rows come before.
  var countingInsert: String? {
    guard tablePlan.isDirect, tablePlan.hasRowidKey else { return nil }
    let written = dialect.parameter("written")
    let number = "\(tablePlan.keyOffset) + \(written) + row_number() OVER (ORDER BY \(order.list))"
    return insert([tablePlan.keyColumns[0].name] + columns, rows: Select([number] + values, from: source))
  }

  private func insert(_ columns: [String], rows: Select) -> String {
    let (first, last) = (dialect.parameter("first"), dialect.parameter("last"))
    let part = inOrder(rows.where(.sql("m.seq BETWEEN \(first) AND \(last)")))
    return Insert(
      into: dialect.table(tablePlan.table.name), columns.map(dialect.name), rows: part.text(dialect),
      conflict: tablePlan.table.conflict
    ).text(dialect)
  }

  /// Rows in the order of the new keys, or each after the one that it refers to.
  private func inOrder(_ rows: Select) -> Select {
    // A few rows whose keys are known can come in any order.
    if layout.isInQueries, !tablePlan.isDirect { return rows }
    guard let levels else { return rows.ordered(by: order) }
    return rows.joined(levels.join(to: ["m.seq"])).ordered(by: [RowLevels.order] + order)
  }

  /// Where triggers keep values, and the rows of the table refer to each other otherwise than to their parents, which have
  /// lesser keys.
  var levels: RowLevels? {
    guard layout.hasKeptColumns else { return nil }
    let own = references.filter(refersToOther)
    let counted = own.first { tablePlan.table.isCounted($0.reference.key.columns) }
    guard let above = counted ?? own.first else { return nil }
    let rows = layout.rows(of: tablePlan) + above.joins
    return RowLevels(
      links: Select(["m.seq", above.destinationNumber], from: rows)
        .where(.isNotNull(above.destinationNumber)),
      width: 1, dialect: dialect)
  }

  private var order: [String] { ["m.seq"] + (tablePlan.isDirect ? tablePlan.key("s") : []) }

  /// Selects what is written there.
  var rows: Select { Select(values, from: source) }

  private var values: [String] { columns.map { tablePlan.choose(value(of: $0)) } }

  /// How many rows `insert` must write.
  var count: String { Select(["count(*)"], from: layout.rows(of: tablePlan)).text(dialect) }

  /// The objects `m` with their originals' rows `s` and the destinations of their references.
  var source: From { layout.rows(of: tablePlan) + references.flatMap(\.joins) }

  // MARK: Settled columns

  /// The statements that settle a column of the map: a part of the key, or a column that other rows refer to.
  func settling(_ column: String) -> [String] {
    guard let part = tablePlan.keyPart(column) else {
      return settling("v\(tablePlan.settledIndex(column)!)", column: column, of: .always)
    }
    let mapped = tablePlan.any { tablePlan.keySources[$0.entity]![part].isReference ? .always : .never }
    let isCounted = tablePlan.sources(ofPart: part).contains(where: \.isCounted)
    return settling("n\(part)", column: column, of: mapped) + (isCounted ? [counting(part)] : [])
  }

  private func settling(_ target: String, column: String, of objects: Condition) -> [String] {
    guard objects != .never, let references = ReferenceColumn(column, layout: layout, tablePlan: tablePlan)
    else {
      return []
    }
    let value = tablePlan.choose(references.value)
    let own = Select([value], from: From("\(dialect.table(tablePlan.table.name)) s", joins: references.joins))
      .where(.equal(tablePlan.key("s"), tablePlan.old("m")))
    return [
      Update(
        "\(dialect.temporary(tablePlan.map)) AS m",
        assignments: [(target, "coalesce(\(target), (\(own.text(dialect))))")]
      ).where(objects).text(dialect)
    ]
  }

  /// Counts the new numbers that neither a reference nor the request gives, in a composite key within its other parts.
  private func counting(_ part: Int) -> String {
    let map = dialect.temporary(tablePlan.map)
    let others = tablePlan.keyColumns.indices.filter { $0 != part }
    let own = Condition.equal(
      others.map { dialect.column("e", tablePlan.keyColumns[$0].name) }, others.map { "m.n\($0)" })
    let greatest =
      others.isEmpty
      ? tablePlan.keyOffset
      : dialect.end(of: tablePlan.keyColumns[part].name, in: tablePlan.table.name, where: own)
    let group = others.map { "m.n\($0)" }
    let within = group.isEmpty ? "" : "PARTITION BY " + group.list
    let open = (group + ["m.n\(part) IS NULL"]).list
    let last = "\(dialect.greatest)(\(greatest), coalesce(max(m.n\(part)) OVER (\(within)), 0), 0)"
    let number = "\(last) + row_number() OVER (PARTITION BY \(open) ORDER BY m.seq) AS number"
    let row = dialect.name(tablePlan.map)
    return Update(
      map, assignments: [("n\(part)", "x.number")],
      from: From(Select(["m.seq", number], from: From("\(map) m")), as: "x", dialect: dialect)
    ).where(.equal(["x.seq"], ["\(row).seq"]) && .isNull("\(row).n\(part)")).text(dialect)
  }

  /// Checks that all references which share a column agree on its new value; run when keys are settled.
  var disagreements: [RunCheck] {
    tablePlan.table.columns.map(\.name).flatMap { name -> [RunCheck] in
      guard let references = ReferenceColumn(name, layout: layout, tablePlan: tablePlan) else { return [] }
      return references.disagreements(value(of: name))
    }
  }

  // MARK: Columns

  /// The columns that are written: those that one of the table plan's entities maps.
  var columns: [String] {
    let mapped = MappedColumns(table: tablePlan.table, mapping: layout.mapping)
    var columns = tablePlan.table.columns.filter { !$0.isGenerated }.map(\.name).filter {
      mapped.contains($0) || layout.plan.model.store.unmapped == .copy
    }
    let keys = tablePlan.keyColumns.map(\.name)
    let counters = PartialCounters(layout: layout)
    // A number that the database counts beside the key, and that the model does not name, is counted again.
    columns.removeAll { name in
      !mapped.contains(name) && !keys.contains(name)
        && (tablePlan.table.countsItself(name)
          || tablePlan.table.column(name).map { counters.isLeftOut($0, in: tablePlan) } == true)
    }
    columns += keys.filter { tablePlan.table.column($0) == nil }
    // Without a map SQLite counts: as everywhere the numbers after the greatest.
    if tablePlan.isDirect { columns.removeAll(where: keys.contains) }
    return columns
  }

  /// The rule of an attribute, which is another one where a copied value would count members that the clone lacks.
  private func counted(_ planned: AttributePlan, column: String, variant: Variant) -> AttributePlan {
    guard planned.rule == .copy,
      let start = PartialCounters(layout: layout).start(column, of: variant, in: tablePlan)
    else { return planned }
    var counted = planned
    counted.rule = .exclude(start)
    return counted
  }

  /// Whether the request sets a column.
  func isSet(_ column: String, variant: Variant) -> Bool {
    let entity = layout.mapping[variant.entity]
    return tablePlan.nodes(of: variant)[0].attributes.contains { planned in
      guard case .set = planned.rule else { return false }
      return entity.holds(planned.attribute.name, in: column)
    }
  }

  func value(of column: String, _ variant: Variant) -> String { value(of: column)(variant) }

  /// What each variant has in a column; what is the same for all of them is looked up once.
  func value(of column: String) -> (Variant) -> String {
    let name = column.sqlName
    if let part = tablePlan.keyPart(column) {
      let key = tablePlan.newKey("m", part: part)
      return { _ in key }
    }
    let other = valueBesideAttributes(of: column)
    return { variant in
      guard let planned = attributesByColumn[variant]?[name] else { return other(variant) }
      return attributes.written(
        counted(planned, column: column, variant: variant), of: tablePlan.nodes(of: variant)[0], in: tablePlan
      )
    }
  }

  /// What the variants have in a column in which they have no attribute.
  private func valueBesideAttributes(of column: String) -> (Variant) -> String {
    if let settled = tablePlan.settledIndex(column) {
      let value = tablePlan.at("m", "v\(settled)")
      return { _ in value }
    }
    if let references = ReferenceColumn(column, layout: layout, tablePlan: tablePlan) {
      return references.value
    }
    let original = dialect.column("s", column)
    let ordered = references.filter { $0.reference.orderColumn?.sqlName == column.sqlName }
    return { variant in ordered.first { $0.holds(variant) }?.position(variant) ?? original }
  }
}
