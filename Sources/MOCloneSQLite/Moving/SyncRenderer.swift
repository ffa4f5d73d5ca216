import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The statements that make the objects of an entity follow rows in a temporary table; how many there are depends on
/// the model alone.
struct SyncRenderer {
  let layout: MoveLayout
  let plan: SyncPlan
  let modified: ModifiedRule
  let table: ObjectTable
  /// The rows: `a0...` their values, `m0...` bits of those that a row does not give.
  let rows: TemporaryTable
  /// Objects that no row has, and those that differ from theirs, with the number of the row.
  let changes: TemporaryTable
  /// The numbers of rows that no object has.
  let fresh: TemporaryTable
  let columns: [Column]
  /// How new objects come to what they belong to.
  let leads: [LeadRenderer]

  struct Column {
    /// Nil where the value lies in the row of another object.
    var own: String?
    /// What an object `s` holds.
    var stored: String
    var schema: ColumnSchema
    /// Nil for a reference.
    var attribute: AttributeColumn?
    var reference: RowReference?
    /// What a new object gets where a row gives nothing.
    var standard: String
    var isRequired: Bool

    var name: String { own ?? "" }
  }

  var temporaryTables: [TemporaryTable] { [rows, changes, fresh] + leads.map(\.table) }

  init(_ layout: MoveLayout, _ plan: SyncPlan, _ modified: ModifiedRule) {
    self.layout = layout
    self.plan = plan
    self.modified = modified
    let table = layout.table(of: plan.entity)
    self.table = table
    let columns = plan.columns.map { Self.column($0, layout, plan.entity, table) }
    self.columns = columns
    rows = TemporaryTable(
      "rows",
      ["line INTEGER"]
        + columns.enumerated().map { "a\($0) \($1.schema.affinity) COLLATE \(SQL.name($1.schema.collation))" }
        + (0..<Self.masks(columns.count)).map { "m\($0) INTEGER" } + ["number INTEGER PRIMARY KEY"])
    changes = TemporaryTable(
      "changes", table.uniqueKeyDefinitions("o") + ["number INTEGER"] + table.uniqueKeyConstraint("o"))
    fresh = TemporaryTable("fresh", ["number INTEGER PRIMARY KEY"])
    leads = plan.leads.enumerated().map { LeadRenderer($1, number: $0, of: plan.entity, columns, layout) }
  }

  static func masks(_ columns: Int) -> Int { (columns + 59) / 60 }

  private static func column(
    _ column: SyncPlan.Column, _ layout: MoveLayout, _ entity: String, _ table: ObjectTable
  ) -> Column {
    switch column {
    case .attribute(let attribute):
      let mapped = layout.mapping[entity].attributes[attribute.name]!
      return Column(
        own: mapped.column, stored: SQL.column("s", mapped.column),
        schema: table.schema.column(mapped.column) ?? .rowid(named: mapped.column),
        attribute: mapped, standard: attribute.defaultValue.map { ValueCoding(mapped).literal($0) } ?? "NULL",
        isRequired: !attribute.isOptional && attribute.defaultValue == nil && mapped.keyPart == nil)
    case .reference(let relationship):
      guard case .foreignKey(let key) = layout.mapping[entity].relationships[relationship.name] else {
        preconditionFailure("'\(relationship.name)' lies in no row")
      }
      let reference = layout.references.first { $0.key == key }
      return Column(
        own: key.columns[0], stored: SQL.column("s", key.columns[0]),
        schema: table.schema.column(key.columns[0]) ?? .rowid(named: key.columns[0]),
        reference: reference, standard: "NULL", isRequired: !relationship.isOptional)
    case .path(let path):
      let end = path.steps.last!.destination
      let mapped = layout.mapping[end].attributes[path.attribute!.name]!
      let stored = IdentityColumns(path, of: entity, mapping: layout.mapping, alias: "s").values[0]
      return Column(
        stored: stored,
        schema: layout.table(of: end).schema.column(mapped.column) ?? .rowid(named: mapped.column),
        attribute: mapped, standard: "NULL", isRequired: false)
    }
  }

  // MARK: Rows

  /// The columns of the temporary table in the order in which a row binds them.
  var content: [String] {
    ["line"] + columns.indices.map { "a\($0)" } + (0..<Self.masks(columns.count)).map { "m\($0)" } + [
      "number"
    ]
  }

  private func bit(_ column: Int) -> String { "\(1 << (column % 60))" }

  private func isGiven(_ column: Int) -> String { "(r.m\(column / 60) & \(bit(column))) = 0" }

  /// Gives rows a value where they give none.
  func complete(_ column: Int, _ literal: String) -> String {
    "UPDATE \(rows.sql) SET a\(column) = \(literal), m\(column / 60) = m\(column / 60) & ~\(bit(column)) "
      + "WHERE (m\(column / 60) & \(bit(column))) <> 0"
  }

