import MOCloneEngine
import MOCloneModel

/// Renders the new values of attributes, when an object is found and when its row is written.
///
/// A followed value comes with a kind: 0 no ancestor, 1 the value itself, 2 and above the `seq` of an object of which a
/// part of the new key is the value, settled after the closure; the kind tells the table plan and the part.
struct ValueRenderer {
  let layout: CloneLayout
  private var plan: ClonePlan { layout.plan }
  private var mapping: SchemaMapping { layout.mapping }
  private var dialect: Dialect { layout.dialect }

  struct Followed: Equatable {
    var value: String
    var kind: String
  }

  // MARK: When an object is found

  /// The value of a stored attribute, and its kind where it has one; `parent` is nil for the root.
  func found(
    _ planned: AttributePlan, of node: PlanNode, parent: (tablePlan: CloneTablePlan, alias: String)?
  ) -> Followed {
    let column = mapping[node.entity].attributes[planned.attribute.name]!
    guard case .followParent(let slot, .carried, let fallback) = planned.rule, let parent else {
      if let late = lateRoot(planned.rule) { return late }
      return Followed(value: value(planned, of: node, root: rootSoFar), kind: "1")
    }
    let carried = self.slot(slot, in: parent.tablePlan, alias: parent.alias)
    let own =
      switch fallback {
      case .rule(let rule): value(of: rule, column, node, planned.attribute.name, root: rootSoFar)
      case .error: "NULL"
      }
    let value = form(of: slot).convert(carried.value, to: StorageForm(column), dialect)
    if carried.kind == "1" { return Followed(value: value, kind: "1") }
    let missing = fallback == .error ? "0" : "1"
    return Followed(
      value: "CASE WHEN \(carried.kind) = 0 THEN \(own) ELSE \(value) END",
      kind: "CASE WHEN \(carried.kind) = 0 THEN \(missing) ELSE \(carried.kind) END")
  }

  /// The value of a slot as the children of an object see it.
  func slot(_ slot: Int, in tablePlan: CloneTablePlan, alias: String) -> Followed {
    let choices = tablePlan.entities.map { entity in
      (entity, self.slot(slot, of: entity, in: tablePlan, alias: alias))
    }
    return Followed(
      value: pick(choices.map { ($0, $1.value) }, tablePlan, alias),
      kind: pick(choices.map { ($0, $1.kind) }, tablePlan, alias))
  }

  private func slot(_ slot: Int, of entity: String, in tablePlan: CloneTablePlan, alias: String) -> Followed {
    let followed = plan.slots[slot]
    guard plan.model.provides(followed, entity) else {
      return tablePlan.slots.contains(slot)
        ? Followed(value: tablePlan.at(alias, "f\(slot)"), kind: tablePlan.at(alias, "h\(slot)"))
        : Followed(value: "NULL", kind: "0")
    }
    let column = mapping[entity].attributes[followed.attribute]!
    if let part = column.keyPart {
      let own = StorageForm(column)
      return tablePlan.hasRowidKey || tablePlan.isLate(part)
        ? Followed(value: tablePlan.at(alias, "seq"), kind: kind(ofKeyPart: part, in: tablePlan))
        : Followed(
          value: own.convert(tablePlan.at(alias, "n\(part)"), to: form(of: slot), dialect), kind: "1")
    }
    guard let i = tablePlan.storedIndex(followed.attribute) else { return Followed(value: "NULL", kind: "0") }
    let value = StorageForm(column).convert(tablePlan.at(alias, "a\(i)"), to: form(of: slot), dialect)
    return Followed(value: value, kind: tablePlan.stored[i].hasKind ? tablePlan.at(alias, "k\(i)") : "1")
  }

  /// A value by the entity of the object, where entities of the table plan differ.
  private func pick(_ choices: [(String, String)], _ tablePlan: CloneTablePlan, _ alias: String) -> String {
    guard Set(choices.map(\.1)).count > 1 else { return choices[0].1 }
    let cases = choices.map { "WHEN \(tablePlan.entities.firstIndex(of: $0)!) THEN \($1)" }
    return "CASE \(tablePlan.at(alias, "entity")) \(cases.joined(separator: " ")) END"
  }

  /// The form in which a slot's value is carried.
  private func form(of slot: Int) -> StorageForm {
    switch plan.slots[slot].type {
    case .date: .date(plan.model.store.dates)
    case .uuid: .uuid(plan.model.store.uuids)
    default: .plain
    }
  }

  // MARK: When a row is written

