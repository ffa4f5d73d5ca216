import Foundation
import MOCloneKit

/// Several models read and validated by the settings of the project.
struct ValidationRun {
  private(set) var reports: [FileReport] = []
  private let hasStore: Bool
  private let severities: [DiagnosticCode: SeveritySetting]

  /// Whether everything that was asked for could be looked at.
  var isComplete: Bool {
    !reports.contains { $0.findings.contains { Self.blocking.contains($0.code) } }
  }

  /// What keeps a file or a store from being looked at, which no severity changes.
  private static let blocking: Set<DiagnosticCode> = [
    .unreadableFile, .noSuchStore, .storeBusy, .storeDamaged, .storeFailed, .storeFull, .storeReadOnly,
  ]

  /// - Parameters:
  ///   - prepare: what is done with the files before they are read.
  ///   - storeFindings: what a database says of a model.
  /// - Throws: `UsageError` where no file is given and the project names none; what `prepare` throws.
  init(
    _ arguments: [String], _ project: ProjectOptions, prepare: ([String]) throws -> Void,
    storeFindings: (ObjectModel) -> [Diagnostic]
  ) throws {
    let settings = Self.settings()
    hasStore = project.store != nil
    severities = (settings?.settings.severities ?? [:]).filter { !Self.blocking.contains($0.key) }
    if let report = settings?.report, !report.findings.isEmpty { reports.append(report) }
    let patterns: FilePatterns
    do {
      patterns = FilePatterns(try arguments.isEmpty ? [project.modelPath()] : arguments)
    } catch is ModelError {
      return  // moclone.yml, whose findings are reported already, could have named the model.
    }
    reports += patterns.unmatched.map { FileReport(path: $0, source: nil, findings: [.noMatch($0)]) }
    try prepare(patterns.files)
    for file in patterns.files {
      var report = Self.read(file, storeFindings)
      report.applySuppressions(hasStore: hasStore)
      reports.append(report)
    }
    for i in reports.indices { reports[i].apply(severities) }
  }

  private static func settings() -> (settings: ProjectSettings, report: FileReport)? {
    let folder = FileManager.default.currentDirectoryPath
    guard let file = ProjectSettings.nearestFile(to: folder) else { return nil }
    let isHere =
      file.deletingLastPathComponent().path == URL(fileURLWithPath: folder).standardizedFileURL.path
    return ProjectSettings.read(file, path: isHere ? "moclone.yml" : file.path)
  }

  /// A file that cannot be read is a finding like others, so that the rest is still checked.
  private static func read(_ path: String, _ storeFindings: (ObjectModel) -> [Diagnostic]) -> FileReport {
    do throws(ModelError) {
      let source =
        path == "-"
        ? try SourceFile(reading: .standardInput)
        : try SourceFile(contentsOf: URL(fileURLWithPath: path), path: path)
      return FileReport(source, more: storeFindings)
    } catch {
      let name = path == "-" ? SourceFile.standardInput : path
      return FileReport(path: name, source: nil, findings: error.diagnostics)
    }
  }

  // MARK: Baseline

  /// Writes what was found, and accepts it.
  ///
  /// - Throws: where a file could not be read, since its findings would be lost, or the baseline cannot be written.
  mutating func write(baseline path: String) throws {
    guard isComplete else {
      return Console.note("'\(path)' is not written, for not everything could be read")
    }
    let url = URL(fileURLWithPath: path)
    let folder = url.standardizedFileURL.deletingLastPathComponent().path
    let baseline = Baseline(of: reports, folder: folder)
    try Data(baseline.text().utf8).write(to: url, options: .atomic)
    _ = baseline.accept(&reports, hasStore: hasStore)
  }

  /// Accepts what a baseline holds, and reports the baseline's own faults.
  mutating func accept(baseline path: String) {
    let url = URL(fileURLWithPath: path)
    do throws(ModelError) {
      let baseline = try Baseline(contentsOf: url, path: path)
      let stale = baseline.accept(&reports, hasStore: hasStore)
      let source = try? SourceFile(contentsOf: url, path: path)
      var report = FileReport(path: path, source: source, findings: stale)
      report.apply(severities)
      if !report.findings.isEmpty { reports.append(report) }
    } catch {
      reports.append(FileReport(path: path, source: error.source, findings: error.diagnostics))
    }
  }
}

extension Diagnostic {
  fileprivate static func noMatch(_ pattern: String) -> Diagnostic {
    Diagnostic(
      .unreadableFile, at: .model, "no file matches '\(pattern)'",
      help: "patterns are read from this folder; * stands for a part of a name, ** for any folders")
  }
}