  func literal(_ column: Int, _ value: AttributeValue) -> String {
    (columns[column].attribute.map { ValueCoding($0) } ?? ValueCoding(type: .string, form: .plain)).literal(
      value)
  }

  /// The lines of rows whose value is another one.
  func outside(_ column: Int, _ literal: String) -> String {
    let own = columns[column].canonical("r.a\(column)")
    return "SELECT r.line FROM \(rows.sql) r WHERE \(own) IS NOT \(columns[column].canonical(literal)) "
      + "ORDER BY r.line LIMIT 10"
  }

  private var isEmpty: String {
    plan.identifying.map { place in
      let isText = columns[place].attribute.map { $0.type == .string || $0.type == .uri } ?? false
      return "a\(place) IS NULL" + (isText ? " OR a\(place) = ''" : "")
    }.joined(separator: " OR ")
  }

  var rowsWithoutIdentity: String { "SELECT line FROM \(rows.sql) WHERE \(isEmpty) ORDER BY line LIMIT 20" }

  private func identity(_ alias: String) -> [String] {
    plan.identifying.map { place in columns[place].canonical(alias + "a\(place)") }
  }

  private var storedIdentity: [String] {
    plan.identifying.map { place in columns[place].canonical(columns[place].stored) }
  }

  var index: String {
    "CREATE INDEX IF NOT EXISTS temp.\(SQL.name(rows.name + "_identity")) "
      + "ON \(SQL.name(rows.name))(\(SQL.list(identity(""))))"
  }

  var dropIndex: String { "DROP INDEX IF EXISTS temp.\(SQL.name(rows.name + "_identity"))" }

  /// The lines of rows that share their identity; read from the index alone where there are none.
  var duplicates: String {
    let key = identity("r.")
    let lines =
      "SELECT group_concat(y.line) FROM \(rows.sql) y WHERE "
      + SQL.equal(identity("y."), plan.identifying.indices.map { "q.k\($0)" })
    let keys = key.enumerated().map { "\($1) AS k\($0)" }
    return
      "SELECT q.*, (\(lines)) FROM (SELECT \(SQL.list(keys)) FROM \(rows.sql) r GROUP BY \(SQL.list(key)) "
      + "HAVING count(*) > 1 LIMIT 20) q"
  }

  // MARK: Comparing

  /// What limits the objects compared.
  private var scope: String {
    let limits = plan.scope.map { place, value in
      "\(columns[place].canonical(columns[place].stored)) IS "
        + columns[place].canonical(literal(place, value))
    }
    return ([layout.kind(of: plan.entity, "s")].compactMap { $0 } + limits).joined(separator: " AND ")
  }

  private func inScope(_ keyword: String) -> String { scope.isEmpty ? "" : " \(keyword) \(scope)" }

  var countCompared: String { "SELECT count(*) FROM \(table.sql) s\(inScope("WHERE"))" }

  /// Objects that share their identity, unless an index of the store excludes them.
  var storedDuplicates: String? {
    let plain = plan.identifying.map { columns[$0].name }
    let isUnique = table.schema.uniqueColumns.contains { unique in
      Set(unique.map(\.sqlName)).isSubset(of: plain.map(\.sqlName))
    }
    let isPlain = zip(storedIdentity, plain).allSatisfy { $0 == SQL.column("s", $1) }
    guard !isUnique || !isPlain else { return nil }
    let key = storedIdentity
    let isThere = key.map { "\($0) IS NOT NULL AND \($0) <> ''" }.joined(separator: " AND ")
    return "SELECT \(SQL.list(key)) FROM \(table.sql) s WHERE \(isThere)\(inScope("AND")) "
      + "GROUP BY \(SQL.list(key)) HAVING count(*) > 1 LIMIT 1"
  }

  var storedOfIdentity: String {
    let key = storedIdentity.enumerated().map { "\($1) = :k\($0)" }.joined(separator: " AND ")
    return "SELECT \(SQL.list([layout.discriminator(table, "s")] + table.key("s"))) FROM \(table.sql) s "
      + "WHERE \(key)\(inScope("AND")) ORDER BY \(SQL.list(table.key("s"))) LIMIT 11"
  }

  private var differs: String {
    let conditions = plan.overwriting.map { place -> String in
      let own = SQL.column("s", columns[place].name)
      let plain = "r.a\(place) IS NOT \(own)"
      let canonical = columns[place].canonical(own)
      let isOther =
        canonical == own
        ? plain : "\(plain) AND \(columns[place].canonical("r.a\(place)")) IS NOT \(canonical)"
      return "(\(isGiven(place)) AND \(isOther))"
    }
    return conditions.isEmpty ? "0" : conditions.joined(separator: " OR ")
  }

