import MOCloneEngine
import MOCloneModel

/// Renders the new values of a foreign key: the destination's clone where both are in the closure and a rule asks,
/// the original's destination where it is linked, else null.
struct ReferenceRenderer {
  let layout: CloneLayout
  let tablePlan: CloneTablePlan
  /// The reference's place among the table plan's.
  let index: Int

  var reference: RowReference { layout.references[tablePlan.index][index] }
  private var asking: Asking { Asking(layout: layout) }
  private var dialect: Dialect { layout.dialect }
  /// Without a map of its own a row is selected beside its parent's row in the map.
  private var map: String { isBesideParent ? "m" : "y\(index)" }
  private var isBesideParent: Bool { isParent && tablePlan.isDirect && tablePlan.form != .row }
  private var row: String { "t\(index)" }

  /// The table plan of the destination, where the plan reaches it.
  var destination: CloneTablePlan? { layout.tablePlan(of: reference.key.destination) }

  /// Whether the destination is the parent of every object, so that it need not be looked up.
  var isParent: Bool { layout.parentReference(of: tablePlan) == index }

  /// The destination's row in the map, null where it has none.
  var destinationNumber: String { "\(map).seq" }

  private var refersToKey: Bool {
    guard let destination else { return false }
    return reference.key.references.allSatisfy { destination.keyPart($0) != nil }
  }

  /// Whether a lookup of the destination is needed beside the original's row.
  private var needsJoin: Bool { !(isParent && refersToKey && destination?.hasRowidKey == true) }

  /// The joins that find the destination in the map, and its row where a column beside the key is referenced.
  var joins: [From.Join] {
    guard let destination, needsJoin else { return [] }
    // Where maps are parameters the parent's row is known.
    if tablePlan.form == .row { return rowJoin(destination) }
    func lookup(_ condition: Condition) -> From.Join {
      .left("\(dialect.temporary(destination.map)) \(map)", on: condition)
    }
    if isBesideParent { return rowJoin(destination) }
    if isParent {
      return [lookup(.equal(["\(map).seq"], [tablePlan.parent("m")]))] + rowJoin(destination)
    }
    let columns = dialect.columns("s", reference.key.columns)
    let isSame = tablePlan.sameCopy(map, "m")
    if refersToKey {
      let olds = reference.key.references.map { destination.old(map)[destination.keyPart($0)!] }
      return [lookup(.equal(olds, columns) && isSame)]
    }
    let unique = dialect.columns(row, reference.key.references)
    // In a store that is only passed through a clone that is written already may have the same value.
    let isOriginal = Condition.exists(
      in: From("\(dialect.temporary(destination.map)) k"),
      where: .equal(destination.old("k"), destination.key(row)), dialect)
    return [
      destinationRow(destination, on: .equal(unique, columns) && isOriginal),
      lookup(.equal(destination.old(map), destination.key(row)) && isSame),
    ]
  }

  private func rowJoin(_ destination: CloneTablePlan) -> [From.Join] {
    refersToKey
      ? [] : [destinationRow(destination, on: .equal(destination.key(row), destination.old(map)))]
  }

  private func destinationRow(_ destination: CloneTablePlan, on condition: Condition) -> From.Join {
    .left("\(dialect.table(destination.table.name)) \(row)", on: condition)
  }

  // MARK: Conditions

  private func isInside(_ variant: Variant) -> Condition {
    if destination == nil { return .never }
    // Of a tree only the root can be without a parent in the copy.
    if isParent { return tablePlan.isTree && variant.isRoot ? .isNotNull("m.parent") : .always }
    return .isNotNull("\(map).seq")
  }

  private func asksInside(_ variant: Variant) -> Condition {
    guard let destination else { return .never }
    let own = asking.asks(reference.forward, variant: variant, alias: "m", in: tablePlan)
    return own || (isParent ? .always : asking.asks(reference.backward, anyIn: destination, alias: map))
  }

