import GRDB
import MOCloneEngine
import MOCloneModel

/// A subtree that is cut out of one store for another: its members are always made, what it is linked to is found.
struct CopyCut {
  var members: [ObjectID]
  var missing: MissingPolicy
  /// Whether keys stay what they are.
  var keepsKeys: Bool
  /// The relationships that are formed, by qualified name; nil for all.
  var asked: Set<String>?
  /// Whether objects that are linked to come with all their values and nothing is looked for, as in a store that is
  /// only passed through.
  var isPassing = false

  func asks(_ relationship: RelationshipDescription?) -> Bool {
    guard let relationship else { return false }
    return asked?.contains(relationship.qualifiedName) ?? true
  }

  static let linked = "moclone_reach_linked"

  /// Whether an object is outside the subtree, and linked to.
  static func isLinked(_ table: CopyTable, _ key: [String]) -> String {
    let parts = SQL.equal(key.indices.map { "l.k\($0)" }, key)
    return "EXISTS (SELECT 1 FROM \(SQL.temp(linked)) l WHERE l.t = \(table.index) AND \(parts))"
  }

  /// Whether an object that is linked to brings the destination of a to-one along.
  static func needs(_ relationship: RelationshipDescription, _ layout: CopyLayout, creates: Bool) -> Bool {
    if creates && !relationship.isOptional { return true }
    return layout.rules.concreteEntities.contains { entity in
      guard layout.model.isKind(entity, of: relationship.entity) else { return false }
      return layout.rules.identities[entity]?.paths.contains { path in
        path.steps.contains { $0.qualifiedName == relationship.qualifiedName }
      } ?? false
    }
  }

  /// Enters the members in the table of what is copied.
  func fill(_ layout: CopyLayout, in db: Database) throws {
    let reach = CopyReach(layout)
    for statement in reach.definitions + [reach.definition(Self.linked)] { try db.execute(sql: statement) }
    for table in layout.tables {
      let own = members.filter { layout.model.rootEntity(of: $0.entity) == table.root }
      guard !own.isEmpty else { continue }
      let coding = KeyCoding(entity: table.map)
      let padding = reach.columns.count - 1 - table.map.key.count
      let marks = Array(repeating: "?", count: table.map.key.count) + Array(repeating: "0", count: padding)
      let statement = try db.makeStatement(
        sql:
          "INSERT OR IGNORE INTO \(SQL.temp(CopyReach.name)) VALUES (\(SQL.list(["\(table.index)"] + marks)))"
      )
      for member in own {
        let key = member.key.parts.enumerated().map { coding.encode($1, part: $0) }
        try statement.execute(arguments: StatementArguments(key))
      }
    }
  }
}

/// SQL that finds what a subtree is linked to, and what of it is missing.
struct CutReach {
  let layout: CopyLayout
  let cut: CopyCut
  private let reach: CopyReach

  init(_ layout: CopyLayout, _ cut: CopyCut) {
    self.layout = layout
    self.cut = cut
    reach = CopyReach(layout)
  }

  private var names: String { SQL.list(reach.columns) }
  private var all: String { SQL.temp(CopyReach.name) }
  private var linked: String { SQL.temp(CopyCut.linked) }

  /// Enters what members are linked to, and what that needs, among what is copied.
  var statements: [String] {
    let direct = layout.references.filter(\.isFormed).map { step($0, from: all) }
    let pairs = layout.joins.filter(\.isFormed).flatMap { join in
      reach.pair(join, from: all, forward: true) + reach.pair(join, from: all, forward: false)
    }
    let isMember =
      "EXISTS (SELECT 1 FROM \(all) r WHERE "
      + SQL.equal(reach.columns.map { "r.\($0)" }, reach.columns.map { "x.\($0)" }) + ")"
    let further = needed(creates: cut.missing == .create)
    let steps = (direct + pairs).isEmpty ? ["SELECT \(names) FROM \(all) WHERE 0"] : direct + pairs
    return [
      "INSERT OR IGNORE INTO \(linked)(\(names)) WITH RECURSIVE links(\(names)) AS (SELECT * FROM ("
        + steps.joined(separator: " UNION ") + ") x WHERE NOT \(isMember)"
        + further.map { " UNION " + step($0, from: "links") }.joined() + ") "
        + "SELECT \(names) FROM links x WHERE NOT \(isMember)",
      "CREATE TEMP TABLE moclone_reach_direct AS SELECT * FROM (\(steps.joined(separator: " UNION "))) x WHERE NOT \(isMember)",
      "INSERT OR IGNORE INTO \(all) SELECT \(names) FROM \(linked)",
    ]
  }

  private func needed(creates: Bool) -> [CopyReference] {
    layout.references.filter { reference in
      reference.forward.map { CopyCut.needs($0, layout, creates: creates) } ?? false
    }
  }

  private func step(_ reference: CopyReference, from: String) -> String {
    reach.forward(reference, from: from)
  }

  /// Notes the linked objects that are to be made: those that are missing, and what these need.
  var need: String {
    let seed = layout.tables.map { table in
      "SELECT \(reach.object(table, table.key("s"))) FROM \(table.sourceName) s WHERE \(isMissing(table))"
    }
    let steps = needed(creates: true).map { reference in
      let destination = layout.tables[reference.destination]
      return reach.forward(reference, from: "need")
        + " WHERE NOT \(isThere(destination, destination.key("x")))"
    }
    return "CREATE TEMP TABLE moclone_reach_needed AS WITH RECURSIVE need(\(names)) AS ("
      + (seed + steps).joined(separator: " UNION ") + ") SELECT \(names) FROM need"
  }

  /// Linked objects that members refer to and the other store does not have.
  func missing(_ table: CopyTable) -> String {
    "SELECT \(SQL.list(table.key("s"))) FROM \(table.sourceName) s WHERE \(isMissing(table))"
  }

  private func isMissing(_ table: CopyTable) -> String {
    let key = table.key("s")
    let direct = SQL.equal(key.indices.map { "d.k\($0)" }, key)
    return
      "EXISTS (SELECT 1 FROM temp.moclone_reach_direct d WHERE d.t = \(table.index) AND \(direct)) AND NOT "
      + isThere(table, key)
  }

  private func isThere(_ table: CopyTable, _ key: [String]) -> String {
    "EXISTS (SELECT 1 FROM \(table.movedName) m WHERE NOT m.is_new AND \(SQL.equal(table.old("m"), key)))"
  }

  /// Takes linked objects that are neither there nor to be made out of what is copied.
  func drop(_ table: CopyTable) -> String {
    let key = table.map.key.indices.map { "r.k\($0)" }
    let isNeeded =
      cut.missing == .create
      ? " AND NOT EXISTS (SELECT 1 FROM temp.moclone_reach_needed n WHERE n.t = r.t AND "
        + "\(SQL.equal(table.map.key.indices.map { "n.k\($0)" }, key)))" : ""
    return "DELETE FROM \(all) AS r WHERE r.t = \(table.index) AND \(CopyCut.isLinked(table, key)) "
      + "AND NOT \(isThere(table, key))\(isNeeded)"
  }

  /// The same among keys that are written down.
  func dropMoved(_ table: CopyTable) -> String {
    "DELETE FROM \(table.movedName) AS m WHERE NOT \(CopyReach.contains(table, table.old("m")))"
  }
}
