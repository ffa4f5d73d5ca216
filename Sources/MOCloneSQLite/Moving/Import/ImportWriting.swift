import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The statements that write the objects of one entity of an import: pure text.
///
/// Parameters: `:run` (the run's number for its UUIDs), `:now` (its instant as the entity's date of change has it).
struct ImportWriting {
  let staged: StagedTable
  let all: [StagedTable]
  let model: ObjectModel
  let schema: SchemaMapping
  let existing: ExistingPolicy
  /// Whether pairs of a relationship lead to the rows.
  let isPaired: Bool
  /// The date that says when an object was last changed.
  let modified: AttributeDescription?

  init(
    _ staged: StagedTable, _ all: [StagedTable], _ plan: ImportPlan, _ schema: SchemaMapping,
    _ modified: ModifiedRule
  ) {
    self.staged = staged
    self.all = all
    self.schema = schema
    model = plan.model
    existing = plan.existing
    isPaired = plan.pairs.contains { [$0.source, $0.destination].contains(staged.number) }
    self.modified = modified.attribute(of: staged.entity.name, in: plan.model)
  }

  var matching: ImportMatching {
    ImportMatching(staged: staged, all: all, model: model, schema: schema)
  }

  /// Whether other rows refer to this entity's, or its objects are changed: then each row's object must be known.
  var needsMap: Bool {
    let isReferredTo = all.contains { other in
      other.entity.references.contains { $0.destination == staged.number }
        || (other.number != staged.number && other.table.name == staged.table.name)
    }
    return isReferredTo || isPaired || countsOtherNumbers
      || (hasIdentity && (existing != .keep || staged.entity.isMentioned))
  }

  var hasIdentity: Bool { staged.entity.identity != nil }

  /// The rows that make objects, `s`, with `m`, the map, where there is one.
  private func newRows(_ matches: ImportMatches) -> (from: String, condition: [String], order: [String]) {
    if needsMap {
      return (
        "temp.\(staged.map) m CROSS JOIN temp.\(staged.rows) s ON s.number = m.number",
        ["m.made", "m.first = m.number"], ["s.number"]
      )
    }
    guard hasIdentity else { return ("temp.\(staged.rows) s", [], ["s.number"]) }
    let left = [matches.hasLater ? staged.later : nil, matches.found > 0 ? staged.found : nil].compactMap {
      $0
    }
    return (
      "temp.\(staged.keys) s", left.map { "s.number NOT IN (SELECT number FROM temp.\($0))" },
      (staged.identityColumns + ["number"]).map { "s.\($0)" }
    )
  }

  /// How many objects are to be made.
  func countNew(_ matches: ImportMatches) -> String {
    let rows = newRows(matches)
    return "SELECT count(*) FROM \(rows.from)\(Self.condition(rows.condition))"
  }

  /// The rows that make an object and do not give what it must have.
  func incomplete(_ matches: ImportMatches) -> String? {
    guard !staged.entity.missing.isEmpty else { return nil }
    let rows = newRows(matches)
    let empty = staged.entity.missing.map { name -> String in
      if let i = staged.entity.attribute(name) { return "s.a\(i) IS NULL" }
      let places = staged.entity.references.indices.filter {
        staged.entity.references[$0].isForward && staged.entity.references[$0].relationship.name == name
      }
      return places.isEmpty ? "1" : places.map { "s.r\($0) IS NULL" }.joined(separator: " AND ")
    }
    let condition = rows.condition + ["(" + empty.map { "(\($0))" }.joined(separator: " OR ") + ")"]
    return "SELECT s.line, s.number FROM \(rows.from)\(Self.condition(condition)) ORDER BY s.number"
  }

  /// Inserts all new objects at once, with every reference.
  ///
  /// - Parameter last: the number of the last row; nil for all.
  func insert(_ matches: ImportMatches, upTo last: String? = nil) -> String {
    var rows = newRows(matches)
    if let last { rows.condition.append("s.number <= \(last)") }
    let values = insertedValues
    return "\(staged.table.insertInto)(\(SQL.list(values.map { SQL.name($0.column) }))) "
      + "SELECT \(SQL.list(values.map(\.sql))) FROM \(rows.from)\(matching.references("s"))"
      + "\(Self.condition(rows.condition)) ORDER BY \(SQL.list(rows.order))"
  }

  /// Whether a unique index of the store tells equal identities apart by itself, and nobody asks which row was joined.
  var leavesIdentityToStore: Bool {
    guard hasIdentity, !needsMap, staged.entity.missing.isEmpty, staged.table.triggers.isEmpty else {
      return false
    }
    return !identityColumns.isEmpty && staged.table.uniqueColumns.contains { Set($0) == Set(identityColumns) }
  }

  /// The columns of an identity that consists of the row's own values; else none.
  private var identityColumns: [String] {
    let own = staged.identity.compactMap { part -> Int? in
      if case .attribute(let i) = part { i } else { nil }
    }
    return own.count == staged.identity.count ? own.map { staged.columns[$0].column } : []
  }

  /// Inserts the objects of a table that has none, in the order of the identity, the first row of each.
  func insertIntoEmpty(upTo last: String? = nil) -> String {
    let condition = last.map { "s.number <= \($0)" } ?? "true"
    let values = insertedValues
    let order = (staged.identityColumns + ["number"]).map { "s.\($0)" }
    return "\(staged.table.insertInto)(\(SQL.list(values.map { SQL.name($0.column) }))) "
      + "SELECT \(SQL.list(values.map(\.sql))) FROM temp.\(staged.rows) s\(matching.references("s")) WHERE \(condition) "
      + "ORDER BY \(SQL.list(order)) ON CONFLICT(\(SQL.list(identityColumns.map(SQL.name)))) DO NOTHING"
  }

  /// The position of the last member of an owner; 0 where there is none.
  static func end(of column: String, in table: String, _ keys: [String], _ owner: [String]) -> String {
    "coalesce((SELECT max(\(SQL.column("x", column))) FROM \(SQL.main(table)) x "
      + "WHERE \(SQL.equal(keys.map { SQL.column("x", $0) }, owner))), 0)"
  }

  /// A relationship may lead to rows of several entities.
  static func first(of values: [String]) -> String {
    values.count == 1 ? values[0] : "coalesce(\(SQL.list(values)))"
  }

  static func condition(_ parts: [String]) -> String {
    parts.isEmpty ? "" : " WHERE " + parts.joined(separator: " AND ")
  }
}
