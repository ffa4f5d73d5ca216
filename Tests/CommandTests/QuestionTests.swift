import Foundation
import Testing

@Suite("Questions on a terminal")
struct QuestionTests {
  /// Runs moclone on a terminal of its own, where somebody types an answer.
  ///
  /// - Returns: the status and what the terminal shows.
  private func asked(_ answer: String, _ arguments: [String], in folder: URL) throws -> (
    status: Int32, text: String
  ) {
    var (master, slave): (Int32, Int32) = (0, 0)
    try #require(openpty(&master, &slave, nil, nil, nil) == 0)
    let (own, other) = (
      FileHandle(fileDescriptor: master, closeOnDealloc: true),
      FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    )
    let process = Process()
    process.executableURL = programs.appendingPathComponent("moclone")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardInput = other
    process.standardOutput = other
    process.standardError = other
    try own.write(contentsOf: Data((answer + "\n").utf8))
    try process.run()
    process.waitUntilExit()
    // What was shown is short enough to wait in the terminal.
    return (process.terminationStatus, String(decoding: own.availableData, as: UTF8.self))
  }

  @Test("A store is removed after a yes, and kept after a no")
  func reset() throws {
    let space = try Workspace()
    let no = try asked("n", ["store", "reset"], in: space.folder)
    #expect(no.status == 1 && no.text.contains("[y/n]") && no.text.contains("Nothing was done"))
    #expect(FileManager.default.fileExists(atPath: space.store))
    let yes = try asked("yes", ["store", "reset"], in: space.folder)
    #expect(yes.status == 0)
    #expect(!FileManager.default.fileExists(atPath: space.store))
  }

  @Test("A no to --ask is kept until it is taken back")
  func once() throws {
    let space = try Workspace()
    try "name\nblue\n".write(
      to: space.folder.appendingPathComponent("t.csv"), atomically: true, encoding: .utf8)
    try "entity: Tag\nattributes: {name: '@name'}\n"
      .write(to: space.folder.appendingPathComponent("map.yml"), atomically: true, encoding: .utf8)
    let arguments = ["import", "t.csv", "--mapping", "map.yml", "--once", "tags", "--ask"]
    let count = "SELECT count(*) FROM tag"
    #expect(try asked("n", arguments, in: space.folder).status == 0)
    #expect(try space.number(count) == 1)
    let kept = try run("moclone", arguments, in: space.folder)
    #expect(kept.status == 0 && kept.errors.contains("'tags' was declined before"))
    #expect(try space.number(count) == 1)
    #expect(try moclone("store", "metadata", "remove", "tags", in: space.folder).status == 0)
    #expect(try asked("y", arguments, in: space.folder).status == 0)
    #expect(try space.number(count) == 2)
    let again = try run("moclone", arguments, in: space.folder)
    #expect(again.errors.contains("'tags' was done before"))
    #expect(try space.number(count) == 2)
  }
}
