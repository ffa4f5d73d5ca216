import MOCloneEngine
import MOCloneModel

/// Renders the statements that find the closure: the root, then over each cloned relationship the next objects.
struct ClosureRenderer {
  let layout: CloneLayout
  private var plan: ClonePlan { layout.plan }
  private var mapping: SchemaMapping { layout.mapping }
  private var dialect: Dialect { layout.dialect }
  private var values: ValueRenderer { ValueRenderer(layout: layout) }

  /// Enters the root, whose key is in `:key0...`.
  func seed(_ tablePlan: CloneTablePlan) -> [String] {
    let (root, rows) = (dialect.parameter("root"), rootRow(tablePlan))
    var statements = [
      enter(
        tablePlan.map, columns: ["seq"] + tablePlan.foundColumns,
        rows: rows.with([root] + rootValues(tablePlan)))
    ]
    if tablePlan.hasCopy {
      let values = Select([dialect.parameter("copy"), root], from: nil)
      statements.append(enter(CloneTablePlan.roots, columns: ["copy", "seq"], rows: values))
    }
    if tablePlan.isPaired {
      let node = byEntity(tablePlan, nodes: tablePlan.nodes.filter(\.isRoot)) { String($0.id) }
      let pair = rows.with([root, node, "0"]).text(dialect)
      statements.append(
        number(tablePlan.pairs, columns: ["m", "node", "gen"], text: pair, after: tablePlan.lastPair))
    }
    return statements
  }

  /// - Parameter skips: Whether existing rows are left out.
  private func enter(
    _ table: String, columns: [String], rows: Select, skips: Bool = false
  ) -> String {
    enter(table, columns: columns, text: rows.text(dialect), skips: skips)
  }

  private func enter(_ table: String, columns: [String], text: String, skips: Bool) -> String {
    Insert(
      into: dialect.temporary(table), columns, rows: text, conflict: skips ? .skip : .asDeclared
    ).text(dialect)
  }

  /// Enters rows behind those of a map or its pairs, in their order.
  private func number(
    _ table: String, columns: [String], text: String, values: [String] = ["f.*"], after last: String,
    skips: Bool = false
  ) -> String {
    guard dialect.numbersRows else { return enter(table, columns: columns, text: text, skips: skips) }
    let number = "\(last) + row_number() OVER ()"
    return enter(
      table, columns: ["seq"] + columns, text: "SELECT \(number), \(values.list) FROM (\(text)) f",
      skips: skips)
  }

  /// Enters objects behind those of a map.
  private func enter(_ tablePlan: CloneTablePlan, rows: String, skips: Bool = false) -> String {
    number(
      tablePlan.map, columns: tablePlan.foundColumns,
      text: skips && tablePlan.countsEntries ? once(rows, of: tablePlan) : rows, values: entered(tablePlan),
      after: tablePlan.lastRow, skips: skips)
  }

  /// What a map holds of the objects `f` that were found.
  private func entered(_ tablePlan: CloneTablePlan) -> [String] {
    let key = tablePlan.keyColumns[0]
    guard tablePlan.countsEntries, let next = key.next else { return ["f.*"] }
    return tablePlan.foundColumns.map {
      $0 == "n0" ? "\(dialect.cast(dialect.newKey(next), key.type)) AS n0" : "f." + $0
    }
  }

  /// Rows in their order, each object once and none that the map has: a sequence would count the others, too.
  private func once(_ rows: String, of tablePlan: CloneTablePlan) -> String {
    let keys = tablePlan.old("f")
    let isEntered = Condition.exists(
      in: From("\(dialect.temporary(tablePlan.map)) m"),
      where: .equal(tablePlan.old("m"), keys) && tablePlan.sameCopy("m", "f"), dialect)
    let numbered = Select(["row_number() OVER () AS place", "f.*"], from: From("(\(rows)) f"))
    let first = Select(["f.*"], from: From(numbered, as: "f", dialect: dialect)).where(!isEntered)
      .firstOfEach(keys, dialect: dialect).ordered(by: keys + ["f.place"])
    return Select(["f.*"], from: From(first, as: "f", dialect: dialect)).ordered(by: ["f.place"]).text(
      dialect)
  }

