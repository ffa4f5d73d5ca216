import MOCloneEngine
import MOCloneModel

/// Renders the statements that find the closure: the root, then over each cloned relationship the next objects.
struct ClosureRenderer {
  let layout: CloneLayout
  private var plan: ClonePlan { layout.plan }
  private var mapping: SchemaMapping { layout.mapping }
  private var values: ValueRenderer { ValueRenderer(layout: layout) }

  /// Enters the root, whose key stands in `:key0...`.
  func seed(_ family: Family) -> [String] {
    let source = rootRow(family)
    var statements = [
      "INSERT INTO \(SQL.temp(family.map))(seq, \(SQL.list(family.foundColumns))) "
        + "SELECT :root, \(rootValues(family)) \(source)"
    ]
    if family.hasCopy {
      statements.append("INSERT INTO \(SQL.temp(Family.roots))(copy, seq) VALUES (:copy, :root)")
    }
    if family.isPaired {
      let node = byEntity(family, family.nodes.filter(\.isRoot)) { String($0.id) }
      statements.append(
        "INSERT INTO \(SQL.temp(family.pairs))(m, node, gen) SELECT :root, \(node), 0 \(source)")
    }
    return statements
  }

  private func rootRow(_ family: Family) -> String {
    let keys = family.keyColumns.indices.map { ":key\($0)" }
    return "FROM \(SQL.main(family.table.name)) s WHERE \(SQL.equal(family.key("s"), keys))"
  }

  private func rootValues(_ family: Family) -> String {
    SQL.list(foundValues(family, family.nodes.filter(\.isRoot), parent: nil))
  }

  /// Selects the map's row of the root, where maps are parameters.
  func root(_ family: Family) -> String { "SELECT \(rootValues(family)) \(rootRow(family))" }

  /// Selects the map's rows of what a relationship leads to from one object, where maps are parameters.
  func members(_ relationship: RelationshipDescription, to family: Family) -> String {
    let source = layout.family(of: relationship.entity)!
    guard case .inverseForeignKey(let key) = mapping[relationship.entity].relationships[relationship.name]
    else { preconditionFailure("the rows themselves name their parent") }
    let found = foundValues(family, arriving(relationship, family), parent: (source, "p"))
    let condition = Condition.sql(leading(key, source)!) && layout.cloning(relationship, in: source, "p")
    let from = source.rows("s", of: family.table.name, with: "p", on: condition.text)
    return "SELECT \(SQL.list(found)) FROM \(from) ORDER BY \(SQL.list(family.key("s")))"
  }

  /// Enters what a relationship leads to from all objects of the copy found so far, or from those of one generation,
  /// whose rows in the map (or among the pairs) are `:from...` to `:to...`.
  func expansion(
    _ relationship: RelationshipDescription, to family: Family, byGeneration: Bool
  ) -> String {
    let source = layout.family(of: relationship.entity)!
    let nodes = arriving(relationship, family)
    let columns = SQL.list(family.foundColumns)
    let found = SQL.list(foundValues(family, nodes, parent: (source, "p")))
    let from = rows(relationship, source, to: family, byGeneration: byGeneration)
    guard family.isStaged else {
      let ignore = family.isUnique ? "OR IGNORE " : ""
      return "INSERT \(ignore)INTO \(SQL.temp(family.map))(\(columns)) SELECT \(found) \(from) "
        + "ORDER BY \(SQL.list(["\(source.isPaired ? "w" : "p").seq"] + family.key("s")))"
    }
    let rank = String(family.arrivals.firstIndex { $0.qualifiedName == relationship.qualifiedName }!)
    let node = byEntity(family, nodes) { String($0.id) }
    let generation = source.hasGeneration ? [(source.isPaired ? "w" : "p") + ".gen"] : []
    let order = SQL.list(generation + binaryKeys(source, "p") + family.key("s"))
    return "INSERT OR IGNORE INTO \(SQL.temp(family.stage))"
      + "(\(columns)\(family.isPaired ? ", node" : ""), rank) "
      + "SELECT \(found)\(family.isPaired ? ", " + node : ""), \(rank) \(from) ORDER BY \(order)"
  }

