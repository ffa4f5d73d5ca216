import Foundation
import Testing

@Suite("Pictures from the command line")
struct DiagramCommandTests {
  @Test func theModelIsDrawnAndARootShowsItsClone() throws {
    let space = try Workspace()
    let whole = try moclone("model", "diagram", in: space.folder)
    #expect(whole.status == 0)
    #expect(whole.output.hasPrefix("erDiagram\n"))
    #expect(!whole.output.contains("Legend"))
    let cloned = try moclone("model", "diagram", "--root", "note", "--format", "dot", in: space.folder)
    #expect(cloned.output.contains("<B>Tag</B>&nbsp;&nbsp;linked<"))
    let unknown = try moclone("model", "diagram", "--root", "nott", in: space.folder)
    #expect(unknown.status == 64)
    #expect(unknown.errors.contains("'Note'"))
  }

  @Test func aPictureGoesIntoAFileButNeverOverTheModel() throws {
    let space = try Workspace()
    let run = try moclone("model", "diagram", "-o", "model.mmd", in: space.folder)
    #expect(run.status == 0 && run.output.isEmpty)
    let file = space.folder.appendingPathComponent("model.mmd")
    #expect(
      try String(contentsOf: file, encoding: .utf8) == moclone("model", "diagram", in: space.folder).output)
    let refused = try moclone("model", "diagram", "-o", "moclone.yml", in: space.folder)
    #expect(refused.status == 1)
    #expect(refused.errors.contains("'moclone.yml' cannot be written"))
  }

  @Test func withoutGraphvizASVGNamesWhatToInstallAndAnotherFormat() throws {
    let space = try Workspace()
    let run = try moclone(
      "model", "diagram", "--format", "svg", in: space.folder, environment: ["PATH": space.folder.path])
    #expect(run.status == 2)
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("install Graphviz, or use the format mermaid or dot"))
  }

  @Test func aGraphvizThatFailsIsQuoted() throws {
    let space = try Workspace()
    let program = space.folder.appendingPathComponent("dot")
    try "#!/bin/sh\necho 'out of ink' >&2\nexit 3\n".write(to: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    let run = try moclone(
      "model", "diagram", "--format", "svg", in: space.folder,
      environment: ["PATH": space.folder.path + ":/bin:/usr/bin"])
    #expect(run.status == 2)
    #expect(run.errors == "moclone: Graphviz could not draw the picture: out of ink.\n")
  }

  @Test func thePictureOfAPlanCountsTheObjects() throws {
    let space = try Workspace()
    let run = try moclone("plan", "note", "42", "--exclude", "memos", "--format", "mermaid", in: space.folder)
    #expect(run.status == 0)
    #expect(run.output.contains("\"Item\"[\"Item (copied ×2)\"]:::copied"))
    #expect(run.output.contains("\"Memo\"[\"Memo (left out)\"]:::leftOut"))
    let plain = try moclone("plan", "note", "--format", "dot", in: space.folder)
    #expect(plain.output.contains("<B>Item</B>&nbsp;&nbsp;copied<"))
    #expect(try moclone("plan", "note", "--sql", "--format", "dot", in: space.folder).status == 64)
  }
}