  private func rootKey(_ tablePlan: CloneTablePlan) -> Condition {
    .equal(tablePlan.key("s"), tablePlan.keyColumns.indices.map { dialect.parameter("key\($0)") })
  }

  private func rootRow(_ tablePlan: CloneTablePlan) -> Select {
    Select([], from: From(dialect.table(tablePlan.table.name) + " s")).where(rootKey(tablePlan))
  }

  private func rootValues(_ tablePlan: CloneTablePlan) -> [String] {
    foundValues(tablePlan, nodes: tablePlan.nodes.filter(\.isRoot), parent: nil)
  }

  /// Selects the map's row of the root, where maps are parameters.
  func root(_ tablePlan: CloneTablePlan) -> String {
    rootRow(tablePlan).with(rootValues(tablePlan)).text(dialect)
  }

  /// Selects the map's rows of what a relationship leads to from one object, where maps are parameters.
  func members(_ relationship: RelationshipDescription, to tablePlan: CloneTablePlan) -> String {
    let source = layout.tablePlan(of: relationship.entity)!
    guard case .inverseForeignKey(let key) = mapping[relationship.entity].relationships[relationship.name]
    else { preconditionFailure("the rows themselves name their parent") }
    let found = foundValues(
      tablePlan, nodes: reachedNodes(relationship, in: tablePlan), parent: (source, "p"))
    let condition = leading(key, source: source)! && layout.cloning(relationship, in: source, alias: "p")
    let rows = source.rows("s", of: tablePlan.table.name, with: "p", on: condition)
    return Select(found, from: rows).ordered(by: tablePlan.key("s")).text(dialect)
  }

  /// Enters what a relationship leads to from all objects of the copy found so far, or from those of one generation,
  /// whose rows in the map (or among the pairs) are `:from...` to `:to...`.
  func expansion(
    _ relationship: RelationshipDescription, to tablePlan: CloneTablePlan, byGeneration: Bool
  ) -> String {
    let source = layout.tablePlan(of: relationship.entity)!
    let nodes = reachedNodes(relationship, in: tablePlan)
    let found = foundValues(tablePlan, nodes: nodes, parent: (source, "p"))
    let rows = rows(relationship, source: source, to: tablePlan, byGeneration: byGeneration)
    guard tablePlan.isStaged else {
      let order = ["\(source.isPaired ? "w" : "p").seq"] + tablePlan.key("s")
      return enter(
        tablePlan, rows: rows.with(named(found, tablePlan: tablePlan)).ordered(by: order).text(dialect),
        skips: tablePlan.isUnique)
    }
    let rank = String(tablePlan.accessPaths.firstIndex { $0.qualifiedName == relationship.qualifiedName }!)
    let node = tablePlan.isPaired ? [byEntity(tablePlan, nodes: nodes) { String($0.id) }] : []
    let generation = source.hasGeneration ? [(source.isPaired ? "w" : "p") + ".gen"] : []
    let order = generation + binaryKeys(source, alias: "p") + tablePlan.key("s")
    return enter(
      tablePlan.stage, columns: tablePlan.foundColumns + (tablePlan.isPaired ? ["node"] : []) + ["rank"],
      rows: rows.with(found + node + [rank]).ordered(by: order), skips: true)
  }

  /// Enters the objects of all access paths of a table plan, each object once, in the order of the originals' keys; of a cycle
  /// what one generation leads to.
  func merge(_ tablePlan: CloneTablePlan) -> String {
    guard tablePlan.isCyclic else { return enter(tablePlan, rows: merged(tablePlan).text(dialect)) }
    let keys = tablePlan.keyColumns.indices.map { "o\($0)" }
    let all = Union(parts: parts(of: tablePlan), order: keys).text(dialect)
    return enter(tablePlan, rows: all, skips: true)
  }

