import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// What a copy begins with, what that owns, and what all of it refers to, found by one recursive query.
///
/// Each object is reached in ways, which the column `w` tells: 0 asked for or owned, 1 referred to by a foreign key,
/// more over a side of a table of pairs. Only what was asked for or is owned brings what it owns, and nothing is
/// followed back over the pairs that it was reached by. So a product brings its tags, and these no other products.
struct CopyReach {
  let layout: CopyLayout
  private let width: Int

  init(_ layout: CopyLayout) {
    self.layout = layout
    width = layout.tables.map { $0.map.key.count }.max() ?? 1
  }

  static let name = "moclone_reach"

  /// Whether an object was reached.
  static func contains(_ table: CopyTable, _ key: [String]) -> String {
    let parts = SQL.equal(key.indices.map { "r.k\($0)" }, key)
    return "EXISTS (SELECT 1 FROM \(SQL.temp(name)) r WHERE r.t = \(table.index) AND \(parts))"
  }

  /// The objects of a table that were reached, as rows of the source.
  static func each(of table: CopyTable, _ alias: String) -> String {
    let tie = SQL.equal(table.key(alias), table.map.key.indices.map { "g.k\($0)" })
    return "\(SQL.temp(name)) g CROSS JOIN \(table.sourceName) \(alias) ON g.t = \(table.index) AND \(tie)"
  }

  var columns: [String] { ["t"] + (0..<width).map { "k\($0)" } }

  /// The statements that fill the table of what was reached; parameters are the values of conditions.
  func statements(_ roots: [CopyRoot], limit: Int?) -> [String] {
    let steps = forward + backward + pairs
    let names = SQL.list(columns)
    return definitions + edges.flatMap(\.definitions) + [
      "INSERT OR IGNORE INTO \(SQL.temp(Self.name))(\(names)) WITH RECURSIVE reach(\(names), w) AS ("
        + (roots.enumerated().map { seed($1, $0, limit) } + steps).joined(separator: " UNION ")
        + ") SELECT \(names) FROM reach"
    ]
  }

  var definitions: [String] { [definition(Self.name)] }

  /// A table of objects.
  func definition(_ name: String) -> String {
    let names = SQL.list(columns)
    return "CREATE TEMP TABLE \(name)(\(names), PRIMARY KEY (\(names))) WITHOUT ROWID"
  }

  /// The name of the parameter of a condition.
  static func parameter(root: Int, condition: Int) -> String { "where_\(root)_\(condition)" }

  private func seed(_ root: CopyRoot, _ place: Int, _ limit: Int?) -> String {
    let table = layout.table(of: root.entity)
    var conditions = root.conditions.enumerated().map { i, condition in
      let mapped = layout.mapping[root.entity].attributes[condition.attribute.name]!
      let column = SQL.column("s", mapped.column)
      if condition.value.isNull { return "\(column) IS NULL" }
      return mapped.equal(column, ":\(Self.parameter(root: place, condition: i))")
    }
    if let kind = table.kind(of: layout.model.concreteEntities(of: root.entity), "s", layout.mapping) {
      conditions.append(kind)
    }
    let select =
      "SELECT \(object(table, table.key("s"))), 0 AS w FROM \(table.sourceName) s"
      + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
    guard let limit else { return select }
    return "SELECT * FROM (\(select) ORDER BY \(SQL.list(table.key("s"))) LIMIT \(limit))"
  }

  /// The values of `columns` for an object. Keys of tables that hold numbers and of those that hold texts meet in one
  /// column; without the plus sign SQLite would turn them all into the kind of the first.
  func object(_ table: CopyTable, _ key: [String]) -> String {
    let values = ["\(table.index)"] + key.map { "+\($0)" } + Array(repeating: "0", count: width - key.count)
    return SQL.list(zip(values, columns).map { "\($0) AS \($1)" })
  }

  /// `r` is the object that the step begins at; `way` is SQL for how its end is reached, nil where nobody asks.
  private func step(
    _ from: String, to other: CopyTable, over joins: [(String, String)], way: String? = nil
  ) -> String {
    "SELECT \(object(other, other.key("x")))\(way.map { ", " + $0 } ?? "") FROM \(from) r "
      + joins.map { "CROSS JOIN \($0) ON \($1)" }.joined(separator: " ")
  }

  /// Ties a row to the object that was reached; the constant comes first, so that others cost nothing.
  private func reached(_ table: CopyTable, _ key: [String], _ more: String? = nil) -> String {
    "r.t = \(table.index) AND " + (more.map { $0 + " AND " } ?? "")
      + SQL.equal(key, key.indices.map { "r.k\($0)" })
  }

  private var followsAll: Bool { layout.rules.follow == .all }

  /// What a row refers to; its one-to-one partner belongs to it as it belongs to the partner.
  private var forward: [String] {
    layout.references.filter { $0.followsForward && (followsAll || $0.forward != nil) }.map { reference in
      let isOwn = reference.isOneToOne ? "CASE r.w WHEN 0 THEN 0 ELSE 1 END" : "1"
      return forward(reference, from: "reach", way: followsAll ? "0" : isOwn)
    }
  }

  /// From rows to what they refer to; `from` is a table of objects.
  func forward(_ reference: CopyReference, from: String, way: String? = nil) -> String {
    let table = layout.tables[reference.table]
    let destination = layout.tables[reference.destination]
    let tie = SQL.equal(
      reference.key.references.map { SQL.column("x", $0) }, reference.key.columns.map { SQL.column("s", $0) })
    return step(
      from, to: destination,
      over: [
        ("\(table.sourceName) s", reached(table, table.key("s"), layout.kind(reference, "s"))),
        ("\(destination.sourceName) x", tie),
      ], way: way)
  }

