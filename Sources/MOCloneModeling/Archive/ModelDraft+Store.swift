import Foundation
import MOCloneEngine
import MOCloneModel

extension ModelDraft {
  /// The model that a Core Data store holds.
  ///
  /// - Parameters:
  ///   - archive: what the store keeps of its model; nil where it keeps nothing.
  ///   - path: the store.
  /// - Throws: `CloneError` (`unsupported-model-source`) where the store has no model, or a broken one.
  package init(storeAt path: String, archive: Data?) throws {
    guard let archive else {
      throw CloneError(
        .unsupportedModelSource,
        "The store '\(path)' does not hold its model, as stores made before 2015 do not; pass its Xcode model with --model-file"
      )
    }
    do {
      let isCompressed = !archive.starts(with: Data("bplist".utf8))
      let archived = try ArchivedModel(isCompressed ? Inflation.inflate(archive) : archive)
      try self.init(
        elements: archived.root,
        name: ((path as NSString).lastPathComponent as NSString).deletingPathExtension)
      omissions += archived.omissions.sentences.map { "Left out: \($0)." }
    } catch let fault as ArchiveFault {
      throw CloneError(
        .unsupportedModelSource,
        "The model in the store '\(path)' cannot be read, because \(fault.reason); pass its Xcode model with --model-file"
      )
    } catch let error as ModelError {
      let reason = error.diagnostics.first { $0.severity == .error }?.message ?? "it has no meaning"
      throw CloneError(
        .unsupportedModelSource,
        "The model in the store '\(path)' cannot be read, because \(reason); pass its Xcode model with --model-file"
      )
    }
  }
}