  var findChanges: String {
    "INSERT INTO \(changes.sql) SELECT \(SQL.list(table.key("s"))), r.number FROM \(table.sql) s "
      + "LEFT JOIN \(rows.sql) r ON \(SQL.equal(identity("r."), storedIdentity)) "
      + "WHERE \(scope.isEmpty ? "" : scope + " AND ")(r.number IS NULL OR \(differs))"
  }

  var findFresh: String {
    // What lies in other rows has no index that a row could be looked up by.
    guard leads.isEmpty else {
      return
        "INSERT INTO \(fresh.sql) SELECT r.number FROM \(rows.sql) r WHERE r.number NOT IN (SELECT x.number FROM "
        + "\(table.sql) s CROSS JOIN \(rows.sql) x ON \(SQL.equal(identity("x."), storedIdentity))\(inScope("AND")))"
    }
    return "INSERT INTO \(fresh.sql) SELECT r.number FROM \(rows.sql) r LEFT JOIN \(table.sql) s "
      + "ON \(SQL.equal(storedIdentity, identity("r.")))\(inScope("AND")) WHERE \(SQL.column("s", table.keyColumns[0].name)) IS NULL"
  }

  /// The lines of new rows whose identity an object has that is not compared.
  var freshOutOfScope: String {
    let kind = layout.kind(of: plan.entity, "s").map { " AND \($0)" } ?? ""
    return "SELECT x.line FROM \(table.sql) s CROSS JOIN \(rows.sql) x ON "
      + "\(SQL.equal(identity("x."), storedIdentity))\(kind) "
      + "WHERE x.number IN (SELECT number FROM \(fresh.sql)) ORDER BY 1 LIMIT 20"
  }

  var countGone: String { "SELECT count(*) FROM \(changes.sql) WHERE number IS NULL" }
  var gone: Select { Select(table.keys("o"), from: From(changes.sql)).where(.isNull("number")) }
  var keepGone: String { "DELETE FROM \(changes.sql) WHERE number IS NULL" }

  /// How many objects of each entity differ.
  var countChanged: String {
    "SELECT \(layout.discriminator(table, "s")), count(*) FROM \(changes.sql) c CROSS JOIN \(table.sql) s "
      + "ON \(SQL.equal(table.key("s"), table.keys("c.o"))) WHERE c.number IS NOT NULL GROUP BY 1"
  }

  /// How many objects are to be changed, as long as they are there.
  var countUpdated: Select {
    let object = From.Join.ordered("\(table.sql) s", on: .equal(table.key("s"), table.keys("c.o")))
    return Select(["count(*)"], from: From("\(changes.sql) c", [object])).where(.isNotNull("c.number"))
  }

  var countFresh: Select { Select(["count(*)"], from: From(fresh.sql)) }

  /// How many objects of each entity have a row.
  var countMatched: String {
    "SELECT \(layout.discriminator(table, "s")), count(*) FROM \(table.sql) s JOIN \(rows.sql) r "
      + "ON \(SQL.equal(identity("r."), storedIdentity))\(inScope("WHERE")) GROUP BY 1"
  }

  /// The line of a new row that does not give something required.
  func missing(_ column: Int) -> String {
    "SELECT r.line FROM \(fresh.sql) f CROSS JOIN \(rows.sql) r ON r.number = f.number "
      + "WHERE NOT \(isGiven(column)) ORDER BY r.line LIMIT 1"
  }

  // MARK: Writing

  private func end(_ column: Column, _ value: String) -> String? {
    guard let order = column.reference?.orderColumn else { return nil }
    return "(SELECT coalesce(max(y.\(SQL.name(order))), 0) + 1 FROM \(table.sql) y "
      + "WHERE y.\(SQL.name(column.name)) = \(value))"
  }

  var update: String? {
    guard !plan.overwriting.isEmpty else { return nil }
    var names: [String] = []
    var values: [String] = []
    for place in plan.overwriting {
      let column = columns[place]
      let own = SQL.column("s", column.name)
      let isDate = plan.columns[place].name == modified.name && date != nil
      names.append(SQL.name(column.name))
      values.append("CASE WHEN \(isGiven(place)) THEN r.a\(place) ELSE \(isDate ? date! : own) END")
      guard let end = end(column, "r.a\(place)"), let order = column.reference?.orderColumn else { continue }
      names.append(SQL.name(order))
      values.append(
        "CASE WHEN \(isGiven(place)) AND r.a\(place) IS NOT \(own) THEN \(end) ELSE \(SQL.column("s", order)) END"
      )
    }
    let isDated = plan.overwriting.contains { plan.columns[$0].name == modified.name }
    let assignments =
      [
        "(\(SQL.list(names))) = (SELECT \(SQL.list(values)) FROM \(changes.sql) c CROSS JOIN \(rows.sql) r "
          + "ON r.number = c.number WHERE \(SQL.equal(table.keys("c.o"), table.key("s"))))"
      ] + (isDated ? [] : layout.touch(table, "s", modified))
    return "UPDATE \(table.sql) AS s SET \(SQL.list(assignments)) WHERE (\(SQL.list(table.key("s")))) IN "
      + "(SELECT \(SQL.list(table.keys("o"))) FROM \(changes.sql) WHERE number IS NOT NULL)"
  }

