import MOCloneEngine
import MOCloneModel

/// Makes of a mapping what an import runs by: the plan of the graph, the shape of the rows, and the nodes that lead
/// from one to the other.
struct ImportPlanner {
  let plan: ImportPlan
  let root: RowNode
  let shape: RecordShape

  /// - Throws: `ModelError` with every finding in the mapping, `CloneError` where identities do not fit it.
  init(_ mapping: ImportMapping, _ model: ObjectModel, _ options: ImportOptions, format: FileFormat) throws {
    try mapping.check(against: model)
    var builder = try ImportBuilder(model, options, format)
    var shape = RecordShape()
    let root = try builder.node(mapping.root, mapping.root.entity!, in: &shape)
    plan = try builder.finish(root)
    self.root = try RowNode(root, plan)
    self.shape = shape
  }
}
