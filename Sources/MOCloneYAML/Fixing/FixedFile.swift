import Foundation
import MOCloneModel

/// A model file whose misspelt keys are fixed; all other bytes are as they were.
///
/// ```swift
/// let parsed = ModelParser.parse(source)
/// if let fixed = try FixedFile(source, findings: parsed.diagnostics) { print(fixed.unifiedDiff) }
/// ```
package struct FixedFile: Sendable {
  package let source: SourceFile
  /// In the order of the file.
  package let fixes: [Diagnostic.Fix]
  private let text: String

  /// - Parameter findings: what to fix, as far as it can be: not what the project accepts.
  /// - Returns: nil where no finding has a fix.
  /// - Throws: `ModelError` where the edited file could not be read: then nothing should be written.
  package init?(_ source: SourceFile, findings: [Diagnostic]) throws(ModelError) {
    try self.init(source, fixes: findings.compactMap(\.fix))
  }

  /// - Returns: nil where there is nothing to edit.
  /// - Throws: `ModelError` where the edited file could not be read.
  package init?(_ source: SourceFile, fixes: [Diagnostic.Fix]) throws(ModelError) {
    guard !fixes.isEmpty else { return nil }
    self.source = source
    self.fixes = fixes.sorted { $0.bytes.lowerBound < $1.bytes.lowerBound }
    var edited: [UInt8] = []
    let original = Array(source.text.utf8)
    var place = 0
    for fix in self.fixes {
      edited += original[place..<fix.bytes.lowerBound]
      edited += Array(fix.replacement.utf8)
      place = fix.bytes.upperBound
    }
    text = String(decoding: edited + original[place...], as: UTF8.self)
    try Self.check(SourceFile(path: source.path, text: text), was: source)
  }

  /// The edited file.
  package var data: Data { Data(Self.bytes(text, source: source)) }

  /// The edits as `patch` reads them.
  package var unifiedDiff: String {
    let diff = LineDifference(
      old: Self.bytes(source.text, source: source), new: Self.bytes(text, source: source))
    return diff.unified(path: source.path)
  }

  private static func bytes(_ text: String, source: SourceFile) -> [UInt8] {
    (source.hasByteOrderMark ? [0xEF, 0xBB, 0xBF] : []) + Array(text.utf8)
  }

  /// What the file was it must be still: YAML, with no more that a model may not use than before.
  ///
  /// XML cannot break where letters of a value become others.
  private static func check(_ source: SourceFile, was old: SourceFile) throws(ModelError) {
    if old.isXML { return }
    let (before, after) = (FindingList(), FindingList())
    _ = try YAMLComposer.compose(old.text, findings: before)
    do { _ = try YAMLComposer.compose(source.text, findings: after) } catch {
      throw ModelError(diagnostics: error.diagnostics, source: source)
    }
    guard after.diagnostics.count <= before.diagnostics.count else {
      throw ModelError(diagnostics: after.diagnostics, source: source)
    }
  }
}
