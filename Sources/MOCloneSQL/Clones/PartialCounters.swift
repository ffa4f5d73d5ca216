import MOCloneEngine
import MOCloneModel

/// Numbers in which triggers count members that the clones lack.
///
/// A copied counter is right as long as a clone has the members of its original. Where a relationship to them is excluded,
/// or only those come that led to the clone, the original's value would count what is not there, and no trigger takes it
/// back. What a trigger would have counted for the copies alone is the blank value and one step for each row that it
/// sees: so the column begins blank, and is left to the triggers. Members can come by another way, though, as the entries
/// of an account with the transactions that they belong to: where a clone has as many as its original in the end, it gets
/// the original's value, which may have begun with another one than what the triggers know of.
///
/// Where all members come, a column that triggers read as they count begins with its default as well, and gets the
/// original's value again if what is counted is another one (`TriggeredColumns`).
struct PartialCounters {
  let layout: CloneLayout

  /// What clones have in a column before triggers count their members; nil where the original's value is theirs.
  func start(_ column: String, of variant: Variant, in tablePlan: CloneTablePlan) -> AttributeValue? {
    guard let attribute = number(in: column, of: variant, in: tablePlan)?.attribute else { return nil }
    guard isPartial(column, of: variant, in: tablePlan) else {
      return isBegun(column, in: tablePlan) ? attribute.defaultValue : nil
    }
    // A number without a default is counted from 0.
    guard attribute.blank == .null, !attribute.isOptional else { return attribute.blank }
    return attribute.type.value(from: "0")
  }

  /// Whether clones `c` have the value of their originals `s` when all is counted, although they begin with another one.
  func isWhole(_ column: String, of variant: Variant, in tablePlan: CloneTablePlan) -> Condition {
    guard let planned = number(in: column, of: variant, in: tablePlan), planned.rule == .copy else {
      return .never
    }
    guard isPartial(column, of: variant, in: tablePlan) else {
      return isBegun(column, in: tablePlan) && planned.attribute.defaultValue != nil ? .always : .never
    }
    let (nodes, table) = (tablePlan.nodes(of: variant), tablePlan.table.name)
    guard !nodes.contains(where: { countsLeftOut(column, node: $0, in: table) }) else { return .never }
    return nodes.flatMap { lacking(column, node: $0, in: table) }.uniqued().map(haveAll).all
  }

  /// Whether a clone `c` has as many members as its original `s`; they are counted only where an index finds them.
  private func haveAll(_ members: Members) -> Condition {
    guard layout.schema[members.table]?.hasIndex(members.columns) == true else { return .never }
    let dialect = layout.dialect
    func count(_ owner: String) -> String {
      let own = Condition.equal(
        dialect.columns(owner, members.references), dialect.columns("r", members.columns))
      let rows = Select(["count(*)"], from: From("\(dialect.table(members.table)) r")).where(own)
      return "(\(rows.text(dialect)))"
    }
    return .equal([count("c")], [count("s")])
  }

  private func number(
    in column: String, of variant: Variant, in tablePlan: CloneTablePlan
  ) -> AttributePlan? {
    tablePlan.nodes(of: variant).first?.attributes.first { planned in
      planned.attribute.type.isNumber
        && layout.mapping[variant.entity].holds(planned.attribute.name, in: column)
    }
  }

  private func isPartial(_ column: String, of variant: Variant, in tablePlan: CloneTablePlan) -> Bool {
    tablePlan.nodes(of: variant).allSatisfy { isPartial(column, node: $0, in: tablePlan.table.name) }
  }

  private func isBegun(_ column: String, in tablePlan: CloneTablePlan) -> Bool {
    !tablePlan.isDirect && layout.begun[tablePlan.table.name.sqlName]?.contains(column.sqlName) == true
  }

  /// Whether the database's own default begins to count in a column that the model does not name.
  func isLeftOut(_ column: ColumnSchema, in tablePlan: CloneTablePlan) -> Bool {
    ["INTEGER", "REAL", "NUMERIC"].contains(column.affinity) && (column.hasDefault || !column.isRequired)
      && tablePlan.nodes.allSatisfy { isPartial(column.name, node: $0, in: tablePlan.table.name) }
  }

  private func isPartial(_ column: String, node: PlanNode, in table: String) -> Bool {
    !lacking(column, node: node, in: table).isEmpty || countsLeftOut(column, node: node, in: table)
  }

  /// The members that the column counts and that need not come with the clone.
  private func lacking(_ column: String, node: PlanNode, in table: String) -> [Members] {
    node.relationships.compactMap { planned in
      guard !planned.rule.copiesAll(of: planned.relationship, layout),
        let members = members(planned.relationship, of: node),
        counts(members.table, by: members.columns, column: column, in: table)
      else { return nil }
      return members
    }
  }

  /// Whether the column counts what is further below and left out, as the comments of a project's tasks.
  private func countsLeftOut(_ column: String, node: PlanNode, in table: String) -> Bool {
    guard layout.plan.excludes else { return false }
    let own = node.relationships.compactMap { members($0.relationship, of: node)?.table.sqlName }
    let counted = layout.schema.names.filter {
      !own.contains($0.sqlName) && $0.sqlName != table.sqlName
        && counts($0, by: [], column: column, in: table)
    }
    guard !counted.isEmpty else { return false }
    let nodes = layout.plan.nodes(from: node)
    let lacking = layout.plan.entitiesLeftOut(at: nodes).subtracting(nodes.map(\.entity))
    return lacking.contains { entity in
      let left = layout.mapping.entities[entity]?.table.sqlName
      return counted.contains { $0.sqlName == left }
    }
  }

  /// The table whose rows are the members of a list, the columns by which they belong to it, and those of the owner that
  /// these refer to.
  private struct Members: Hashable {
    var table: String
    var columns: [String]
    var references: [String]
  }

  private func members(_ relationship: RelationshipDescription, of node: PlanNode) -> Members? {
    switch layout.mapping[node.entity].relationships[relationship.name] {
    case .inverseForeignKey(let key):
      Members(
        table: layout.mapping[key.entity].table, columns: key.columns, references: key.references)
    case .join(let join):
      Members(table: join.table, columns: join.columns, references: join.references)
    case .foreignKey, nil: nil
    }
  }

  /// Whether a trigger that a new member runs changes the column in the row that the member belongs to.
  ///
  /// - Parameter columns: those that lead there; none where others are on the way.
  private func counts(_ members: String, by columns: [String], column: String, in table: String) -> Bool {
    let own = Set(columns.map(\.sqlName))
    return layout.updatesByInserts[members.sqlName, default: []].contains { update in
      update.table.sqlName == table.sqlName && update.counted.contains(column.sqlName)
        && (own.isEmpty || update.chosenBy.isEmpty || !own.isDisjoint(with: update.chosenBy))
    }
  }
}

extension RelationshipRule {
  /// Whether a clone has a member for each one of its original.
  fileprivate func copiesAll(of relationship: RelationshipDescription, _ layout: CloneLayout) -> Bool {
    switch self {
    case .clone: true
    case .link: layout.mapping.join(of: relationship) != nil
    case .incoming, .exclude: false
    }
  }
}
