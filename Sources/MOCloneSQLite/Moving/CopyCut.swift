import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension CopyCut {
  static let linked = "moclone_reach_linked"
  static let givenTable = "moclone_reach_given"

  /// Whether an object is outside the subtree, and linked to.
  static func isLinked(_ table: CopyTable, _ key: [String]) -> String {
    let parts = SQL.equal(key.indices.map { "l.k\($0)" }, key)
    return "EXISTS (SELECT 1 FROM \(SQL.temp(linked)) l WHERE l.t = \(table.index) AND \(parts))"
  }

  /// Enters the members in the table of what is copied.
  func fill(_ layout: CopyLayout, in db: Database) throws {
    let reach = CopyReach(layout)
    for statement in reach.definitions + [Self.linked, Self.givenTable].map(reach.definition) {
      try db.execute(sql: statement)
    }
    try enter(members, in: CopyReach.name, reach, db)
    try enter(given, in: Self.givenTable, reach, db)
  }

  private func enter(_ objects: [ObjectID], in name: String, _ reach: CopyReach, _ db: Database) throws {
    let layout = reach.layout
    for table in layout.tables {
      let own = objects.filter { layout.model.rootEntity(of: $0.entity) == table.root }
      guard !own.isEmpty else { continue }
      let coding = KeyCoding(entity: table.map)
      let padding = reach.columns.count - 1 - table.map.key.count
      let marks = Array(repeating: "?", count: table.map.key.count) + Array(repeating: "0", count: padding)
      let statement = try db.makeStatement(
        sql:
          "INSERT OR IGNORE INTO \(SQL.temp(name)) VALUES (\(SQL.list(["\(table.index)"] + marks)))"
      )
      for member in own {
        let key = member.key.parts.enumerated().map { coding.encode($1, part: $0) }
        try statement.execute(arguments: StatementArguments(key))
      }
    }
  }
}

// MARK: What is written

extension CopyCut {
  /// What a reference becomes in the row `s`: of a member what it asks for, of other objects what they cannot do without.
  func values(_ new: [String], of reference: CopyReference, _ layout: CopyLayout) -> [String] {
    let none = new.map { _ in "NULL" }
    let isBrought = reference.forward.map { layout.rules.brings($0, creates: true) } ?? false
    let ofLinked = isBrought ? new : none
    var ofMember = new
    if !asks(reference.forward) {
      let condition = "NOT \(leadsToLinked(reference, layout))"
      ofMember = asks(reference.backward) ? new.map { "CASE WHEN \(condition) THEN \($0) END" } : none
    }
    guard ofMember != ofLinked else { return new }
    let table = layout.tables[reference.table]
    let isLinked = Self.isLinked(table, table.key("s"))
    return zip(ofMember, ofLinked).map { "CASE WHEN \(isLinked) THEN \($1) ELSE \($0) END" }
  }

  private func leadsToLinked(_ reference: CopyReference, _ layout: CopyLayout) -> String {
    let destination = layout.tables[reference.destination]
    let columns = reference.key.columns.map { SQL.column("s", $0) }
    if let places = CopyKeys.places(of: destination.map.keyColumns, in: reference.key.references) {
      return Self.isLinked(destination, places.map { columns[$0] })
    }
    let tie = SQL.equal(reference.key.references.map { SQL.column("d", $0) }, columns)
    return "EXISTS (SELECT 1 FROM \(destination.sourceName) d WHERE \(tie) AND "
      + "\(Self.isLinked(destination, destination.key("d"))))"
  }

  /// The pairs `j` that are written: those that a member asks for.
  func condition(on join: CopyJoin, _ layout: CopyLayout) -> String {
    func isLinked(_ table: Int, _ columns: [String]) -> String {
      Self.isLinked(layout.tables[table], columns.map { SQL.column("j", $0) })
    }
    let own = isLinked(join.table, join.mapping.columns)
    let other = isLinked(join.destination, join.mapping.destinationColumns)
    switch (asks(join.relationship), asks(join.inverse)) {
    case (true, true): return "NOT (\(own) AND \(other))"
    case (true, false): return "NOT \(own)"
    case (false, true): return "NOT \(other)"
    case (false, false): return "0"
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
    let direct = layout.references.filter { cut.asks($0.forward) }.map { step($0, from: all) }
    let pairs = layout.joins.flatMap { join in
      (cut.asks(join.relationship) ? reach.pair(join, from: all, forward: true) : [])
        + (cut.asks(join.inverse) ? reach.pair(join, from: all, forward: false) : [])
    }
    let isMember =
      "EXISTS (SELECT 1 FROM \(all) r WHERE "
      + SQL.equal(reach.columns.map { "r.\($0)" }, reach.columns.map { "x.\($0)" }) + ")"
    let further = needed(creates: cut.missing == .create)
    let steps = ["SELECT \(names) FROM \(SQL.temp(CopyCut.givenTable))"] + direct + pairs
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
      reference.forward.map { layout.rules.brings($0, creates: creates) } ?? false
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
