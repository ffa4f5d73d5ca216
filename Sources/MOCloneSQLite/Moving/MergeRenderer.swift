import MOCloneEngine
import MOCloneModel

/// The statements that merge the rows of one table that go into those that stay.
struct MergeRenderer {
  let layout: MoveLayout
  let table: ObjectTable
  let maps: [TemporaryTable]
  /// Tables that have rows to be merged.
  let merged: Set<Int>
  let modified: ModifiedRule
  private var map: TemporaryTable { maps[table.index] }

  /// The references to the table's rows.
  var references: [RowReference] {
    layout.references.filter { layout.table(of: $0.key.destination).index == table.index }
  }

  private func isOneToOne(_ reference: RowReference) -> Bool { reference.backward?.isToMany == false }

  private func isRequired(_ reference: RowReference) -> Bool { reference.forward?.isOptional == false }

  /// From the map to what rows refer to: `old` and `new` are the referenced values of what goes and of what stays.
  private func way(_ references: [String]) -> (from: String, old: [String], new: [String]) {
    if let places = table.keyPlaces(of: references) {
      return ("\(map.sql) m", places.map { "m.o\($0)" }, places.map { "m.n\($0)" })
    }
    let from =
      "\(map.sql) m CROSS JOIN \(table.sql) l ON \(SQL.equal(table.key("l"), table.keys("m.o"))) "
      + "CROSS JOIN \(table.sql) t ON \(SQL.equal(table.key("t"), table.keys("m.n")))"
    return (from, references.map { SQL.column("l", $0) }, references.map { SQL.column("t", $0) })
  }

  /// The rows `x` that refer to what goes.
  private func referrers(_ key: ForeignKeyMapping) -> (from: String, new: [String]) {
    let member = layout.table(of: key.entity)
    let way = way(key.references)
    let tie = SQL.equal(key.columns.map { SQL.column("x", $0) }, way.old)
    if !member.hasIndex(key.columns), table.keyPlaces(of: key.references) != nil {
      return ("\(member.sql) x CROSS JOIN \(way.from) ON \(tie)", way.new)
    }
    return ("\(way.from) CROSS JOIN \(member.sql) x ON \(tie)", way.new)
  }

  private func isLoser(_ alias: String, _ table: ObjectTable) -> String {
    "EXISTS (SELECT 1 FROM \(maps[table.index].sql) y WHERE \(SQL.equal(table.keys("y.o"), table.key(alias))))"
  }

  // MARK: References

  /// Leads the rows that refer to what goes to what stays.
  func move(_ reference: RowReference) -> [String] {
    let key = reference.key
    let member = layout.table(of: key.entity)
    let values = key.columns.indices.map { "c\($0)" }
    let moves = TemporaryTable(
      "moves", member.uniqueKeyDefinitions("k") + values + ["p INTEGER"] + member.uniqueKeyConstraint("k"))
    let order = reference.orderColumn
    let assigned = key.columns + [order].compactMap { $0 }
    let taken = values + (order == nil ? [] : ["p"])
    return moves.setUp + [
      "INSERT OR IGNORE INTO \(moves.sql) "
        + (isOneToOne(reference) ? partners(reference) : members(reference)),
      "UPDATE \(member.sql) AS x SET "
        + SQL.list(
          [
            "(\(SQL.list(assigned.map(SQL.name)))) = (SELECT \(SQL.list(taken.map { "v." + $0 })) FROM \(moves.sql) v "
              + "WHERE \(SQL.equal(member.keys("v.k"), member.key("x"))))"
          ] + touch(member, "x"))
        + " WHERE \(isIn(member, moves, "k"))",
      moves.clear,
    ]
  }

  private func isIn(_ table: ObjectTable, _ temporary: TemporaryTable, _ prefix: String) -> String {
    "(\(SQL.list(table.key("x")))) IN (SELECT \(SQL.list(table.keys(prefix))) FROM \(temporary.sql))"
  }

  private func members(_ reference: RowReference) -> String {
    let member = layout.table(of: reference.entity)
    let (from, new) = referrers(reference.key)
    // A reference to one's own double is none to keep.
    let isOwn = SQL.equal(table.keys("m.n"), member.key("x"))
    let canBeOwn = member.index == table.index && !isRequired(reference)
    let values = new.map { canBeOwn ? "CASE WHEN \(isOwn) THEN NULL ELSE \($0) END" : $0 }
    return "SELECT \(SQL.list(member.key("x") + values)), \(position(reference, new)) FROM \(from)"
  }

