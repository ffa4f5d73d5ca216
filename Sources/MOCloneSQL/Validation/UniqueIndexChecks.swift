import MOCloneModel

/// Unique indexes that a clone would collide with, and constraints that nothing enforces.
extension StoreValidator {
  /// What the model knows to be unique is judged without the database.
  func uniqueColumnsAreRenewed() -> [Diagnostic] {
    let accessPaths = accessPaths
    return homes.flatMap { root, table -> [Diagnostic] in
      let known = constraints(of: root.name).map { Set($0.columns.map(\.sqlName)) }
      return table.indexes.filter { repeats($0, in: table, known: known) }.map { index in
        // An error where no clone that comes this way can be written, and nobody can give another value.
        let fails =
          accessPaths.contains(root.name) && index.isUnique && index.isTotal(in: table)
          && !index.compared(in: table).contains { isPartOfReference($0, in: table) }
        return .unknownUnique(index, table: table, entity: root.name, severity: fails ? .error : .warning)
      }
    } + pairsThatAreUnique()
  }

  private func repeats(_ index: IndexSchema, in table: TableSchema, known: [Set<String>]) -> Bool {
    guard index.isUnique || index.isExclusion, !index.isPrimaryKey else { return false }
    if index.isOfAllValues, let names = index.names, known.contains(Set(names)) { return false }
    var found: [[String]: Bool] = [:]
    return !index.compared(in: table).contains { isRenewed($0, in: table, &found) }
  }

  /// Whether a column holds what the object that it references may be given by `--set`.
  private func isPartOfReference(_ column: String, in table: TableSchema) -> Bool {
    uses[table.name, column].contains { use in
      if case .reference(let reference) = use { reference.key.columns.count > 1 } else { false }
    }
  }

  /// Root entities whose objects a clone reaches from others.
  private var accessPaths: Set<String> {
    let cloning = model.entities.flatMap(\.relationships).filter(clones)
    return Set(cloning.map { model.rootEntity(of: $0.destination) })
  }

  /// - Parameter found: what is known of columns, by table; references may come back to one of them.
  private func isRenewed(_ column: String, in table: TableSchema, _ found: inout [[String]: Bool]) -> Bool {
    let uses = uses[table.name, column]
    if uses.isEmpty {
      // A number that the database counts is counted again.
      return model.store.unmapped == .default || table.column(column)?.isGenerated == true
        || table.countsItself(column)
    }
    let place = [table.name.sqlName, column.sqlName]
    if let known = found[place] { return known }
    found[place] = false
    let answer = uses.contains { isRenewed($0, column, &found) }
    found[place] = answer
    return answer
  }

  private func isRenewed(_ use: ColumnUses.Use, _ column: String, _ found: inout [[String]: Bool]) -> Bool {
    switch use {
    case .key(let source, _):
      switch source {
      case .copied, .relationship: return false
      case .rowid, .max, .automatic, .uuid, .given: return true
      }
    case .attribute(let attribute): return attribute.isKeptByTriggers || hasRule(attribute)
    case .reference(let reference):
      guard let forward = reference.forward else { return true }
      if annotations(forward.userInfo).isExcluded { return true }
      let isOfClone = clones(forward) || reference.backward.map(clones) == true
      return isOfClone && !isSame(column, of: reference, &found)
    case .order, .joinRow: return true
    case .discriminator: return false
    }
  }

  /// Whether a column references what the destination and its clone have in common, beside what tells them apart.
  private func isSame(_ column: String, of reference: RowReference, _ found: inout [[String]: Bool]) -> Bool {
    let key = reference.key
    guard key.columns.count > 1, let destination = schema[mapping[key.destination].table] else {
      return false
    }
    let renewed = zip(key.columns, key.references).filter { isRenewed($1, in: destination, &found) }
    return !renewed.isEmpty && !renewed.contains { $0.0.sqlName == column.sqlName }
  }

  /// Unique indexes of join tables whose columns hold the same again where a clone gets such rows: objects that are linked
  /// again, and what the rows hold beside.
  private func pairsThatAreUnique() -> [Diagnostic] {
    joins.flatMap { relationship, join, table -> [Diagnostic] in
      let ends = join.columns + join.destinationColumns
      if annotations(relationship.userInfo).isExcluded || ends.contains(where: { table.column($0) == nil }) {
        return []
      }
      let linked: Set<String> = clones(relationship) ? [] : Set(join.destinationColumns.map(\.sqlName))
      let copied = Set(JoinExtras(table, model: model, mapping: mapping).copied.map(\.sqlName))
      return table.indexes.compactMap { index -> Diagnostic? in
        let columns = index.compared(in: table)
        guard index.isUnique || index.isExclusion, !columns.isEmpty,
          columns.isSubset(of: linked.union(copied))
        else { return nil }
        return .uniqueJoinColumns(
          index, table: table, relationship: relationship, areLinks: !columns.isDisjoint(with: linked))
      }
    }
  }

  /// The join tables, once for each relationship.
  package var joins: [(RelationshipDescription, JoinTableMapping, TableSchema)] {
    mapping.joins(of: model).compactMap { relationship, join in
      schema[join.table].map { (relationship, join, $0) }
    }
  }