  /// Whether a destination outside the closure is kept: linking it must not move the related object of a one-to-one relationship.
  private func linksOutside(_ variant: Variant) -> Condition {
    guard reference.forward != nil, reference.backward.map(\.isToMany) ?? true else { return .never }
    return asking.asks(reference.forward, variant: variant, alias: "m", in: tablePlan)
  }

  func holds(_ variant: Variant) -> Bool {
    layout.plan.model.isKind(variant.entity, of: reference.entity)
  }

  /// Whether the original refers to something: a key with an empty part references nothing.
  var referencesSomething: Condition {
    let nullable = reference.key.columns.filter { tablePlan.table.column($0)?.isRequired != true }
    return nullable.map { .isNotNull(dialect.column("s", $0)) }.all
  }

  /// Whether the clone refers to another clone.
  func refersInside(_ variant: Variant) -> Condition { isInside(variant) && asksInside(variant) }

  /// Whether the clone refers to something.
  func isKept(_ variant: Variant) -> Condition {
    refersInside(variant) || (!isInside(variant) && linksOutside(variant))
  }

  /// Whether the clone's key says something of its columns: an empty one does not, whatever some of them hold.
  func hasValue(_ variant: Variant) -> Condition {
    if variant.isRoot, let given = given(variant) { return given == .none ? .never : .always }
    return refersInside(variant) || (!isInside(variant) && linksOutside(variant) && referencesSomething)
  }

  /// Whether it refers to an original outside the closure.
  func isLinked(_ variant: Variant) -> Condition {
    holds(variant) ? referencesSomething && !isInside(variant) && linksOutside(variant) : .never
  }

  /// Selects the keys of these destinations, where `linked` says which rows refer to them.
  private func links(where linked: Condition) -> Select {
    let key = reference.key
    let entity = layout.mapping[key.destination]
    let columns = entity.keyColumns.map { name in
      key.references.firstIndex { $0.sqlName == name.sqlName }
        .map { dialect.column("s", key.columns[$0]) }
    }
    let from = layout.rows(of: tablePlan) + joins
    let mayDangle = layout.mayDangle(
      key.columns, in: tablePlan.table, to: key.references, of: key.destination)
    guard columns.contains(nil) || mayDangle else {
      return Select(copy + columns.compactMap { $0 }, from: from).where(linked)
    }
    let isLinked = key.leads(from: "s", to: "l", in: dialect)
    let row = From.Join.ordered("\(dialect.table(entity.table)) l", on: isLinked)
    return Select(copy + dialect.columns("l", entity.keyColumns), from: from + [row]).where(linked)
  }

  private var copy: [String] { layout.hasCopies ? ["m.copy AS copy"] : [] }

  /// Selects the keys of destinations that are linked: those outside the closure, and the one that the request gives.
  var links: [(entity: String, query: Select)] {
    guard let destination = reference.forward?.destination else { return [] }
    let linked = tablePlan.any(isLinked)
    let queries = [linked == .never ? nil : links(where: linked), givenLink].compactMap { $0 }
    return queries.map { (entity: destination, query: $0) }
  }

  /// Selects the key of the destination that the request gives the root; nil where it gives none.
  private var givenLink: Select? {
    let holders = tablePlan.variants.filter { $0.isRoot && isObject(given($0)) }
    guard !holders.isEmpty else { return nil }
    let keys = dialect.columns("g", layout.mapping[reference.key.destination].keyColumns)
    // Roots of sibling entities may each have a relationship of the name.
    let isHolder = holders.map { $0.condition("m", in: tablePlan) }.any
    return Select(copy + keys, from: layout.rows(of: tablePlan) + [.ordered(givenRow, on: isGivenRow)])
      .where(isHolder)
  }

  /// The row `g` that the request gives as the root's destination.
  private var givenRow: String {
    dialect.table(layout.mapping[reference.key.destination].table) + " g"
  }

