import Foundation
import MOCloneModel
import MOCloneYAML

/// A model file with what has changed in its source since: what is new comes in, what is gone becomes a comment, a changed
/// type is changed in place. Everything else stays as people wrote it, byte for byte. A file in JSON, which has no comments,
/// is written anew if anything changes, and loses what is gone.
///
/// ```swift
/// let update = try ModelUpdate(of: SourceFile(contentsOf: file), from: ModelDraft(contentsOf: database))
/// for change in update.changes { print(change) }
/// try update.data.write(to: file)
/// ```
///
/// Entities and properties are recognized by their tables and columns, so they can have other names in the file. Core Data's
/// sub-entities are recognized by their names and renaming identifiers, since their numbers change with what comes and goes,
/// and get the parents that they have in the source.
public struct ModelUpdate: Sendable {
  /// What was changed, or left to a person, in the order of the model.
  public let changes: [Change]
  /// The bytes of the file with all changes.
  public let data: Data
  /// Whether the file is as it was. Whether it fits what the rows of a database hold, such as the values of a discriminator,
  /// `validate()` of the graph tells.
  public let isUnchanged: Bool

  /// One change of a model file.
  public struct Change: Sendable, Hashable, CustomStringConvertible {
    /// What happened.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// It is new in the source, or the source has it again.
      case added
      /// The source has it no more, so it is a comment now.
      case gone
      /// The source says something else about it.
      case changed
      /// The source says something else about it, but the file stays as it is.
      case kept
    }

    /// What happened.
    public var kind: Kind
    /// The part of the model.
    public var path: ModelPath
    /// What it was about, such as `String, was Integer 64`; empty where the kind says all.
    public var detail: String

    /// `added 'Note.title' (String)`
    public var description: String {
      let names = path.components.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
      let part = "'\(names.joined(separator: "."))'"
      if detail.hasPrefix("the uniqueness constraint") {
        return "\(kind == .gone ? "removed" : kind.rawValue) \(detail) of \(part)"
      }
      switch kind {
      case .added: return "added \(part)" + (detail.isEmpty ? "" : " (\(detail))")
      case .gone:
        return "commented out \(part)"
          + (LostPart(detail) == nil ? ": \(detail)" : ", because \(detail) no longer exists")
      case .changed, .kept: return "\(kind.rawValue) \(part)" + (detail.isEmpty ? "" : ": \(detail)")
      }
    }
  }

  /// Merges a source into a model file.
  ///
  /// A person's choice of a type stays where the source is a database and stores the values of both in the same way, such
  /// as a Boolean for an Integer 64.
  ///
  /// - Parameters:
  ///   - file: the model file, in YAML.
  ///   - draft: what the source is now.
  /// - Throws: `ModelError` where the file has errors, or is YAML in flow style.
  public init(of file: SourceFile, from draft: ModelDraft) throws(ModelError) {
    (changes, data, isUnchanged) = try Self.merged(file, draft: draft)
  }

  private typealias Result = (changes: [Change], data: Data, isUnchanged: Bool)

  private static func merged(_ file: SourceFile, draft: ModelDraft) throws(ModelError) -> Result {
    let parsed = ModelParser.parse(file)
    guard let model = parsed.model, let root = parsed.root else {
      throw ModelError(diagnostics: parsed.diagnostics, source: file)
    }
    let pairing = ModelPairing(old: model, new: draft.unvalidated, shape: draft.shape)
    var merge = FileMerge(file, root: root, draft: draft, pairing: pairing)
    if merge.editor.isFlow(root) { return try json(file, in: model, root: root, draft: draft) }
    let returned = ReturnedParts(file, root: root, addition: merge.addition)
    if !returned.replaced.isEmpty, let taken = takenOut(of: file, merge) {
      let rest = try merged(taken.file, draft: draft)
      return (taken.changes + rest.changes, rest.data, false)
    }
    if let restored = returned.restored() {
      let rest = try merged(restored.file, draft: draft)
      let changes = restored.parts.map { Change(kind: .added, path: $0, detail: "as it was commented out") }
      let others = rest.changes.filter { $0.kind != .gone || !restored.passing.contains($0.path) }
      return (changes + others, rest.data, false)
    }
    merge.run()
    for (comment, path) in returned.replaced + returned.superseded {
      merge.reportUnused(comment, besides: path)
    }
    guard let edited = try FixedFile(file, fixes: merge.editor.fixes) else {
      return (merge.changes, bytes(of: file), true)
    }
    return (merge.changes, edited.data, false)
  }

  /// The file without what is gone, so that what comes back has its columns; nil where nothing is gone.
  private static func takenOut(
    of file: SourceFile, _ merge: FileMerge
  ) -> (file: SourceFile, changes: [Change])? {
    var merge = merge
    merge.takeOut()
    guard let fixed = try? FixedFile(file, fixes: merge.editor.fixes),
      let edited = try? SourceFile(path: file.path, data: fixed.data),
      ModelParser.parse(edited).model != nil
    else { return nil }
    return (edited, merge.changes)
  }

  private static func bytes(of file: SourceFile) -> Data {
    Data((file.hasByteOrderMark ? [0xEF, 0xBB, 0xBF] : []) + Array(file.text.utf8))
  }

  /// JSON is merged as YAML and written as `moclone model show --format json` writes it.
  private static func json(
    _ file: SourceFile, in model: ObjectModel, root: SyntaxNode, draft: ModelDraft
  ) throws(ModelError) -> Result {
    guard (try? JSONSerialization.jsonObject(with: Data(file.text.utf8))) != nil else {
      throw ModelError(diagnostics: [.updateOfFlow(root.range)], source: file)
    }
    let update = try merged(SourceFile(path: file.path, text: ModelDraft(model).yaml), draft: draft)
    if update.isUnchanged { return (update.changes, bytes(of: file), true) }
    let parsed = ModelParser.parse(try SourceFile(path: file.path, data: update.data))
    guard let updated = parsed.model else { throw ModelError(diagnostics: parsed.diagnostics) }
    let isOneLine = !file.text.dropLast().contains(where: \.isNewline)
    guard let text = try? updated.jsonText(isPretty: !isOneLine) else {
      throw ModelError(diagnostics: parsed.diagnostics)
    }
    return (update.changes, Data((text + "\n").utf8), false)
  }
}

extension Diagnostic {
  fileprivate static func updateOfFlow(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .wrongKind, at: .model,
      "only a model file in JSON or in YAML's block style can be updated, and this one is in flow style",
      help: "write it as JSON with `moclone model show --format json`, or import it again without --update",
      range: range)
  }
}