  /// Behind what the list of the survivor holds, in the order of the groups.
  private func position(_ reference: RowReference, _ new: [String]) -> String {
    guard let order = reference.orderColumn else { return "NULL" }
    let member = layout.table(of: reference.entity)
    let end =
      "SELECT max(y.\(SQL.name(order))) FROM \(member.sql) y WHERE "
      + SQL.equal(reference.key.columns.map { SQL.column("y", $0) }, new)
    let sequence = SQL.list(["m.rank", SQL.column("x", order)] + member.key("x"))
    return "coalesce((\(end)), 0) + row_number() OVER (PARTITION BY \(SQL.list(new)) ORDER BY \(sequence))"
  }

  /// Of one-to-one relationships one partner moves, where the survivor has none.
  private func partners(_ reference: RowReference) -> String {
    let member = layout.table(of: reference.entity)
    let names = member.keys("k") + reference.key.columns.indices.map { "c\($0)" }
    return "SELECT \(SQL.list(names)), NULL FROM (\(rankedPartners(reference))) WHERE place = 1 AND NOT taken"
  }

  private func rankedPartners(_ reference: RowReference) -> String {
    let member = layout.table(of: reference.entity)
    let (from, new) = referrers(reference.key)
    let taken =
      "EXISTS (SELECT 1 FROM \(member.sql) z WHERE "
      + SQL.equal(reference.key.columns.map { SQL.column("z", $0) }, new) + ")"
    let columns =
      zip(member.key("x"), member.keys("k")).map { "\($0) AS \($1)" }
      + new.enumerated().map { "\($1) AS c\($0)" }
      + [
        "\(taken) AS taken",
        "row_number() OVER (PARTITION BY \(SQL.list(new)) ORDER BY \(SQL.list(["m.rank"] + member.key("x")))) AS place",
      ]
    return "SELECT \(SQL.list(columns)) FROM \(from)"
      + (merged.contains(member.index) ? " WHERE NOT \(isLoser("x", member))" : "")
  }

  /// The partners for which there is no place at the survivor, and what the delete rule makes of them.
  var leftPartners: [(reference: RowReference, query: String)] {
    references.filter(isOneToOne).map { reference in
      let member = layout.table(of: reference.entity)
      return (
        reference,
        "SELECT \(SQL.list(member.keys("k"))) FROM (\(rankedPartners(reference))) WHERE place > 1 OR taken"
      )
    }
  }

  /// Whether partners for which there is no place are deleted.
  func deletes(_ reference: RowReference) -> Bool {
    reference.backward?.deleteRule == .cascade || isRequired(reference)
  }

  // MARK: References that the model does not know

  /// Leads rows of other tables that refer to what goes by a foreign key of the database to what stays.
  ///
  /// - Parameter schema: every table of the database.
  func moveUnknown(in schema: StoreSchema) -> [String] {
    schema.names.compactMap { schema[$0] }.flatMap { other -> [String] in
      let mapped = MappedColumns(table: other, model: layout.model, mapping: layout.mapping)
      return other.foreignKeys.filter { key in
        key.table.lowercased() == table.schema.name.lowercased() && !key.columns.allSatisfy(mapped.contains)
      }.map { key in
        let way = way(key.references.isEmpty ? table.schema.primaryKey : key.references)
        let columns = key.columns.map { SQL.column("x", $0) }
        return "UPDATE \(SQL.main(other.name)) AS x SET (\(SQL.list(key.columns.map(SQL.name)))) = "
          + "(SELECT \(SQL.list(way.new)) FROM \(way.from) WHERE \(SQL.equal(way.old, columns))) "
          + "WHERE (\(SQL.list(columns))) IN (SELECT \(SQL.list(way.old)) FROM \(way.from))"
      }
    }
  }

  // MARK: Pairs

  /// The ends of tables of pairs that lie in this table.
  var ends: [JoinTableMapping] {
    layout.joins.flatMap { join in
      let source = layout.table(of: join.relationship.entity).index
      let destination = layout.table(of: join.relationship.destination).index
      return (source == table.index ? [join.mapping] : [])
        + (destination == table.index ? [join.mapping.inverted] : [])
    }
  }

