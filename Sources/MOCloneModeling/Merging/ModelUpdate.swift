import Foundation
import MOCloneModel
import MOCloneYAML

/// A model file with what has changed in its source since: what is new comes in, what is gone becomes a comment, a changed
/// type is changed in place. Everything else stays as people wrote it, byte for byte.
///
/// ```swift
/// let update = try ModelUpdate(of: SourceFile(contentsOf: file), from: ModelDraft(contentsOf: database))
/// for change in update.changes { print(change) }
/// try update.data.write(to: file)
/// ```
///
/// Entities and properties are recognized by their tables and columns, so they can have other names in the file.
public struct ModelUpdate: Sendable {
  /// What was changed, or left to a person, in the order of the model.
  public let changes: [Change]
  /// The bytes of the file with all changes.
  public let data: Data
  /// Whether the file is as it was.
  public let isUnchanged: Bool

  /// One change of a model file.
  public struct Change: Sendable, Hashable, CustomStringConvertible {
    /// What happened.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// It is new in the source.
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

    /// `added Note.title: String`
    public var description: String {
      let names = path.components.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
      return "\(kind.rawValue) \(names.joined(separator: "."))" + (detail.isEmpty ? "" : ": \(detail)")
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
  /// - Throws: `ModelError` where the file has errors, or is JSON.
  public init(of file: SourceFile, from draft: ModelDraft) throws(ModelError) {
    let parsed = ModelParser.parse(file)
    guard let model = parsed.model, let root = parsed.root else {
      throw ModelError(diagnostics: parsed.diagnostics, source: file)
    }
    var merge = FileMerge(
      file, root, draft, ModelPairing(old: model, new: draft.unvalidated, shape: draft.shape ?? SourceShape())
    )
    if merge.editor.isFlow(root) { throw ModelError(diagnostics: [.updateOfJSON(root.range)], source: file) }
    merge.run()
    changes = merge.changes
    if let edited = try FixedFile(file, fixes: merge.editor.fixes) {
      (data, isUnchanged) = (edited.data, false)
    } else {
      let mark: [UInt8] = file.hasByteOrderMark ? [0xEF, 0xBB, 0xBF] : []
      (data, isUnchanged) = (Data(mark + Array(file.text.utf8)), true)
    }
  }
}

extension Diagnostic {
  fileprivate static func updateOfJSON(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .wrongKind, at: .model, "only a model file in YAML's block style can be updated, and this one is JSON",
      help: "import the model again without --update", range: range)
  }
}