  /// Puts other values in place of unique ones that are about to change, so that objects can swap them; nil where none
  /// is unique.
  var parked: String? {
    let unique = Set(table.schema.uniqueColumns.joined().map(\.sqlName))
    let taken = plan.overwriting.map { columns[$0].schema }.filter { unique.contains($0.name.sqlName) }
    guard !taken.isEmpty else { return nil }
    return
      "UPDATE \(table.sql) AS s SET \(SQL.list(taken.map(\.parking))) WHERE (\(SQL.list(table.key("s")))) IN "
      + "(SELECT \(SQL.list(table.keys("o"))) FROM \(changes.sql) WHERE number IS NOT NULL)"
  }

  /// The date of change as it is stored.
  private var date: String? {
    guard modified.attribute(of: plan.entity, in: layout.model) != nil,
      let column = layout.mapping[plan.entity].attributes[modified.name]
    else { return nil }
    return ValueCoding(column).literal(.date(modified.instant))
  }

  /// - Throws: `CloneError` (`key-needs-value`) where nothing makes a part of the key.
  func insert() throws -> String {
    var names: [String] = []
    var values: [String] = []
    for lead in leads {
      for column in lead.columns(of: table) {
        names.append(column.name)
        values.append(column.value)
      }
    }
    for (place, column) in columns.enumerated() where column.own != nil && !column.schema.isGenerated {
      let isDate = plan.columns[place].name == modified.name && date != nil
      let standard = try key(column.name) ?? (isDate ? date! : column.standard)
      names.append(column.name)
      values.append("CASE WHEN \(isGiven(place)) THEN r.a\(place) ELSE \(standard) END")
      guard let end = end(column, "r.a\(place)"), let order = column.reference?.orderColumn else { continue }
      names.append(order)
      values.append("CASE WHEN r.a\(place) IS NOT NULL THEN \(end) END")
    }
    for part in table.keyColumns where !names.contains(where: { $0.sqlName == part.name.sqlName }) {
      guard let made = try key(part.name), made != "NULL" else { continue }
      names.append(part.name)
      values.append(made)
    }
    if let discriminator = layout.mapping[plan.entity].discriminator {
      names.append(discriminator.column)
      values.append(SQL.text(discriminator.value))
    }
    return "\(table.schema.insertInto)(\(SQL.list(names.map(SQL.name)))) SELECT \(SQL.list(values)) "
      + "FROM \(fresh.sql) f CROSS JOIN \(rows.sql) r ON r.number = f.number ORDER BY f.number"
  }

  /// What makes a key column of a new object; nil for a column that is none of the key's.
  private func key(_ column: String) throws -> String? {
    guard
      let part = layout.mapping[plan.entity].key.first(where: {
        $0.column.sqlName == column.sqlName
      })
    else { return nil }
    let isAsked = columns.contains { $0.name.sqlName == column.sqlName }
    switch part.source {
    case .rowid where table.schema.isRowid(part.column), .automatic where table.schema.isRowid(part.column),
      .max where table.schema.isRowid(part.column), .relationship:
      return "NULL"
    case .rowid, .automatic, .max:
      guard layout.mapping[plan.entity].key.count == 1,
        layout.mapping[plan.entity].canCount(part, in: table.schema)
      else {
        if isAsked { return "NULL" }
        throw CloneError(
          .keyNeedsValue,
          "a sync cannot count the key '\(column)' of a new \(plan.entity); give it by an attribute on that column",
          entity: plan.entity)
      }
      return "(SELECT max(coalesce(max(\(SQL.name(column))), 0), 0) FROM \(SQL.main(table.schema.name))) "
        + "+ row_number() OVER (ORDER BY f.number)"
    case .uuid(let storage): return "moclone_uuid(:run, \(UUIDStorage.allCases.firstIndex(of: storage)!))"
    case .copied, .given:
      if isAsked { return "NULL" }
      throw CloneError(
        .keyNeedsValue,
        "nothing makes the key '\(column)' of a new \(plan.entity), and no attribute lies in it",
        entity: plan.entity)
    }
  }
}

extension SyncRenderer.Column {
  func canonical(_ sql: String) -> String { attribute?.canonical(sql) ?? sql }
}
