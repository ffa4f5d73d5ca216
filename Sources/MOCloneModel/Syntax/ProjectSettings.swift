import Foundation

/// Where a project keeps its model and its store: the file `moclone.yml`.
public struct ProjectSettings: Sendable, Equatable {
  /// The paths, relative to the folder of `moclone.yml` where they are.
  public var model: String?
  public var store: String?

  /// Reads `moclone.yml` of a folder, or of the nearest folder above it that has one.
  ///
  /// - Returns: nil where there is none.
  /// - Throws: `ModelError` with every finding in the file.
  public static func nearest(to folder: String) throws(ModelError) -> ProjectSettings? {
    var folder = URL(fileURLWithPath: folder).standardizedFileURL
    while true {
      let file = folder.appendingPathComponent("moclone.yml")
      if FileManager.default.fileExists(atPath: file.path) { return try ProjectSettings(contentsOf: file) }
      guard folder.pathComponents.count > 1 else { return nil }
      folder.deleteLastPathComponent()
    }
  }

  public init(contentsOf url: URL) throws(ModelError) {
    let source = try SourceFile(contentsOf: url, path: url.path)
    let context = ReadingContext()
    #if canImport(CYAML)
      do {
        let root = try YAMLComposer.compose(source.text, findings: context.findings)
        if let root, root.entries == nil, !root.isRefused {
          context.findings.add(.wrongKind("moclone.yml", expected: "a map", found: root, at: .model))
        } else {
          let entries = root?.entries ?? []
          let reader = MapReader(
            entries, place: "moclone.yml", at: .model, keys: ["version", "model", "store"], context: context)
          if let text = reader.required("version"), text != "1" {
            context.findings.add(.unsupportedVersion(text, reader.node("version")!.range))
          }
          let base = url.deletingLastPathComponent()
          model = reader.text("model").map { Self.path($0, base) }
          store = reader.text("store").map { Self.path($0, base) }
        }
      } catch {
        context.findings.add(error.diagnostics)
      }
    #endif
    let found = context.findings.diagnostics.map(context.map.locate)
    if !found.isEmpty { throw ModelError(diagnostics: found, source: source) }
  }

  private static func path(_ path: String, _ base: URL) -> String {
    path.hasPrefix("/") ? path : base.appendingPathComponent(path).standardizedFileURL.path
  }
}
