import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The statements that delete a set of objects by the delete rules of their relationships; how many there are depends
/// on the model alone.
///
/// For each table a temporary one holds the keys of what goes.
struct DeletionRenderer {
  let layout: MoveLayout
  let gone: [TemporaryTable]
  /// What is found over cascades that lead in a circle: the number of a table, and a key.
  private let reached: TemporaryTable
  private var model: ObjectModel { layout.model }

  init(_ layout: MoveLayout) {
    self.layout = layout
    gone = layout.tables.map {
      TemporaryTable("gone_\($0.index)", $0.uniqueKeyDefinitions("o") + $0.uniqueKeyConstraint("o"))
    }
    let width = layout.tables.map(\.keyColumns.count).max() ?? 1
    reached = TemporaryTable("reached", ["t INTEGER"] + (0..<width).map { "k\($0)" })
  }

  var setUp: [String] { (gone + [reached]).flatMap(\.setUp) }
  var cleanUp: [String] { (gone + [reached]).map(\.clear) }

  /// The statement that adds what a query selects, a key a row.
  func add(_ query: String, to table: ObjectTable) -> String {
    "INSERT OR IGNORE INTO \(gone[table.index].sql)(\(SQL.list(table.keys("o")))) \(query)"
  }

  // MARK: Closure

  private var cascades: [RelationshipDescription] {
    model.entities.flatMap(\.relationships).filter { $0.deleteRule == .cascade }
  }

  private func edge(_ relationship: RelationshipDescription) -> (from: Int, to: Int) {
    (layout.table(of: relationship.entity).index, layout.table(of: relationship.destination).index)
  }

  /// Adds everything that cascades lead to.
  var closure: [String] {
    let edges = cascades.map(edge)
    return Components(count: layout.tables.count, edges: edges).ordered.flatMap { members -> [String] in
      let inside = cascades.filter { members.contains(edge($0).from) && members.contains(edge($0).to) }
      let leading = cascades.filter { members.contains(edge($0).from) && !members.contains(edge($0).to) }
      return (inside.isEmpty ? [] : circle(members, inside)) + leading.map(cascade)
    }
  }

  private func cascade(_ relationship: RelationshipDescription) -> String {
    let source = layout.table(of: relationship.entity)
    let destination = layout.table(of: relationship.destination)
    let way = step(relationship, from: "\(gone[source.index].sql) g", source.keys("g.o"))
    return add("SELECT \(SQL.list(destination.key("d"))) FROM \(way)", to: destination)
  }

  /// Tables whose objects lead to each other, in one statement that follows them to the end.
  private func circle(_ members: [Int], _ relationships: [RelationshipDescription]) -> [String] {
    let tables = members.map { layout.tables[$0] }
    let width = layout.tables.map(\.keyColumns.count).max() ?? 1
    func row(_ table: ObjectTable, _ key: [String]) -> String {
      let padding = [String](repeating: "NULL", count: width - key.count)
      return SQL.list(["\(table.index)"] + key + padding)
    }
    let names = SQL.list((0..<width).map { "k\($0)" })
    let start = tables.map { "SELECT \(row($0, $0.keys("o"))) FROM \(gone[$0.index].sql)" }
    let steps = relationships.map { relationship in
      let source = layout.table(of: relationship.entity)
      let destination = layout.table(of: relationship.destination)
      let way = step(relationship, from: "reach g", source.keys("g.k"), and: "g.t = \(source.index)")
      return "SELECT \(row(destination, destination.key("d"))) FROM \(way)"
    }
    let recursion =
      "INSERT INTO \(reached.sql)(t, \(names)) WITH RECURSIVE reach(t, \(names)) AS ("
      + (start + steps).joined(separator: " UNION ") + ") SELECT t, \(names) FROM reach"
    return [reached.clear, recursion]
      + tables.map {
        add("SELECT \(SQL.list($0.keys("k"))) FROM \(reached.sql) WHERE t = \($0.index)", to: $0)
      }
  }

