import Foundation
import MOCloneKit

/// Several models read and validated by the settings of the project.
struct ValidationRun {
  private(set) var reports: [FileReport] = []
  /// How many entities have no identity, where nobody asks for them.
  private(set) var unidentified = 0
  private let project: ProjectOptions
  private let files: [String]
  private var hasStore: Bool { project.store != nil }
  private let severities: [DiagnosticCode: SeveritySetting]

  /// Whether everything that was asked for could be looked at.
  var isComplete: Bool {
    !reports.contains { $0.findings.contains { Self.blocking.contains($0.code) } }
  }

  /// What keeps a file or a store from being looked at, which no severity changes.
  private static let blocking: Set<DiagnosticCode> = [
    .unreadableFile, .unsupportedModelSource, .noSuchStore, .storeBusy, .storeDamaged, .storeFailed,
    .storeFull, .storeReadOnly,
  ]

  /// - Throws: `UsageError` where no file is given and the project names none.
  init(
    _ arguments: [String], project: ProjectOptions, identities: Bool = false,
    simulation: SimulationRun? = nil
  ) throws {
    let settings = Self.settings()
    self.project = project
    files = project.files
    severities = (settings?.settings.severities ?? [:]).filter { !Self.blocking.contains($0.key) }
    if let report = settings?.report, !report.findings.isEmpty { reports.append(report) }
    let asksForIdentities = identities || severities[.noIdentity].map { $0 != .off } ?? false
    let found: ProjectFiles
    do {
      found = try ProjectFiles(arguments, project: project, settings: settings?.settings)
    } catch is ModelError {
      return  // moclone.yml, whose findings are reported already, could have named the model.
    }
    reports += found.unmatched.map { FileReport(path: $0, source: nil, findings: [.noMatch($0)]) }
    if let settings {
      reports += found.unmatchedSettings.map { settings.report.with(.noMatch($0.text, range: $0.range)) }
    }
    var storeFailure: CloneError?
    let reported = Set(reports.map { FilePatterns.identity($0.path) })
    for file in found.files where !reported.contains(FilePatterns.identity(file)) {
      var withoutStore: [String]? = []
      let read = FileReader(file, isNamed: found.isNamed(file), project: project).report { parsed in
        let identities = parsed.model.map(ModelValidator.identityFindings) ?? []
        if !asksForIdentities { unidentified += identities.count }
        do throws(CloneError) {
          let ofStore = try storeFindings(parsed, hidden: &withoutStore)
          return ofStore + (asksForIdentities ? identities : [])
            + (parsed.model.flatMap { simulation?.findings(of: $0) } ?? [])
        } catch {
          storeFailure = error
          return []
        }
      }
      guard var report = read else { continue }
      report.weighRefusals()
      simulation?.merge(into: &report)
      report.withoutStore = withoutStore
      report.applySuppressions(
        hasStore: hasStore && storeFailure == nil && withoutStore?.isEmpty == true)
      reports.append(report)
    }
    try simulation?.checkEntity()
    if let storeFailure { reports.append(FileReport(store: project.shownStore ?? "", failure: storeFailure)) }
    for i in reports.indices { reports[i].apply(severities) }
  }

  static func settings() -> (settings: ProjectSettings, report: FileReport)? {
    let folder = FileManager.default.currentDirectoryPath
    guard let file = ProjectSettings.nearestFile(to: folder) else { return nil }
    return ProjectSettings.read(file, path: WorkingFolder.relative(file.path))
  }

  /// In what the store disagrees with a model.
  ///
  /// - Parameter hidden: becomes the entities of which the model's errors leave that open; nil for all.
  private func storeFindings(
    _ parsed: ParsedModel, hidden: inout [String]?
  ) throws(CloneError) -> [Diagnostic] {
    guard hasStore else { return [] }
    let part = parsed.soundPart
    do {
      let store = try project.openStore(part.model, use: .reading)
      let findings = part.model.entities.isEmpty ? [] : try store.storeFindings(ignoring: [])
      hidden = part.hidden
      return part.certain(findings)
    } catch {
      throw error as? CloneError ?? CloneError(.storeFailed, error.plainReason)
    }
  }

  /// Drops the findings of all other codes, but not what keeps a file from being looked at.
  mutating func keep(_ codes: Set<DiagnosticCode>) {
    for i in reports.indices { reports[i].keep { codes.contains($0) || Self.blocking.contains($0) } }
  }

  // MARK: Baseline

  /// Writes what was found, and accepts it.
  ///
  /// What could not be read leaves it unwritten, since its findings would be lost.
  ///
  /// - Throws: `RunFailure` where the file exists and is no baseline, or cannot be written.
  mutating func write(baseline path: String) throws {
    guard isComplete else {
      return Console.note("the baseline '\(path)' was not written, because some files could not be read")
    }
    let baseline = try Baseline.write(reports, to: path, besides: files)
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

extension Baseline {
  /// Writes what was found to a file, whose entries keep their reasons where it exists.
  ///
  /// - Parameters:
  ///   - files: what no result is written over.
  ///   - reason: why what is new is accepted.
  /// - Throws: `RunFailure` where the file exists and is no baseline, or cannot be written.
  static func write(
    _ reports: [FileReport], to path: String, besides files: [String], reason: String? = nil
  ) throws -> Baseline {
    let url = URL(fileURLWithPath: path)
    let known = try? Baseline(contentsOf: url, path: path)
    if FileManager.default.fileExists(atPath: path), known == nil {
      throw RunFailure(
        "'\(path)' exists and is not a baseline; remove it, or name another file for --write-baseline")
    }
    try NeededFiles(files).refuse(writing: path)
    let folder = url.standardizedFileURL.deletingLastPathComponent().path
    let baseline = Baseline(of: reports, folder: folder, reason: reason, known: known)
    try DraftFile.write(Data(baseline.text().utf8), to: path)
    return baseline
  }
}

extension FileReport {
  fileprivate func with(_ finding: Diagnostic) -> FileReport {
    FileReport(path: path, source: source, findings: [finding])
  }

  /// A store that could not be looked at.
  fileprivate init(store: String, failure: CloneError) {
    self.init(
      path: store, source: nil,
      findings: failure.failures.map { failure in
        Diagnostic(
          failure.code, .error, at: .model, failure.message,
          help: [.storeBusy, .noSuchStore].contains(failure.code)
            ? nil : "check that '--store' names a database that can be read")
      })
  }
}

extension ValidationRun {
  /// The status for the shell where not everything could be looked at.
  static func status(of reports: [FileReport]) -> Int32 {
    let codes = reports.flatMap(\.findings).map(\.code)
    return codes.filter { [.unreadableFile, .noSuchStore, .storeBusy].contains($0) }.map(Failure.status).max()
      ?? 2
  }
}

extension Diagnostic {
  /// - Parameter range: where the settings have the pattern.
  fileprivate static func noMatch(_ pattern: String, range: SourceRange? = nil) -> Diagnostic {
    let folder = range == nil ? "this folder" : "the folder of the settings"
    return Diagnostic(
      .unreadableFile, at: .model, "no file matches '\(pattern)'",
      help: "patterns start in \(folder); * matches a part of a name, ** matches any folders", range: range)
  }
}