  /// Leads pairs from what goes to what stays; a pair that is there already, or of one object, is dropped.
  func movePairs(_ join: JoinTableMapping, isOwn: Bool) -> [String] {
    let (from, old, new) = way(join.references)
    let own = join.columns.indices.map { "a\($0)" }
    let other = join.destinationColumns.indices.map { "b\($0)" }
    let values = join.columns.indices.map { "c\($0)" }
    let pairs = TemporaryTable(
      "pairs", own + other + values + ["p INTEGER", "kept INTEGER", "UNIQUE (\(SQL.list(own + other)))"])
    let target = SQL.main(join.table)
    let others = join.destinationColumns.map { SQL.column("j", $0) }
    let isThere =
      "EXISTS (SELECT 1 FROM \(target) z WHERE "
      + SQL.equal((join.columns + join.destinationColumns).map { SQL.column("z", $0) }, new + others) + ")"
    let isSelf = isOwn ? way(join.destinationReferences).new : nil
    let refused = [isThere] + (isSelf.map { [SQL.equal(others, $0)] } ?? [])
    let place = join.orderColumn.map { order in
      "coalesce((SELECT max(z.\(SQL.name(order))) FROM \(target) z WHERE "
        + SQL.equal(join.columns.map { SQL.column("z", $0) }, new)
        + "), 0) + row_number() OVER (PARTITION BY "
        + "\(SQL.list(new)) ORDER BY \(SQL.list(["m.rank", SQL.column("j", order)] + others)))"
    }
    let kept =
      "row_number() OVER (PARTITION BY \(SQL.list(new + others)) ORDER BY m.rank) = 1 AND NOT ("
      + refused.joined(separator: " OR ") + ")"
    let ownColumns = join.columns.map { SQL.column("j", $0) }
    let names = SQL.list((join.columns + join.destinationColumns).map { SQL.column("j", $0) })
    let assigned = join.columns + [join.orderColumn].compactMap { $0 }
    let taken = values + (join.orderColumn == nil ? [] : ["p"])
    // The own end can be looked up by other columns than the key's only where they are selected as well.
    let start =
      from
      + (isSelf == nil || from.contains(" t ON ") || table.keyPlaces(of: join.destinationReferences) != nil
        ? "" : " CROSS JOIN \(table.sql) t ON \(SQL.equal(table.key("t"), table.keys("m.n")))")
    return pairs.setUp + [
      "INSERT OR IGNORE INTO \(pairs.sql) SELECT \(SQL.list(ownColumns + others + new)), \(place ?? "NULL"), \(kept) "
        + "FROM \(start) CROSS JOIN \(target) j ON \(SQL.equal(ownColumns, old))",
      "DELETE FROM \(target) AS j WHERE (\(names)) IN (SELECT \(SQL.list(own + other)) FROM \(pairs.sql) WHERE NOT kept)",
      "UPDATE \(target) AS j SET (\(SQL.list(assigned.map(SQL.name)))) = (SELECT \(SQL.list(taken.map { "v." + $0 })) "
        + "FROM \(pairs.sql) v WHERE \(SQL.equal(own.map { "v." + $0 } + other.map { "v." + $0 }, ownColumns + others))) "
        + "WHERE (\(names)) IN (SELECT \(SQL.list(own + other)) FROM \(pairs.sql) WHERE kept)",
      pairs.clear,
    ]
  }

  // MARK: Date of change

  /// Assignments that set the date of change of rows, in those of the table's entities that have one.
  func touch(_ table: ObjectTable, _ alias: String) -> [String] {
    layout.touch(table, alias, modified)
  }
}

extension MoveLayout {
  /// Assignments that set the date of change of rows, in those of the table's entities that have one.
  func touch(_ table: ObjectTable, _ alias: String, _ modified: ModifiedRule) -> [String] {
    let entities = model.concreteEntities(of: table.root)
    let dated = Dictionary(
      grouping: entities.filter {
        modified.attribute(of: $0, in: model) != nil && column(modified, $0) != nil
      },
      by: { column(modified, $0)!.column })
    return dated.sorted { $0.key < $1.key }.map { name, dated in
      let value = ValueCoding(column(modified, dated[0])!).literal(.date(modified.instant))
      guard dated.count < entities.count, let discriminator = table.discriminator else {
        return "\(SQL.name(name)) = \(value)"
      }
      let kinds = SQL.list(dated.map { SQL.text(mapping[$0].discriminator!.value) })
      return "\(SQL.name(name)) = CASE WHEN \(SQL.column(alias, discriminator)) IN (\(kinds)) THEN \(value) "
        + "ELSE \(SQL.column(alias, name)) END"
    }
  }

  /// The column of the date of change; nil where it cannot be written.
  private func column(_ modified: ModifiedRule, _ entity: String) -> AttributeColumn? {
    guard let column = mapping[entity].attributes[modified.name], column.keyPart == nil,
      table(of: entity).schema.column(column.column)?.isGenerated != true
    else { return nil }
    return column
  }
}
