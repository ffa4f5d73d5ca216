import ArgumentParser
import Foundation
import MOCloneKit

struct Diff: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Compares what clones contain before and after a change of the model.",
    usage: """
      moclone diff OLD NEW
      moclone diff --against COMMIT [MODEL...]
      """,
    discussion: """
      The exit status is 1 if a change is breaking: an object or a value is no longer copied or linked, a link \
      became a copy, a value is no longer rebuilt or no longer follows an ancestor, a copied value must be \
      unique, copies join the list of an object that is not copied, or data that exists may not fit any more.

      The comment `# moclone:allow CODE reason` accepts a change on the line below it in the new model; \
      `severities: {CODE: error|warning|note|off}` in moclone.yml weighs changes otherwise.

      EXAMPLES:
        moclone diff old.yml new.yml
        moclone diff --against main --format markdown
        moclone diff --against main Notes.xcdatamodeld
        moclone diff --against v1.0 --baseline breaks.json --format github
      """)

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, markdown, github, sarif
  }

  @Argument(
    help:
      "The old and the new model, one of which may be - for standard input; with --against new models only. Default: the project's models.",
    completion: .file(extensions: ["yml", "yaml", "json"]))
  var files: [String] = []

  @Option(
    help: ArgumentHelp(
      "Compare with the model files of a git commit, branch or tag.", valueName: "commit"))
  var against: String?

  @Option(help: "The format of the output: text, json, markdown, github or sarif.")
  var format = Format.text

  @Option(
    help: "The lowest severity that fails: error (a breaking change), warning, note (any change) or never.")
  var failOn = FailOn.error

  @Option(
    help: ArgumentHelp("Report only changes that this baseline does not list.", valueName: "file"),
    completion: .file())
  var baseline: String?

  @Option(
    help: ArgumentHelp(
      "Write the changes to a file that --baseline reads; needs --reason.", valueName: "file"),
    completion: .file())
  var writeBaseline: String?

  @Option(
    help: ArgumentHelp("Why the changes that --write-baseline writes are acceptable.", valueName: "text"))
  var reason: String?

  @OptionGroup var project: ProjectOptions
  @OptionGroup var console: ConsoleOptions

  func run() throws {
    try checkBaseline()
    let severities = ValidationRun.settings()?.settings.severities ?? [:]
    var models = try sources().map { try ComparedModel(old: $0.old, new: $0.new) }
    for i in models.indices { models[i].report.apply(severities) }
    let stale = try accept(in: &models)
    try Console.output.writeAll(text(models, stale: stale))
    if format == .text { explainAccepted(models, stale: stale) }
    let findings = models.flatMap(\.report.findings) + stale.flatMap(\.findings)
    if findings.contains(where: { failOn.includes($0.severity) }) { throw ExitCode(1) }
  }

  // MARK: The models

  private func sources() throws -> [(old: ModelFile, new: ModelFile)] {
    if let against { return try sources(against: against) }
    guard files.count == 2 else {
      throw UsageError(
        "two models are needed: `moclone diff OLD NEW` or `moclone diff --against COMMIT [MODEL...]`")
    }
    if files == ["-", "-"] { throw UsageError("standard input can be the old or the new model, not both") }
    return [(try read(files[0]), try read(files[1]))]
  }

  private func sources(against commit: String) throws -> [(old: ModelFile, new: ModelFile)] {
    if files.contains("-") { throw UsageError("--against cannot be used with standard input") }
    let found = try ProjectFiles(files, project: project, settings: ValidationRun.settings()?.settings)
    if let pattern = found.unmatched.first { throw MissingFile("no file matches '\(pattern)'") }
    let git = GitFiles(commit: commit)
    let gone = files.isEmpty ? try git.deletedModels() : []
    return gone.map { ($0.old, .deleted($0.path)) }
      + (try found.files.compactMap { try pair($0, git, isNamed: found.isNamed($0)) })
  }

  /// A model as the commit has it and as it is; what is gone is compared with a model that has nothing.
  private func pair(
    _ path: String, _ git: GitFiles, isNamed: Bool
  ) throws -> (old: ModelFile, new: ModelFile)? {
    if isNamed, !FileManager.default.fileExists(atPath: path), let old = try? git.model(path) {
      return (old, .deleted(path))
    }
    let new = try read(path)
    if !isNamed, !new.isXcode, FileKind(of: new.source) != .model { return nil }
    do {
      return (try git.model(path), new)
    } catch let error as MissingFile where !isNamed {
      Console.note("'\(new.source.path)' is not compared: \(error.description)")
      return nil
    }
  }

  private func read(_ path: String) throws(ModelError) -> ModelFile {
    path == "-"
      ? ModelFile(try SourceFile(reading: .standardInput)) : try ModelFile(WorkingFolder.shown(path))
  }

  // MARK: Accepted changes

  private func checkBaseline() throws {
    if baseline != nil, writeBaseline != nil {
      throw UsageError("--write-baseline writes all changes, so it cannot be used with --baseline")
    }
    if (writeBaseline == nil) != (reason == nil) {
      throw UsageError(
        "--write-baseline and --reason belong together: a baseline says why its changes are acceptable")
    }
    if let reason, reason.allSatisfy(\.isWhitespace) {
      throw UsageError("--reason is empty; write why the changes are acceptable")
    }
  }

  /// - Returns: the baseline's own faults.
  private func accept(in models: inout [ComparedModel]) throws -> [FileReport] {
    guard let path = baseline ?? writeBaseline else { return [] }
    var reports = models.map(\.report)
    let held =
      if writeBaseline != nil {
        try Baseline.write(reports, to: path, besides: project.files + models.map(\.path), reason: reason)
      } else {
        try Baseline(contentsOf: URL(fileURLWithPath: path), path: path)
      }
    let stale = held.accept(&reports, hasStore: false, comparesModels: true)
    for (i, report) in reports.enumerated() { models[i].report = report }
    let source = try? SourceFile(contentsOf: URL(fileURLWithPath: path), path: path)
    return stale.isEmpty ? [] : [FileReport(path: path, source: source, findings: stale)]
  }

  private func explainAccepted(_ models: [ComparedModel], stale: [FileReport]) {
    for (change, reason) in models.flatMap(\.accepted) {
      Console.note("'\(change.subject)' \(change.kind.words), which is accepted: \(reason)")
    }
    for report in stale {
      Console.errors.write(
        TextReporter(report.source, hasColour: Console.errors.hasColour).report(report.findings))
    }
  }

  // MARK: The report

  private func text(_ models: [ComparedModel], stale: [FileReport]) throws -> String {
    let reports = models.map(\.report) + stale
    switch format {
    case .text: return titled(models, mark: "", text: \.text)
    case .markdown: return titled(models, mark: "## ", text: \.markdown)
    case .json:
      return try CloneDifference.json(
        models.map { (model: $0.path, difference: $0.reported, accepted: $0.accepted) })
    case .github: return GitHubReporter.report(reports, root: ReportFormat.root)
    case .sarif:
      return try SARIFReporter.report(
        reports, root: ReportFormat.root, toolVersion: MOClone.configuration.version, isComplete: true)
    }
  }

  /// One model needs no title.
  private func titled(
    _ models: [ComparedModel], mark: String, text: (CloneDifference) -> String
  ) -> String {
    let texts = models.map { model in
      let (left, count) = (model.reported, model.accepted.count)
      return left.changes.isEmpty && count > 0 ? "All changes are accepted: \(count).\n" : text(left)
    }
    guard models.count > 1 else { return texts.joined() }
    return zip(models, texts).map { "\(mark)\($0.path)\n\n\($1)" }.joined(separator: "\n")
  }
}

extension ModelFile {
  /// A model that has nothing any more.
  fileprivate static func deleted(_ path: String) -> ModelFile {
    ModelFile(SourceFile(path: path, text: "version: 1\nentities: {}\n"))
  }
}
