import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The ends of ordered lists that objects of the other store had before: what is added comes behind them.
extension CopyWrites {
  /// The temporary table for the lists of a reference; nil where no list was there.
  func ends(_ reference: CopyReference) -> String? {
    guard reference.key.orderColumn != nil, hasLists(reference.destination) else { return nil }
    let place = layout.references.firstIndex { $0.key == reference.key && $0.table == reference.table }!
    return "moclone_end_\(place)"
  }

  /// The ordered lists of both sides of a table of pairs.
  func ends(_ join: CopyJoin) -> [(column: String?, name: String?)] {
    let place = layout.joins.firstIndex { $0.mapping == join.mapping }!
    let sides = [(join.mapping.orderColumn, join.table), (join.mapping.inverseOrderColumn, join.destination)]
    return sides.enumerated().map { side, list in
      (list.0, list.0 != nil && hasLists(list.1) ? "moclone_end_\(place)_\(side)" : nil)
    }
  }

  private func hasLists(_ owners: Int) -> Bool { keys.states[owners].hasMoved }

  /// What is added to a position; `new` is the key of the list's owner.
  func end(_ ends: String?, _ new: [String]) -> String {
    guard let ends else { return "" }
    let tie = SQL.equal(new.indices.map { "e.k\($0)" }, new)
    return " + ifnull((SELECT e.p FROM \(SQL.temp(ends)) e WHERE \(tie)), 0)"
  }

  /// The statements that note the ends, before anything is written.
  var listEnds: [String] {
    let rows = layout.references.flatMap { reference -> [String] in
      guard let name = ends(reference) else { return [] }
      let table = layout.tables[reference.table]
      return note(name, of: table.targetName, reference.key.columns, reference.key.orderColumn!)
    }
    let pairs = layout.joins.flatMap { join in
      zip(ends(join), [join.mapping.columns, join.mapping.destinationColumns]).flatMap { list, columns in
        list.name.map { note($0, of: SQL.main(join.target.name), columns, list.column!) } ?? []
      }
    }
    return rows + pairs
  }

  private func note(_ name: String, of table: String, _ columns: [String], _ order: String) -> [String] {
    let keys = columns.indices.map { "k\($0)" }
    let values = columns.indices.map { "\(SQL.column("t", columns[$0])) AS k\($0)" }
    let last = "max(\(SQL.column("t", order))) AS p"
    return [
      "CREATE TEMP TABLE \(name) AS SELECT \(SQL.list(values + [last])) FROM \(table) t "
        + "WHERE \(SQL.column("t", columns[0])) IS NOT NULL GROUP BY \(SQL.list(keys))",
      "CREATE INDEX temp.moclone_by\(name.dropFirst(7)) ON \(name)(\(SQL.list(keys)))",
    ]
  }
}
