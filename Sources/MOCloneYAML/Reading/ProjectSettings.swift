import Foundation
import MOCloneModel

/// Where a project keeps its model and its store, and how it judges findings: the file `moclone.yml`.
package struct ProjectSettings: Sendable, Equatable {
  /// The paths, relative to the folder of `moclone.yml` where they are.
  package var model: String?
  package var store: String?
  /// The store as it is written, which can be the address of a server.
  package var writtenStore: String?
  /// The files that `moclone validate` checks beside the model, and those it leaves out where it searches.
  package var include: [Pattern] = []
  package var exclude: [Pattern] = []
  /// What `moclone validate` makes of findings; codes that are not named keep their severity.
  package var severities: [DiagnosticCode: SeveritySetting] = [:]

  /// A pattern of files and where it is written.
  package struct Pattern: Sendable, Equatable {
    package var text: String
    /// The folder of `moclone.yml`, which the pattern starts in.
    package var folder: String
    package var range: SourceRange
  }

  /// Reads `moclone.yml` of a folder, or of the nearest folder above it that has one.
  ///
  /// - Returns: nil where there is none.
  /// - Throws: `ModelError` with every finding in the file.
  package static func nearest(to folder: String) throws(ModelError) -> ProjectSettings? {
    guard let file = nearestFile(to: folder) else { return nil }
    return try ProjectSettings(contentsOf: file)
  }

  /// The file `moclone.yml` of a folder, or of the nearest folder above it that has one.
  package static func nearestFile(to folder: String) -> URL? {
    var folder = URL(fileURLWithPath: folder).standardizedFileURL
    while true {
      let file = folder.appendingPathComponent("moclone.yml")
      if FileManager.default.fileExists(atPath: file.path) { return file }
      guard folder.pathComponents.count > 1 else { return nil }
      folder.deleteLastPathComponent()
    }
  }

  /// - Throws: `ModelError` with every finding in the file.
  package init(contentsOf url: URL) throws(ModelError) {
    let (settings, report) = Self.read(url, path: url.path)
    if !report.findings.isEmpty { throw ModelError(diagnostics: report.findings, source: report.source) }
    self = settings
  }

  /// Reads the file as far as it can be understood.
  package static func read(_ url: URL, path: String) -> (settings: ProjectSettings, report: FileReport) {
    do throws(ModelError) {
      // A pipe of that name would keep every command waiting.
      guard url.isRegularFile else { throw ModelError(.notARegularFile(path)) }
      let source = try SourceFile(contentsOf: url, path: path)
      let context = ReadingContext()
      let settings = ProjectSettings(source, base: url.deletingLastPathComponent(), context: context)
      let found = context.located()
      return (settings, FileReport(path: path, source: source, findings: found))
    } catch {
      return (ProjectSettings(), FileReport(path: path, source: nil, findings: error.diagnostics))
    }
  }

  private init() {}

  private init(_ source: SourceFile, base: URL, context: ReadingContext) {
    do throws(ModelError) {
      let root = try YAMLComposer.compose(source.text, findings: context.findings)
      if let root, root.entries == nil {
        if !root.isRefused {
          context.findings.add(.wrongKind("moclone.yml", expected: "a map", found: root, at: .model))
        }
      } else {
        read(
          MapReader(
            root?.entries ?? [], place: "moclone.yml", at: .model, format: .settings, context: context),
          base: base)
      }
    } catch {
      context.findings.add(error.diagnostics)
    }
  }

  private mutating func read(_ reader: MapReader, base: URL) {
    if let text = reader.required("version"), text != "1" {
      reader.context.findings.add(.unsupportedVersion(text, range: reader.node("version")!.range))
    }
    model = reader.string("model").map { Self.path($0, base: base) }
    writtenStore = reader.string("store")
    store = writtenStore.map { Self.path($0, base: base) }
    include = Self.patterns("include", reader: reader, base: base)
    exclude = Self.patterns("exclude", reader: reader, base: base)
    severities = Self.severities(reader)
  }

  private static func path(_ path: String, base: URL) -> String {
    path.hasPrefix("/") ? path : base.appendingPathComponent(path).standardizedFileURL.path
  }

  private static func patterns(_ key: String, reader: MapReader, base: URL) -> [Pattern] {
    guard reader.strings(key) != nil, let node = reader.node(key) else { return [] }
    return (node.items ?? [node]).compactMap { item in
      item.scalar.map { Pattern(text: $0, folder: base.standardizedFileURL.path, range: item.range) }
    }
  }

  private static func severities(_ reader: MapReader) -> [DiagnosticCode: SeveritySetting] {
    let path = reader.path / "severities"
    let (findings, codes) = (reader.context.findings, DiagnosticCode.words)
    let entries = (reader.entries("severities") ?? []).filter { entry in
      if DiagnosticCode(rawValue: entry.key) != nil || entry.isFree { return true }
      findings.add(
        .unknownCode(
          entry.key, nearest: findings.nearest(to: entry.key, in: codes), at: path, range: entry.keyRange)
      )
      return false
    }
    let settings = MapReader(
      entries, place: "'severities'", at: path, format: .severities, context: reader.context)
    var severities: [DiagnosticCode: SeveritySetting] = [:]
    for code in DiagnosticCode.allCases {
      guard let setting = settings.choice(code.rawValue, SeveritySetting.self) else { continue }
      if code.category == .file, setting != .error {
        findings.add(
          .severityOfFile(code, at: path / code.rawValue, range: settings.node(code.rawValue)!.range))
      } else {
        severities[code] = setting
      }
    }
    return severities
  }
}

extension Diagnostic {
  fileprivate static func notARegularFile(_ path: String) -> Diagnostic {
    Diagnostic(
      .unreadableFile, at: .model, "'\(path)' is not a regular file, so the settings cannot be read",
      help: "replace it by a file that begins with 'version: 1', or remove it")
  }

  static func unknownCode(
    _ code: String, nearest: String?, at path: ModelPath, range: SourceRange
  ) -> Diagnostic {
    Diagnostic(
      .unknownKey, at: path, "no finding has the code '\(code.shortened)'",
      help: didYouMean(nearest) ?? "`moclone explain` lists all findings", range: range)
  }

  static func severityOfFile(_ code: DiagnosticCode, at path: ModelPath, range: SourceRange) -> Diagnostic {
    Diagnostic(
      .unknownValue, at: path,
      "'\(code.rawValue)' is always an error, because a file that cannot be read is not checked any further",
      help: "remove the line", range: range)
  }
}
