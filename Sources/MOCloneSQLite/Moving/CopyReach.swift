import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The objects that a copy begins with and everything they are related to, found by one recursive query.
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

  var columns: [String] { ["t"] + (0..<width).map { "k\($0)" } }

  /// The statements that fill the table of what was reached; parameters are the values of conditions.
  func statements(_ roots: [CopyRoot], limit: Int?) -> [String] {
    let steps = forward + backward + pairs
    let names = SQL.list(columns)
    return definitions + edges.flatMap(\.definitions) + [
      "INSERT INTO \(SQL.temp(Self.name))(\(names)) WITH RECURSIVE reach(\(names)) AS ("
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
    let table = layout.tables.first { $0.root == layout.model.rootEntity(of: root.entity) }!
    var conditions = root.conditions.enumerated().map { i, condition in
      let column = layout.mapping[root.entity].attributes[condition.attribute.name]!.column
      return "\(SQL.column("s", column)) IS :\(Self.parameter(root: place, condition: i))"
    }
    if let kind = table.kind(of: layout.model.concreteEntities(of: root.entity), "s", layout.mapping) {
      conditions.append(kind)
    }
    let select =
      "SELECT \(object(table, table.key("s"))) FROM \(table.sourceName) s"
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

  /// `r` is the object that the step begins at.
  private func step(_ from: String, to other: CopyTable, over joins: [(String, String)]) -> String {
    "SELECT \(object(other, other.key("x"))) FROM \(from) r "
      + joins.map { "CROSS JOIN \($0) ON \($1)" }.joined(separator: " ")
  }

  /// Ties a row to the object that was reached; the constant comes first, so that others cost nothing.
  private func reached(_ table: CopyTable, _ key: [String]) -> String {
    "r.t = \(table.index) AND " + SQL.equal(key, key.indices.map { "r.k\($0)" })
  }

  private var forward: [String] {
    layout.references.filter(\.followsForward).map { forward($0, from: "reach") }
  }

  /// From rows to what they refer to; `from` is a table of objects.
  func forward(_ reference: CopyReference, from: String) -> String {
    let table = layout.tables[reference.table]
    let destination = layout.tables[reference.destination]
    let tie = SQL.equal(
      reference.key.references.map { SQL.column("x", $0) }, reference.key.columns.map { SQL.column("s", $0) })
    return step(
      from, to: destination,
      over: [("\(table.sourceName) s", reached(table, table.key("s"))), ("\(destination.sourceName) x", tie)])
  }

  private var backward: [String] {
    layout.references.enumerated().filter { $1.followsBackward }.map { i, reference in
      let table = layout.tables[reference.table]
      let destination = layout.tables[reference.destination]
      let from = edges.first { $0.reference == i }?.name ?? table.sourceName
      let tie = SQL.equal(
        reference.key.columns.map { SQL.column("x", $0) },
        reference.key.references.map { SQL.column("d", $0) })
      return step(
        "reach", to: table,
        over: [
          ("\(destination.sourceName) d", reached(destination, destination.key("d"))), ("\(from) x", tie),
        ])
    }
  }

  private var pairs: [String] {
    layout.joins.enumerated().flatMap { i, join -> [String] in
      let own = layout.tables[join.table]
      let other = layout.tables[join.destination]
      let edge = edges.first { $0.join == i }
      let there = join.followsForward ? [pair(own, other, join.mapping, edge, join)] : []
      let back = join.followsBackward ? [pair(other, own, join.mapping.inverted, edge, join)] : []
      return there + back
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
    from objects: String = "reach"
  ) -> String {
    let needsEdge = edge.map { $0.columns == join.columns } ?? false
    let from = needsEdge ? edge!.name : CopySource.name(copied.source.name)
    return step(
      objects, to: other,
      over: [
        ("\(table.sourceName) s", reached(table, table.key("s"))),
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
      ])
  }

  /// What would be searched without an index, for every object that is reached.
  private var edges: [CopyEdge] {
    let rows = layout.references.enumerated().compactMap { i, reference -> CopyEdge? in
      let table = layout.tables[reference.table]
      guard reference.followsBackward, !table.source.hasIndex(reference.key.columns) else { return nil }
      return CopyEdge(
        name: SQL.temp("moclone_edge_\(i)"), source: table.sourceName, columns: reference.key.columns,
        others: table.map.keyColumns, reference: i)
    }
    let pairs = layout.joins.enumerated().compactMap { i, join -> CopyEdge? in
      let sides = [(join.followsForward, join.mapping), (join.followsBackward, join.mapping.inverted)]
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
  var reference: Int?
  var join: Int?

  var definitions: [String] {
    let all = columns + others.filter { !columns.contains($0) }
    let plain = name.replacing("temp.", with: "", maxReplacements: 1)
    let index = plain.replacing("moclone_", with: "moclone_by_", maxReplacements: 1)
    return [
      "CREATE TEMP TABLE \(plain) AS SELECT \(SQL.list(all.map(SQL.name))) FROM \(source) "
        + "WHERE \(SQL.name(columns[0])) IS NOT NULL",
      "CREATE INDEX temp.\(index) ON \(plain)(\(SQL.list(columns.map(SQL.name))))",
    ]
  }
}
