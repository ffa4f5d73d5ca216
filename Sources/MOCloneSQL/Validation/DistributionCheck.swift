import MOCloneEngine
import MOCloneModel

/// Whether the rows of one clone lie together where tables are distributed over machines by the values of a column.
///
/// The rules are those of databases that keep the rows with one value of a column on one machine: each table has the column
/// in its key, each join names it, and a clone has its original's value. They are applied to the plan and the mapping; nothing
/// is run.
package struct DistributionCheck: Sendable {
  /// A table that a clone reads or writes.
  package struct Table: Sendable, Equatable {
    package enum Role: String, Sendable {
      case cloned, linked
      /// The name in JSON is that of the first version.
      case joinRows = "pairs"

      /// The role as people read it.
      package var words: String { self == .joinRows ? "join rows" : rawValue }
    }

    package let name: String
    package let role: Role
    package fileprivate(set) var hasColumn: Bool
    /// Whether rows are found with the column named; true of join tables that have it.
    package fileprivate(set) var hasKey: Bool
    /// Why a clone's value can be another one than its original's; nil where it cannot.
    package fileprivate(set) var change: String?

    /// Whether the table keeps the clone from staying on one machine. One that is only linked to may be a copy on all of them.
    package var isBreaking: Bool { role != .linked && (!hasColumn || !hasKey || change != nil) }
  }

  /// Rows of two tables that are found by each other.
  package struct Join: Sendable, Equatable {
    /// As in `Note.items`.
    package let relationship: String
    package let from: String
    package let to: String
    /// The columns by which they are joined.
    package let columns: [String]
    package let namesColumn: Bool
  }

  package let column: String
  package private(set) var tables: [Table] = []
  package private(set) var joins: [Join] = []

  /// - Parameter schema: what the store says of its tables, where there is one.
  /// - Throws: `CloneError` (`unknown-name`) where no table of the plan has the column.
  package init(_ plan: ClonePlan, mapping: SchemaMapping, in schema: StoreSchema?, column: String) throws {
    self.column = column
    let rows = DistributedRows(mapping: mapping, schema: schema, column: column)
    for node in plan.nodes { add(rows.table(of: node)) }
    for node in plan.nodes {
      for planned in node.relationships where planned.rule.asks {
        for (table, join) in rows.joins(of: planned, at: node) {
          if let table { add(table) }
          if let join, !joins.contains(join) { joins.append(join) }
        }
      }
    }
    guard tables.contains(where: \.hasColumn) else { throw rows.unknown(tables.map(\.name)) }
  }

  /// Whether all rows of a clone are where those of its original are.
  package var staysTogether: Bool {
    !tables.contains(where: \.isBreaking) && joins.allSatisfy(\.namesColumn)
  }

  private mutating func add(_ table: Table) {
    guard let known = tables.firstIndex(where: { $0.name.sqlName == table.name.sqlName }) else {
      return tables.append(table)
    }
    if tables[known].role == .linked, table.role != .linked { tables[known] = table }
    if tables[known].change == nil, table.role != .linked { tables[known].change = table.change }
  }
}

/// What the mapping says of the rows of a plan.
private struct DistributedRows {
  let mapping: SchemaMapping
  let schema: StoreSchema?
  let column: String

  typealias Table = DistributionCheck.Table
  typealias Join = DistributionCheck.Join

  private func has(_ table: String) -> Bool {
    schema?[table]?.column(column) != nil
      || mapping.namedColumns[table.sqlName]?.contains(column.sqlName) == true
  }

  private func names(_ columns: [String]) -> Bool { columns.contains { $0.sqlName == column.sqlName } }

  func table(of node: PlanNode) -> Table {
    let entity = mapping[node.entity]
    return Table(
      name: entity.table, role: .cloned, hasColumn: has(entity.table), hasKey: names(entity.keyColumns),
      change: change(at: node, entity))
  }

  /// What gives the column of a clone another value than the original has.
  private func change(at node: PlanNode, _ entity: EntityMapping) -> String? {
    if let part = entity.keyPart(of: column), entity.key[part].source.isNew {
      return "the key of \(node.entity) is new"
    }
    for planned in node.attributes where entity.holds(planned.attribute.name, in: column) {
      switch planned.rule {
      case .copy, .key: continue
      case .exclude, .rebuild, .followParent, .set:
        return "'\(planned.attribute.name)' of \(node.entity) is not copied"
      }
    }
    return nil
  }

  /// What a relationship needs: the table that it leads to, if it is no cloned one, and how its rows are found.
  func joins(of planned: RelationshipPlan, at node: PlanNode) -> [(Table?, Join?)] {
    let relationship = planned.relationship
    let name = "\(relationship.entity).\(relationship.name)"
    let table = mapping[node.entity].table
    let destination = mapping[relationship.destination]
    let linked = planned.rule == .link ? self.linked(destination) : nil
    switch mapping[node.entity].relationships[relationship.name] {
    case .foreignKey where planned.rule == .link && !has(destination.table):
      // A link is copied with its row; the database checks it.
      return [(linked, nil)]
    case .foreignKey(let key), .inverseForeignKey(let key):
      return [
        (
          linked,
          join(name, from: table, to: destination.table, columns: key.columns, references: key.references)
        )
      ]
    case .join(let pairs):
      let pairsTable = Table(
        name: pairs.table, role: .joinRows, hasColumn: has(pairs.table), hasKey: has(pairs.table), change: nil
      )
      let ends = [
        (
          pairsTable as Table?,
          join(name, from: table, to: pairs.table, columns: pairs.columns, references: pairs.references)
        )
      ]
      if planned.rule == .link, !has(destination.table) { return ends + [(linked, nil)] }
      return ends + [
        (
          linked,
          join(
            name, from: pairs.table, to: destination.table, columns: pairs.destinationColumns,
            references: pairs.destinationReferences)
        )
      ]
    case nil: return []
    }
  }

  private func linked(_ destination: EntityMapping) -> Table {
    Table(
      name: destination.table, role: .linked, hasColumn: has(destination.table),
      hasKey: names(destination.keyColumns), change: nil)
  }

  private func join(
    _ relationship: String, from: String, to: String, columns: [String], references: [String]
  ) -> Join {
    let isNamed = zip(columns, references).contains { names([$0]) && names([$1]) }
    return Join(relationship: relationship, from: from, to: to, columns: columns, namesColumn: isNamed)
  }

  func unknown(_ tables: [String]) -> CloneError {
    let columns = tables.flatMap { table in
      schema?[table]?.columns.map(\.name) ?? Array(mapping.namedColumns[table.sqlName] ?? [])
    }
    let names = tables.map { "'\($0)'" }.joined(separator: ", ")
    return CloneError(
      .unknownName, "no table of the plan has a column '\(column)' (\(names))",
      help: didYouMean(column, known: columns.uniqued()))
  }
}
