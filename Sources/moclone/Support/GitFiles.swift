import Foundation
import MOCloneKit

/// The files of another commit, read with `git`.
struct GitFiles: XcodeFiles {
  let commit: String

  /// A model file as it was.
  ///
  /// - Throws: `UsageError` for a name that cannot be a commit, `MissingFile` with git's words where it has no such file.
  func model(_ path: String) throws -> ModelFile {
    guard XcodeBundle.isNamed(path) else {
      return ModelFile(try SourceFile(path: label(path), data: data(path)))
    }
    return try ModelFile(path, files: self)
  }

  func data(_ path: String) throws -> Data {
    let result = try git(path) { ["show", "\(commit):./\($0)"] }
    guard let data = result.data else {
      throw MissingFile("'\(path)' cannot be read at '\(commit)': \(result.words)")
    }
    return data
  }

  func names(in folder: String) throws -> [String]? {
    let result = try git(folder) { ["ls-tree", "-z", "--name-only", commit, "./\($0)/"] }
    guard let data = result.data else {
      throw MissingFile("'\(folder)' cannot be read at '\(commit)': \(result.words)")
    }
    let names = data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) as NSString }
    return names.isEmpty ? nil : names.map(\.lastPathComponent).sorted()
  }

  func label(_ path: String) -> String { "\(commit):\(path)" }

  /// - Parameter arguments: those for a path, which is relative to a folder that exists.
  /// - Returns: what git printed, or where it failed its words.
  private func git(_ path: String, _ arguments: (String) -> [String]) throws -> (data: Data?, words: String) {
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
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    let words = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (
      process.terminationStatus == 0 ? data : nil, words.trimmingCharacters(in: .whitespacesAndNewlines)
    )
  }
}
