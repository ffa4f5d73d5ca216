import MOCloneEngine
import MOCloneModel

/// Renders the new values of a foreign key: the destination's clone where both lie in the closure and a rule asks,
/// the original's destination where it is linked, else null.
struct ReferenceRenderer {
  let layout: CloneLayout
  let family: Family
  /// The reference's place among the family's.
  let index: Int

  private var reference: RowReference { layout.references[family.index][index] }
  private var asking: Asking { Asking(layout: layout) }
  private var dialect: Dialect { layout.dialect }
  private var map: String { "y\(index)" }
  private var row: String { "t\(index)" }

  /// The family of the destination, where the plan reaches it.
  var destination: Family? { layout.family(of: reference.key.destination) }

  /// Whether the destination is the parent of every object, so that it need not be looked up.
  var isParent: Bool { layout.parentReference(of: family) == index }

  /// The destination's row in the map, null where it has none.
  var destinationNumber: String { "\(map).seq" }

  private var refersToKey: Bool {
    guard let destination else { return false }
    return reference.key.references.allSatisfy { name in
      destination.keyColumns.contains { $0.name.sqlName == name.sqlName }
    }
  }

  /// Whether a lookup of the destination is needed beside the original's row.
  private var needsJoin: Bool { !(isParent && refersToKey && destination?.hasRowidKey == true) }

  /// The joins that find the destination in the map, and its row where a column beside the key is referenced.
  var joins: [From.Join] {
    guard let destination, needsJoin else { return [] }
    // Where maps are parameters the parent's row is known.
    if family.form == .row { return rowJoin(destination) }
    func lookup(_ condition: Condition) -> From.Join {
      .left("\(dialect.temporary(destination.map)) \(map)", on: condition)
    }
    if isParent {
      return [lookup(.equal(["\(map).seq"], [family.parent("m")]))] + rowJoin(destination)
    }
    let columns = reference.key.columns.map { dialect.column("s", $0) }
    let isSame = family.sameCopy(map, "m")
    if refersToKey { return [lookup(.equal(olds(in: destination), columns) && isSame)] }
    let unique = reference.key.references.map { dialect.column(row, $0) }
    return [
      destinationRow(destination, on: .equal(unique, columns)),
      lookup(.equal(destination.old(map), destination.key(row)) && isSame),
    ]
  }

  private func rowJoin(_ destination: Family) -> [From.Join] {
    refersToKey
      ? [] : [destinationRow(destination, on: .equal(destination.key(row), destination.old(map)))]
  }

  private func destinationRow(_ destination: Family, on condition: Condition) -> From.Join {
    .left("\(dialect.table(destination.table.name)) \(row)", on: condition)
  }

  private func olds(in destination: Family) -> [String] {
    reference.key.references.map { destination.old(map)[keyPart($0, in: destination)!] }
  }

  private func keyPart(_ column: String, in destination: Family) -> Int? {
    destination.keyColumns.firstIndex { $0.name.sqlName == column.sqlName }
  }

  // MARK: Conditions

  private func isInside(_ variant: Variant) -> Condition {
    if destination == nil { return .never }
    // Of a tree only the root can be without a parent in the copy.
    if isParent { return family.isTree && variant.isRoot ? .isNotNull("m.parent") : .always }
    return .isNotNull("\(map).seq")
  }

  private func asksInside(_ variant: Variant) -> Condition {
    guard let destination else { return .never }
    let own = asking.asks(reference.forward, variant, "m", in: family)
    return own || (isParent ? .always : asking.asks(reference.backward, anyIn: destination, map))
  }

  /// Whether a destination outside the closure is kept: linking it must not move a one-to-one partner.
  private func linksOutside(_ variant: Variant) -> Condition {
    guard reference.forward != nil, reference.backward.map(\.isToMany) ?? true else { return .never }
    return asking.asks(reference.forward, variant, "m", in: family)
  }

  func holds(_ variant: Variant) -> Bool {
    layout.plan.model.isKind(variant.entity, of: reference.entity)
  }

  /// Whether the original refers to something: a key with an empty part leads nowhere.
  var isThere: Condition {
    let nullable = reference.key.columns.filter { family.table.column($0)?.isRequired != true }
    return nullable.map { .isNotNull(dialect.column("s", $0)) }.reduce(.always) { $0 && $1 }
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
    return refersInside(variant) || (!isInside(variant) && linksOutside(variant) && isThere)
  }

  /// Whether it refers to an original outside the closure.
  func isLinked(_ variant: Variant) -> Condition {
    holds(variant) ? isThere && !isInside(variant) && linksOutside(variant) : .never
  }

  /// Selects the keys of these destinations, where `linked` says which rows refer to them.
  private func links(where linked: Condition) -> Select {
    let entity = layout.mapping[reference.key.destination]
    let columns = entity.keyColumns.map { name in
      reference.key.references.firstIndex { $0.sqlName == name.sqlName }
        .map { dialect.column("s", reference.key.columns[$0]) }
    }
    let from = layout.rows(of: family) + joins
    guard columns.contains(nil) else {
      return Select(columns.compactMap { $0 }, from: from).where(linked)
    }
    let isLinked = Condition.equal(
      reference.key.references.map { dialect.column("l", $0) },
      reference.key.columns.map { dialect.column("s", $0) })
    let row = From.Join.ordered("\(dialect.table(entity.table)) l", on: isLinked)
    return Select(entity.keyColumns.map { dialect.column("l", $0) }, from: from + [row]).where(linked)
  }

