import Foundation
import MOCloneModel

/// The findings that a project accepted at one time, so that only new ones are reported.
///
/// They are counted by file, code and `Entity.property`: lines may move.
package struct Baseline: Sendable, Equatable {
  struct Key: Hashable, Comparable {
    /// Relative to the folder of the baseline.
    var file: String
    var subject: String
    var code: String

    static func < (a: Key, b: Key) -> Bool {
      (a.file, a.subject, a.code) < (b.file, b.subject, b.code)
    }
  }

  private(set) var counts: [Key: Int] = [:]
  /// Why entries are accepted, where they say so.
  private(set) var reasons: [Key: String] = [:]
  /// Where each entry is in the file it was read from.
  private(set) var places: [Key: SourceRange] = [:]
  /// The folder that files are relative to.
  private let folder: String

  init(
    folder: String, counts: [Key: Int] = [:], reasons: [Key: String] = [:], places: [Key: SourceRange] = [:]
  ) {
    self.folder = folder
    self.counts = counts
    self.reasons = reasons
    self.places = places
  }

  /// Everything that was found, to be written to a file of the folder.
  ///
  /// What keeps a file from being understood is left out, for it hides everything else.
  ///
  /// - Parameters:
  ///   - reason: why what is new is accepted.
  ///   - known: an earlier baseline, whose entries keep their reasons.
  package init(of reports: [FileReport], folder: String, reason: String? = nil, known: Baseline? = nil) {
    self.init(folder: folder)
    for report in reports {
      for finding in report.findings where Self.canHold(finding.code) {
        let key = key(finding, report: report)
        counts[key, default: 0] += 1
        reasons[key] = known?.reasons[key] ?? reason
      }
    }
  }

  private static func canHold(_ code: DiagnosticCode) -> Bool {
    code.category != .file && code != .staleBaseline
  }

  private func key(_ finding: Diagnostic, report: FileReport) -> Key {
    let file = RelativePath(of: report.path, from: folder).text
    return Key(file: file, subject: finding.path.name, code: finding.code.rawValue)
  }

  // MARK: Accepting

  /// Moves what the baseline holds to the accepted findings.
  ///
  /// Where there are more than it holds, all are reported, since nobody can tell which one is new.
  ///
  /// - Parameters:
  ///   - hasStore: whether a database was looked at; if not, what is about one is not missed.
  ///   - comparesModels: whether the findings are the changes of `diff`, or what `validate` finds; the others are not missed.
  /// - Returns: a finding for each entry that holds more than there is.
  package func accept(
    _ reports: inout [FileReport], hasStore: Bool, comparesModels: Bool = false
  ) -> [Diagnostic] {
    var seen: [Key: Int] = [:]
    for report in reports {
      for finding in report.findings { seen[key(finding, report: report), default: 0] += 1 }
    }
    for i in reports.indices {
      var left: [Diagnostic] = []
      for finding in reports[i].findings {
        let key = key(finding, report: reports[i])
        switch (counts[key], seen[key] ?? 0) {
        case (let held?, let now) where now > held:
          left.append(finding.beyondBaseline(held: held, now: now))
        case (.some, _):
          reports[i].accepted.append(AcceptedFinding(finding: finding, reason: .baseline(reasons[key])))
        case (nil, _): left.append(finding)
        }
      }
      reports[i].findings = left
    }
    return stale(seen, reports: reports) { code in
      (code.category == .difference) == comparesModels && (hasStore || !code.needsStore)
    }
  }

  private func stale(
    _ seen: [Key: Int], reports: [FileReport], isJudged: (DiagnosticCode) -> Bool
  ) -> [Diagnostic] {
    let unread = reports.filter { $0.findings.contains { $0.code.category == .file } }.map(\.path)
    let judged = Set(
      Set(reports.map(\.path)).subtracting(unread).map { RelativePath(of: $0, from: folder).text })
    return counts.keys.sorted().compactMap { key in
      let (held, now) = (counts[key] ?? 0, seen[key] ?? 0)
      guard now < held, judged.contains(key.file) || isGone(key.file) else { return nil }
      if let code = DiagnosticCode(rawValue: key.code), !isJudged(code) { return nil }
      return .staleBaseline(key, held: held, now: now, range: places[key])
    }
  }

  private func isGone(_ file: String) -> Bool {
    file != SourceFile.standardInput
      && !FileManager.default.fileExists(
        atPath: URL(fileURLWithPath: file, relativeTo: URL(fileURLWithPath: folder, isDirectory: true)).path)
  }
}

extension Diagnostic {
  fileprivate func beyondBaseline(held: Int, now: Int) -> Diagnostic {
    var copy = self
    copy.notes.append(Note("the baseline allows \(held) of these, but there are now \(now)", at: path))
    return copy
  }

  fileprivate static func staleBaseline(
    _ key: Baseline.Key, held: Int, now: Int, range: SourceRange?
  ) -> Diagnostic {
    let subject = key.subject.isEmpty ? key.file : "'\(key.subject.shortened)' in \(key.file)"
    let count = now == 0 ? "is no longer found" : "is found \(now) times, not \(held)"
    return Diagnostic(
      .staleBaseline, at: .model, "'\(key.code)' of \(subject) \(count)",
      help: "remove the entry, or rewrite the baseline with --write-baseline", range: range)
  }
}
