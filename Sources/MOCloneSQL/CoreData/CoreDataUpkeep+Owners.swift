import MOCloneModel

// The objects whose to-many relationships gain, lose or move a member. They have changed for Core Data, which counts the
// version of every object on that a save updates, also where none of its columns changes.
extension CoreDataUpkeep {
  /// The triggers that note the owners of a table's rows, to which foreign keys lead.
  func ownerTriggers(_ table: TablePlan) -> [Trigger] {
    let references = store.references(in: table).filter {
      $0.backward?.isToMany == true && store.hasObjects(of: $0.key.destination)
    }
    guard !references.isEmpty else { return [] }
    func note(_ reference: RowReference, _ row: String, where condition: Condition = .always) -> String {
      let key = row + "." + dialect.name(reference.key.columns[0])
      return noteChange(
        key, in: store.table(of: reference.key.destination),
        where: .sql("\(key) IS NOT NULL") && holds(reference, row) && condition)
    }
    func columns(_ reference: RowReference) -> [String] {
      [reference.key.columns[0], reference.orderColumn].compactMap { $0 }
    }
    let moves = references.flatMap { reference in
      ["OLD", "NEW"].map { note(reference, $0, where: changes(columns(reference))) }
    }
    let all = Set(references.flatMap(columns)).sorted().map(dialect.name)
    return triggers(
      "\(table.index)_owners", on: table.sql,
      [
        (.inserted, "INSERT", references.map { note($0, "NEW") }),
        (.deleted, "DELETE", references.map { note($0, "OLD") }),
        (.changed, "UPDATE OF \(all.list)", moves),
      ])
  }

  /// Whether a trigger's row holds a reference: its values have no affinity, and a number is no text.
  private func holds(_ reference: RowReference, _ row: String) -> Condition {
    let (table, entities) = (
      store.table(of: reference.entity), store.model.concreteEntities(of: reference.entity)
    )
    if table.isKind(entities, alias: row) == .always { return .always }
    return .among("CAST(\(table.mark(row)) AS TEXT)", values: table.literals(entities))
  }

  /// The triggers that note the objects at both ends of join rows.
  var joinTriggers: [Trigger] {
    store.joins.enumerated().flatMap { place, join in
      func note(_ row: String, where condition: (JoinTableMapping) -> Condition = { _ in .always })
        -> [String]
      {
        join.ends.map { end in
          noteChange(
            row + "." + dialect.name(end.mapping.columns[0]), in: store.table(of: end.entity),
            where: condition(end.mapping))
        } + notePair(of: join, place, row: row)
      }
      // A move in the list of one end is none in that of the other.
      func moves(_ end: JoinTableMapping) -> Condition {
        changes(end.columns + end.destinationColumns + [end.orderColumn].compactMap { $0 })
      }
      return triggers(
        "join\(place)", on: dialect.table(join.mapping.table),
        [
          (.inserted, "INSERT", note("NEW")), (.deleted, "DELETE", note("OLD")),
          (.changed, "UPDATE", note("OLD", where: moves) + note("NEW", where: moves)),
        ])
    }
  }
}
