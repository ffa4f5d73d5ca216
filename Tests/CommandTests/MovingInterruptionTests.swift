import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

@testable import moclone

@Suite("Ctrl-C during work that moves data")
struct MovingInterruptionTests {
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
  /// - Parameter isFile: tells the file by its name.
  private func interrupt(_ arguments: [String], whenThereIs isFile: (String) -> Bool) throws {
    let process = Process()
    process.executableURL = programs.appendingPathComponent("moclone")
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    while process.isRunning,
      try !FileManager.default.contentsOfDirectory(atPath: folder.url.path).contains(where: isFile)
    {
      usleep(1000)
    }
    kill(process.processIdentifier, SIGINT)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)
    #expect(process.terminationStatus == SIGINT)
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
