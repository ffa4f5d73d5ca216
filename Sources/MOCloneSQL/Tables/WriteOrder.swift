/// The order in which tables are written, each after those that its rows need, as far as that is possible; itself it may
/// need.
package struct WriteOrder: Sendable {
  package private(set) var order: [Int] = []
  package private(set) var isAcyclic = true

  /// - Parameters:
  ///   - needs: of each table those that are to come before it.
  ///   - counting: those in whose rows triggers keep what they count, which begin a circle.
  package init(_ needs: [Set<Int>], counting: Set<Int> = []) {
    let edges: [(from: Int, to: Int)] = needs.indices.flatMap { table in
      needs[table].subtracting([table]).map { (from: $0, to: table) }
    }
    let needing = Dictionary(grouping: edges) { $0.from }
    // What needs a circle without being part of it comes after the member that it needs.
    lazy var circles = Components(count: needs.count, edges: edges).ordered.joined()
    var missing = needs.indices.map { needs[$0].subtracting([$0]) }
    var isWritten = Array(repeating: false, count: needs.count)
    var ready = needs.indices.filter { missing[$0].isEmpty }
    while order.count < needs.count {
      if ready.isEmpty {
        isAcyclic = false
        let open = circles.filter { !isWritten[$0] }
        // The first table that needs none in whose rows is counted.
        ready = [open.first { missing[$0].isDisjoint(with: counting) } ?? open[0]]
      }
      order += ready
      for table in ready { isWritten[table] = true }
      var next: [Int] = []
      for edge in ready.flatMap({ needing[$0] ?? [] }) where !isWritten[edge.to] {
        missing[edge.to].remove(edge.from)
        if missing[edge.to].isEmpty { next.append(edge.to) }
      }
      ready = next.sorted()
    }
  }
}

/// How far rows are below others of the same table that are written with them: written in this order, each comes after
/// the row that it refers to. Where triggers keep values that matters, for a trigger counts only in rows that exist.
///
/// ```sql
/// WITH RECURSIVE links(o0, p0) AS MATERIALIZED (SELECT s.id, p.id FROM ...), below(k0, level) AS (
///   SELECT x.*, 0 FROM (SELECT p0 FROM links EXCEPT SELECT o0 FROM links) x
///   UNION ALL SELECT l.o0, b.level + 1 FROM below b JOIN links l ON l.p0 = b.k0) SELECT * FROM below
/// ```
///
/// Rows that refer to each other in a circle are on no level.
struct RowLevels {
  /// Selects the keys of rows and, behind each, that of the row that it refers to.
  let links: Select
  let width: Int
  let dialect: Dialect

  private func names(_ prefix: String) -> [String] { (0..<width).map { "\(prefix)\($0)" } }

  private var text: String {
    let (own, above, key) = (names("o"), names("p"), names("k"))
    let tops = "SELECT \(above.list) FROM links EXCEPT SELECT \(own.list) FROM links"
    let next = Select(
      names("l.o") + ["b.level + 1"],
      from: From("below b", joins: [.inner("links l", on: .equal(names("l.p"), names("b.k")))]))
    return "WITH RECURSIVE links(\((own + above).list)) AS MATERIALIZED (\(links.text(dialect))), "
      + "below(\((key + ["level"]).list)) AS (SELECT x.*, 0 FROM (\(tops)) x UNION ALL \(next.text(dialect))) "
      + "SELECT * FROM below"
  }

  /// Joins its level to each row.
  func join(to key: [String]) -> From.Join {
    .left("(\(text)) level", on: .equal(names("level.k"), key))
  }

  /// What rows are ordered by first.
  static let order = "coalesce(level.level, 0)"
}