  /// The way from objects over a relationship: `s` is the object's row, `d` the destination's.
  private func step(
    _ relationship: RelationshipDescription, from: String, _ keys: [String], and condition: String? = nil
  ) -> String {
    let source = layout.table(of: relationship.entity)
    let destination = layout.table(of: relationship.destination)
    let own = [SQL.equal(source.key("s"), keys), condition, layout.kind(of: relationship.entity, "s")]
    let start =
      "\(from) CROSS JOIN \(source.sql) s ON " + own.compactMap { $0 }.joined(separator: " AND ")
    func next(_ columns: [String], _ alias: String, _ values: [String], _ holder: String? = nil) -> String {
      let kind = holder.flatMap { layout.kind(of: $0, "d") }.map { " AND " + $0 } ?? ""
      return " CROSS JOIN \(destination.sql) d ON "
        + SQL.equal(columns.map { SQL.column("d", $0) }, values.map { SQL.column(alias, $0) }) + kind
    }
    switch layout.mapping[relationship.entity].relationships[relationship.name]! {
    case .foreignKey(let key): return start + next(key.references, "s", key.columns)
    case .inverseForeignKey(let key): return start + next(key.columns, "s", key.references, key.entity)
    case .join(let join):
      let pairs = SQL.equal(
        join.columns.map { SQL.column("j", $0) }, join.references.map { SQL.column("s", $0) })
      return start + " CROSS JOIN \(SQL.main(join.table)) j ON \(pairs)"
        + next(join.destinationReferences, "j", join.destinationColumns)
    }
  }

  // MARK: Refusals

  /// A query for an object that a rule keeps: its discriminator and key, then those of the object it holds or is held by.
  struct Refusal {
    enum Reason { case denied, leftAlone, required }

    var reason: Reason
    var name: String
    var object: ObjectTable
    var other: ObjectTable
    var query: String
  }

  /// What a deletion is refused for, each with a query that is empty where all is well.
  var refusals: [Refusal] { denials + layout.references.compactMap(left) }

  private var denials: [Refusal] {
    model.entities.flatMap(\.relationships).filter { $0.deleteRule == .deny }.map { relationship in
      let source = layout.table(of: relationship.entity)
      let destination = layout.table(of: relationship.destination)
      let way = step(relationship, from: "\(gone[source.index].sql) g", source.keys("g.o"))
      return Refusal(
        reason: .denied, name: relationship.name, object: source, other: destination,
        query: "SELECT \(id(source, "s")), \(id(destination, "d")) FROM \(way) "
          + "WHERE NOT \(isGone("d", destination)) LIMIT 1")
    }
  }

  private func left(_ reference: RowReference) -> Refusal? {
    let isLeftAlone = reference.backward?.deleteRule == .noAction && isKept(reference)
    let isRequired =
      reference.forward.map { !$0.isOptional } ?? false && reference.backward?.deleteRule != .noAction
    guard isLeftAlone || isRequired else { return nil }
    let owner = layout.table(of: reference.key.destination)
    let member = layout.table(of: reference.entity)
    return Refusal(
      reason: isLeftAlone ? .leftAlone : .required, name: (reference.forward ?? reference.backward)!.name,
      object: member, other: owner,
      query: "SELECT \(id(member, "x")), \(id(owner, "s")) FROM \(members(reference)) "
        + "WHERE NOT \(isGone("x", member)) LIMIT 1")
  }

  /// Whether the database keeps a row that others refer to.
  private func isKept(_ reference: RowReference) -> Bool {
    ["NO ACTION", "RESTRICT"].contains(onDelete(reference))
  }

  private func onDelete(_ reference: RowReference) -> String? {
    let columns = Set(reference.key.columns.map(\.sqlName))
    return layout.table(of: reference.entity).schema.foreignKeys.first {
      Set($0.columns.map(\.sqlName)) == columns
    }?.onDelete
  }

  /// Discriminator and key of a row.
  private func id(_ table: ObjectTable, _ alias: String) -> String {
    SQL.list([layout.discriminator(table, alias)] + table.key(alias))
  }

  private func isGone(_ alias: String, _ table: ObjectTable) -> String {
    "EXISTS (SELECT 1 FROM \(gone[table.index].sql) y WHERE \(SQL.equal(table.keys("y.o"), table.key(alias))))"
  }

