import MOCloneEngine
import MOCloneModel

/// The pairs of one join table of a source as one query, and how each becomes a pair of the staged table.
struct SourceJoin {
  let query: Select
  let parts: [SourceTable.Part]
  /// The staged table, which has the name of the store's that the rows come into.
  let staged: TableSchema

  /// - Returns: nil where pairs have to be read one by one.
  init?(_ columns: SourceColumns, in layout: TransferLayout, selection: SourceSelection?, join: TableJoin) {
    let dialect = columns.dialect
    let known = join.ends.filter { $0.relationship != nil }
    let ends = known.filter { $0.mapping.orderColumn != nil } + known.filter { $0.mapping.orderColumn == nil }
    let ordered = ends.filter { $0.mapping.orderColumn != nil }
    // The places in one list count those who are not meant in the other.
    guard ordered.count < 2 || selection == nil, let end = ends.first else { return nil }
    let mapping = end.mapping
    let (own, other) = (end.relationship!.entity, end.relationship!.destination)
    let (owners, members) = (columns.source.table(of: own), columns.source.table(of: other))
    staged = layout.source!.schema[layout.mapping.join(of: join.relationship)!.table]!
    let names = staged.columns.map(\.name.sqlName)
    var selected: [String] = []
    var parts: [SourceTable.Part] = []
    func add(_ sql: String, _ name: String, _ conversion: ValueConversion) {
      let to = names.firstIndex(of: name.sqlName)!
      parts.append(SourceTable.Part(from: selected.count, to: to, conversion: conversion))
      selected.append("\(sql) AS c\(selected.count)")
    }
    func add(_ names: [String], _ references: [String], of entity: String, _ alias: String) -> Bool {
      zip(names, references).allSatisfy { name, reference in
        let entities = columns.model.concreteEntities(of: entity)
        guard let column = columns.column(reference, of: entities, alias) else { return false }
        add(column.sql, name, column.conversion)
        return true
      }
    }
    guard add(mapping.columns, mapping.references, of: own, "o"),
      add(mapping.destinationColumns, mapping.destinationReferences, of: other, "d")
    else { return nil }
    for (place, side) in ordered.enumerated() {
      let (group, rest) = place == 0 ? ("o", members.key("d")) : ("d", owners.key("o"))
      let keys = place == 0 ? owners.key(group) : members.key(group)
      let column = side.mapping.orderColumn!
      let order = dialect.sorting(position: dialect.column("j", column), in: join.schema.column(column))
      add(dialect.number(within: keys, by: [order] + rest), column, .plain)
    }
    for name in layout.unmapped(ofPairs: staged) { add(dialect.column("j", name), name, .plain) }
    var rows = owners.rows("o")
    if let selection { rows = selection.reach.each(of: selection.layout.stream(of: own), "o") }
    let tie = Condition.equal(
      dialect.columns("j", mapping.columns), dialect.columns("o", mapping.references))
    let end2 = Condition.equal(
      dialect.columns("d", mapping.destinationReferences), dialect.columns("j", mapping.destinationColumns))
    rows =
      rows + [
        .ordered("\(dialect.table(join.schema.name)) j", on: tie), .ordered("\(members.sql) d", on: end2),
      ]
    let isKind = columns.source.isKind(own, alias: "o") && columns.source.isKind(other, alias: "d")
    self.parts = parts
    let pairs = Select(selected, from: rows).where(isKind)
    let number = join.schema.countedKey.map { [dialect.column("j", $0)] }
    guard let selection else {
      query = number.map(pairs.ordered(by:)) ?? pairs
      return
    }
    let stream = selection.layout.stream(of: other)
    let isMeant = selection.reach.contains(stream, key: stream.key("d")) && selection.contains(join)
    guard !ordered.isEmpty else {
      // In their own order, or that of the owners, by which the pairs of most other tables are kept.
      query = pairs.where(isMeant).ordered(by: number ?? owners.key("o") + members.key("d"))
      return
    }
    query = Select(
      (0..<selected.count).map { "c\($0)" },
      from: From(
        pairs.with(selected + ["\(isMeant.choose("1", else: "0")) AS meant"]), as: "p", dialect: dialect)
    ).where(.sql("meant = 1"))
  }
}
