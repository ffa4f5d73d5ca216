import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// What keeps objects from being copied, found before anything is written.
struct CopyChecks {
  private let layout: CopyLayout
  private let states: [CopyState]
  private let statements: StatementRunner
  private var keys: CopyKeys { CopyKeys(layout: layout, states: states) }

  init(_ layout: CopyLayout, _ states: [CopyState], _ statements: StatementRunner) {
    self.layout = layout
    self.states = states
    self.statements = statements
  }

  /// - Throws: `CloneError` with everything that was found.
  func check() throws {
    var failures: [CloneError.Failure] = []
    for table in layout.tables {
      failures += try unknownEntities(table) + otherEntities(table) + unfitValues(table)
      for reference in layout.references(in: table) {
        failures += try leftEmpty(reference, table) + takenPartners(reference, table)
      }
    }
    if !failures.isEmpty { throw CloneError(failures) }
  }

  private func unknownEntities(_ table: CopyTable) throws -> [CloneError.Failure] {
    guard let discriminator = table.discriminator else { return [] }
    let column = SQL.column("s", discriminator)
    let known = table.entities.map { SQL.text(layout.mapping[$0].discriminator!.value) }
    return try statements.objects(
      table,
      "SELECT \(SQL.list(table.key("s") + [column])) "
        + keys.rows(table).and("(\(column) IS NULL OR \(column) NOT IN (\(SQL.list(known))))").sql
    ).map {
      .unknownDiscriminator(AttributeValue(raw: $1[table.map.key.count]), $0, column: discriminator)
    }
  }

  /// Values that a column of another type would turn into others.
  private func unfitValues(_ table: CopyTable) throws -> [CloneError.Failure] {
    try table.columnsOfOtherType(layout).flatMap { column -> [CloneError.Failure] in
      guard column.target.affinity != "TEXT", column.target.affinity != "BLOB" else { return [] }
      let value = SQL.column("s", column.source.name)
      let isChanged =
        column.attribute?.type == .decimal
        ? "moclone_decimal(CAST(\(value) AS NUMERIC)) IS NOT moclone_decimal(\(value))"
        : "\(value) GLOB '*[0-9]*' AND \(value) NOT GLOB '*[^0-9+.eE -]*'"
      let rows = CopyWrites(layout, states).newRows(table).and("typeof(\(value)) = 'text'", isChanged).sql
      return try statements.objects(table, "SELECT \(SQL.list(table.key("s") + [value])) \(rows)").map {
        object, row in
        .init(
          .storeMismatch,
          "'\(AttributeValue(raw: row[table.map.key.count]))' of \(object) would become a number: the column "
            + "'\(column.target.name)' is \(column.source.type) in the source and \(column.target.type) in the store; "
            + "give both one type", property: column.source.name, object: object)
      }
    }
  }

  /// Objects whose identity belongs to an object of another entity.
  private func otherEntities(_ table: CopyTable) throws -> [CloneError.Failure] {
    guard let discriminator = table.discriminator, states[table.index].hasMoved else { return [] }
    let (here, there) = (SQL.column("s", discriminator), SQL.column("t", discriminator))
    let found = CopyWrites(layout, states).foundPairs(table).and("\(here) <> \(there)").sql
    return try statements.objects(
      table, "SELECT \(SQL.list(table.key("s") + [here, there])) \(found)"
    ).map { object, row in
      let width = table.map.key.count
      return .init(
        .identityOfOtherEntity,
        "\(object) is marked '\(AttributeValue(raw: row[width]))' in the source, and the object of the same identity "
          + "'\(AttributeValue(raw: row[width + 1]))' in the store", object: object)
    }
  }

  /// New objects that lose what they require.
  private func leftEmpty(_ reference: CopyReference, _ table: CopyTable) throws -> [CloneError.Failure] {
    let destination = layout.tables[reference.destination]
    guard reference.isRequired, reference.isFormed, !keys.isTotal(destination) else { return [] }
    let isThere = reference.key.columns.map { "\(SQL.column("s", $0)) IS NOT NULL" }
    let rows = CopyWrites(layout, states).newRows(table)
      .and(isThere + ["\(keys.reference(reference, "s")[0]) IS NULL"]).and(layout.kind(reference, "s")).sql
    return try statements.objects(table, "SELECT \(SQL.list(table.key("s"))) \(rows)").map { object, _ in
      .init(
        .requiredLeftEmpty,
        "'\(reference.relationship.name)' of \(object) is required, and its destination is not copied: nothing "
          + "identifies it, or it does not exist", property: reference.relationship.name, object: object)
    }
  }

  /// Objects whose required partner has another one in the store.
  private func takenPartners(_ reference: CopyReference, _ table: CopyTable) throws -> [CloneError.Failure] {
    let destination = layout.tables[reference.destination]
    guard reference.isOneToOne, reference.isRequired, reference.isFormed,
      states[destination.index].hasMoved || destination.newKey == .parts
    else { return [] }
    let writes = CopyWrites(layout, states)
    var new = keys.reference(reference, "s")
    if let cut = layout.cut { new = cut.values(new, of: reference, layout) }
    let holds = SQL.equal(reference.key.columns.map { SQL.column("t", $0) }, new)
    func taken(_ rows: SourceRows, _ more: String) -> String {
      "SELECT \(SQL.list(table.key("s"))) "
        + rows.and("EXISTS (SELECT 1 FROM \(table.targetName) t WHERE \(holds)\(more))")
        .and(layout.kind(reference, "s")).sql
    }
    var objects = try statements.objects(table, taken(writes.newRows(table), ""))
    let isKey = reference.key.columns.contains { table.map.keyPart(of: $0) != nil }
    if layout.rules.overwrites, !isKey, states[table.index].hasMoved {
      let own = SQL.equal(table.key("t"), table.new("m"))
      objects += try statements.objects(table, taken(writes.foundRows(table), " AND NOT (\(own))"))
    }
    return objects.map { .takenPartner(reference.relationship, of: $0.0) }
  }
}

extension StatementRunner {
  /// The first objects whose keys a query selects, with their rows.
  func objects(_ table: CopyTable, _ sql: String) throws -> [(ObjectID, Row)] {
    let coding = KeyCoding(entity: table.map)
    return try rows(sql + " LIMIT 20").map { (ObjectID(table.root, key: coding.decode($0, from: 0)), $0) }
  }
}