  private func isFollowedBack(_ join: CopyJoin) -> Bool {
    join.followsBackward && (followsAll || join.inverse != nil)
  }

  private func isFollowedBack(_ reference: CopyReference) -> Bool {
    reference.followsBackward && (followsAll || reference.backward != nil)
  }

  /// What belongs to an object: the rows that refer to it over a relationship that it knows of.
  private var backward: [String] {
    layout.references.enumerated().filter { isFollowedBack($1) }.map { i, reference in
      let table = layout.tables[reference.table]
      let destination = layout.tables[reference.destination]
      let edge = edges.first { $0.reference == i }
      let from = edge?.name ?? table.sourceName
      let equal = SQL.equal(
        reference.key.columns.map { SQL.column("x", $0) },
        reference.key.references.map { SQL.column("d", $0) })
      let tie = equal + (edge == nil ? layout.kind(reference, "x").map { " AND " + $0 } ?? "" : "")
      let own = reached(destination, destination.key("d"), followsAll ? nil : "r.w = 0")
      return step(
        "reach", to: table, over: [("\(destination.sourceName) d", own), ("\(from) x", tie)], way: "0")
    }
  }

  private var pairs: [String] {
    layout.joins.enumerated().flatMap { i, join -> [String] in
      let own = layout.tables[join.table]
      let other = layout.tables[join.destination]
      let edge = edges.first { $0.join == i }
      let (there, back) = (2 * i + 2, 2 * i + 3)
      func side(_ table: CopyTable, _ other: CopyTable, _ mapping: JoinTableMapping, _ way: (Int, not: Int))
        -> String
      {
        pair(
          table, other, mapping, edge, join, way: followsAll ? "0" : "\(way.0)",
          more: followsAll ? nil : "r.w <> \(way.not)")
      }
      return (join.followsForward ? [side(own, other, join.mapping, (there, not: back))] : [])
        + (isFollowedBack(join) ? [side(other, own, join.mapping.inverted, (back, not: there))] : [])
    }
  }

  /// From objects of one side of a table of pairs to those of the other.
  func pair(_ join: CopyJoin, from objects: String, forward: Bool) -> [String] {
    let (own, other) = (layout.tables[join.table], layout.tables[join.destination])
    return [
      forward
        ? pair(own, other, join.mapping, nil, join, from: objects)
        : pair(other, own, join.mapping.inverted, nil, join, from: objects)
    ]
  }

  private func pair(
    _ table: CopyTable, _ other: CopyTable, _ join: JoinTableMapping, _ edge: CopyEdge?, _ copied: CopyJoin,
    from objects: String = "reach", way: String? = nil, more: String? = nil
  ) -> String {
    let needsEdge = edge.map { $0.columns == join.columns } ?? false
    let from = needsEdge ? edge!.name : CopySource.name(copied.source.name)
    return step(
      objects, to: other,
      over: [
        ("\(table.sourceName) s", reached(table, table.key("s"), more)),
        (
          "\(from) j",
          SQL.equal(join.columns.map { SQL.column("j", $0) }, join.references.map { SQL.column("s", $0) })
        ),
        (
          "\(other.sourceName) x",
          SQL.equal(
            join.destinationReferences.map { SQL.column("x", $0) },
            join.destinationColumns.map { SQL.column("j", $0) })
        ),
      ], way: way)
  }

  /// What would be searched without an index, for every object that is reached.
  private var edges: [CopyEdge] {
    let rows = layout.references.enumerated().compactMap { i, reference -> CopyEdge? in
      let table = layout.tables[reference.table]
      guard isFollowedBack(reference), !table.source.hasIndex(reference.key.columns) else { return nil }
      return CopyEdge(
        name: SQL.temp("moclone_edge_\(i)"), source: "\(table.sourceName) s", columns: reference.key.columns,
        others: table.map.keyColumns, condition: layout.kind(reference, "s"), reference: i)
    }
    let pairs = layout.joins.enumerated().compactMap { i, join -> CopyEdge? in
      let sides = [(join.followsForward, join.mapping), (isFollowedBack(join), join.mapping.inverted)]
      // One of the two sides is the primary key's first columns in any table of pairs that has one.
      let open = sides.first { $0 && !join.source.hasIndex($1.columns) }
      return open.map { _, mapping in
        CopyEdge(
          name: SQL.temp("moclone_pairs_\(i)"), source: CopySource.name(join.source.name),
          columns: mapping.columns, others: mapping.destinationColumns, join: i)
      }
    }
    return rows + pairs
  }
}

/// References of the source in an order that they can be searched in.
private struct CopyEdge {
  var name: String
  var source: String
  var columns: [String]
  var others: [String]
  var condition: String?
  var reference: Int?
  var join: Int?

  var definitions: [String] {
    let all = columns + others.filter { !columns.contains($0) }
    let plain = name.replacing("temp.", with: "", maxReplacements: 1)
    let index = plain.replacing("moclone_", with: "moclone_by_", maxReplacements: 1)
    return [
      "CREATE TEMP TABLE \(plain) AS SELECT \(SQL.list(all.map(SQL.name))) FROM \(source) "
        + "WHERE \(SQL.name(columns[0])) IS NOT NULL\(condition.map { " AND " + $0 } ?? "")",
      "CREATE INDEX temp.\(index) ON \(plain)(\(SQL.list(columns.map(SQL.name))))",
    ]
  }
}