  /// Enters what all arrivals at a family lead to, each object once, in the order of the originals' keys; of a cycle
  /// what one generation leads to.
  func merge(_ family: Family) -> String {
    let parts = family.arrivals.map { relationship in
      let source = layout.family(of: relationship.entity)!
      let found = zip(
        foundValues(family, arriving(relationship, family), parent: (source, "p")), family.foundColumns)
      return "SELECT \(SQL.list(found.map { "\($0) AS \($1)" })) "
        + rows(relationship, source, to: family, byGeneration: family.isCyclic)
    }
    let keys = SQL.list(family.keyColumns.indices.map { "o\($0)" })
    let columns = SQL.list(family.foundColumns)
    let all = parts.joined(separator: " UNION ALL ")
    let map = "\(SQL.temp(family.map))(\(columns))"
    return family.isCyclic
      ? "INSERT OR IGNORE INTO \(map) \(all) ORDER BY \(keys)"
      : "INSERT INTO \(map) SELECT \(columns) FROM (\(all)) GROUP BY \(keys) ORDER BY \(keys)"
  }

  /// Enters all that lies below one generation of a tree, where none takes a value over from the one before; nil
  /// elsewhere.
  ///
  /// The function that counts the rows as they are found tells each the number of its parent. Each object names its
  /// one parent, so only the root could be met again, which is left out: the statement ends on a cycle too.
  func recursion(_ family: Family) -> String? {
    guard family.isTree, family.hasRowidKey, family.slots.isEmpty, !family.stored.contains(where: \.hasKind)
    else { return nil }
    let relationship = family.arrivals[0]
    let found = foundValues(family, arriving(relationship, family), parent: (family, "p"))
    let columns = SQL.list(["seq"] + family.foundColumns)
    let map = SQL.temp(family.map)
    let (first, last) = (":from\(family.index)", ":to\(family.index)")
    let step =
      "SELECT \(SQL.list(["moclone_number()"] + found)) FROM found p\(leading(relationship, family)) "
      + "AND \(isNoRoot(family))"
    return "INSERT INTO \(map)(\(columns)) WITH RECURSIVE found(\(columns)) AS ("
      + "SELECT \(columns) FROM \(map) WHERE seq BETWEEN \(first) AND \(last) UNION ALL \(step)) "
      + "SELECT \(columns) FROM found LIMIT -1 OFFSET \(last) - \(first) + 1"
  }

  private func isNoRoot(_ family: Family) -> String {
    "NOT (\(SQL.equal(family.key("s"), family.keyColumns.indices.map { ":key\($0)" })))"
  }

  /// The parent of a tree's root, where it lies below the root itself.
  func rootsParent(_ family: Family) -> String? {
    guard family.isTree, let reference = layout.parentReference(of: family) else { return nil }
    let key = layout.references[family.index][reference].key
    let parents = key.references.map { name in
      "p.o\(family.keyColumns.firstIndex { $0.name.sqlName == name.sqlName }!)"
    }
    let columns = key.columns.map { SQL.column("s", $0) }
    let row = "\(SQL.main(family.table.name)) s"
    let isRoot =
      SQL.equal(family.key("s"), family.keyColumns.indices.map { ":key\($0)" })
      + layout.holders.condition(key, "s")
    return "UPDATE \(SQL.temp(family.map)) SET parent = (SELECT p.seq FROM \(row) "
      + "CROSS JOIN \(SQL.temp(family.map)) p ON \(SQL.equal(parents, columns)) AND p.seq >= :root WHERE \(isRoot)) "
      + "WHERE seq = :root AND EXISTS (SELECT 1 FROM \(row) WHERE \(isRoot) AND \(columns[0]) IS NOT NULL)"
  }

  private func arriving(_ relationship: RelationshipDescription, _ family: Family) -> [PlanNode] {
    family.nodes.filter { $0.arrival?.qualifiedName == relationship.qualifiedName }
  }

