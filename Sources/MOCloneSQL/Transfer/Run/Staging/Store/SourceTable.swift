import MOCloneEngine
import MOCloneModel

/// The rows of one table of a source as one query, and how each becomes a row of the staged table.
struct SourceTable {
  /// Selects the mark and the key first.
  let query: Select
  /// By what marks their rows; one without a name where the table marks none.
  let shapes: [String: Shape]
  let table: TablePlan
  /// What only both stores know.
  let unmapped: [Part]
  /// Whether a row `s` is only linked to; nil where no subtree is cut out.
  let isLinked: Condition?

  /// Where the properties of one entity come from and go to.
  final class Shape {
    let entity: String
    var keys: [Part] = []
    var attributes: [Part] = []
    /// The attributes of which the store may have no room for everything, by the places of their values in a row.
    var losses: [(name: String, from: Int, loss: ValueLoss)] = []
    var mark: (place: Int, value: StoredValue)?
    var references: [Reference] = []
    /// What only the owners of lists know; the last one counts.
    var lists: [List] = []
    /// How many rows were staged and have not been reported yet.
    var count = 0

    init(entity: String) { self.entity = entity }
  }

  /// A column of the query, and the one of the staged table that it is for; an object, since copies of its conversion would
  /// cost more than the conversion of a value.
  final class Part {
    let from: Int
    let to: Int
    private let conversion: ValueConversion

    init(from: Int, to: Int, conversion: ValueConversion) {
      (self.from, self.to, self.conversion) = (from, to, conversion)
    }

    /// The value that a row of the query gives; nil where it needs a second look.
    func value(in row: [StoredValue]) -> StoredValue? { converted(row[from]) }

    /// A value as the store writes it; nil where it has none like it.
    func converted(_ value: StoredValue) -> StoredValue? { conversion.converted(value) }
  }

  struct Reference {
    var name: String
    var parts: [Part]
    /// What the row itself holds, where the destination is looked up.
    var held: [Int]
    /// Whether the destination must be of some entities of its table, so that one that is not found may be another one.
    var isNarrow: Bool
    /// Whether it lies in the key and identifies the object, which is left out without it.
    var identifies: Bool
    /// The parts that stay where another one is null: those that no other reference holds.
    var halves: [Int]
  }

  struct List {
    /// The column that is null where the row is in no list.
    var isListed: Int
    var parts: [Part]
  }
}

/// Makes the query of a table.
struct SourceTableBuilder {
  private let columns: SourceColumns
  private let layout: TransferLayout
  private let selection: SourceSelection?
  private let table: TablePlan
  private let places: [String: Int]
  private var selected: [String] = []
  private var rows: From
  private var dialect: Dialect { columns.dialect }
  private var source: StoreLayout { columns.source }
  private var stream: RowStream? { selection.map { $0.layout.streams[table.index] } }

  /// - Parameter layout: that of the run in the store that rows come into.
  init(_ columns: SourceColumns, in layout: TransferLayout, selection: SourceSelection?, root: String) {
    (self.columns, self.layout, self.selection) = (columns, layout, selection)
    table = columns.source.table(of: root)
    let staged = layout.source!.schema[layout.store.table(of: root).schema.name]!
    places = Dictionary(uniqueKeysWithValues: staged.columns.enumerated().map { ($1.name.sqlName, $0) })
    rows = table.rows("s")
    if let selection { rows = selection.reach.each(of: selection.layout.streams[table.index], "s") }
  }

  /// - Returns: nil where rows have to be read one by one.
  mutating func build() -> SourceTable? {
    select(table.discriminator.map { dialect.column("s", $0) } ?? dialect.cast("NULL", "text"))
    for key in table.key("s") { selected.append(key) }
    var shapes: [String: SourceTable.Shape] = [:]
    for entity in table.entities {
      guard let shape = shape(of: entity) else { return nil }
      shapes[source.mapping[entity].discriminator?.value ?? ""] = shape
    }
    guard addLists(to: &shapes) else { return nil }
    let staged = layout.stream(of: table.root)
    let unmapped = (staged.unmapped + staged.emptied).map { name in
      part(.init(sql: dialect.column("s", name), conversion: .plain), name: name)
    }
    return SourceTable(
      query: Select(selected, from: rows).ordered(by: table.key("s")), shapes: shapes, table: table,
      unmapped: unmapped, isLinked: selection.flatMap { $0.isLinked(stream!, "s") })
  }

  @discardableResult
  private mutating func select(_ sql: String) -> Int {
    if let place = selected.firstIndex(of: sql) { return place }
    selected.append(sql)
    return selected.count - 1
  }

  private mutating func part(_ column: SourceColumns.Column, name: String) -> SourceTable.Part {
    SourceTable.Part(from: select(column.sql), to: places[name.sqlName]!, conversion: column.conversion)
  }

  private mutating func shape(of entity: String) -> SourceTable.Shape? {
    let map = source.mapping[entity]
    let shape = SourceTable.Shape(entity: entity)
    for name in map.keyColumns {
      guard let column = columns.column(name, of: [entity], "s") else { return nil }
      shape.keys.append(part(column, name: name))
    }
    for (name, column) in map.attributes.sorted(by: { $0.key < $1.key })
    where column.keyPart == nil && layout.reads(name, of: entity) {
      let there = layout.mapping[entity].attributes[name]!
      let conversion = conversion(of: column, to: there)
      let part = part(
        .init(sql: dialect.column("s", column.column), conversion: conversion), name: column.column)
      shape.attributes.append(part)
      if layout.dialect.hasTypes, let loss = ValueLoss(into: there) {
        shape.losses.append((name, part.from, loss))
      }
    }
    if let mark = map.discriminator { shape.mark = (places[mark.column.sqlName]!, .text(mark.value)) }
    for (name, key) in map.foreignKeys {
      guard let reference = reference(name, key: key, of: entity) else { return nil }
      shape.references.append(reference)
    }
    return shape
  }