  private func merged(_ tablePlan: CloneTablePlan) -> Select {
    let keys = tablePlan.keyColumns.indices.map { "o\($0)" }
    return Select(
      tablePlan.foundColumns, from: From(Union(parts: parts(of: tablePlan)), as: "found", dialect: dialect)
    )
    .firstOfEach(keys, dialect: dialect)
  }

  /// What each access path of a table plan leads to.
  private func parts(of tablePlan: CloneTablePlan) -> [Select] {
    tablePlan.accessPaths.map { relationship in
      let source = layout.tablePlan(of: relationship.entity)!
      let found = foundValues(
        tablePlan, nodes: reachedNodes(relationship, in: tablePlan), parent: (source, "p"))
      return rows(relationship, source: source, to: tablePlan, byGeneration: tablePlan.isCyclic)
        .with(named(found, tablePlan: tablePlan))
    }
  }

  private func named(_ found: [String], tablePlan: CloneTablePlan) -> [String] {
    zip(found, tablePlan.foundColumns).map { "\($0) AS \($1)" }
  }

  /// Selects the map of a table plan whose objects are all found at once.
  func query(_ tablePlan: CloneTablePlan) -> String {
    if tablePlan.hasRoot {
      let root = ["\(dialect.parameter("root")) AS seq"] + named(rootValues(tablePlan), tablePlan: tablePlan)
      return rootRow(tablePlan).with(root).text(dialect)
    }
    // New keys are counted behind the sorting, in the order of the rows.
    let found =
      tablePlan.gathering == .merged
      ? merged(tablePlan) : parts(of: tablePlan)[0].ordered(by: ["p.seq"] + tablePlan.key("s"))
    return Select(
      ["row_number() OVER () AS seq"] + entered(tablePlan), from: From(found, as: "f", dialect: dialect)
    ).text(dialect)
  }

  /// Enters all that is below one generation of a tree, where none takes a value over from the one before; nil
  /// elsewhere.
  ///
  /// The function that counts the rows as they are found tells each the number of its parent. Each object names its
  /// one parent, so only the root could be met again, which is left out: the statement ends on a cycle too.
  func recursion(_ tablePlan: CloneTablePlan) -> String? {
    guard tablePlan.isTree, tablePlan.hasRowidKey, tablePlan.slots.isEmpty,
      !tablePlan.stored.contains(where: \.hasKind)
    else { return nil }
    let relationship = tablePlan.accessPaths[0]
    let found = foundValues(
      tablePlan, nodes: reachedNodes(relationship, in: tablePlan), parent: (tablePlan, "p"))
    let columns = ["seq"] + tablePlan.foundColumns
    let map = dialect.temporary(tablePlan.map)
    let (first, last) = ends(tablePlan)
    let start = Select(columns, from: From(map)).where(.sql("seq BETWEEN \(first) AND \(last)"))
    let step = Select(
      [dialect.rowNumber] + found, from: From("found p", joins: leading(relationship, source: tablePlan))
    ).where(!rootKey(tablePlan))
    let known = "\(last) - \(first) + 1"
    return enter(
      tablePlan.map, columns: columns,
      text: "WITH RECURSIVE found(\(columns.list)) AS (\(Union(parts: [start, step]).text(dialect))) "
        + Select(columns, from: From("found")).skipping(known, dialect: dialect).text(dialect), skips: false)
  }

  /// The first and the last row of the generation to go on from.
  private func ends(_ tablePlan: CloneTablePlan) -> (first: String, last: String) {
    (dialect.parameter("from\(tablePlan.index)"), dialect.parameter("to\(tablePlan.index)"))
  }