  /// Moves what was collected into the map, sorted; of a cycle the generation `:gen` only.
  func flush(_ family: Family) -> [String] {
    let columns = SQL.list(family.foundColumns)
    let stage = SQL.temp(family.stage)
    let now = family.isCyclic ? " WHERE r.gen = :gen" : ""
    let order = SQL.list(["r.gen"] + binaryKeys(family, "r") + ["r.rank"])
    let found = SQL.list(family.foundColumns.map { "r." + $0 })
    var statements = [
      "INSERT OR IGNORE INTO \(SQL.temp(family.map))(\(columns)) SELECT \(found) FROM \(stage) r\(now) ORDER BY \(order)"
    ]
    if family.isPaired {
      // Arriving at the root again adds nothing.
      let isOther = family.hasRoot ? " AND m.seq <> :root" : ""
      statements.append(
        "INSERT OR IGNORE INTO \(SQL.temp(family.pairs))(m, node, gen) SELECT m.seq, r.node, r.gen FROM \(stage) r "
          + "CROSS JOIN \(SQL.temp(family.map)) m ON \(SQL.equal(family.old("m"), family.old("r")))"
          + "\(family.sameCopy("m", "r"))\(isOther)\(now) "
          + "ORDER BY r.gen, m.seq, r.rank")
    }
    statements.append("DELETE FROM \(stage)" + (family.isCyclic ? " WHERE gen = :gen" : ""))
    return statements
  }

  // MARK: Parts

  /// The values of `foundColumns`, by the entity of the row.
  private func foundValues(
    _ family: Family, _ nodes: [PlanNode], parent: (family: Family, alias: String)?
  ) -> [String] {
    var sql: [String] = []
    if family.hasCopy { sql.append(":copy") }
    if family.hasGeneration {
      sql.append(parent.map { "\($0.family.isPaired ? "w" : $0.alias).gen + 1" } ?? "0")
    }
    if family.hasParent { sql.append(parent.map { $0.family.at($0.alias, "seq") } ?? "NULL") }
    if family.hasEntity { sql.append(entityNumber(family, nodes)) }
    sql += family.key("s")
    if !family.hasRowidKey { sql += family.keyColumns.indices.map { newKey($0, family, nodes) } }
    for stored in family.stored {
      let found = nodes.map { node in
        node.attributes.first { $0.attribute.name == stored.name }.map {
          values.found($0, of: node, parent: parent)
        }
          ?? ValueRenderer.Followed(value: "NULL", kind: "1")
      }
      sql.append(byEntity(family, nodes) { found[nodes.firstIndex(of: $0)!].value })
      if stored.hasKind { sql.append(byEntity(family, nodes) { found[nodes.firstIndex(of: $0)!].kind }) }
    }
    for slot in family.slots {
      let carried = parent.map { values.slot(slot, in: $0.family, alias: $0.alias) }
      sql += [carried?.value ?? "NULL", carried?.kind ?? "0"]
    }
    return sql
  }

  /// The new value of a part of a key that is not simply counted; references follow after the closure.
  private func newKey(_ part: Int, _ family: Family, _ nodes: [PlanNode]) -> String {
    let original = family.key("s")[part]
    return byEntity(family, nodes) { node in
      if let given = givenKey(part, node) { return given }
      switch family.keySources[node.entity]![part] {
      case .uuid(let storage): return ValueRenderer.newUUID(storage)
      case .copied, .given: return original
      case .rowid, .max, .automatic, .relationship: return "NULL"
      }
    }
  }

  private func givenKey(_ part: Int, _ node: PlanNode) -> String? {
    node.attributes.lazy.compactMap { planned in
      guard case .set = planned.rule,
        mapping[node.entity].attributes[planned.attribute.name]?.keyPart == part
      else { return nil }
      return ":" + plan.setParameter(planned.attribute.name)
    }.first
  }

  private func entityNumber(_ family: Family, _ nodes: [PlanNode]) -> String {
    let column = SQL.column("s", family.discriminator!)
    let cases = nodes.map { node in
      "WHEN \(SQL.text(mapping[node.entity].discriminator!.value)) THEN \(family.entities.firstIndex(of: node.entity)!)"
    }
    return "CASE \(column) \(cases.joined(separator: " ")) END"
  }

