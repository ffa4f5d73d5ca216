import Foundation
import MOCloneKit
import MOCloneSQL

/// A model file that is brought up to date with the source it was made from.
struct ModelFileUpdate {
  let path: String
  /// Where the result goes; nil writes the file itself, if it changes.
  let output: String?

  /// The tables of the model in a file, as it names them; none where it cannot be read, which is said later.
  static func tables(of path: String) -> Set<String> {
    guard let model = try? ObjectModel(contentsOf: URL(fileURLWithPath: path)) else { return [] }
    return StoreCheck.tables(of: model.entities.map(\.name), model, mapping: SchemaMapping(model))
  }

  func run(_ draft: ModelDraft) throws {
    let file = try SourceFile(contentsOf: URL(fileURLWithPath: path), path: path)
    let update = try ModelUpdate(of: file, from: draft)
    if let output {
      try NewFile(output).write(update.data)
    } else if !update.isUnchanged {
      try DraftFile.write(update.data, to: path)
    }
    for change in update.changes { Console.note(change.description) }
    Console.note(summary(update))
    try check(update)
  }

  private func summary(_ update: ModelUpdate) -> String {
    guard !update.isUnchanged else { return "'\(path)' is up to date" }
    let counts = ModelUpdate.Change.Kind.allCases.compactMap { kind -> String? in
      let count = update.changes.count { $0.kind == kind }
      return count == 0 ? nil : "\(count) \(kind.rawValue)"
    }
    return "updated '\(output ?? path)': \(counts.joined(separator: ", "))"
  }

  /// What a person has to decide now, such as an annotation that names what is gone.
  private func check(_ update: ModelUpdate) throws {
    guard !update.isUnchanged else { return }
    _ = try ObjectModel(contentsOf: URL(fileURLWithPath: output ?? path), path: output ?? path)
  }
}