  /// The parent of a tree's root, where it is below the root itself.
  func rootsParent(_ tablePlan: CloneTablePlan) -> String? {
    guard tablePlan.isTree, let reference = layout.parentReference(of: tablePlan) else { return nil }
    let key = layout.references[tablePlan.index][reference].key
    let parents = key.references.map { name in
      "p.o\(tablePlan.keyColumns.firstIndex { $0.name.sqlName == name.sqlName }!)"
    }
    let columns = dialect.columns("s", key.columns)
    let root = dialect.parameter("root")
    let rows = From("\(dialect.table(tablePlan.table.name)) s")
    let isRoot = rootKey(tablePlan) && layout.holders.condition(key, alias: "s")
    let parent = Select(
      ["p.seq"],
      from: rows + [
        .ordered(
          "\(dialect.temporary(tablePlan.map)) p",
          on: .equal(parents, columns) && .sql("p.seq >= \(root)"))
      ]
    ).where(isRoot)
    let hasParent = Select(["1"], from: rows).where(isRoot && .isNotNull(columns[0]))
    return Update(dialect.temporary(tablePlan.map), assignments: [("parent", "(\(parent.text(dialect)))")])
      .where(.equal(["seq"], [root]) && .exists(hasParent, dialect)).text(dialect)
  }

  private func reachedNodes(_ relationship: RelationshipDescription, in tablePlan: CloneTablePlan)
    -> [PlanNode]
  {
    tablePlan.nodes.filter { $0.accessPath?.qualifiedName == relationship.qualifiedName }
  }

  /// Moves what was collected into the map, sorted; of a cycle the generation `:gen` only.
  func flush(_ tablePlan: CloneTablePlan) -> [String] {
    let stage = dialect.temporary(tablePlan.stage)
    let generation = dialect.parameter("gen")
    let now: Condition = tablePlan.isCyclic ? .equal(["r.gen"], [generation]) : .always
    let order = ["r.gen"] + binaryKeys(tablePlan, alias: "r") + ["r.rank"]
    let found = Select(tablePlan.foundColumns.map { "r." + $0 }, from: From("\(stage) r")).where(now)
    var statements = [enter(tablePlan, rows: found.ordered(by: order).text(dialect), skips: true)]
    if tablePlan.isPaired {
      // Reaching the root again adds nothing.
      let isOther: Condition = tablePlan.hasRoot ? .sql("m.seq <> \(dialect.parameter("root"))") : .always
      let isEntered = Condition.equal(tablePlan.old("m"), tablePlan.old("r")) && tablePlan.sameCopy("m", "r")
      let map = From.Join.ordered("\(dialect.temporary(tablePlan.map)) m", on: isEntered && isOther)
      let pairs = Select(["m.seq", "r.node", "r.gen"], from: From("\(stage) r", joins: [map])).where(now)
      let ordered = pairs.ordered(by: ["r.gen", "m.seq", "r.rank"]).text(dialect)
      statements.append(
        number(
          tablePlan.pairs, columns: ["m", "node", "gen"], text: ordered, after: tablePlan.lastPair,
          skips: true))
    }
    statements.append("DELETE FROM \(stage)" + (tablePlan.isCyclic ? " WHERE gen = \(generation)" : ""))
    return statements
  }

  // MARK: Several roots

  /// Notes the clones of a root.
  func noting(_ tablePlan: CloneTablePlan) -> String {
    let new = tablePlan.keyColumns.indices.map { tablePlan.newKey("m", part: $0) }
    return enter(
      tablePlan.noted, columns: tablePlan.keyColumns.indices.map { "o\($0)" },
      rows: Select(new, from: From("\(dialect.temporary(tablePlan.map)) m")))
  }

  /// Whether a row `s` that a relationship leads to is no clone of an earlier root.
  private func isNoClone(_ relationship: RelationshipDescription) -> Condition {
    layout.tablePlan(of: relationship.destination)?.isNoClone("s") ?? .always
  }

  // MARK: Parts

