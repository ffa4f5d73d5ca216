import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Looks after an import whether in its one-to-one relationships nothing belongs to two objects.
struct ImportPartners {
  let plan: ImportPlan
  let tables: [StagedTable]
  let statements: StatementRunner

  /// - Throws: `CloneError` (`constraint-failed`) with the object that would be taken twice.
  func check() throws {
    for table in tables {
      for (i, reference) in table.entity.references.enumerated() {
        let side =
          reference.isForward ? plan.model.inverse(of: reference.relationship) : reference.relationship
        if let side, !side.isToMany { try check(i, of: table, tables[reference.destination]) }
      }
    }
  }

  private func check(_ reference: Int, of table: StagedTable, _ destination: StagedTable) throws {
    guard let row = try statements.row(takenTwice(reference, of: table, destination)) else { return }
    let partner = ObjectID(
      destination.entity.name, key: KeyCoding(entity: destination.mapping).decode(row, from: 0))
    throw CloneError.importPartnerTaken(table.entity.references[reference].relationship, partner.description)
  }

  /// Objects of the rows that several rows of a table refer to.
  private func takenTwice(_ reference: Int, of table: StagedTable, _ destination: StagedTable) -> String {
    let keys = destination.keyParts.map { "m.\($0)" }
    let key = table.foreignKeys[reference]
    let isHeld = SQL.equal(
      key.columns.map { SQL.column("t", $0) }, key.references.map { SQL.column("o", $0) })
    let isKey = SQL.equal(destination.mapping.keyColumns.map { SQL.column("o", $0) }, keys)
    return "SELECT \(SQL.list(keys)) FROM temp.\(destination.map) m "
      + "CROSS JOIN \(SQL.main(destination.table.name)) o ON \(isKey) "
      + "CROSS JOIN \(SQL.main(table.table.name)) t ON \(isHeld) WHERE m.first = m.number "
      + "GROUP BY \(SQL.list(keys)) HAVING count(*) > 1 LIMIT 1"
  }
}
