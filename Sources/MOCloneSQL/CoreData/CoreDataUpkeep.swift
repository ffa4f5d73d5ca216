import MOCloneModel

/// The statements that keep what Core Data keeps beside the columns of the model: versions of rows, the greatest keys, the
/// entities of destinations, the second foreign keys of one-to-one relationships, the second rows of pairs of equals.
///
/// Temporary triggers note which rows a run inserts, changes and deletes; what follows from that is written at its end, for
/// all rows at once, whatever the run was.
///
/// ```sql
/// UPDATE main."ZNOTE" AS t SET "Z_OPT" = CASE (SELECT ...) WHEN 1 THEN 1 ELSE coalesce(t."Z_OPT", 0) + 1 END
///   WHERE t."Z_PK" IN (SELECT n.pk FROM temp."moclone_core_data" n WHERE n.t = 0 AND n.kind >= 0)
/// ```
package struct CoreDataUpkeep: Sendable {
  let store: StoreLayout
  let coreData: CoreDataMapping
  var dialect: Dialect { store.dialect }

  /// - Returns: nil where tables are not named as Core Data does.
  package init?(_ store: StoreLayout) {
    guard let coreData = store.mapping.coreData else { return nil }
    self.store = store
    self.coreData = coreData
  }

  /// What became of a row.
  package enum Kind: Int {
    case deleted = -1
    case changed, inserted
  }

  static let notes = "moclone_core_data"

  // MARK: Noting rows

  /// The statements that begin to note rows.
  package var begin: [String] {
    let table = dialect.temporary(Self.notes)
    return [
      "\(dialect.createTemporaryTable) \(dialect.name(Self.notes))"
        + "(t INTEGER, pk INTEGER, kind INTEGER, PRIMARY KEY (t, pk))\(dialect.orderedTable)",
      "DELETE FROM \(table)",
    ] + beginPairs + end + triggers.map(\.sql)
  }

  /// The statements that end it.
  package var end: [String] {
    triggers.map { "DROP TRIGGER IF EXISTS \(dialect.temporary($0.name))" }
  }

  /// A temporary trigger that notes rows.
  struct Trigger {
    var name: String
    var sql: String
  }

  private var triggers: [Trigger] {
    store.tables.flatMap { triggers($0) + ownerTriggers($0) } + joinTriggers + fileTriggers
  }

  func triggers(
    _ purpose: String, on table: String, _ events: [(kind: Kind, event: String, body: [String])]
  ) -> [Trigger] {
    events.map { kind, event, body in
      let name = "moclone_core_data_\(purpose)_\(kind)"
      let statements = body.map { $0 + "; " }.joined()
      return Trigger(
        name: name,
        sql: "CREATE TEMP TRIGGER \(dialect.name(name)) AFTER \(event) ON \(table) BEGIN \(statements)END")
    }
  }

  /// The statement of a trigger that notes a row as changed unless it is noted as something.
  func noteChange(_ key: String, in table: TablePlan, where condition: Condition) -> String {
    note(key, number: table.index, .changed, where: condition)
  }

  /// The same of any kind, under a table's number or another one.
  func note(_ key: String, number: Int, _ kind: Kind, where condition: Condition) -> String {
    let notes = dialect.name(Self.notes)
    return
      "INSERT INTO \(notes) SELECT \(number), \(key), \(kind.rawValue) WHERE (\(condition.text)) "
      + "AND NOT EXISTS (SELECT 1 FROM \(notes) WHERE t = \(number) AND pk = \(key))"
  }

  /// Whether a row that is updated gets another value in one of the columns.
  func changes(_ columns: [String]) -> Condition {
    columns.map { dialect.different("OLD." + dialect.name($0), "NEW." + dialect.name($0)) }.any
  }

  private func triggers(_ table: TablePlan) -> [Trigger] {
    let (notes, key) = (dialect.name(Self.notes), dialect.name(key(of: table)))
    func note(_ row: String, _ kind: Kind) -> [String] {
      [
        "DELETE FROM \(notes) WHERE t = \(table.index) AND pk = \(row).\(key)",
        "INSERT INTO \(notes) SELECT \(table.index), \(row).\(key), \(kind.rawValue)",
      ]
    }
    let columns = watched(table)
    var events: [(kind: Kind, event: String, body: [String])] = [
      (.inserted, "INSERT", note("NEW", .inserted)), (.deleted, "DELETE", note("OLD", .deleted)),
    ]
    if !columns.isEmpty {
      let change = noteChange("NEW." + key, in: table, where: changes(columns))
      events.append((.changed, "UPDATE OF \(columns.map(dialect.name).list)", [change]))
    }
    return triggers("\(table.index)", on: table.sql, events)
  }

  /// The columns whose change changes the object: not those that follow from others.
  private func watched(_ table: TablePlan) -> [String] {
    let own =
      [key(of: table), CoreDataMapping.versionColumn] + mirrors(in: table).map(\.column)
      + entityColumns(of: table).map(\.column)
    let kept = Set(own.map(\.sqlName))
    return table.schema.columns.filter {
      !$0.isGenerated && !kept.contains($0.name.sqlName) && !table.isKeptByTriggers($0.name)
    }.map(\.name)
  }

  func key(of table: TablePlan) -> String { table.keyColumns[0].name }

  /// Selects the keys of the noted rows of a table.
  func noted(_ table: TablePlan, condition: Condition = .sql("n.kind >= 0")) -> Select {
    Select(["n.pk"], from: From("\(dialect.temporary(Self.notes)) n"))
      .where(.sql("n.t = \(table.index)") && condition)
  }

  // MARK: What follows

  /// The statements that write what follows from the noted rows; run when these are all there.
  package var follow: [String] {
    store.tables.flatMap { table in mirrors(in: table).flatMap { settle($0, in: table) } }
      + store.tables.flatMap { table in entityColumns(of: table).map { settle($0, in: table) } }
      + store.tables.compactMap(raiseVersions) + store.tables.compactMap(raiseMaximum)
  }

  /// New rows begin at version 1, changed ones count on.
  private func raiseVersions(_ table: TablePlan) -> String? {
    guard table.schema.column(CoreDataMapping.versionColumn) != nil else { return nil }
    let version = dialect.name(CoreDataMapping.versionColumn)
    let kind = Select(["n.kind"], from: From("\(dialect.temporary(Self.notes)) n"))
      .where(.sql("n.t = \(table.index)") && .equal(["n.pk"], table.key("t")))
    return Update(
      "\(table.sql) AS t",
      assignments: [
        (version, "CASE (\(kind.text(dialect))) WHEN 1 THEN 1 ELSE coalesce(t.\(version), 0) + 1 END")
      ]
    ).where(.among(table.key("t"), query: noted(table), dialect: dialect)).text(dialect)
  }

  /// The greatest key of a table stands with the number of its root entity.
  private func raiseMaximum(_ table: TablePlan) -> String? {
    guard let number = coreData.numbers[table.root] else { return nil }
    let greatest = Select(["max(\(table.key("t")[0]))"], from: table.rows("t")).text(dialect)
    let inserted = noted(table, condition: .sql("n.kind = \(Kind.inserted.rawValue)"))
    return Update(
      "\(dialect.table(CoreDataMapping.entityTable)) AS e",
      assignments: [("\"Z_MAX\"", "max(coalesce(e.\"Z_MAX\", 0), coalesce((\(greatest)), 0))")]
    ).where(.sql("e.\"Z_ENT\" = \(number)") && .exists(inserted, dialect)).text(dialect)
  }
}
