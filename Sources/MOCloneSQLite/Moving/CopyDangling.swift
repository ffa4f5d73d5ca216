import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// References of the source to rows that do not exist there, which SQLite enforces only where it is asked to.
///
/// They arrive as null and are counted: the same key can be another object's in the other store.
struct CopyDangling {
  private let layout: CopyLayout
  private let isPartial: Bool
  private let statements: StatementRunner

  init(_ layout: CopyLayout, isPartial: Bool, _ statements: StatementRunner) {
    self.layout = layout
    self.isPartial = isPartial
    self.statements = statements
  }

  /// A reference of some rows `s`, by the relationship that people know it by.
  private struct Lead {
    var name: String
    var from: String
    var columns: [String]
    var references: [String]
    var destination: CopyTable
  }

  /// Notes the tables that dangling references lead to.
  ///
  /// - Returns: how many there are, by relationship.
  func find(_ states: inout [CopyState]) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    var ranges: [Int: String] = [:]
    for lead in leads {
      let range = try ranges[lead.destination.index] ?? keyRange(lead.destination)
      ranges[lead.destination.index] = range
      if try isWithin(range, lead) { continue }
      let count = try statements.number("SELECT count(*) FROM \(lead.from) AND \(isDangling(lead))")
      guard count > 0 else { continue }
      counts[lead.name, default: 0] += count
      states[lead.destination.index].hasDangling = true
    }
    return counts
  }

  /// A condition on `s.key` where the numbers of a table's rows leave none out; empty where nobody knows.
  ///
  /// Then no row has to be looked up. Of a part of the source only what is copied is looked up.
  private func keyRange(_ table: CopyTable) throws -> String {
    guard !isPartial, table.map.key.count == 1, table.source.isRowid(table.map.keyColumns[0]) else {
      return ""
    }
    let key = SQL.name(table.map.keyColumns[0])
    let row = try statements.row("SELECT min(\(key)), max(\(key)), count(*) FROM \(table.sourceName)")!
    guard let least: Int64 = row[0], let last: Int64 = row[1] else { return "" }
    let (distance, isTooFar) = last.subtractingReportingOverflow(least)
    guard !isTooFar, distance == (row[2] as Int64) - 1 else { return "" }
    return "BETWEEN \(least) AND \(last)"
  }

  private func isWithin(_ range: String, _ lead: Lead) throws -> Bool {
    guard !range.isEmpty, CopyKeys.places(of: lead.destination.map.keyColumns, in: lead.references) != nil
    else { return false }
    return try statements.number(
      "SELECT EXISTS (SELECT 1 FROM \(lead.from) AND \(lead.columns[0]) NOT \(range))") == 0
  }

  private func isDangling(_ lead: Lead) -> String {
    let tie = SQL.equal(lead.references.map { SQL.column("d", $0) }, lead.columns)
    return "NOT EXISTS (SELECT 1 FROM \(lead.destination.sourceName) d WHERE \(tie))"
  }

  private var leads: [Lead] {
    let references = layout.references.filter(\.isFormed).map { reference in
      let table = layout.tables[reference.table]
      return Lead(
        name: reference.relationship.qualifiedName, from: rows(table, reference),
        columns: reference.key.columns.map { SQL.column("s", $0) }, references: reference.key.references,
        destination: layout.tables[reference.destination])
    }
    return references + layout.joins.filter(\.isFormed).flatMap(leads)
  }

  private func leads(_ join: CopyJoin) -> [Lead] {
    let (own, other) = (layout.tables[join.table], layout.tables[join.destination])
    let ends = [(own, join.mapping, other), (other, join.mapping.inverted, own)]
    return ends.map { table, mapping, partner in
      let columns = mapping.columns.map { SQL.column("s", $0) }
      var from = "\(CopySource.name(join.source.name)) s WHERE \(columns[0]) IS NOT NULL"
      if isPartial {
        // Pairs are found by the objects at their other end.
        let tie = SQL.equal(
          mapping.destinationColumns.map { SQL.column("s", $0) },
          mapping.destinationReferences.map { SQL.column("p", $0) })
        from =
          "\(CopyReach.each(of: partner, "p")) CROSS JOIN \(CopySource.name(join.source.name)) s ON \(tie) "
          + "WHERE \(columns[0]) IS NOT NULL"
      }
      return Lead(
        name: join.relationship.qualifiedName, from: from, columns: columns, references: mapping.references,
        destination: table)
    }
  }

  /// The rows that hold a reference, of those that are copied.
  private func rows(_ table: CopyTable, _ reference: CopyReference) -> String {
    let isThere = reference.key.columns.map { "\(SQL.column("s", $0)) IS NOT NULL" }
    let all = isThere + [layout.kind(reference, "s")].compactMap { $0 }
    let from = isPartial ? CopyReach.each(of: table, "s") : "\(table.sourceName) s"
    return "\(from) WHERE \(all.joined(separator: " AND "))"
  }
}