  /// The values of `foundColumns`, by the entity of the row.
  private func foundValues(
    _ tablePlan: CloneTablePlan, nodes: [PlanNode], parent: (tablePlan: CloneTablePlan, alias: String)?
  ) -> [String] {
    var sql: [String] = []
    if tablePlan.hasCopy { sql.append(dialect.parameter("copy")) }
    if tablePlan.hasGeneration {
      sql.append(parent.map { "\($0.tablePlan.isPaired ? "w" : $0.alias).gen + 1" } ?? "0")
    }
    if tablePlan.hasParent { sql.append(parent.map { $0.tablePlan.at($0.alias, "seq") } ?? "NULL") }
    if tablePlan.hasEntity { sql.append(entityNumber(tablePlan, nodes: nodes)) }
    sql += tablePlan.key("s")
    if !tablePlan.hasRowidKey {
      sql += tablePlan.keyColumns.indices.map { newKey($0, tablePlan, nodes) }
    }
    for stored in tablePlan.stored {
      let found = nodes.map { node in
        node.attributes.first { $0.attribute.name == stored.name }.map {
          values.found($0, of: node, parent: parent)
        }
          ?? ValueRenderer.Followed(value: "NULL", kind: "1")
      }
      sql.append(
        byEntity(tablePlan, nodes: nodes) {
          dialect.cast(found[nodes.firstIndex(of: $0)!].value, stored.mapType)
        })
      if stored.hasKind {
        sql.append(byEntity(tablePlan, nodes: nodes) { found[nodes.firstIndex(of: $0)!].kind })
      }
    }
    for slot in tablePlan.slots {
      let carried = parent.map { values.slot(slot, in: $0.tablePlan, alias: $0.alias) }
      sql += [dialect.cast(carried?.value ?? "NULL", ValueRenderer.carriedType), carried?.kind ?? "0"]
    }
    return sql
  }

  /// The new value of a part of a key that is not simply counted; references follow after the closure.
  private func newKey(_ part: Int, _ tablePlan: CloneTablePlan, _ nodes: [PlanNode]) -> String {
    return byEntity(tablePlan, nodes: nodes) {
      dialect.cast(newKey(part, tablePlan, $0), as: tablePlan.keyColumns[part])
    }
  }

  private func newKey(_ part: Int, _ tablePlan: CloneTablePlan, _ node: PlanNode) -> String {
    if let given = givenKey(part, node: node) { return given }
    return switch tablePlan.keySources[node.entity]![part] {
    case .uuid(let storage): dialect.newUUID(storage, tablePlan.keyColumns[part])
    case .copied, .given: tablePlan.key("s")[part]
    case .automatic where tablePlan.countsEntries && !node.isRoot: "NULL"
    case .automatic: tablePlan.keyColumns[part].next.map(dialect.newKey) ?? "NULL"
    case .rowid, .max, .relationship: "NULL"
    }
  }

  private func givenKey(_ part: Int, node: PlanNode) -> String? {
    node.attributes.lazy.compactMap { planned in
      guard case .set = planned.rule,
        mapping[node.entity].attributes[planned.attribute.name]?.keyPart == part
      else { return nil }
      return dialect.parameter(plan.setParameter(planned.attribute.name))
    }.first
  }

  private func entityNumber(_ tablePlan: CloneTablePlan, nodes: [PlanNode]) -> String {
    let column = dialect.column("s", tablePlan.discriminator!)
    let cases = nodes.map { node in
      "WHEN \(dialect.text(mapping[node.entity].discriminator!.value)) THEN \(tablePlan.entities.firstIndex(of: node.entity)!)"
    }
    return "CASE \(column) \(cases.joined(separator: " ")) END"
  }

  private func byEntity(_ tablePlan: CloneTablePlan, nodes: [PlanNode], sql: (PlanNode) -> String)
    -> String
  {
    let choices = nodes.map { ($0.entity, sql($0)) }
    guard Set(choices.map(\.1)).count > 1 else { return choices[0].1 }
    let cases = choices.map { "WHEN \(dialect.text(mapping[$0].discriminator!.value)) THEN \($1)" }
    return "CASE \(dialect.column("s", tablePlan.discriminator!)) \(cases.joined(separator: " ")) END"
  }

  /// Keys as the rules compare them: numbers as numbers, text by bytes.
  private func binaryKeys(_ tablePlan: CloneTablePlan, alias: String) -> [String] {
    tablePlan.keyColumns.indices.map { i in
      "\(alias).o\(i)" + (tablePlan.keyColumns[i].collation == "BINARY" ? "" : dialect.byBytes)
    }
  }

