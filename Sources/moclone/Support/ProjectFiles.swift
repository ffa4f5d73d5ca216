import Foundation
import MOCloneKit

/// The files that `moclone validate` looks at: those that are named, those that folders hold, else the project's.
struct ProjectFiles {
  private(set) var files: [String] = []
  /// What names no file.
  private(set) var unmatched: [String] = []
  /// Patterns of the settings that match no file.
  private(set) var unmatchedSettings: [ProjectSettings.Pattern] = []
  /// Nobody named these, so that files of other programs among them are left out.
  private var searched: Set<String> = []

  /// - Throws: `UsageError` where neither the call nor the settings name a file.
  init(_ arguments: [String], project: ProjectOptions, settings: ProjectSettings?) throws {
    var patterns = FilePatterns(arguments)
    if arguments.isEmpty {
      let included = included(by: settings)
      patterns = FilePatterns(try model(project, isNeeded: included.isEmpty) + included)
      searched.formUnion(included)
    }
    searched.formUnion(patterns.searched)
    let excluded = (settings?.exclude ?? []).flatMap(FilePatterns.matches).map(FilePatterns.identity)
    files = patterns.files.filter { !searched.contains($0) || !Self.is($0, below: excluded) }
    unmatched = patterns.unmatched
  }

  /// Whether somebody named the file, so that it is checked whatever it is.
  func isNamed(_ file: String) -> Bool { !searched.contains(file) }

  private func model(_ project: ProjectOptions, isNeeded: Bool) throws -> [String] {
    do {
      return [try project.modelPath()]
    } catch let error as UsageError {
      if isNeeded { throw error }
      return []
    }
  }

  private mutating func included(by settings: ProjectSettings?) -> [String] {
    (settings?.include ?? []).flatMap { pattern in
      let found = FilePatterns.matches(of: pattern)
      if found.isEmpty { unmatchedSettings.append(pattern) }
      return FilePatterns(found).files.map(WorkingFolder.relative)
    }
  }

  private static func `is`(_ file: String, below excluded: [String]) -> Bool {
    let path = FilePatterns.identity(file)
    return excluded.contains { path == $0 || path.hasPrefix($0 + "/") }
  }
}

/// The folder that a command runs in.
enum WorkingFolder {
  /// The path of a file as seen from the folder, so that messages are short and the same on every machine.
  static func relative(_ path: String) -> String {
    RelativePath(of: path, from: FileManager.default.currentDirectoryPath).text
  }

  /// The path as reports show it: relative where the file is in the folder or below, else as it was given.
  static func shown(_ path: String) -> String {
    RelativePath.shown(path, from: FileManager.default.currentDirectoryPath)
  }
}
