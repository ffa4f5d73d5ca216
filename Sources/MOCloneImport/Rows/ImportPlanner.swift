import MOCloneEngine
import MOCloneModel

/// Makes of a mapping what an import runs by: the plan of the graph, the shape of the rows, and the nodes that lead
/// from one to the other.
struct ImportPlanner {
  let plan: ImportPlan
  let shape: RecordShape
  let names: RowNames
  private let root: ImportNode
  private let texts: TextRules

  /// - Throws: `ModelError` with every finding in the mapping, `CloneError` where identities do not fit it.
  /// - Parameter modified: the date that the import gives where no row does.
  init(
    _ mapping: ImportMapping, in model: ObjectModel, options: ImportOptions, format: FileFormat,
    modified: ModifiedRule = ModifiedRule()
  ) throws {
    try mapping.check(against: model)
    var builder = try ImportBuilder(
      model, root: mapping.root.entity!, options: options, format: format, modified: modified)
    var shape = RecordShape()
    let root = try builder.node(mapping.root, name: mapping.root.entity!, in: &shape)
    names = RowNames(
      ignored: mapping.ignore + options.ignore,
      model: Self.names(of: mapping.root, mapping.root.entity!, in: model))
    let row = mapping.root.rows?.split { $0 == "." || $0 == "/" }.last
    shape.allow(names, rows: Set(row.map { [Array($0.utf8)] } ?? []))
    plan = try builder.finish(root)
    for field in Self.identifying(root, plan) { shape.require(field) }
    texts = TextRules(trims: mapping.trims, null: mapping.null, format: format, modified: modified.name)
    self.root = root
    self.shape = shape
  }

  /// What takes the rows of one reading of the file.
  func rows() throws -> RowNode { try RowNode(root, plan: plan, texts: texts) }

  /// The values without which no row finds or makes its object.
  private static func identifying(_ node: ImportNode, _ plan: ImportPlan) -> [Int] {
    let names = node.identity.map { plan.entities[node.entity].attributes[$0].name }
    let identifying = node.below.filter { below in
      guard below.nested == nil, case .above(let reference) = below.link else { return false }
      return node.identityReferences.contains(reference)
    }
    return names.compactMap { node.fields[$0] } + identifying.flatMap { Self.identifying($0, plan) }
  }

  /// What the model calls the properties of the entities that rows make objects of.
  private static func names(of node: ImportMapping.Node, _ entity: String, in model: ObjectModel) -> [String]
  {
    model.propertyNames(of: entity)
      + node.relationships.flatMap { name, below in
        names(of: below, below.entity ?? model.relationship(name, of: entity)!.destination, in: model)
      }
  }
}
