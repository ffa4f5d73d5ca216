import MOCloneEngine
import MOCloneModel

/// Finds the objects of a tree at once, and the parent of its root.
extension ClosureRenderer {
  /// Enters all that is below one generation of a tree, where none takes a value over from the one before; nil
  /// elsewhere.
  ///
  /// The function that counts the rows as they are found tells each the number of its parent. Each object names its
  /// one parent, so only the root could be met again, which is left out: the statement ends on a cycle too.
  func recursion(_ tablePlan: CloneTablePlan) -> String? {
    guard tablePlan.isTree, tablePlan.hasRowidKey, tablePlan.slots.isEmpty,
      !tablePlan.stored.contains(where: \.hasKind)
    else { return nil }
    let relationship = tablePlan.accessPaths[0]
    let found = foundValues(
      tablePlan, nodes: reachedNodes(relationship, in: tablePlan), parent: (tablePlan, "p"))
    let columns = ["seq"] + tablePlan.foundColumns
    let map = dialect.temporary(tablePlan.map)
    let (first, last) = ends(tablePlan)
    let start = Select(columns, from: From(map)).where(.sql("seq BETWEEN \(first) AND \(last)"))
    let step = Select(
      [dialect.rowNumber] + found, from: From("found p", joins: leading(relationship, source: tablePlan))
    ).where(!rootKey(tablePlan))
    let known = "\(last) - \(first) + 1"
    return enter(
      tablePlan.map, columns: columns,
      rows: "WITH RECURSIVE found(\(columns.list)) AS (\(Union(parts: [start, step]).text(dialect))) "
        + Select(columns, from: From("found")).skipping(known, dialect: dialect).text(dialect))
  }

  /// The parent of a tree's root, where it is below the root itself.
  func rootsParent(_ tablePlan: CloneTablePlan) -> String? {
    guard tablePlan.isTree, let reference = layout.parentReference(of: tablePlan) else { return nil }
    let key = layout.references[tablePlan.index][reference].key
    let parents = key.references.map { tablePlan.old("p")[tablePlan.keyPart($0)!] }
    let columns = dialect.columns("s", key.columns)
    let root = dialect.parameter("root")
    let rows = From("\(dialect.table(tablePlan.table.name)) s")
    let isRoot = rootKey(tablePlan) && layout.holders.condition(key, alias: "s")
    let parent = Select(
      ["p.seq"],
      from: rows + [
        .ordered(
          "\(dialect.temporary(tablePlan.map)) p",
          on: .equal(parents, columns) && .sql("p.seq >= \(root)"))
      ]
    ).where(isRoot)
    let hasParent = Select(["1"], from: rows).where(isRoot && .isNotNull(columns[0]))
    return Update(dialect.temporary(tablePlan.map), assignments: [("parent", "(\(parent.text(dialect)))")])
      .where(.equal(["seq"], [root]) && .exists(hasParent, dialect)).text(dialect)
  }
}
