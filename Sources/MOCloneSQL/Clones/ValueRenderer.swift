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
    let isValue = carried.kind == "1"
    // What may be the number of an object is no value of the column yet.
    let value =
      dialect.hasTypes && !isValue
      ? carried.value : taken(carried.value, slot: slot, by: column, of: node.entity)
    if isValue { return Followed(value: value, kind: "1") }
    let missing = fallback == .error ? "0" : "1"
    return Followed(
      value: "CASE WHEN \(carried.kind) = 0 THEN \(dialect.cast(own, Self.carriedType)) ELSE \(value) END",
      kind: "CASE WHEN \(carried.kind) = 0 THEN \(missing) ELSE \(carried.kind) END")
  }

  /// The value of a slot as the children of an object see it.
  func slot(_ slot: Int, in tablePlan: CloneTablePlan, alias: String) -> Followed {
    let choices = tablePlan.entities.map { entity in
      (entity, self.slot(slot, of: entity, in: tablePlan, alias: alias))
    }
    return Followed(
      value: pick(choices.map { ($0, $1.value) }, in: tablePlan, alias: alias),
      kind: pick(choices.map { ($0, $1.kind) }, in: tablePlan, alias: alias))
  }

  private func slot(_ slot: Int, of entity: String, in tablePlan: CloneTablePlan, alias: String) -> Followed {
    let followed = plan.slots[slot]
    guard plan.model.provides(followed, entity: entity) else {
      return tablePlan.slots.contains(slot)
        ? Followed(value: tablePlan.at(alias, "f\(slot)"), kind: tablePlan.at(alias, "h\(slot)"))
        : Followed(value: "NULL", kind: "0")
    }
    let column = mapping[entity].attributes[followed.attribute]!
    if let part = column.keyPart {
      return tablePlan.hasRowidKey || tablePlan.isLate(part)
        ? Followed(
          value: dialect.cast(tablePlan.at(alias, "seq"), Self.carriedType),
          kind: kind(ofKeyPart: part, in: tablePlan))
        : Followed(value: carried(tablePlan.at(alias, "n\(part)"), of: column, slot: slot), kind: "1")
    }
    guard let i = tablePlan.storedIndex(followed.attribute) else { return Followed(value: "NULL", kind: "0") }
    let value = carried(tablePlan.at(alias, "a\(i)"), of: column, slot: slot)
    return Followed(value: value, kind: tablePlan.stored[i].hasKind ? tablePlan.at(alias, "k\(i)") : "1")
  }

  /// A value by the entity of the object, where entities of the table plan differ.
  private func pick(_ choices: [(String, String)], in tablePlan: CloneTablePlan, alias: String) -> String {
    guard Set(choices.map(\.1)).count > 1 else { return choices[0].1 }
    let cases = choices.map { "WHEN \(tablePlan.entities.firstIndex(of: $0)!) THEN \($1)" }
    return "CASE \(tablePlan.at(alias, "entity")) \(cases.joined(separator: " ")) END"
  }

  /// The type in which values are carried where expressions have types.
  static let carriedType = "text"

  /// A value of a column as it is carried for a slot.
  private func carried(_ value: String, of column: AttributeColumn, slot: Int) -> String {
    dialect.hasTypes
      ? dialect.cast(value, Self.carriedType)
      : StorageForm(column).convert(value, to: form(of: slot), dialect: dialect)
  }

  /// What is carried for a slot, as the column of an entity takes it.
  private func taken(_ value: String, slot: Int, by column: AttributeColumn, of entity: String) -> String {
    dialect.hasTypes
      ? typed(value, column: column, of: entity)
      : form(of: slot).convert(value, to: StorageForm(column), dialect: dialect)
  }

  /// A value of a parameter, or one carried, as a column's type has it.
  private func typed(_ value: String, column: AttributeColumn, of entity: String) -> String {
    dialect.cast(value, as: layout.schema[mapping[entity].table]?.column(column.column))
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
    let column = mapping[node.entity].attributes[planned.attribute.name]!
    if tablePlan.isDirect, planned.rule.isCarried {
      return typed(resolved(followed(planned, of: node)), column: column, of: node.entity)
    }
    guard let i = tablePlan.storedIndex(planned.attribute.name) else {
      return value(planned, of: node, root: rootOfCopy)
    }
    return tablePlan.stored[i].hasKind
      ? typed(
        resolved(Followed(value: tablePlan.at("m", "a\(i)"), kind: tablePlan.at("m", "k\(i)"))),
        column: column,
        of: node.entity)
      : tablePlan.at("m", "a\(i)")
  }

  /// What an object without a map takes over from its parent `m`.
  func followed(_ planned: AttributePlan, of node: PlanNode) -> Followed {
    found(planned, of: node, parent: (layout.tablePlan(of: node.accessPath!.entity)!, "m"))
  }

  /// The root's row in its map: while the closure of a copy is found, and when the rows of all are written.
  private var rootSoFar: String { dialect.parameter("root") }
  private var rootOfCopy: String {
    layout.hasCopies
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
    case .exclude(let value):
      return typed(dialect.literal(StorageForm(column).stored(value)), column: column, of: node.entity)
    case .rebuild(let rebuild):
      let table = layout.schema[mapping[node.entity].table]
      return typed(rebuild.sql(in: column, of: table, dialect), column: column, of: node.entity)
    case .set:
      return typed(
        dialect.parameter(plan.setParameter(name, as: column, in: mapping)), column: column, of: node.entity)
    case .followParent(let slot, .root, _): return ofRoot(slot, as: column, of: node.entity, root: root)
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
    let tablePlan = layout.root
    let value = self.slot(slot, in: tablePlan, alias: "r")
    guard tablePlan.isLate(slot, in: layout) else { return nil }
    return Followed(value: dialect.cast(rootSoFar, Self.carriedType), kind: value.kind)
  }

  /// The root's value of a slot; of a single copy it is read once a statement.
  private func ofRoot(_ slot: Int, as column: AttributeColumn, of entity: String, root: String) -> String {
    let tablePlan = layout.root
    let value = resolved(self.slot(slot, in: tablePlan, alias: "r"))
    let row = From(dialect.temporary(tablePlan.map) + " r")
    let read = Select([value], from: row).where(.sql("r.seq = \(root)"))
    return taken(
      tablePlan.form == .row ? value : "(\(read.text(dialect)))", slot: slot, by: column, of: entity)
  }

  private func resolved(_ followed: Followed) -> String {
    if followed.kind == "1" { return followed.value }
    let number = dialect.cast(followed.value, "bigint")
    let keyed = layout.tablePlans.flatMap { tablePlan in
      tablePlan.keyColumns.indices.filter { tablePlan.hasRowidKey || tablePlan.isLate($0) }.map { part in
        let value =
          tablePlan.hasRowidKey
          ? "\(number) + \(tablePlan.keyOffset)"
          : "(SELECT z.n\(part) FROM \(dialect.temporary(tablePlan.map)) z WHERE z.seq = \(number))"
        return "WHEN \(kind(ofKeyPart: part, in: tablePlan)) THEN \(dialect.cast(value, Self.carriedType))"
      }
    }
    return "CASE \(followed.kind) WHEN 1 THEN \(followed.value) \(keyed.joined(separator: " ")) END"
  }
}

extension ClonePlan {
  /// The parameter that holds a value the request sets: of attributes of one name siblings may write each in its own way.
  func setParameter(_ name: String, as column: AttributeColumn, in mapping: SchemaMapping) -> String {
    let place = roots.firstIndex { mapping[$0.entity].attributes[name] == column }!
    return "\(setParameter(name))_\(place)"
  }

  /// What the parameters begin with that hold the key of a destination the request sets.
  func setParameter(_ relationship: RelationshipDescription) -> String {
    let place = model.entities.firstIndex { $0.name == relationship.entity }!
    return "\(setParameter(relationship.name))_\(place)_"
  }

  private func setParameter(_ name: String) -> String {
    "set\((request.set.keys.sorted() + request.unset).firstIndex(of: name)!)"
  }
}