  /// Databases without types keep the notation of a value, but for what references lead to, which is written as they are.
  private func conversion(of column: AttributeColumn, to there: AttributeColumn) -> ValueConversion {
    let (from, to) = (ValueCoding(column), ValueCoding(there))
    let isReferredTo = source.referrers(to: table).contains {
      $0.references.contains { $0.sqlName == column.column.sqlName }
    }
    let isKept = from == to && !isReferredTo && !dialect.hasTypes && !layout.dialect.hasTypes
    return isKept ? .notation(of: from) : .attribute(from: from, to: to)
  }

  private mutating func reference(
    _ name: String, key: ForeignKeyMapping, of entity: String
  ) -> SourceTable.Reference? {
    let relationship = columns.model.relationship(name, of: entity)!
    var parts: [SourceTable.Part] = []
    var isTrusted = true
    for (place, column) in key.columns.enumerated() {
      guard let value = columns.destination(key, place: place, alias: "s", where: relationship.destination)
      else {
        return nil
      }
      parts.append(part(value, name: column))
      isTrusted = isTrusted && value.isTrusted
    }
    let there = source.table(of: relationship.destination)
    let isOfAny = Set(columns.model.concreteEntities(of: relationship.destination)) == Set(there.entities)
    return SourceTable.Reference(
      name: relationship.qualifiedName, parts: parts,
      held: isTrusted ? [] : key.columns.map { select(dialect.column("s", $0)) },
      isNarrow: !isOfAny, identifies: identifies(name, key: key, entity: entity),
      halves: halves(of: key, entity: entity))
  }

  private func halves(of key: ForeignKeyMapping, entity: String) -> [Int] {
    guard key.columns.count > 1 else { return [] }
    let others = source.mapping[entity].foreignKeys.map(\.key).filter { $0.columns != key.columns }
    let held = Set(others.flatMap(\.columns).map(\.sqlName))
    return key.columns.indices.filter { !held.contains(key.columns[$0].sqlName) }
  }

  private func identifies(_ name: String, key: ForeignKeyMapping, entity: String) -> Bool {
    guard layout.policy.unidentified == .skipped, layout.subtree == nil else { return false }
    let isFirst = layout.identities[entity]?.paths.contains { $0.steps.first?.name == name } ?? false
    return isFirst && key.columns.contains { source.mapping[entity].keyPart(of: $0) != nil }
  }

  // MARK: Lists

  /// - Returns: false where rows have to be read one by one.
  private mutating func addLists(to shapes: inout [String: SourceTable.Shape]) -> Bool {
    for reference in source.references(in: table) {
      let key = reference.key
      guard let owners = reference.backward, reference.forward == nil || key.orderColumn != nil,
        selection?.reaches(owners.entity) ?? true
      else { continue }
      let place = place(of: reference, owners.entity)
      var list = SourceTable.List(isListed: select(place), parts: [])
      if reference.forward == nil {
        for (number, column) in key.columns.enumerated() {
          guard let value = columns.destination(key, place: number, alias: "s", where: owners.entity) else {
            return false
          }
          list.parts.append(part(value, name: column))
        }
      }
      if let order = key.orderColumn {
        list.parts.append(
          SourceTable.Part(from: list.isListed, to: places[order.sqlName]!, conversion: .plain))
      }
      for mark in shapes.keys { shapes[mark]!.lists.append(list) }
    }
    return true
  }

  /// The place of a row in the list of its owner; null where it is in none.
  private mutating func place(of reference: RowReference, _ owners: String) -> String {
    let there = source.table(of: owners)
    let isOwner = there.isKind(columns.model.concreteEntities(of: owners), alias: "o")
    func tie(_ row: String) -> Condition {
      reference.key.leads(from: row, to: "o", in: dialect)
    }
    guard let selection else {
      let isListed =
        holds(reference, alias: "s")
        && .exists(in: there.rows("o"), where: tie("s") && isOwner, dialect)
      let group =
        dialect.columns("s", reference.key.columns) + [holds(reference, alias: "s").choose("1", else: "0")]
      return "CASE WHEN \(isListed.text) THEN \(number(reference, in: group, alias: "s")) END"
    }
    // Owners that are meant, with all of their members: the others take places, too.
    let name = "w\(reference.key.columns.joined(separator: "_"))_\(selected.count)".filter {
      $0.isLetter || $0.isNumber
    }
    let members = Select(
      table.key("p").named(table.keys("k"))
        + ["\(number(reference, in: dialect.columns("p", reference.key.columns), alias: "p")) AS n"],
      from: selection.reach.each(of: selection.layout.stream(of: owners), "o")
    ).joined("\(table.sql) p", on: tie("p")).where(isOwner && holds(reference, alias: "p"))
    rows =
      rows + [
        .left("(\(members.text(dialect))) \(name)", on: .equal(table.keys("\(name).k"), table.key("s")))
      ]
    return "\(name).n"
  }

  private func holds(_ reference: RowReference, alias: String) -> Condition {
    ReferenceHolders(model: columns.model, mapping: source.mapping, dialect: dialect)
      .condition(reference.key, alias: alias)
  }

  private func number(_ reference: RowReference, in group: [String], alias: String) -> String {
    let order =
      reference.key.orderColumn.map {
        [dialect.sorting(position: dialect.column(alias, $0), in: table.schema.column($0))]
      } ?? []
    return dialect.number(within: group, by: order + table.key(alias))
  }
}
