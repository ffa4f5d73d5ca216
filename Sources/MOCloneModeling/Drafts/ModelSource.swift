import Foundation
import MOCloneEngine
import MOCloneModel
import MOCloneSQLite
import MOCloneYAML

/// How a model is read from somewhere else.
public struct ModelSourceOptions: Sendable {
  /// Whether relationships that the database does not declare are proposed, by names and values.
  public var infersRelationships: Bool
  /// The version of an `.xcdatamodeld`; nil for its current one.
  public var version: String?
  /// The Xcode model of a Core Data store that does not hold its own.
  public var modelFile: URL?
  /// The tables of a model that is brought up to date, whose names stay as they are written there, with their schema or
  /// without.
  package var knownTables: Set<String> = []

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
  case coreDataStore(archive: Data?)
  case xcode

  /// Looks at the name, and at what the file begins with.
  ///
  /// - Throws: `CloneError` (`no-such-store`, `unsupported-model-source`, and what opening a database throws).
  package init(_ path: String) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw CloneError(.noSuchStore, "The file '\(path)' does not exist.")
    }
    if XcodeBundle.isNamed(path) {
      self = .xcode
      return
    }
    guard URL(fileURLWithPath: path).isRegularFile else {
      throw CloneError(
        .unsupportedModelSource,
        "'\(path)' is \(isFolder.boolValue ? "a folder" : "not a regular file")",
        help: "name a database or an Xcode model"
      )
    }
    let start = Self.start(of: path)
    if start.starts(with: Data("SQLite format 3\0".utf8)) || start.isEmpty {
      switch try StoreFile(path).coreDataContents() {
      case .none: self = .database
      case .store(let archive): self = .coreDataStore(archive: archive)
      }
    } else if XcodeBundle.isXML(start) || start.starts(with: Data("bplist".utf8)) {
      self = .xcode
    } else {
      throw CloneError(
        .unsupportedModelSource,
        "'\(path)' is neither a SQLite database nor an Xcode model, so no model can be read from it")
    }
  }

  private static func start(of path: String) -> Data {
    guard let file = FileHandle(forReadingAtPath: path) else { return Data() }
    defer { try? file.close() }
    return (try? file.read(upToCount: 4096)) ?? Data()
  }
}

extension ModelDraft {
  /// Reads the model of a SQLite database, of an Xcode model (`.xcdatamodeld`, `.xcdatamodel`, a `contents` file) or of a
  /// Core Data store. The file is only read.
  ///
  /// - Throws: `CloneError` (`no-such-store`, `unsupported-model-source`, `store-damaged` and others), `ModelError` with
  ///   every finding about an Xcode model.
  public init(contentsOf url: URL, options: ModelSourceOptions = ModelSourceOptions()) throws {
    let path = url.relativePath
    switch try ModelSource(path) {
    case .xcode: try self.init(xcodeAt: path, version: options.version)
    case .coreDataStore(let archive):
      if let file = options.modelFile {
        try self.init(xcodeAt: file.relativePath, version: options.version)
        noteDifference(from: archive.flatMap { try? ModelDraft(storeAt: path, archive: $0) }, of: path)
      } else {
        try self.init(storeAt: path, archive: archive)
      }
      try resolveNames(inStoreAt: path)
    case .database: try self.init(databaseAt: path, options: options)
    }
  }
}
