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

  /// Writes the file, and fails where the result does not fit the source.
  func run(_ draft: ModelDraft, of origin: ModelOrigin) throws {
    let file = try SourceFile(contentsOf: URL(fileURLWithPath: path), path: path)
    let update = try ModelUpdate(of: file, from: draft)
    if let output {
      try NewFile(output).write(update.data)
    } else if !update.isUnchanged {
      try DraftFile.write(update.data, to: path)
    }
    for change in update.changes { Console.note(change.description) }
    if !update.isUnchanged { Console.note(summary(update)) }
    try check(origin)
    if update.isUnchanged { Console.note("'\(path)' is up to date") }
  }

  private func summary(_ update: ModelUpdate) -> String {
    let counts = ModelUpdate.Change.Kind.allCases.compactMap { kind -> String? in
      let count = update.changes.count { $0.kind == kind }
      return count == 0 ? nil : "\(count) \(kind.rawValue)"
    }
    return "updated '\(output ?? path)': \(counts.joined(separator: ", "))"
  }

  /// What a person has to decide now, such as an annotation that names what is gone, or another discriminator.
  ///
  /// - Throws: `ModelError` with all errors, for which every command would refuse the model.
  private func check(_ origin: ModelOrigin) throws {
    let written = output ?? path
    let model = try ObjectModel(contentsOf: URL(fileURLWithPath: written), path: written)
    let findings = try origin.findings(model)
    let file = try SourceFile(contentsOf: URL(fileURLWithPath: written), path: written)
    var report = FileReport(file) { _ in findings }
    report.applySuppressions(hasStore: true)
    report.apply(ValidationRun.settings()?.settings.severities ?? [:])
    let errors = report.findings.filter { $0.severity == .error }
    guard errors.isEmpty else { throw ModelError(diagnostics: errors, source: file) }
  }
}