  /// The rows `x` that refer to what goes, the row `s`.
  private func members(_ reference: RowReference) -> String {
    let owner = layout.table(of: reference.key.destination)
    let member = layout.table(of: reference.entity)
    let equal = SQL.equal(
      reference.key.columns.map { SQL.column("x", $0) }, reference.key.references.map { SQL.column("s", $0) })
    // Siblings may keep other references in the same columns.
    let tie = [equal, layout.kind(of: reference.entity, "x")].compactMap { $0 }.joined(separator: " AND ")
    return
      "\(gone[owner.index].sql) g CROSS JOIN \(owner.sql) s ON \(SQL.equal(owner.key("s"), owner.keys("g.o"))) "
      + "CROSS JOIN \(member.sql) x ON \(tie)"
  }

  // MARK: Writing

  /// Empties what refers to the objects from outside.
  var releases: [String] { releases(of: layout.references) + layout.joins.flatMap(release) }

  func releases(of references: [RowReference]) -> [String] { references.compactMap(release) }

  /// Deletes the objects, members before their owners.
  var deletion: [String] {
    deletionOrder.map { table in
      "DELETE FROM \(table.sql) WHERE (\(SQL.list(table.keyColumns.map { SQL.name($0.name) }))) IN "
        + "(SELECT \(SQL.list(table.keys("o"))) FROM \(gone[table.index].sql))"
    }
  }

  private var deletionOrder: [ObjectTable] {
    let edges = layout.references.map {
      (from: layout.table(of: $0.entity).index, to: layout.table(of: $0.key.destination).index)
    }
    return Components(count: layout.tables.count, edges: edges).ordered.flatMap { $0 }.map {
      layout.tables[$0]
    }
  }

  private func release(_ reference: RowReference) -> String? {
    guard reference.backward?.deleteRule != .noAction else { return nil }
    let member = layout.table(of: reference.entity)
    let isRequired = reference.key.columns.contains { member.schema.column($0)?.isRequired ?? true }
    // RESTRICT is checked at once, also among rows that all go.
    let all = onDelete(reference) == "RESTRICT" && !isRequired
    let columns = reference.key.columns + [reference.orderColumn].compactMap { $0 }
    return "UPDATE \(member.sql) SET \(SQL.list(columns.map { SQL.name($0) + " = NULL" })) "
      + "WHERE (\(SQL.list(member.keyColumns.map { SQL.name($0.name) }))) IN (SELECT \(SQL.list(member.key("x"))) "
      + "FROM \(members(reference))" + (all ? ")" : " WHERE NOT \(isGone("x", member)))")
  }

  private func release(_ join: ObjectJoin) -> [String] {
    let ends = [
      (join.mapping, join.relationship.entity, Optional(join.relationship)),
      (join.mapping.inverted, join.relationship.destination, join.inverse),
    ]
    return ends.compactMap { mapping, entity, relationship in
      guard relationship?.deleteRule != .noAction else { return nil }
      let table = layout.table(of: entity)
      return "DELETE FROM \(SQL.main(mapping.table)) WHERE (\(SQL.list(mapping.columns.map(SQL.name)))) IN "
        + "(SELECT \(SQL.list(mapping.references.map { SQL.column("s", $0) })) FROM \(gone[table.index].sql) g "
        + "CROSS JOIN \(table.sql) s ON \(SQL.equal(table.key("s"), table.keys("g.o"))))"
    }
  }

  // MARK: Counting

  /// The keys of what goes.
  func keys(_ table: ObjectTable) -> String {
    "SELECT \(SQL.list(table.keys("o"))) FROM \(gone[table.index].sql)"
  }

  /// How many rows of what goes are there.
  func countLeft(_ table: ObjectTable) -> String {
    "SELECT count(*) FROM \(gone[table.index].sql) g CROSS JOIN \(table.sql) s "
      + "ON \(SQL.equal(table.key("s"), table.keys("g.o")))"
  }

  /// How many objects of each entity go.
  func count(_ table: ObjectTable) -> String {
    guard table.discriminator != nil else { return "SELECT NULL, count(*) FROM \(gone[table.index].sql)" }
    return "SELECT \(layout.discriminator(table, "s")), count(*) FROM \(gone[table.index].sql) g "
      + "CROSS JOIN \(table.sql) s ON \(SQL.equal(table.key("s"), table.keys("g.o"))) GROUP BY 1"
  }
}
