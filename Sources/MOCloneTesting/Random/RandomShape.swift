import MOCloneModel

/// A family of random models, each with what the others have seldom or never.
public enum RandomShape: String, Sendable, Hashable, Codable, CaseIterable {
  /// Every kind of relationship, key and annotation, sibling references and references to unique columns.
  case mixed
  /// Several tenants, whose key is a part of most keys, foreign keys and join tables.
  case tenants
  /// Small trees of entities, each reached over one foreign key, as row-by-row cloning wants them.
  case tree

  /// The model of a seed; the same seed gives the same model.
  public func model(seed: UInt64) throws -> ObjectModel {
    switch self {
    case .mixed: try RandomModel.wide(seed: seed)
    case .tenants: try RandomModel.tenants(seed: seed)
    case .tree: try RandomModel.tree(seed: seed)
    }
  }
}