  // MARK: Constraints of the model

  private func constraints(of root: String) -> [(entity: String, names: [String], columns: [String])] {
    families[root, default: []].flatMap { entity in
      entity.uniquenessConstraints.map { names in
        (entity.name, names, names.flatMap(mapping[entity.name].columns))
      }
    }
  }

  /// The discriminator of a sub-entity whose objects all have one value there: unique among these is what is unique beside
  /// that.
  private func kind(of entity: String) -> [String] {
    guard model.entity(entity)?.parent != nil, model.concreteEntities(of: entity).count == 1 else {
      return []
    }
    return [mapping[entity].discriminator?.column].compactMap { $0 }
  }

  func constraintsAreUnique() -> [Diagnostic] {
    homes.flatMap { root, table in
      constraints(of: root.name).compactMap { entity, names, own -> Diagnostic? in
        let columns = kind(of: entity) + own
        let wanted = Set(columns.map(\.sqlName))
        guard !own.isEmpty, columns.allSatisfy({ table.column($0) != nil }) else { return nil }
        let isKept =
          table.isUnique(columns)
          || table.indexes.contains { index in
            index.isUnique && index.names.map { Set($0).isSubset(of: wanted) } == true
              && index.holdsAll(columns)
          }
        return isKept
          ? nil : .missingUnique(names, of: entity, table: table, columns: columns, dialect: dialect)
      }
    }
  }
}

extension IndexSchema {
  /// The columns in lower case; nil where one is an expression.
  fileprivate var names: [String]? {
    columns.allSatisfy { $0.name != nil } ? columns.compactMap { $0.name?.sqlName } : nil
  }

  /// Whether two rows with the same values always collide: no null, and no row left out.
  fileprivate func isTotal(in table: TableSchema) -> Bool {
    condition == nil && names?.allSatisfy { table.column($0)?.isRequired ?? false } == true
  }

  fileprivate var kind: String { isExclusion ? "exclusion constraint" : "unique index" }

  fileprivate var text: String {
    columns.map(\.text).joined(separator: ", ") + (condition.map { " WHERE \($0)" } ?? "")
  }
}

extension Diagnostic {
  fileprivate static func unknownUnique(
    _ index: IndexSchema, table: TableSchema, entity: String, severity: Severity
  ) -> Diagnostic {
    let renewing = (RebuildRule.uniqueAnnotations + ["exclude"]).map { "'\($0)'" }.alternatives
    return Diagnostic(
      .unknownUnique, severity, at: .entity(entity),
      "The table '\(table.name)' has the \(index.kind) '\(index.name)' on (\(index.text)), which is not in the model. "
        + "Cloning \(entity.withArticle) will violate this \(index.isExclusion ? "constraint" : "index"), because its columns are copied unchanged.",
      help: "annotate an attribute of the index with \(renewing), and add it to "
        + "'uniquenessConstraints' if the index covers every row")
  }

  /// - Parameter areLinks: whether the index reads keys of objects that are linked again.
  fileprivate static func uniqueJoinColumns(
    _ index: IndexSchema, table: TableSchema, relationship: RelationshipDescription, areLinks: Bool
  ) -> Diagnostic {
    Diagnostic(
      .unknownUnique, .warning, at: .relationship(relationship),
      "the join table '\(table.name)' has the \(index.kind) '\(index.name)' on (\(index.text)), which refuses the rows that a "
        + "clone gets over '\(relationship.qualifiedName)', because these hold the same there as the original's",
      help: areLinks
        ? "write 'userInfo: {onClone: clone}' or 'exclude' there, or drop the index"
        : "write 'userInfo: {exclude: \"\"}' there, or drop the index")
  }

  fileprivate static func missingUnique(
    _ names: [String], of entity: String, table: TableSchema, columns: [String], dialect: Dialect
  ) -> Diagnostic {
    let place = ModelPath.entity(entity) / "uniquenessConstraints"
    let problem =
      "the database has no unique index on \(names.map { "'\(entity).\($0)'" }.joined(separator: " and "))"
    let own = Set(columns.map(\.sqlName))
    let parts = table.partitionKey.filter { part in part.map { !own.contains($0.sqlName) } ?? true }
    guard parts.isEmpty else {
      let needed = parts.map { part in part.map { "'\($0)'" } ?? "an expression" }.joined(separator: " and ")
      return Diagnostic(
        .missingUnique, at: place,
        "\(problem), and the table '\(table.name)' can have none, because a unique index has to hold the columns that a "
          + "table is partitioned by, here \(needed)",
        help: parts.contains(nil)
          ? nil
          : "add what is in \(needed) to the constraint, if objects of different partitions may have the same values"
      )
    }
    let list = (columns.compactMap { table.column($0)?.name }.map(dialect.name)).list
    let name = dialect.name("\(table.name)_unique_" + columns.joined(separator: "_"))
    return Diagnostic(
      .missingUnique, at: place, problem,
      help: "CREATE UNIQUE INDEX \(name) ON \(dialect.newTable(table.name)) (\(list))")
  }
}