  /// Selects the keys of destinations outside the closure; nil where none can be linked.
  var links: (entity: String, query: Select)? {
    guard let destination = reference.forward?.destination else { return nil }
    let linked = family.any("m", isLinked)
    return linked == .never ? nil : (destination, links(where: linked))
  }

  /// Whether the clone can refer to another clone, whose row must then be written first.
  var canBeInside: Bool {
    family.variants.contains { holds($0) && refersInside($0) != .never }
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

  private func newValue(_ part: Int, in destination: Family) -> String {
    let column = reference.key.references[part]
    if let keyPart = keyPart(column, in: destination) {
      return needsJoin
        ? destination.newKey(map, part: keyPart) : "\(family.parent("m")) + \(destination.shift)"
    }
    if let settled = destination.settledIndex(column) { return destination.at(map, "v\(settled)") }
    let attribute = destination.stored.firstIndex { stored in
      destination.entities.contains {
        layout.mapping[$0].attributes[stored.name]?.column.sqlName == column.sqlName
      }
    }
    return attribute.map { destination.at(map, "a\($0)") } ?? dialect.column(row, column)
  }

  private func given(_ variant: Variant) -> GivenDestination? {
    reference.forward.flatMap { relationship in
      family.nodes.first { Variant($0) == variant }?.plan(of: relationship)?.given
    }
  }

  /// The referenced columns of the destination that the request names by key.
  private func givenValue(_ part: Int) -> String {
    let destination = layout.mapping[reference.key.destination]
    let name = reference.forward!.name
    let keys = destination.keyColumns.indices.map {
      dialect.parameter("\(layout.plan.setParameter(name))_\($0)")
    }
    let given = Select(
      [dialect.column("g", reference.key.references[part])],
      from: From(dialect.table(destination.table) + " g")
    ).where(.equal(destination.keyColumns.map { dialect.column("g", $0) }, keys))
    return "(\(given.text(dialect)))"
  }

  /// Finds the partner that the given destination of a one-to-one relationship has already.
  var partner: (relationship: RelationshipDescription, sql: String)? {
    guard let relationship = reference.forward, reference.backward?.isToMany == false,
      family.variants.contains(where: { $0.isRoot && isObject(given($0)) })
    else { return nil }
    let values = reference.key.columns.indices.map(givenValue)
    let partner = Select(["1"], from: From(dialect.table(family.table.name) + " s"))
      .where(.equal(owners("s"), values) && layout.holders.condition(reference.key, "s")).limited(to: 1)
    return (relationship, partner.text(dialect))
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
      key.columns[part], in: family.table, to: key.references[part], of: key.destination, layout)
  }

  /// The new position in the destination's ordered list.
  func position(_ variant: Variant) -> String {
    let column = reference.orderColumn!
    let original = dialect.column("s", column)
    guard holds(variant) else { return original }
    func end(of keys: [String]) -> String {
      dialect.end(
        of: dialect.column("e", column), in: family.table.name,
        where: .equal(owners("e"), keys) && layout.holders.condition(reference.key, "e"))
    }
    if variant.isRoot, let given = given(variant) {
      let values = reference.key.columns.indices.map(givenValue)
      return given == .none ? "NULL" : end(of: values) + " + m." + family.rankColumn(index)
    }
    let isCopied = layout.copiesPositions(reference, in: family)
    let inside = asksInside(variant).choose(
      isCopied ? original : "m." + family.rankColumn(index), else: "NULL")
    let appended = end(of: owners("s")) + " + m." + family.rankColumn(index)
    return isInside(variant).choose(inside, else: linksOutside(variant).choose(appended, else: "NULL"))
  }

  /// The statement that ranks the objects in the lists they join, where positions cannot be copied.
  ///
  /// Copies join a list outside one after another; a root that was not in the list it is given to comes last.
  var ranking: String {
    let lists = reference.key.columns.indices.map { part in
      notation(part).asReferenced(
        family.choose("m") { variant in
          isObject(given(variant)) ? givenValue(part) : dialect.column("s", reference.key.columns[part])
        })
    }
    let isLate = family.choose("m") { variant in
      isObject(given(variant)) ? "NOT (\(isAmong(variant)))" : "0"
    }
    let copy = family.hasCopy ? ["m.copy"] : []
    let order = copy + [isLate, dialect.column("s", reference.orderColumn!)] + family.key("s")
    let isHolder = family.any("m") { holds($0) ? .always : .never }
    let place = "row_number() OVER (PARTITION BY \((lists + ownList).list) ORDER BY \(order.list)) AS place"
    let ranked = Select(
      ["m.seq AS number", place], from: layout.rows(of: family) + (family.hasCopy ? joins : [])
    ).where(isHolder)
    return Update(
      dialect.temporary(family.map), [(family.rankColumn(index), "x.place")],
      from: From(ranked, as: "x", dialect)
    ).where(.equal(["x.number"], [dialect.name(family.map) + ".seq"])).text(dialect)
  }

  /// Whether the root's original is in the list that the root is given to.
  private func isAmong(_ variant: Variant) -> String {
    zip(owners("s"), reference.key.columns.indices.map(givenValue)).map { dialect.same($0, $1) }
      .reduce(.always) { $0 && $1 }.text
  }

  /// The list of a cloned object is one for each copy.
  private var ownList: [String] {
    guard family.hasCopy, destination != nil else { return [] }
    return [
      family.choose("m") { isObject(given($0)) ? "-1" : isInside($0).choose("m.copy", else: "-1") }
    ]
  }
}
