import Foundation
import Testing

/// A run of moclone on a terminal of its own, with what the terminal shows.
struct TerminalRun {
  let status: Int32
  let text: String

  /// - Parameter answer: what somebody types.
  init(
    _ arguments: [String], in folder: URL, typing answer: String? = nil, environment: [String: String]? = nil
  ) throws {
    var (master, slave): (Int32, Int32) = (0, 0)
    try #require(openpty(&master, &slave, nil, nil, nil) == 0)
    // Programs that other tests start would keep the terminal open.
    for end in [master, slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let own = FileHandle(fileDescriptor: master, closeOnDealloc: true)
    let other = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    let process = Process()
    process.executableURL = programs.appendingPathComponent("moclone")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    if let environment { process.environment = environment }
    (process.standardInput, process.standardOutput, process.standardError) = (other, other, other)
    if let answer { try own.write(contentsOf: Data((answer + "\n").utf8)) }
    try process.run()
    try other.close()
    text = Self.everything(master)
    process.waitUntilExit()
    status = process.terminationStatus
  }

  /// What a terminal shows until nobody has it open, which Linux tells by an error.
  private static func everything(_ master: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(master, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}