  private var isGivenRow: Condition {
    let parameter = layout.plan.setParameter(reference.forward!)
    let columns = layout.mapping[reference.key.destination].keyColumns
    return .equal(
      dialect.columns("g", columns),
      columns.indices.map { dialect.parameter("\(parameter)\($0)") })
  }

  /// Whether the clone can refer to another clone, whose row must then be written first.
  var canBeInside: Bool {
    tablePlan.variants.contains { holds($0) && refersInside($0) != .never }
  }

  // MARK: Values

  /// The new value of a column of the key.
  func value(_ part: Int, _ variant: Variant) -> String {
    let original = dialect.column("s", reference.key.columns[part])
    guard holds(variant) else { return original }
    if variant.isRoot, let given = given(variant) { return given == .none ? "NULL" : givenValue(part) }
    let inside = asksInside(variant).choose(
      destination.map { newValue(part, in: $0) } ?? "NULL", else: "NULL")
    let outside = linksOutside(variant).choose(original, else: "NULL")
    return isInside(variant).choose(inside, else: outside)
  }

  private func newValue(_ part: Int, in destination: CloneTablePlan) -> String {
    let column = reference.key.references[part]
    if let keyPart = destination.keyPart(column) {
      return needsJoin
        ? destination.newKey(map, part: keyPart) : "\(tablePlan.parent("m")) + \(destination.keyOffset)"
    }
    if let settled = destination.settledIndex(column) { return destination.at(map, "v\(settled)") }
    let attribute = destination.storedIndex(ofColumn: column, layout.mapping)
    return attribute.map { destination.at(map, "a\($0)") } ?? dialect.column(row, column)
  }

  private func given(_ variant: Variant) -> GivenDestination? {
    reference.forward.flatMap { relationship in
      tablePlan.nodes(of: variant).first?.plan(of: relationship)?.given
    }
  }

  /// The referenced columns of the destination that the request names by key.
  private func givenValue(_ part: Int) -> String {
    let given = Select([dialect.column("g", reference.key.references[part])], from: From(givenRow))
      .where(isGivenRow)
    return "(\(given.text(dialect)))"
  }

  /// Finds the related object that the given destination of a one-to-one relationship already has.
  var other: (relationship: RelationshipDescription, sql: String)? {
    guard let relationship = reference.forward, reference.backward?.isToMany == false,
      tablePlan.variants.contains(where: { $0.isRoot && isObject(given($0)) })
    else { return nil }
    let values = reference.key.columns.indices.map(givenValue)
    let other = Select(["1"], from: From(dialect.table(tablePlan.table.name) + " s"))
      .where(.equal(owners("s"), values) && layout.holders.condition(reference.key, alias: "s")).limited(
        to: 1)
    return (relationship, other.text(dialect))
  }

  /// Whether the request gives the root's destination, or says that there is none.
  func isGiven(_ variant: Variant) -> Bool { variant.isRoot && given(variant) != nil }

  private func isObject(_ given: GivenDestination?) -> Bool {
    if case .object = given { return true }
    return false
  }

  // MARK: Order

  /// The key of a row `alias`, comparable with those of rows that write it otherwise.
  private func owners(_ alias: String) -> [String] {
    reference.key.columns.enumerated().map { notation($0).asReferenced(dialect.column(alias, $1)) }
  }

  private func notation(_ part: Int) -> ReferenceNotation {
    let key = reference.key
    return ReferenceNotation(
      key.columns[part], in: tablePlan.table, to: key.references[part], of: key.destination, layout: layout)
  }

