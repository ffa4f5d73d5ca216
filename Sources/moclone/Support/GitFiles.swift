import Foundation
import MOCloneKit

/// The files of another commit, read with `git`.
struct GitFiles: XcodeFiles {
  let commit: String

  /// A model file as it was; one that was moved since is read from where it was.
  ///
  /// - Throws: `UsageError` for a name that is no commit, `MissingFile` with git's words where it has no such file.
  func model(_ path: String) throws -> ModelFile {
    guard XcodeBundle.isNamed(path) else {
      return ModelFile(try text(path))
    }
    return try ModelFile(path, files: self)
  }

  private func text(_ path: String) throws -> SourceFile {
    do {
      return try SourceFile(path: label(path), data: data(path))
    } catch let error as MissingFile {
      guard let former = try formerPath(of: path),
        let data = try git(path, arguments: { _ in ["show", "\(commit):\(former)"] }).data
      else { throw error }
      return try SourceFile(path: label(former), data: data)
    }
  }

  /// Where a file was in the commit, from the top of the repository; nil where git knows of no move.
  private func formerPath(of path: String) throws -> String? {
    let name = try git(path) { ["ls-files", "-z", "--full-name", "--", $0] }
    let moves = try git(path) { _ in
      ["diff", "--find-renames", "--diff-filter=R", "--name-status", "-z", commit, "--"]
    }
    guard let here = name.fields.first else { return nil }
    // Each move has three fields: how alike the files are, the old path, the new one.
    let fields = moves.fields
    return stride(from: 0, to: fields.count - 2, by: 3).first { fields[$0 + 2] == here }.map {
      fields[$0 + 1]
    }
  }

  /// The model files of the commit in the working folder and below that are gone today; what was moved is not gone.
  func deletedModels() throws -> [(path: String, old: ModelFile)] {
    let deleted = try git("moclone.yml") { _ in
      ["diff", "--find-renames", "--diff-filter=D", "--relative", "--name-only", "-z", commit, "--", "."]
    }
    let names = deleted.fields.filter { name in
      ["yml", "yaml", "json"].contains { name.hasSuffix(".\($0)") }
    }
    return try names.map { (path: $0, old: try model($0)) }.filter { FileKind(of: $0.old.source) == .model }
  }

  func data(_ path: String) throws -> Data {
    let result = try git(path) { ["show", "\(commit):./\($0)"] }
    guard let data = result.data else { throw failure(path, words: result.words) }
    return data
  }

  func names(in folder: String) throws -> [String]? {
    let result = try git(folder) { ["ls-tree", "-z", "--name-only", commit, "./\($0)/"] }
    guard let data = result.data else { throw failure(folder, words: result.words) }
    let names = data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) as NSString }
    return names.isEmpty ? nil : names.map(\.lastPathComponent).sorted()
  }

  /// Tells a wrong call from a file that the commit does not have.
  private func failure(_ path: String, words: String) -> any Error {
    if words.contains("not a git repository") {
      return UsageError("The folder of '\(path)' is not in a Git repository, so --against cannot be used")
    }
    if words.contains("object name") { return UsageError("Git knows no commit, branch or tag '\(commit)'") }
    return MissingFile("'\(path)' cannot be read at '\(commit)': \(words)")
  }

  func label(_ path: String) -> String { "\(commit):\(path)" }

  private struct Run {
    var data: Data?
    var words: String
    /// What stands between the zero bytes of the output.
    var fields: [String] { (data ?? Data()).split(separator: 0).map { String(decoding: $0, as: UTF8.self) } }
  }

  /// - Parameter arguments: those for a path, which is relative to a folder that exists.
  /// - Returns: what git printed, or where it failed its words.
  private func git(_ path: String, arguments: (String) -> [String]) throws -> Run {
    guard !commit.isEmpty, !commit.hasPrefix("-") else { throw UsageError("'\(commit)' is not a git commit") }
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    var (folder, name) = (file.deletingLastPathComponent(), file.lastPathComponent)
    // A version of a model that is gone today was there then.
    while !FileManager.default.fileExists(atPath: folder.path), folder.pathComponents.count > 1 {
      name = folder.lastPathComponent + "/" + name
      folder.deleteLastPathComponent()
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git", "-C", folder.path] + arguments(name)
    // Why git fails is told by its words.
    process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C"]) { $1 }
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let words = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Run(
      data: process.terminationStatus == 0 ? data : nil,
      words: words.trimmingCharacters(in: .whitespacesAndNewlines))
  }
}
