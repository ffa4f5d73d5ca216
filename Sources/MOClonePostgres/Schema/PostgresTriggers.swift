import MOCloneSQL

/// One event of a trigger or a rule, as the catalogue has it.
struct PostgresTrigger {
  private let name: String
  private let event: String
  private let body: TriggerBody
  private let deletes: Bool
  /// Where the function looks for tables, if it says so itself.
  private let schemas: [String]?
  private let deferredName: String?
  private let isOpaque: Bool
  private let isEarly: Bool

  init(_ row: ArraySlice<StoredValue>) {
    var row = Fields(row)
    (name, event) = (row.text(), row.text())
    let (language, source, newRows) = (row.text(), row.text(), row.optionalText())
    let isConditional = row.bool()
    // Other languages keep their statements in strings.
    let isKnown = ["plpgsql", "sql"].contains(language)
    body = TriggerBody(isKnown ? source : "", newRows: newRows, isConditional: isConditional, event: event)
    deletes = body.deletes || (!isKnown || body.isDynamic) && source.lowercased().contains("delete")
    schemas = row.optionalText().map { path in
      SQLToken.all(in: path).filter { $0.text != "," }.map(\.identifier)
    }
    deferredName = row.optionalText()
    let callsOthers = row.bool()
    isOpaque = !isKnown || body.isDynamic || callsOthers
    isEarly = row.bool()
  }

  /// What a table that the body names may be called in the database, the first that exists.
  func candidates(for table: String) -> [String] {
    guard let schemas, !table.contains(".") else { return [table] }
    return schemas.map { "\($0).\(table)" }
  }

  var candidates: [String] { body.updates.flatMap { candidates(for: $0.table) } }

  /// - Parameter name: what a table that the body names is called in the schema; nil where it is not known.
  func schema(_ name: (String) -> String?) -> TriggerSchema {
    var trigger = TriggerSchema(name: self.name, event: event, body)
    trigger.updates = body.updates.compactMap { update in
      name(update.table).map { table in
        var update = update
        update.table = table
        return update
      }
    }
    trigger.deletes = deletes
    trigger.isOpaque = isOpaque
    trigger.deferredName = deferredName
    trigger.isEarly = isEarly
    return trigger
  }
}

/// The triggers of some tables, with the names by which these were asked for in what they update.
struct PostgresTriggers {
  private let triggers: [Int: [PostgresTrigger]]
  private let tables: [Int: String]
  private let relations: [String: PostgresRelation]

  /// - Parameter tables: the names of the tables by their numbers.
  init(
    _ triggers: [Int: [PostgresTrigger]], tables: [Int: String], in connection: PostgresConnection
  ) throws {
    self.triggers = triggers
    self.tables = tables
    let names = Set(triggers.values.joined().flatMap(\.candidates)).sorted()
    relations = Dictionary(
      try PostgresRelation.all(names, in: connection).map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  subscript(table: Int) -> [TriggerSchema] {
    (triggers[table] ?? []).map { trigger in trigger.schema { name(of: $0, in: trigger) } }
  }

  private func name(of table: String, in trigger: PostgresTrigger) -> String? {
    let relation = trigger.candidates(for: table).lazy.compactMap { relations[$0] }.first
    return relation.map { tables[$0.id] ?? $0.name }
  }
}