  private func byEntity(_ family: Family, _ nodes: [PlanNode], _ sql: (PlanNode) -> String) -> String {
    let choices = nodes.map { ($0.entity, sql($0)) }
    guard Set(choices.map(\.1)).count > 1 else { return choices[0].1 }
    let cases = choices.map { "WHEN \(SQL.text(mapping[$0].discriminator!.value)) THEN \($1)" }
    return "CASE \(SQL.column("s", family.discriminator!)) \(cases.joined(separator: " ")) END"
  }

  /// Keys as the rules compare them: numbers as numbers, text by bytes.
  private func binaryKeys(_ family: Family, _ alias: String) -> [String] {
    family.keyColumns.indices.map { i in
      "\(alias).o\(i)" + (family.keyColumns[i].collation == "BINARY" ? "" : " COLLATE BINARY")
    }
  }

  /// `FROM` the parents `p` (with the pair `w`) to the rows `s` that the relationship leads to.
  private func rows(
    _ relationship: RelationshipDescription, _ source: Family, to family: Family, byGeneration: Bool
  ) -> String {
    let asking = source.nodes.filter { $0.plan(of: relationship)?.rule == .clone }
    let map = "\(SQL.temp(source.map)) p"
    var conditions: [String] = []
    if byGeneration || source.hasCopy {
      let seq = (source.isPaired ? "w" : "p") + ".seq"
      conditions.append("\(seq) BETWEEN :from\(source.index) AND :to\(source.index)")
    }
    var from = "FROM \(map)"
    if source.isPaired {
      from = "FROM \(SQL.temp(source.pairs)) w CROSS JOIN \(map) ON p.seq = w.m"
      conditions.append("w.node IN (\(SQL.list(asking.map { String($0.id) })))")
    } else if case .sql(let sql) = layout.cloning(relationship, in: source, "p") {
      conditions.append(sql)
    }
    if family.isTree { conditions.append(isNoRoot(family)) }
    let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    return from + leading(relationship, source) + filter
  }

  /// The condition by which a row `s` names the parent `p`; nil where it does not name its key.
  private func leading(_ key: ForeignKeyMapping, _ source: Family) -> String? {
    let parts = key.references.map { source.keyPart($0) }
    guard !parts.contains(nil) else { return nil }
    // The referenced side stands first: its collation decides, as in a foreign key.
    let parents = parts.map { source.old("p")[$0!] }
    return SQL.equal(parents, key.columns.map { SQL.column("s", $0) }) + layout.holders.condition(key, "s")
  }

  /// The joins from the parent `p` to the row `s`.
  private func leading(_ relationship: RelationshipDescription, _ source: Family) -> String {
    let destination = mapping[relationship.destination]
    let table = SQL.main(destination.table)
    let own = " CROSS JOIN \(SQL.main(source.table.name)) q ON \(SQL.equal(source.key("q"), source.old("p")))"
    switch mapping[relationship.entity].relationships[relationship.name]! {
    case .inverseForeignKey(let key):
      if let condition = leading(key, source) { return " CROSS JOIN \(table) s ON \(condition)" }
      let columns = key.columns.map { SQL.column("s", $0) }
      return own
        + " CROSS JOIN \(table) s ON \(SQL.equal(key.references.map { SQL.column("q", $0) }, columns))"
        + layout.holders.condition(key, "s")
    case .foreignKey(let key):
      return own + " CROSS JOIN \(table) s ON "
        + SQL.equal(
          key.references.map { SQL.column("s", $0) }, key.columns.map { SQL.column("q", $0) })
    case .join(let join):
      let keys = join.references.map { name in
        "p.o\(source.keyColumns.firstIndex { $0.name.sqlName == name.sqlName }!)"
      }
      return " CROSS JOIN \(SQL.main(join.table)) j ON "
        + SQL.equal(keys, join.columns.map { SQL.column("j", $0) })
        + " CROSS JOIN \(table) s ON "
        + SQL.equal(
          join.destinationReferences.map { SQL.column("s", $0) },
          join.destinationColumns.map { SQL.column("j", $0) })
    }
  }
}
