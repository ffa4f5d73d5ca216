import Foundation
import MOCloneModel

extension ModelParser {
  package static func parse(_ source: SourceFile) -> ParsedModel {
    let context = ReadingContext(notesPlaces: false)
    do {
      if let root = try YAMLComposer.compose(source.text, findings: context.findings) {
        let parsed = parse(root, context: context)
        return parsed.with(source.addingFixes(to: parsed.diagnostics))
      }
      context.findings.add(.emptyFile())
    } catch {
      context.findings.add(error.diagnostics)
    }
    return result(nil, context: context, root: nil)
  }
}

extension ObjectModel {
  /// Reads and validates a model file: YAML, or JSON.
  ///
  /// - Parameters:
  ///   - url: the file, JSON where its name ends in `.json`.
  ///   - path: the file's name in reports; its path where nil.
  /// - Throws: `ModelError` with every finding, where at least one is an error.
  public init(contentsOf url: URL, path: String? = nil) throws(ModelError) {
    let source = try SourceFile(contentsOf: url, path: path)
    guard url.pathExtension.lowercased() == "json" else {
      try self.init(source)
      return
    }
    do throws(ModelError) {
      try self.init(json: Data(source.text.utf8), path: source.path)
    } catch {
      // JSON is almost YAML, whose reader knows lines and columns.
      let located = ModelParser.parse(source).diagnostics
      let isError = located.contains { $0.severity == .error }
      throw isError ? ModelError(diagnostics: located, source: source) : error
    }
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
