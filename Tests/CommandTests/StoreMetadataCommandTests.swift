import Foundation
import Testing

struct StoreMetadataCommandTests {
  @Test func metadataIsSetReadListedAndRemoved() throws {
    let space = try Workspace()
    func metadata(_ arguments: String...) throws -> Finished {
      try run("moclone", ["store", "metadata"] + arguments, in: space.folder)
    }
    #expect(try metadata("list").output == "")
    #expect(try metadata("set", "default data", "done").status == 0)
    #expect(try metadata("set", "answer", "42").status == 0)
    #expect(try metadata("get", "answer").output == "42\n")
    #expect(try metadata("list").output == "answer\t42\ndefault data\tdone\n")
    let json = try metadata("list", "--format", "json").output
    #expect(json == "{\"metadata\":{\"answer\":\"42\",\"default data\":\"done\"},\"version\":1}\n")
    #expect(try metadata("remove", "answer").status == 0)
    let missing = try metadata("get", "answer")
    #expect(missing.status == 66)
    #expect(missing.output.isEmpty)
    let near = try metadata("remove", "default date")
    #expect(near.status == 66)
    #expect(near.errors.contains("did you mean 'default data'?"))
  }

  @Test func metadataTroublesNeitherValidateNorClone() throws {
    let space = try Workspace()
    let before = try moclone("validate", "--store", space.store, in: space.folder)
    #expect(try moclone("store", "metadata", "set", "a", "1", in: space.folder).status == 0)
    let after = try moclone("validate", "--store", space.store, in: space.folder)
    #expect(before.output == after.output && before.status == after.status)
    #expect(try moclone("note", "42", in: space.folder).output == "43\n")
  }

  @Test func aFileThatIsNoDatabaseIsNamed() throws {
    let space = try Workspace()
    let file = space.folder.appendingPathComponent("letter.txt")
    try "Dear reader, this is a letter that is no database at all, of more than a hundred bytes ....."
      .write(to: file, atomically: true, encoding: .utf8)
    let run = try moclone("store", "metadata", "list", "--store", file.path, in: space.folder)
    #expect(run.status == 2)
    #expect(run.errors.contains("letter.txt") && run.errors.contains("not a SQLite database"))
    #expect(try moclone("store", "metadata", "list", "--store", "no.sqlite", in: space.folder).status == 66)
  }
}
