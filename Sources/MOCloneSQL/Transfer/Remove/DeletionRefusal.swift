import MOCloneEngine
import MOCloneModel

/// A query for an object that a rule keeps: its mark and key, then those of the object it holds or is held by.
package struct DeletionRefusal {
  package enum Reason { case denied, leftAlone, required }

  package var reason: Reason
  package var name: String
  package var object: TablePlan
  package var other: TablePlan
  package var query: String
}

extension DeletionRenderer {
  /// What a deletion is refused for, each with a query that is empty where all is well.
  package var refusals: [DeletionRefusal] { denials + layout.references.compactMap(left) }

  private var denials: [DeletionRefusal] {
    layout.relationships.filter { $0.deleteRule == .deny }.map { relationship in
      let source = layout.table(of: relationship.entity)
      let destination = layout.table(of: relationship.destination)
      let set = gone[source.index]
      let way = set.rows("g") + layout.way(over: relationship, from: set.key("g"))
      return DeletionRefusal(
        reason: .denied, name: relationship.name, object: source, other: destination,
        query: first(source.id("s") + destination.id("d"), rows: way, but: destination, alias: "d"))
    }
  }

  private func left(_ reference: RowReference) -> DeletionRefusal? {
    let isNotTouched = reference.backward?.deleteRule == .noAction
    let owner = layout.table(of: reference.key.destination)
    let member = layout.table(of: reference.entity)
    let isKept = ["NO ACTION", "RESTRICT"].contains(reference.onDelete(in: member))
    guard isNotTouched ? isKept : reference.isRequired else { return nil }
    return DeletionRefusal(
      reason: isNotTouched ? .leftAlone : .required, name: reference.relationship.name, object: member,
      other: owner,
      query: first(member.id("x") + owner.id("s"), rows: members(reference), but: member, alias: "x"))
  }

  /// The first row that stays.
  private func first(_ columns: [String], rows: From, but table: TablePlan, alias: String) -> String {
    Select(columns, from: rows).where(!gone[table.index].has(alias)).limited(to: 1).text(dialect)
  }
}

extension TablePlan {
  /// Mark and key of a row.
  fileprivate func id(_ alias: String) -> [String] { [mark(alias)] + key(alias) }
}
