import Foundation
import MOCloneEngine
import MOCloneModel

/// How a model is read from somewhere else.
public struct ModelSourceOptions: Sendable {
  /// Whether relationships that the database does not declare are proposed, by names and values.
  public var infersRelationships: Bool
  /// The version of an `.xcdatamodeld`; nil for its current one.
  public var version: String?
  /// The Xcode model of a Core Data store that does not hold its own.
  public var modelFile: URL?

  /// Creates options; by default nothing is inferred, and a versioned model is read in its current version.
  public init(infersRelationships: Bool = false, version: String? = nil, modelFile: URL? = nil) {
    self.infersRelationships = infersRelationships
    self.version = version
    self.modelFile = modelFile
  }
}

/// What a file is that a model can be read from.
package enum ModelSource: Equatable {
  case database
  case coreDataStore
  case xcode
}

extension ModelDraft {
  /// Reads the model of a SQLite database, of an Xcode model (`.xcdatamodeld`, `.xcdatamodel`, a `contents` file) or of a
  /// Core Data store. The file is only read.
  ///
  /// - Throws: `CloneError` (`no-such-store`, `unsupported-model-source`, `store-damaged` and others), `ModelError` with
  ///   every finding about an Xcode model.
  public init(contentsOf url: URL, options: ModelSourceOptions = ModelSourceOptions()) throws {
    throw CloneError(.unsupportedModelSource, "'\(url.path)' cannot be read as a model")
  }
}
