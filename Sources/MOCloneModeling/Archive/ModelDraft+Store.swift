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
        "The store '\(path)' does not hold its model, as stores made before 2015 do not",
        help: Self.passingXcodeModel
      )
    }
    do {
      let isCompressed = !archive.starts(with: Data("bplist".utf8))
      let archived = try ArchivedModel(isCompressed ? Inflation.inflate(archive) : archive)
      try self.init(
        elements: archived.root,
        name: ((path as NSString).lastPathComponent as NSString).deletingPathExtension)
      comments[.model] = ["Read from the Core Data store \((path as NSString).lastPathComponent)."]
      omissions += archived.omissions.sentences.map { "Left out: \($0)." }
    } catch let fault as ArchiveFault {
      throw CloneError(
        .unsupportedModelSource,
        "The model in the store '\(path)' cannot be read, because \(fault.reason)",
        help: Self.passingXcodeModel
      )
    } catch let error as ModelError {
      let reason = error.diagnostics.first { $0.severity == .error }?.message ?? "it has no meaning"
      throw CloneError(
        .unsupportedModelSource,
        "The model in the store '\(path)' cannot be read, because \(reason)",
        help: Self.passingXcodeModel
      )
    }
  }

  private static let passingXcodeModel = "pass its Xcode model to `moclone model import` with --model-file"

  /// Notes entities that only a store's own model has, or only this one: then it is not the one the store was made with.
  mutating func noteDifference(from own: ModelDraft?, of path: String) {
    guard let own else { return }
    let (mine, theirs) = (Set(entities.map(\.name)), Set(own.entities.map(\.name)))
    guard mine != theirs else { return }
    func names(_ names: Set<String>) -> String {
      names.isEmpty ? "none" : names.sorted().map { "'\($0)'" }.joined(separator: ", ")
    }
    omissions.append(
      "The store '\(path)' was made with another model: only its own has \(names(theirs.subtracting(mine))), "
        + "only this one has \(names(mine.subtracting(theirs))).")
  }
}
