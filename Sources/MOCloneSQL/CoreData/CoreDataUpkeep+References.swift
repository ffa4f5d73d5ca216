import MOCloneModel

// What Core Data keeps of references: the second foreign key of a one-to-one relationship, and the entity of a destination
// that has sub-entities.
extension CoreDataUpkeep {
  func mirrors(in table: TablePlan) -> [CoreDataMapping.Mirror] {
    coreData.mirrors.filter { mirror in
      store.hasObjects(of: mirror.entity) && store.hasObjects(of: mirror.key.entity)
        && store.table(of: mirror.entity) == table && table.schema.column(mirror.column) != nil
    }
  }

  /// Sets the second foreign keys of the rows that a noted row leads to, or led to, or that are noted themselves.
  func settle(_ mirror: CoreDataMapping.Mirror, in table: TablePlan) -> [String] {
    let owners = store.table(of: mirror.key.entity)
    let column = dialect.column("t", mirror.column)
    let reference = dialect.column("o", mirror.key.columns[0])
    let owner = Select(owners.key("o"), from: owners.rows("o"))
      .where(.equal([reference], table.key("t")) && store.isKind(mirror.key.entity, alias: "o")).limited(
        to: 1)
    let value = "(\(owner.text(dialect)))"
    let every = noted(owners, condition: .always)
    let led = Select([reference], from: owners.rows("o")).where(
      .among(owners.key("o"), query: every, dialect: dialect))
    let left = Select(["b." + dialect.name(key(of: table))], from: table.rows("b"))
      .where(.among([dialect.column("b", mirror.column)], query: every, dialect: dialect))
    let key = table.key("t")[0]
    let isMeant =
      [noted(table), led, left].map { .among([key], query: $0, dialect: dialect) }.any
      && store.isKind(mirror.entity, alias: "t") && dialect.different(column, value)
    let isNoted = noted(table, condition: .always).where(.equal(["n.pk"], [key]))
    let changed = Select(["\(table.index)", key, "\(Kind.changed.rawValue)"], from: table.rows("t"))
      .where(isMeant && !.exists(isNoted, dialect))
    return [
      Insert(into: dialect.temporary(Self.notes), ["t", "pk", "kind"], rows: changed.text(dialect)).text(
        dialect),
      Update("\(table.sql) AS t", assignments: [(dialect.name(mirror.column), value)]).where(isMeant).text(
        dialect),
    ]
  }

  /// A column with the entity of what a foreign key leads to.
  struct EntityColumn {
    var column: String
    var key: String
    var destination: TablePlan
  }

  /// `Z4_OWNER` beside `ZOWNER`, whatever its number: the store says where there is one.
  func entityColumns(of table: TablePlan) -> [EntityColumn] {
    let keys =
      store.references(in: table).map { ($0.key.columns[0], $0.key.destination) }
      + mirrors(in: table).map { ($0.column, $0.key.entity) }
    return keys.compactMap { key, destination in
      guard let column = table.schema.entityColumn(beside: key), store.hasObjects(of: destination) else {
        return nil
      }
      let target = store.table(of: destination)
      guard target.schema.column(CoreDataMapping.entityColumn) != nil else { return nil }
      return EntityColumn(column: column, key: key, destination: target)
    }
  }

  func settle(_ column: EntityColumn, in table: TablePlan) -> String {
    let entity = Select(
      [dialect.column("d", CoreDataMapping.entityColumn)], from: column.destination.rows("d")
    ).where(.equal(column.destination.key("d"), [dialect.column("t", column.key)]))
    let value = "(\(entity.text(dialect)))"
    return Update("\(table.sql) AS t", assignments: [(dialect.name(column.column), value)])
      .where(
        .among(table.key("t"), query: noted(table), dialect: dialect)
          && dialect.different(dialect.column("t", column.column), value)
      ).text(dialect)
  }
}

extension TableSchema {
  /// The column with the entity of what a foreign key leads to, such as `Z4_OWNER` beside `ZOWNER`.
  package func entityColumn(beside key: String) -> String? {
    guard key.uppercased().hasPrefix("Z") else { return nil }
    let name = "_" + key.dropFirst().uppercased()
    return columns.map(\.name).first { column in
      let text = column.uppercased()
      guard text.hasPrefix("Z"), text.hasSuffix(name) else { return false }
      let number = text.dropFirst().dropLast(name.count)
      return !number.isEmpty && number.allSatisfy { ("0"..."9").contains($0) }
    }
  }
}
