import Foundation
import Testing

@Suite("Questions on a terminal")
struct QuestionTests {
  @Test("A store is removed after a yes, and kept after a no")
  func reset() throws {
    let space = try Workspace()
    let no = try TerminalRun(["store", "reset"], in: space.folder, typing: "n")
    #expect(no.status == 1 && no.text.contains("[y/n]") && no.text.contains("Nothing was done"))
    #expect(FileManager.default.fileExists(atPath: space.store))
    let yes = try TerminalRun(["store", "reset"], in: space.folder, typing: "yes")
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
    #expect(try TerminalRun(arguments, in: space.folder, typing: "n").status == 0)
    #expect(try space.number(count) == 1)
    let kept = try run("moclone", arguments, in: space.folder)
    #expect(kept.status == 0 && kept.errors.contains("'tags' was declined before"))
    #expect(try space.number(count) == 1)
    #expect(try moclone("store", "metadata", "remove", "tags", in: space.folder).status == 0)
    #expect(try TerminalRun(arguments, in: space.folder, typing: "y").status == 0)
    #expect(try space.number(count) == 2)
    let again = try run("moclone", arguments, in: space.folder)
    #expect(again.errors.contains("'tags' was done before"))
    #expect(try space.number(count) == 2)
  }
}
