#if PostgreSQL
  import Foundation
  import TestSupport

  /// The command, run in a folder of its own.
  struct Command {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func callAsFunction(_ arguments: String...) throws -> Finished { try self(arguments) }

    typealias Finished = (status: Int32, output: String, errors: String)

    /// - Returns: its status, and what it wrote to standard output and to standard error.
    func callAsFunction(_ arguments: [String]) throws -> Finished {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appending(path: "moclone")
      process.arguments = arguments
      process.currentDirectoryURL = folder.url
      let files = ["output", "errors"].map { folder.url.appending(path: ".\($0)") }
      for file in files { try Data().write(to: file) }
      process.standardOutput = try FileHandle(forWritingTo: files[0])
      process.standardError = try FileHandle(forWritingTo: files[1])
      try process.run()
      process.waitUntilExit()
      let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
      return (process.terminationStatus, texts[0], texts[1])
    }

    func write(_ text: String, to name: String) throws {
      try text.write(to: folder.url.appending(path: name), atomically: true, encoding: .utf8)
    }
  }
#endif