  /// The parents `p` (with the pair `w`) and the rows `s` that the relationship leads to.
  private func rows(
    _ relationship: RelationshipDescription, source: CloneTablePlan, to tablePlan: CloneTablePlan,
    byGeneration: Bool
  ) -> Select {
    let asking = source.nodes.filter { $0.plan(of: relationship)?.rule == .clone }
    let map = "\(dialect.temporary(source.map)) p"
    var condition = Condition.always
    if byGeneration || source.hasCopy {
      let (first, last) = ends(source)
      condition = .sql("\(source.isPaired ? "w" : "p").seq BETWEEN \(first) AND \(last)")
    }
    var from = From(map)
    if source.isPaired {
      let pairs = "\(dialect.temporary(source.pairs)) w"
      from = From(pairs, joins: [.ordered(map, on: .equal(["p.seq"], ["w.m"]))])
      condition = condition && .among("w.node", values: asking.map { String($0.id) })
    } else {
      condition = condition && layout.cloning(relationship, in: source, alias: "p")
    }
    if tablePlan.isTree { condition = condition && !rootKey(tablePlan) }
    return Select([], from: from + leading(relationship, source: source)).where(condition)
  }

  /// Selects what a relationship leads to from the objects found, but for those among them that stay related; nil where
  /// none of them has it.
  func outside(_ end: OpenEnd) -> Select? {
    let relationship = end.relationship
    guard let source = layout.tablePlan(of: relationship.entity) else { return nil }
    let holders = source.nodes.filter { $0.plan(of: relationship) != nil }
    let isHolder: Condition =
      holders.count == source.nodes.count
      ? .always : holders.map { Variant($0).condition("p", in: source) }.any
    let rows = Select(
      ["1"], from: From("\(dialect.temporary(source.map)) p", joins: leading(relationship, source: source))
    ).where(isHolder)
    guard end.isKeptInside, let target = layout.tablePlan(of: relationship.destination) else { return rows }
    let inside = Select(target.old("d"), from: From("\(dialect.temporary(target.map)) d"))
    return rows.with(target.key("s"))
      .where(!Condition.among(target.key("s"), query: inside, dialect: dialect))
  }

  /// The condition by which a row `s` names the parent `p`; nil where it does not name its key.
  private func leading(_ key: ForeignKeyMapping, source: CloneTablePlan) -> Condition? {
    let parts = key.references.map { source.keyPart($0) }
    guard !parts.contains(nil) else { return nil }
    // The referenced side stands first: its collation decides, as in a foreign key.
    let parents = parts.map { source.old("p")[$0!] }
    return .equal(parents, dialect.columns("s", key.columns)) && layout.holders.condition(key, alias: "s")
  }

  /// The joins from the parent `p` to the row `s`.
  private func leading(_ relationship: RelationshipDescription, source: CloneTablePlan) -> [From.Join] {
    let row = "\(dialect.table(mapping[relationship.destination].table)) s"
    let own = From.Join.ordered(
      "\(dialect.table(source.table.name)) q", on: .equal(source.key("q"), source.old("p")))
    switch mapping[relationship.entity].relationships[relationship.name]! {
    case .inverseForeignKey(let key):
      if let condition = leading(key, source: source) {
        return [.ordered(row, on: condition && isNoClone(relationship))]
      }
      let names = key.leads(from: "s", to: "q", in: dialect)
      let isHolder = layout.holders.condition(key, alias: "s")
      return [own, .ordered(row, on: names && isHolder && isNoClone(relationship))]
    case .foreignKey(let key):
      return [own, .ordered(row, on: key.leads(from: "q", to: "s", in: dialect))]
    case .join(let join):
      let parts = join.references.compactMap { source.keyPart($0) }
      let isByKey = parts.count == join.references.count
      let keys = isByKey ? parts.map { "p.o\($0)" } : dialect.columns("q", join.references)
      return (isByKey ? [] : [own]) + [
        .ordered("\(dialect.table(join.table)) j", on: .equal(keys, dialect.columns("j", join.columns))),
        .ordered(
          row,
          on: .equal(
            dialect.columns("s", join.destinationReferences), dialect.columns("j", join.destinationColumns))
            && isNoClone(relationship)),
      ]
    }
  }
}
