import MOCloneEngine
import MOCloneModel

/// The statements that lead references by a unique column to what stays where that holds nothing in the column: they are
/// empty until it is filled with the value, of which what goes has to let go first.
package struct ValueReferenceRenderer {
  package let reference: RowReference
  private let merge: MergeRenderer
  /// What the column holds in the end.
  private let settled: [String]
  private let moves: MovedRows
  private var member: TablePlan { moves.rows.table }

  /// One for each such reference to the merged rows.
  ///
  /// - Parameter fills: whether what stays is filled.
  package static func all(_ merge: MergeRenderer, _ fill: FillRenderer, fills: Bool) -> [Self] {
    merge.layout.references.enumerated().compactMap {
      Self(merge, fill, reference: $1, number: $0, fills: fills)
    }
  }

  private init?(
    _ merge: MergeRenderer, _ fill: FillRenderer, reference: RowReference, number: Int, fills: Bool
  ) {
    let (layout, table, key) = (merge.layout, merge.table, reference.key)
    let member = layout.table(of: reference.entity)
    // What stands in a list or belongs to one object alone gets its place as it is moved.
    guard layout.table(of: key.destination) == table, table.keys.places(of: key.references) == nil,
      member != table, key.columns.count == 1, !member.isInKey(key.columns), !merge.isComputed(reference),
      member.schema.column(key.columns[0])?.isRequired == false,
      reference.orderColumn == nil, !reference.isOneToOne
    else { return nil }
    (self.merge, self.reference) = (merge, reference)
    settled = fill.filled(key.references, fills: fills)
    moves = MovedRows("values_\(number)", of: member, to: reference, dialect: merge.dialect)
  }

  /// The rows `x` that refer to what goes where what stays, `t` and `s`, holds nothing in the column.
  private var rows: Select {
    let (from, new) = merge.referrers(reference)
    return Select([], from: from + [merge.table.row("s", of: merge.table.keys("m.n"))]).where(.isNull(new[0]))
  }

  /// Counts those that would refer to nothing in the end.
  package var countLost: String {
    rows.where(.isNull(settled[0])).with(["count(*)"]).text(merge.dialect)
  }

  /// Notes the rows before anything is led elsewhere.
  package var collect: [String] {
    moves.rows.setUp + [moves.find(rows.with(member.key("x") + settled + ["NULL"]))]
  }

  /// Leads them to what stays, once that is filled.
  package var apply: [String] { moves.write(merge.dates) + [moves.rows.clear] }
}