  /// The value that the new row gets; `m` is the object in the map, `s` the original's row.
  func written(_ planned: AttributePlan, of node: PlanNode, in tablePlan: CloneTablePlan) -> String {
    if tablePlan.isDirect, planned.rule.isCarried { return resolved(followed(planned, of: node)) }
    guard let i = tablePlan.storedIndex(planned.attribute.name) else {
      return value(planned, of: node, root: rootOfCopy)
    }
    return tablePlan.stored[i].hasKind
      ? resolved(Followed(value: tablePlan.at("m", "a\(i)"), kind: tablePlan.at("m", "k\(i)")))
      : tablePlan.at("m", "a\(i)")
  }

  /// What an object without a map takes over from its parent `m`.
  func followed(_ planned: AttributePlan, of node: PlanNode) -> Followed {
    found(planned, of: node, parent: (layout.tablePlan(of: node.accessPath!.entity)!, "m"))
  }

  /// The root's row in its map: while the closure of a copy is found, and when the rows of all are written.
  private var rootSoFar: String { dialect.parameter("root") }
  private var rootOfCopy: String {
    plan.request.count > 1
      ? "(SELECT b.seq FROM \(dialect.temporary(CloneTablePlan.roots)) b WHERE b.copy = m.copy)" : rootSoFar
  }

  private func value(_ planned: AttributePlan, of node: PlanNode, root: String) -> String {
    let column = mapping[node.entity].attributes[planned.attribute.name]!
    return value(of: planned.rule, column, node, planned.attribute.name, root: root)
  }

  private func value(
    of rule: AttributeRule, _ column: AttributeColumn, _ node: PlanNode, _ name: String, root: String
  ) -> String {
    switch rule {
    case .copy, .key: return dialect.column("s", column.column)
    case .exclude(let value): return dialect.literal(StorageForm(column).stored(value))
    case .rebuild(.uuid): return dialect.newUUID(column.uuids)
    case .rebuild(.now): return dialect.parameter("now_" + column.dates.rawValue)
    case .set: return dialect.parameter(plan.setParameter(name))
    case .followParent(let slot, .root, _): return ofRoot(slot, as: StorageForm(column), root)
    case .followParent(_, _, .rule(let rule)): return value(of: rule, column, node, name, root: root)
    case .followParent(_, _, .error): return "NULL"
    }
  }

  private func kind(ofKeyPart part: Int, in tablePlan: CloneTablePlan) -> String {
    String(2 + tablePlan.index + part * layout.tablePlans.count)
  }

  /// What follows a part of the root's key that is not settled yet.
  private func lateRoot(_ rule: AttributeRule) -> Followed? {
    guard case .followParent(let slot, .root, _) = rule else { return nil }
    let tablePlan = layout.tablePlans.first { $0.hasRoot }!
    let value = self.slot(slot, in: tablePlan, alias: "r")
    guard tablePlan.isLate(slot, in: layout) else { return nil }
    return Followed(value: rootSoFar, kind: value.kind)
  }

  /// The root's value of a slot; of a single copy it is read once a statement.
  private func ofRoot(_ slot: Int, as form: StorageForm, _ root: String) -> String {
    let tablePlan = layout.tablePlans.first { $0.hasRoot }!
    let value = resolved(self.slot(slot, in: tablePlan, alias: "r"))
    let row = From(dialect.temporary(tablePlan.map) + " r")
    let read = Select([value], from: row).where(.sql("r.seq = \(root)"))
    return self.form(of: slot).convert(
      tablePlan.form == .row ? value : "(\(read.text(dialect)))", to: form, dialect)
  }

  private func resolved(_ followed: Followed) -> String {
    if followed.kind == "1" { return followed.value }
    let keyed = layout.tablePlans.flatMap { tablePlan in
      tablePlan.keyColumns.indices.filter { tablePlan.hasRowidKey || tablePlan.isLate($0) }.map { part in
        let value =
          tablePlan.hasRowidKey
          ? "\(followed.value) + \(tablePlan.keyOffset)"
          : "(SELECT z.n\(part) FROM \(dialect.temporary(tablePlan.map)) z WHERE z.seq = \(followed.value))"
        return "WHEN \(kind(ofKeyPart: part, in: tablePlan)) THEN \(value)"
      }
    }
    return "CASE \(followed.kind) WHEN 1 THEN \(followed.value) \(keyed.joined(separator: " ")) END"
  }
}

extension ClonePlan {
  /// The parameter that holds a value the request sets.
  package func setParameter(_ name: String) -> String {
    "set\((request.set.keys.sorted() + request.unset).firstIndex(of: name)!)"
  }
}