  /// The new position in the destination's ordered list.
  func position(_ variant: Variant) -> String {
    let column = reference.orderColumn!
    let original = dialect.column("s", column)
    let (positions, distance) = (layout.mapping.positions, distance)
    guard holds(variant) else { return original }
    func end(of keys: [String]) -> String {
      dialect.end(
        of: column, in: tablePlan.table.name, empty: positions.start,
        where: .equal(owners("e"), keys) && layout.holders.condition(reference.key, alias: "e"))
    }
    if variant.isRoot, let given = given(variant) {
      let values = reference.key.columns.indices.map(givenValue)
      return given == .none ? "NULL" : end(of: values) + " + " + distance
    }
    let isCopied = layout.copiesPositions(reference, in: tablePlan)
    let counted = dialect.cast(positions.first(distance), as: tablePlan.table.column(column))
    // What keeps its position has no rank.
    let inside = asksInside(variant).choose(
      isCopied ? original : "coalesce(\(counted), \(original))", else: "NULL")
    let appended = isInList.choose(end(of: owners("s")) + " + " + distance, else: "NULL")
    return isInside(variant).choose(inside, else: linksOutside(variant).choose(appended, else: "NULL"))
  }

  /// Whether the original is in a list: a row that is in none has no position, where that may be empty.
  private var isInList: Condition {
    let isRequired = tablePlan.table.column(reference.orderColumn!)?.isRequired == true
    return isRequired ? .always : referencesSomething
  }

  /// How far behind the end of its list an object comes.
  private var distance: String { layout.mapping.positions.distance("m." + tablePlan.rankColumn(index)) }

  /// The statement that ranks the objects in the lists they join, where positions cannot be copied without a look at them.
  ///
  /// Copies join a list outside one after another; a root that was not in the list it is given to comes last.
  var ranking: String {
    let owners = reference.key.columns.indices.map { part in
      notation(part).asReferenced(
        tablePlan.choose { variant in
          isObject(given(variant)) ? givenValue(part) : dialect.column("s", reference.key.columns[part])
        })
    }
    let lists = owners + ownList
    let isLate = tablePlan.choose { variant in
      isObject(given(variant)) ? "NOT (\(isAmong))" : "FALSE"
    }
    let copy = tablePlan.hasCopy ? ["m.copy"] : []
    let column = reference.orderColumn!
    let position = dialect.sorting(
      position: dialect.column("s", column), in: tablePlan.table.column(column))
    let order = copy + [isLate, position] + tablePlan.key("s")
    let isHolder = tablePlan.any { holds($0) ? .always : .never }
    let rows = Select([], from: layout.rows(of: tablePlan) + (isParent ? [] : joins)).where(isHolder)
    let rank = dialect.number(within: lists, by: order)
    let place = keepsPosition(in: lists, of: rows).choose("NULL", else: rank)
    let ranked = rows.with(["m.seq AS number", "\(place) AS place"])
    return Update(
      dialect.temporary(tablePlan.map), assignments: [(tablePlan.rankColumn(index), "x.place")],
      from: From(ranked, as: "x", dialect: dialect)
    ).where(.equal(["x.number"], [dialect.name(tablePlan.map) + ".seq"])).text(dialect)
  }

  /// Whether an object stays where it is: in the list of a clone, where nothing else is, unless keys order some of its
  /// members, since the new ones may come in another order.
  private func keepsPosition(in lists: [String], of rows: Select) -> Condition {
    let joinsClones = tablePlan.any { holds($0) && !isGiven($0) ? isInside($0) : .never }
    let names = lists.indices.map { "l\($0)" }
    let members = rows.where(joinsClones).with(
      lists.named(names) + ["\(dialect.column("s", reference.orderColumn!)) AS p"])
    let undecided = Select(names, from: From(members, as: "x", dialect: dialect))
      .grouped(by: names + ["p"]).having(.sql("count(*) > 1"))
    return joinsClones && !Condition.among(lists, query: undecided, dialect: dialect)
  }

  /// Whether the root's original is in the list that the root is given to.
  private var isAmong: String {
    zip(owners("s"), reference.key.columns.indices.map(givenValue)).map { dialect.same($0, $1) }
      .all.text
  }

  /// The list of a cloned object is one for each copy.
  private var ownList: [String] {
    guard tablePlan.hasCopy, destination != nil else { return [] }
    return [
      tablePlan.choose { isObject(given($0)) ? "-1" : isInside($0).choose("m.copy", else: "-1") }
    ]
  }
}
