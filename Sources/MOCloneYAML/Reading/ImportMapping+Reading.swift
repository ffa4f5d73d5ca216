import Foundation
import MOCloneModel

extension ImportMapping {
  /// Reads a mapping file.
  ///
  /// - Throws: `ModelError` with every finding.
  public init(contentsOf url: URL, path: String? = nil) throws(ModelError) {
    try self.init(SourceFile(contentsOf: url, path: path))
  }

  /// Reads a mapping's text.
  ///
  /// - Throws: `ModelError` with every finding.
  public init(yaml: String, path: String = "<text>") throws(ModelError) {
    try self.init(SourceFile(path: path, text: yaml))
  }

  /// Reads a mapping's text.
  ///
  /// - Throws: `ModelError` with every finding.
  package init(_ source: SourceFile) throws(ModelError) {
    let context = ReadingContext()
    var mapping: ImportMapping?
    do throws(ModelError) {
      let root = try YAMLComposer.compose(source.text, findings: context.findings)
      mapping = root.flatMap { ImportMappingReader(context: context).mapping($0) }
      if root == nil { context.findings.add(.emptyMapping()) }
    } catch {
      context.findings.add(error.diagnostics)
    }
    let found = context.located()
    guard let mapping, found.isEmpty else { throw ModelError(diagnostics: found, source: source) }
    self = mapping
    self.source = source
    places = context.map ?? SourceMap()
  }
}

/// Reads a composed file as a mapping.
struct ImportMappingReader {
  let context: ReadingContext

  func mapping(_ root: SyntaxNode) -> ImportMapping? {
    guard let entries = root.entries else {
      if !root.isRefused {
        context.findings.add(.wrongKind("the mapping", expected: "a map", found: root, at: .model))
      }
      return nil
    }
    let reader = MapReader(entries, place: "a mapping", at: .model, format: .importMapping, context: context)
    if let node = reader.node("version"), node.scalar != "1" {
      context.findings.add(.unsupportedVersion(node.scalar ?? "", range: node.range))
    }
    var node = node(reader)
    node.entity = reader.required("entity")
    var mapping = ImportMapping(root: node, delimiter: delimiter(reader))
    mapping.ignore = reader.strings("ignore") ?? []
    mapping.trims = reader.boolean("trim") ?? false
    mapping.null = nullText(reader)
    return mapping
  }

  /// The text that YAML takes for nothing is the one that is meant most often.
  private func nullText(_ reader: MapReader) -> String? {
    guard let node = reader.node("null") else { return nil }
    return node.scalar ?? reader.refuse("null", expected: "a string", node: node)
  }

  private func delimiter(_ reader: MapReader) -> String? {
    guard let text = reader.string("delimiter"), let node = reader.node("delimiter") else { return nil }
    let isSign = text.utf8.count == 1 && text != "\"" && text != "\n" && text != "\r"
    return isSign
      ? text : reader.refuse("delimiter", expected: "one ASCII character other than a quote", node: node)
  }

  private func node(_ reader: MapReader) -> ImportMapping.Node {
    ImportMapping.Node(
      entity: reader.string("entity"), rows: reader.string("rows"),
      attributes: sources(reader, key: "attributes"),
      set: sources(reader, key: "set", areConstant: true), relationships: relationships(reader))
  }

  private func sources(
    _ reader: MapReader, key: String, areConstant: Bool = false
  ) -> [String: ImportMapping.Source] {
    var sources: [String: ImportMapping.Source] = [:]
    for entry in reader.entries(key) ?? [] where !entry.isFree {
      let path = reader.path / key / entry.key
      context.note(path, entry)
      guard let text = entry.value.scalar else {
        context.refuse(entry, expected: "a value", at: path)
        continue
      }
      if entry.value.isNull {
        sources[entry.key] = .constant(nil)
      } else if !areConstant, text.hasPrefix("@") {
        sources[entry.key] =
          text.hasPrefix("@@") ? .constant(String(text.dropFirst())) : .field(String(text.dropFirst()))
      } else {
        sources[entry.key] = .constant(text)
      }
    }
    return sources
  }

  private func relationships(_ reader: MapReader) -> [String: ImportMapping.Node] {
    var nodes: [String: ImportMapping.Node] = [:]
    for entry in reader.entries("relationships") ?? [] where !entry.isFree {
      let path = reader.path / "relationships" / entry.key
      context.note(path, entry.keyRange)
      guard let entries = entry.value.isNull ? [] : entry.value.entries else {
        context.refuse(entry, expected: "a map", at: path)
        continue
      }
      nodes[entry.key] = node(
        MapReader(
          entries, place: "the relationship '\(entry.key)'", at: path, format: .importRelationship,
          context: context))
    }
    return nodes
  }
}

extension Diagnostic {
  fileprivate static func emptyMapping() -> Diagnostic {
    Diagnostic(
      .emptyModel, at: .model, "the file contains no mapping",
      help: "begin it with 'entity:' and 'attributes:'",
      range: .point(line: 1, column: 1))
  }
}
