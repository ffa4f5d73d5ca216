import MOCloneEngine
import MOCloneModel

/// References that lie in columns of other ones, which a row can hold one value for only.
extension MergeRenderer {
  /// A column in which a reference to what goes lies with another reference that the server enforces.
  package struct SharedColumn {
    package let name: String
    /// What it refers to in what is merged.
    package let referenced: String
    package let other: RowReference
    /// Selects a row for which both would need different values after the merge: mark and key of it.
    package let divided: String
  }

  package func sharedColumns(of reference: RowReference) -> [SharedColumn] {
    let member = layout.table(of: reference.entity)
    // One-to-one references are moved one by one, and a reference to the row's own duplicate becomes null.
    guard dialect.hasTypes, member != table, !reference.isOneToOne else { return [] }
    return layout.references(in: member).filter { $0 != reference }.flatMap { other -> [SharedColumn] in
      let isEnforced = member.schema.foreignKey(on: other.key.columns) != nil
      // What lies in the reference as a whole changes with it, as that to a tenant.
      let isPart = other.key.columns.allSatisfy { reference.part(in: $0) != nil }
      guard isEnforced, !isPart else { return [] }
      return other.key.columns.indices.compactMap { column(of: reference, other: other, place: $0) }
    }
  }

  /// - Parameter place: that of a column among those of the other reference.
  private func column(of reference: RowReference, other: RowReference, place: Int) -> SharedColumn? {
    let member = layout.table(of: reference.entity)
    let destination = layout.table(of: other.key.destination)
    let (column, referenced) = (other.key.columns[place], other.key.references[place])
    guard let own = reference.part(in: column), !member.schema.isGenerated(column),
      isSettled(referenced, in: destination),
      isSettled(reference.key.references[own], in: table)
    else { return nil }
    let (from, new) = referrers(reference)
    let tie = other.key.leads(from: "x", to: "d", in: dialect) && layout.holds(other, "x")
    let joins = settled(destination, as: "d", survivor: "v", on: tie)
    let kept = Condition.isNull("w.k0")
      .choose(dialect.column("d", referenced), else: dialect.column("v", referenced))
    let rows = Select([member.mark("x")] + member.key("x"), from: from + joins)
      .where(.isNotNull(new[own]) && dialect.different(new[own], kept) && isKept("x", table: member))
    return SharedColumn(
      name: column, referenced: reference.key.references[own], other: other,
      divided: rows.limited(to: 1).text(dialect))
  }

  /// Whether a column holds after the merge what it holds now: not where it follows what is merged itself.
  private func isSettled(_ column: String, in table: TablePlan, beyond seen: Set<[String]> = []) -> Bool {
    let place = [table.root, column.sqlName]
    guard !seen.contains(place) else { return true }
    return layout.references(in: table).allSatisfy { reference in
      guard let part = reference.part(in: column) else { return true }
      let destination = layout.table(of: reference.key.destination)
      return !merged.contains(destination.index)
        && isSettled(reference.key.references[part], in: destination, beyond: seen.union([place]))
    }
  }
}
