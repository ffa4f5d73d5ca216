import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// References of the model to what goes.
extension MergeRenderer {
  /// The references to the table's rows.
  var references: [RowReference] {
    layout.references.filter { layout.table(of: $0.key.destination).index == table.index }
  }

  func isOneToOne(_ reference: RowReference) -> Bool { reference.backward?.isToMany == false }

  private func isRequired(_ reference: RowReference) -> Bool { reference.forward?.isOptional == false }

  /// The rows `x` that refer to what goes.
  private func referrers(_ key: ForeignKeyMapping) -> (from: String, new: [String]) {
    let member = layout.table(of: key.entity)
    let way = way(key.references)
    let tie = SQL.equal(key.columns.map { SQL.column("x", $0) }, way.old) + and(kind(key, "x"))
    if !member.hasIndex(key.columns), table.keyPlaces(of: key.references) != nil {
      return ("\(member.sql) x CROSS JOIN \(way.from) ON \(tie)", way.new)
    }
    return ("\(way.from) CROSS JOIN \(member.sql) x ON \(tie)", way.new)
  }

  /// What marks the rows that hold a reference, where siblings keep other references in its columns.
  func kind(_ key: ForeignKeyMapping, _ alias: String) -> String? { layout.kind(of: key.entity, alias) }

  private func and(_ condition: String?) -> String { condition.map { " AND " + $0 } ?? "" }

  private func isLoser(_ alias: String, _ table: ObjectTable) -> String {
    "EXISTS (SELECT 1 FROM \(maps[table.index].sql) y WHERE \(SQL.equal(table.keys("y.o"), table.key(alias))))"
  }

  /// Leads the rows that refer to what goes to what stays.
  func move(_ reference: RowReference) -> [String] {
    let key = reference.key
    let member = layout.table(of: key.entity)
    let isPlain = reference.orderColumn == nil && !isOneToOne(reference) && member.index != table.index
    if isPlain, table.keyPlaces(of: key.references) != nil {
      let way = way(key.references)
      let kind = kind(key, "x")
      return dates.keep(member, "x", where: refers(key.columns, way) + and(kind))
        + [redirect(member.sql, key.columns, way, layout.touch(member, "x", modified)) + and(kind)]
    }
    let values = key.columns.indices.map { "c\($0)" }
    let moves = TemporaryTable(
      "moves", member.uniqueKeyDefinitions("k") + values + ["p INTEGER"] + member.uniqueKeyConstraint("k"))
    let order = reference.orderColumn
    let assigned = key.columns + [order].compactMap { $0 }
    let taken = values + (order == nil ? [] : ["p"])
    let find =
      "INSERT OR IGNORE INTO \(moves.sql) "
      + (isOneToOne(reference) ? partners(reference) : members(reference))
    return moves.setUp + [find] + dates.keep(member, "x", where: isIn(member, moves, "k")) + [
      "UPDATE \(member.sql) AS x SET "
        + SQL.list(
          [
            "(\(SQL.list(assigned.map(SQL.name)))) = (SELECT \(SQL.list(taken.map { "v." + $0 })) FROM \(moves.sql) v "
              + "WHERE \(SQL.equal(member.keys("v.k"), member.key("x"))))"
          ] + layout.touch(member, "x", modified))
        + " WHERE \(isIn(member, moves, "k"))",
      moves.clear,
    ]
  }

  /// How many rows a move should have led to what stays, and did not.
  func countUnmoved(_ reference: RowReference) -> String {
    guard isOneToOne(reference) else { return "SELECT count(*) FROM \(referrers(reference.key).from)" }
    return "SELECT count(*) FROM (\(rankedPartners(reference))) WHERE place = 1 AND NOT taken"
  }

  /// How many partners for which there is no place still refer to what goes.
  func countUnreleased(_ reference: RowReference) -> String {
    "SELECT count(*) FROM (\(rankedPartners(reference)))"
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
      + SQL.equal(reference.key.columns.map { SQL.column("y", $0) }, new) + and(kind(reference.key, "y"))
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
      + SQL.equal(reference.key.columns.map { SQL.column("z", $0) }, new) + and(kind(reference.key, "z"))
      + (merged.contains(member.index) ? " AND NOT \(isLoser("z", member))" : "") + ")"
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
}
