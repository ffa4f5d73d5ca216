import MOCloneModel
import MOCloneSQL

// The tables of many-to-many relationships: those of two relationships of one entity are named after either, those of one
// that is its own inverse have a column REFLEXIVE.
extension CoreDataNaming {
  mutating func resolveJoinTables() {
    let (model, mapping) = (draft.unvalidated, mapping)
    for (e, entity) in draft.entities.enumerated() {
      for (r, relationship) in entity.relationships.enumerated() {
        guard relationship.joinTable == nil,
          let found = model.relationship(relationship.name, of: entity.name),
          model.inverse(of: found).map({ $0.joinTable == nil && found.qualifiedName < $0.qualifiedName })
            ?? true,
          case .join(let join) = mapping[entity.name].relationships[relationship.name], lacks(join),
          let there = table(like: join)
        else { continue }
        draft.entities[e].relationships[r].joinTable = there
        say(
          "The store has the table '\(there.table ?? "")' for it, not '\(join.table)'.",
          at: .entity(entity.name) / "relationships" / relationship.name)
      }
    }
  }

  private func lacks(_ join: JoinTableMapping) -> Bool {
    guard let table = schema[join.table] else { return true }
    let columns =
      join.columns + join.destinationColumns + [join.orderColumn, join.inverseOrderColumn].compactMap { $0 }
    return !columns.allSatisfy { table.column($0) != nil }
  }

  /// The one table with columns of these names, perhaps with a number behind them, or with that of a sub-entity: an inverse
  /// on its ancestor leads to that in the model.
  private func table(like join: JoinTableMapping) -> JoinTableDescription? {
    let found = schema.names.compactMap { name -> JoinTableDescription? in
      guard name.uppercased().hasPrefix("Z_"), let table = schema[name],
        let own = table.column(like: join.columns[0]),
        let other = table.column(like: join.destinationColumns[0], except: own)
      else { return nil }
      return JoinTableDescription(table: table.name, columns: [own], inverseColumns: [other])
    }
    return found.count == 1 ? found[0] : nil
  }
}

extension TableSchema {
  /// The one column of a name but for its numbers: that of the entity in front, and one behind.
  fileprivate func column(like name: String, except other: String? = nil) -> String? {
    let names = columns.map(\.name).filter { $0 != other }
    let base = String(name.reversed().drop { ("0"..."9").contains($0) }.reversed())
    let own = names.filter { $0.isName(name) || $0.isName(base) }
    let found = own.isEmpty ? names.filter { $0.withoutEntity.isName(name.withoutEntity) } : own
    return found.count == 1 ? found[0] : nil
  }
}

extension String {
  /// `DOCS` of `Z_2DOCS`.
  fileprivate var withoutEntity: String {
    hasPrefix("Z_") ? String(dropFirst(2).drop { ("0"..."9").contains($0) }) : self
  }
}
