import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

@testable import moclone

@Suite("Ctrl-C during work that moves data")
struct TransferInterruptionTests {
  private let folder = try! TemporaryFolder()
  private static let rows = 200_000

  private static let model = """
    version: 1
    name: Shop
    entities:
      Item:
        attributes: {name: String, note: String?}
    """

  private func path(_ name: String) -> String { folder.file(name).path }

  /// A store whose items are numbered from a number on, each twice or once.
  private func makeStore(_ name: String, from first: Int, times: Int = 1) throws {
    try DatabaseQueue(path: path(name)).write { db in
      try SchemaWriter(ObjectModel(yaml: Self.model)).create(in: db)
      for _ in 0..<times {
        try db.execute(
          sql: """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
            INSERT INTO item(name, note) SELECT 'Item ' || (? + i), 'a note' FROM n
            """, arguments: [Self.rows, first])
      }
    }
  }

  private func makeFiles() throws {
    try "version: 1\nmodel: shop.yml\nstore: store.sqlite\n"
      .write(toFile: path("moclone.yml"), atomically: true, encoding: .utf8)
    try Self.model.write(toFile: path("shop.yml"), atomically: true, encoding: .utf8)
    try "entity: Item\nattributes: {name: '@name'}\n"
      .write(toFile: path("map.yml"), atomically: true, encoding: .utf8)
    let lines = (1...Self.rows).map { "Item \($0)\n" }.joined()
    try ("name\n" + lines).write(toFile: path("items.csv"), atomically: true, encoding: .utf8)
  }

  private func count() throws -> [Int] {
    try DatabaseQueue(path: path("store.sqlite")).read { db in
      [
        try Int.fetchOne(db, sql: "SELECT count(*) FROM item")!,
        try Int.fetchOne(
          db, sql: "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'")!,
      ]
    }
  }

  /// Runs a command, which gets a signal as soon as a file is there, and must end by it.
  ///
  /// - Parameters:
  ///   - signal: the signal; where nothing is to be taken back, one that the tests' own process does not ignore.
  ///   - isFile: tells the file by its name.
  private func interrupt(
    _ arguments: [String], by signal: Int32 = SIGINT, whenThereIs isFile: (String) -> Bool
  ) throws {
    let process = Process()
    process.executableURL = programs.appendingPathComponent("moclone")
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    // Open as long as the command runs, and empty.
    let (input, output, errors) = (Pipe(), Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    while process.isRunning,
      try !FileManager.default.contentsOfDirectory(atPath: folder.url.path).contains(where: isFile)
    {
      usleep(1000)
    }
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    try input.fileHandleForWriting.close()
    #expect(process.terminationReason == .uncaughtSignal)
    #expect(process.terminationStatus == signal)
    #expect(output.fileHandleForReading.readDataToEndOfFile().isEmpty)
  }

  @Test(
    "A whole store that is made leaves no part of itself",
    arguments: [
      ["store", "pack", "whole.sqlite", "--store", "source.sqlite"],
      ["store", "init", "--from", "source.sqlite", "--store", "whole.sqlite"],
      ["copy", "--whole", "--from", "source.sqlite", "--into", "whole.sqlite"],
    ])
  func wholeStore(_ arguments: [String]) throws {
    try makeStore("source.sqlite", from: 0, times: 5)
    try interrupt(arguments) { $0.hasPrefix("whole.sqlite.") && $0.hasSuffix(".tmp") }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!left.contains { $0.contains(".tmp") }, "\(left)")
  }

  @Test(
    "A command that waits for a lock ends by the signal and leaves no file",
    arguments: [
      ("EXCLUSIVE", ["store", "pack", "whole.sqlite", "--store", "store.sqlite"]),
      ("EXCLUSIVE", ["store", "init", "--from", "store.sqlite", "--store", "whole.sqlite"]),
      ("EXCLUSIVE", ["copy", "--whole", "--from", "store.sqlite", "--into", "whole.sqlite"]),
      ("EXCLUSIVE", ["item", "1", "--mapping", "whole.csv"]),
      ("IMMEDIATE", ["item", "1", "--mapping", "whole.csv"]),
    ])
  func waitingForALock(_ lock: String, _ arguments: [String]) throws {
    try makeFiles()
    try makeStore("store.sqlite", from: 0)
    let store = try DatabaseQueue(path: path("store.sqlite"))
    try store.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN \(lock)")
      defer { try? db.execute(sql: "ROLLBACK") }
      try interrupt(arguments + ["--timeout", "600"], by: SIGTERM) { $0.contains("whole.") }
    }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!left.contains { $0.contains("whole.") }, "\(left)")
  }

  @Test("A command that waits for keys on standard input ends by the signal and leaves no file")
  func waitingForKeys() throws {
    try makeFiles()
    try makeStore("store.sqlite", from: 0)
    try interrupt(["item", "-", "--mapping", "keys.csv"], by: SIGTERM) { $0.hasPrefix(".keys.csv.") }
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!left.contains { $0.contains("keys.csv") }, "\(left)")
  }

  @Test(
    "It ends the process by the signal and leaves nothing",
    arguments: [
      ["copy", "--from", "source.sqlite", "--into", "store.sqlite", "--by", "Item=name"],
      ["seed", "--from", "source.sqlite", "--into", "store.sqlite", "--by", "Item=name", "--yes"],
      ["dedupe", "Item", "--by", "name"],
      ["sync", "items.csv", "--entity", "Item", "--by", "name", "--no-delete"],
      ["import", "items.csv", "--mapping", "map.yml", "--by", "name"],
    ])
  func interruption(_ arguments: [String]) throws {
    try makeFiles()
    let isDedupe = arguments[0] == "dedupe"
    try makeStore("store.sqlite", from: 1_000_000, times: isDedupe ? 2 : 1)
    try makeStore("source.sqlite", from: 0)
    // The journal is there from the first page that is written to the commit.
    try interrupt(arguments + (["copy", "seed"].contains(arguments[0]) ? ["--model", "shop.yml"] : [])) {
      $0 == "store.sqlite-journal"
    }
    #expect(try count() == [isDedupe ? 2 * Self.rows : Self.rows, 1])
  }
}
