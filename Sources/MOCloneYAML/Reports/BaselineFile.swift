import Foundation
import MOCloneModel

extension Baseline {
  /// Reads a baseline, and the location of each entry.
  ///
  /// - Throws: `ModelError` with every finding in the file.
  package init(contentsOf url: URL, path: String) throws(ModelError) {
    let source = try SourceFile(contentsOf: url, path: path)
    let context = ReadingContext()
    var entries: [Entry] = []
    // JSON is YAML, and the reader of models knows lines and columns.
    do throws(ModelError) {
      let empty = SyntaxNode(content: .scalar("", isPlain: true), range: .point(line: 1, column: 1))
      let root = try YAMLComposer.compose(source.text, findings: context.findings)
      entries = Self.entries(root ?? empty, context: context)
    } catch {
      context.findings.add(error.diagnostics)
    }
    let found = context.located().map(Self.helped)
    if !found.isEmpty { throw ModelError(diagnostics: found, source: source) }
    self.init(
      folder: url.standardizedFileURL.deletingLastPathComponent().path,
      counts: Dictionary(entries.map { ($0.key, $0.count) }) { $0 + $1 },
      reasons: Dictionary(entries.compactMap { entry in entry.reason.map { (entry.key, $0) } }) { first, _ in
        first
      },
      places: Dictionary(entries.map { ($0.key, $0.range) }) { first, _ in first })
  }

  /// Nobody writes a baseline by hand, so the advice for models would mislead.
  private static func helped(_ diagnostic: Diagnostic) -> Diagnostic {
    var diagnostic = diagnostic
    diagnostic.help = "rewrite the baseline: moclone validate --write-baseline FILE"
    return diagnostic
  }

  private typealias Entry = (key: Key, count: Int, reason: String?, range: SourceRange)

  private static func entries(_ root: SyntaxNode, context: ReadingContext) -> [Entry] {
    guard let entries = root.entries else {
      context.findings.add(.wrongKind("a baseline", expected: "a map", found: root, at: .model))
      return []
    }
    context.note(.model, root.range.firstPlace)
    let reader = MapReader(
      entries, place: "a baseline", at: .model, keys: ["version", "findings"], context: context)
    if let text = reader.required("version"), text != "1" {
      context.findings.add(.unsupportedVersion(text, range: reader.node("version")!.range))
    }
    guard let list = reader.node("findings") else {
      _ = reader.required("findings")
      return []
    }
    return (list.items ?? reader.refuse("findings", expected: "a list", node: list) ?? []).enumerated()
      .compactMap {
        entry($1, at: reader.path / "findings" / "\($0)", context: context)
      }
  }

  private static func entry(_ node: SyntaxNode, at path: ModelPath, context: ReadingContext) -> Entry? {
    context.note(path, node.range.firstPlace)
    guard let entries = node.entries else {
      context.findings.add(.wrongKind("findings", expected: "a list of maps", found: node, at: path))
      return nil
    }
    let reader = MapReader(
      entries, place: "an entry", at: path, keys: ["file", "subject", "code", "count", "reason"],
      context: context)
    guard let file = reader.required("file"), let code = reader.required("code") else { return nil }
    let key = Key(file: file, subject: reader.string("subject") ?? "", code: code)
    let count = reader.integer("count") ?? 1
    if count < 1 {
      let node = reader.node("count")!
      context.findings.add(.wrongKind("count", expected: "a number from 1", found: node, at: path / "count"))
    }
    return (
      key, min(max(count, 0), FindingList.most), reader.string("reason"),
      reader.node("code")?.range ?? node.range
    )
  }

  /// The text of the file: JSON, sorted, one finding a line, so that changes can be read in a diff.
  package func text() throws -> String {
    let lines = try counts.sorted { $0.key < $1.key }.map { key, count in
      let entry = Line(
        file: key.file, subject: key.subject, code: key.code, count: count, reason: reasons[key])
      return try "    " + entry.jsonText()
    }
    let findings = lines.isEmpty ? "[]" : "[\n\(lines.joined(separator: ",\n"))\n  ]"
    return "{\n  \"version\": 1,\n  \"findings\": \(findings)\n}\n"
  }

  private struct Line: Encodable {
    var file, subject, code: String
    var count: Int
    var reason: String?
  }
}

extension SourceRange {
  /// Where a map begins, for findings about what it lacks.
  fileprivate var firstPlace: SourceRange { .point(line: start.line, column: start.column) }
}
