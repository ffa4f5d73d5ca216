import Foundation

/// A model as far as its file could be read, and everything that was found.
public struct ParsedModel: Sendable {
  /// Nil where a finding is an error.
  public let model: ObjectModel?
  /// In the order of the file.
  public let diagnostics: [Diagnostic]
  /// The comments that allow findings; none where the file could not be read to its end.
  public var suppressions = SuppressionList()
  /// What the file was composed of; nil where it could not be read to its end.
  let root: SyntaxNode?

  func withFixes(in source: SourceFile) -> ParsedModel {
    ParsedModel(model: model, diagnostics: source.addingFixes(to: diagnostics), root: root)
  }

  /// Findings about the model with their places in the file.
  public func locate(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    ModelParser.locate(diagnostics, in: root)
  }
}

/// Reads model files.
public enum ModelParser {
  /// Reads and validates a model.
  public static func parse(_ source: SourceFile) -> ParsedModel {
    #if canImport(CYAML)
      let context = ReadingContext(notesPlaces: false)
      do {
        if let root = try YAMLComposer.compose(source.text, findings: context.findings) {
          var parsed = parse(root, context).withFixes(in: source)
          parsed.suppressions = SuppressionList(CommentScanner.directives(in: source))
          return parsed
        }
        context.findings.add(.emptyFile())
      } catch {
        context.findings.add(error.diagnostics)
      }
      return result(nil, context, nil)
    #else
      let missing = Diagnostic(
        .unreadableFile, at: .model, "this platform has no libyaml; decode the model from JSON instead")
      return ParsedModel(model: nil, diagnostics: [missing], root: nil)
    #endif
  }

  /// Reads and validates what a text was composed of.
  static func parse(_ root: SyntaxNode, _ context: ReadingContext) -> ParsedModel {
    let model = root.isRefused ? nil : ModelReader(context: context).model(root)
    if let model, !context.findings.isCut { context.findings.add(validate(model, context)) }
    return result(model, context, root)
  }

  /// What the validator finds in the parts that were understood.
  private static func validate(_ model: ObjectModel, _ context: ReadingContext) -> [Diagnostic] {
    ModelValidator.validate(model, isWhole: context.damaged.isEmpty).filter { diagnostic in
      if context.isDamaged(diagnostic.path) { return false }
      // Notes about a missing entity only repeat its name.
      let isAboutName = diagnostic.code == .unknownDestination || diagnostic.code == .unknownParent
      return isAboutName || !diagnostic.notes.contains { context.isDamaged($0.path) }
    }
  }

  private static func result(
    _ model: ObjectModel?, _ context: ReadingContext, _ root: SyntaxNode?
  ) -> ParsedModel {
    var sorted = locate(context.findings.diagnostics, in: root).sortedByPlace()
    if context.findings.isCut { sorted.append(.tooManyFindings()) }
    let isFaulty = sorted.contains { $0.severity == .error }
    return ParsedModel(model: isFaulty ? nil : model, diagnostics: sorted, root: root)
  }

  /// Most files have no findings, so places are noted in a second reading, where there are any.
  static func locate(_ diagnostics: [Diagnostic], in root: SyntaxNode?) -> [Diagnostic] {
    guard !diagnostics.isEmpty, let root, !root.isRefused else { return diagnostics }
    let context = ReadingContext()
    _ = ModelReader(context: context).model(root)
    return context.map.map { diagnostics.map($0.locate) } ?? diagnostics
  }
}

extension [Diagnostic] {
  /// In the order of the file, those without a place first; those of one place stay in their order.
  func sortedByPlace() -> [Diagnostic] {
    enumerated().sorted { a, b in
      let (first, second) = (a.element.range?.start, b.element.range?.start)
      guard let first, let second, first != second else {
        return (first == nil ? 0 : 1, a.offset) < (second == nil ? 0 : 1, b.offset)
      }
      return first < second
    }.map(\.element)
  }
}

extension ObjectModel {
  /// Reads and validates a model file.
  ///
  /// - Parameter path: the file's name in reports; its path where nil.
  /// - Throws: `ModelError` with every finding, where at least one is an error.
  public init(contentsOf url: URL, path: String? = nil) throws(ModelError) {
    try self.init(SourceFile(contentsOf: url, path: path))
  }

  /// Reads and validates a model's text.
  ///
  /// - Throws: `ModelError` with every finding, where at least one is an error.
  public init(yaml: String, path: String = "<text>") throws(ModelError) {
    try self.init(SourceFile(path: path, text: yaml))
  }

  private init(_ source: SourceFile) throws(ModelError) {
    let parsed = ModelParser.parse(source)
    guard let model = parsed.model else { throw ModelError(diagnostics: parsed.diagnostics, source: source) }
    self = model
  }
}
