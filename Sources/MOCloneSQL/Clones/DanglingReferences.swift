import MOCloneEngine
import MOCloneModel

/// References to numbers that no row has yet: strangers would refer to a clone that got such a number.
///
/// SQLite enforces foreign keys only where a connection asks for it, and gives the numbers of deleted rows again. So
/// the numbers of new keys pass over those that some row refers to.
///
/// ```sql
/// SELECT EXISTS (SELECT 1 FROM main."item" s WHERE s."note_id" > :keyOffset0)
/// ```
package struct DanglingReferences {
  let layout: CloneLayout
  private let followed: Set<String>
  /// What refers to the rows of each root entity: foreign keys, and the near ends of join tables.
  private let references: [String: [RowReference]]
  private let joins: [String: [(relationship: RelationshipDescription, join: JoinTableMapping)]]
  /// The foreign keys that the store declares, by the table that they reference, as SQL compares names.
  private let declaredKeys: [String: [(table: TableSchema, key: ForeignKeySchema)]]

  package init(layout: CloneLayout) {
    self.layout = layout
    let model = layout.plan.model
    followed = layout.plan.askedNames
    references = Dictionary(grouping: RowReference.all(model: model, mapping: layout.mapping)) {
      model.rootEntity(of: $0.key.destination)
    }
    joins = Dictionary(grouping: layout.mapping.joins(of: model)) {
      model.rootEntity(of: $0.relationship.entity)
    }
    let keys = layout.schema.names.compactMap { layout.schema[$0] }.flatMap { table in
      table.foreignKeys.map { (table: table, key: $0) }
    }
    declaredKeys = Dictionary(grouping: keys) { $0.key.table.sqlName }
  }

  /// A column that refers to the keys of a table plan.
  private struct Source: Equatable {
    var rows: From
    var column: String
    /// Leaves out rows in which the column refers to something else.
    var condition = Condition.always
    /// Whether numbers compare there as in the key, so that an index serves.
    package var comparesAsKey: Bool
    package var isOfClosure = false
    package var number: String { "CAST(\(column) AS INTEGER)" }
  }

  /// Find out whether some row of the store may refer to a number above the greatest key of a table plan; run before the
  /// closure is found. None where no key is counted.
  package var probes: [String] { probes { !$0.isOfClosure } }

  /// The same of the originals' rows, for columns in which a search would read a whole table.
  package var closureProbes: [String] { probes(where: \.isOfClosure) }

  private func probes(where isIncluded: (Source) -> Bool) -> [String] {
    let found = layout.tablePlans.filter(\.isCounted).flatMap { tablePlan in
      sources(of: tablePlan).filter(isIncluded).map { source in
        let number = source.comparesAsKey ? source.column : source.number
        let isAbove = Condition.sql("\(number) > \(tablePlan.keyOffset)") && source.condition
        return Condition.exists(in: source.rows, where: isAbove, layout.dialect).text
      }
    }
    return found.inGroups(of: Union.fewParts).map { "SELECT " + $0.joined(separator: " OR ") }
  }

  /// Select the greatest numbers among the next `:made` ones of a table plan that some rows refer to.
  package func greatest(_ tablePlan: CloneTablePlan) -> [String] {
    guard tablePlan.isCounted else { return [] }
    let found = sources(of: tablePlan).map { source in
      let made = layout.dialect.parameter("made")
      return Select(["max(\(source.number)) AS number"], from: source.rows).where(
        .sql("\(source.number) BETWEEN \(tablePlan.keyOffset) + 1 AND \(tablePlan.keyOffset) + \(made)")
      ).where(source.condition)
    }
    return found.inGroups(of: Union.fewParts).map { parts in
      Select(["max(number)"], from: From(Union(parts: parts), as: "x", dialect: layout.dialect))
        .text(layout.dialect)
    }
  }

  private func sources(of tablePlan: CloneTablePlan) -> [Source] {
    var found: [Source] = []
    for source in mapped(tablePlan) + joinRows(tablePlan) + declared(tablePlan) where !found.contains(source)
    {
      found.append(source)
    }
    return found
  }

  private func refersToKey(_ columns: [String], in tablePlan: CloneTablePlan) -> Bool {
    columns.map(\.sqlName) == tablePlan.keyColumns.map(\.name.sqlName)
  }

  private func mapped(_ tablePlan: CloneTablePlan) -> [Source] {
    (references[tablePlan.name] ?? []).compactMap { reference in
      guard refersToKey(reference.key.references, in: tablePlan) else { return nil }
      var source = source(
        reference.key.columns[0], of: layout.mapping[reference.key.entity].table, followed: reference.backward
      )
      source?.condition = layout.holders.condition(reference.key, alias: "s")
      return source
    }
  }

  private func joinRows(_ tablePlan: CloneTablePlan) -> [Source] {
    (joins[tablePlan.name] ?? []).compactMap { relationship, join in
      guard refersToKey(join.references, in: tablePlan) else { return nil }
      return source(join.columns[0], of: join.table, followed: relationship)
    }
  }

  /// Those that only the store knows.
  private func declared(_ tablePlan: CloneTablePlan) -> [Source] {
    (declaredKeys[tablePlan.table.name.sqlName] ?? []).compactMap { table, key in
      guard refersToKey(key.references(in: tablePlan.table), in: tablePlan) else { return nil }
      return source(key.columns[0], of: table.name, followed: nil)
    }
  }

  /// Every row is looked at where an index serves, or where the closure reads the whole table; else the originals.
  private func source(_ column: String, of table: String, followed: RelationshipDescription?) -> Source? {
    guard let table = layout.schema[table], let affinity = table.column(column)?.affinity else { return nil }
    let source = Source(
      rows: From("\(layout.dialect.table(table.name)) s"), column: layout.dialect.column("s", column),
      comparesAsKey: affinity != "TEXT")
    let isIndexed = table.indexes.contains {
      $0.columns.first?.name?.sqlName == column.sqlName && $0.holdsAll([column])
    }
    let isFollowed = followed.map { self.followed.contains($0.qualifiedName) } ?? false
    if isFollowed || (isIndexed && source.comparesAsKey) { return source }
    guard let tablePlan = layout.tablePlans.first(where: { $0.table.name == table.name }) else { return nil }
    return Source(
      rows: layout.rows(of: tablePlan), column: source.column, comparesAsKey: source.comparesAsKey,
      isOfClosure: true)
  }
}
