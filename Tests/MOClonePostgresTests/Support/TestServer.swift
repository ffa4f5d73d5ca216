import Foundation

@testable import MOClonePostgres

/// A server of a test's own.
struct TestServer {
  let location: PostgresLocation
  private let folder: String

  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "postgres").path

  static var isPossible: Bool { FileManager.default.isExecutableFile(atPath: script) }

  init() throws {
    let text = try Self.run("start")
    func quoted(after name: String) -> String {
      let rest = text.components(separatedBy: "\(name)='").last ?? ""
      return rest.components(separatedBy: "'")[0]
    }
    folder = quoted(after: "MOCLONE_POSTGRES_FOLDER")
    location = try PostgresLocation(quoted(after: "MOCLONE_POSTGRES"))
  }

  func stop() { _ = try? Self.run("stop", folder) }

  /// A server that recovers from a crash refuses connections at first.
  func connectWhenReady() throws -> PostgresConnection {
    while true {
      do {
        let connection = try PostgresConnection(location)
        // A session that the server took on as it began to end the others answers nothing.
        try connection.run("SELECT 1")
        return connection
      } catch let error as PostgresError
        where ["recovery", "starting up", "closed the connection"].contains(where: error.message.contains)
      {
        usleep(50_000)
      }
    }
  }

  private static func run(_ arguments: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: script)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // The process is not waited for: the server, which it leaves behind, would be waited for too.
    return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }
}
