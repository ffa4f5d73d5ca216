import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

struct OtherCommandTests {
  @Test func planSaysWhatBecomesOfEachProperty() throws {
    let space = try Workspace()
    let run = try moclone("plan", "note", in: space.folder)
    #expect(run.status == 0)
    #expect(run.output.contains("Item, over Note.items"))
    #expect(run.output.contains("noteID    followParent: id, of the root, else copy"))
    let counted = try moclone("plan", "note", "42", in: space.folder)
    #expect(counted.output.contains("would link  1  Tag"))
  }

  @Test func planPrintsStatementsWithAndWithoutAStore() throws {
    let space = try Workspace()
    let run = try moclone("plan", "note", "--sql", in: space.folder)
    #expect(run.output.contains("INSERT OR ABORT INTO main.\"item\""))
    try FileManager.default.removeItem(atPath: space.store)
    #expect(try moclone("plan", "note", "--sql", in: space.folder).output == run.output)
  }

  @Test func validateExitsWithTheFindings() throws {
    let space = try Workspace()
    #expect(try moclone("validate", in: space.folder).status == 0)
    let bad = "version: 1\nname: Bad\nentities:\n  Note:\n    atributes: {name: String}\n"
    let run = try moclone("validate", "-", input: bad, in: space.folder)
    #expect(run.status == 1)
    #expect(run.output.contains("<stdin>:5:5: error:"))
    #expect(run.output.contains("did you mean 'attributes'?"))
    let json = try moclone("validate", "-", "--format", "json", input: bad, in: space.folder)
    #expect(json.status == 1)
    #expect(json.output.contains("\"code\" : \"unknown-key\""))
    #expect(try moclone("validate", "-", "--fail-on", "never", input: bad, in: space.folder).status == 0)
  }

  @Test func validateReadsTheModelThatShowWrites() throws {
    let space = try Workspace()
    let json = try moclone("model", "show", "--format", "json", in: space.folder)
    #expect(try moclone("validate", "-", input: json.output, in: space.folder).status == 0)
  }

  @Test func schemasArePrintedAsTheyLieInModels() throws {
    for (options, file) in [
      ([], "moclone.schema.json"), (["--settings"], "moclone-settings.schema.json"),
      (["--import"], "moclone-import.schema.json"),
    ] {
      let printed = try run("moclone", ["model", "schema"] + options)
      let url = project.appendingPathComponent("Models/\(file)")
      #expect(try printed.output == String(contentsOf: url, encoding: .utf8))
    }
  }

  @Test func showPrintsTheSubtree() throws {
    let space = try Workspace()
    let run = try moclone("show", "note", "42", in: space.folder)
    #expect(run.output.hasPrefix("Note 42"))
    #expect(run.output.contains("  items: Item 6"))
    let json = try moclone("show", "note", "42", "--format", "json", in: space.folder)
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
    let written = try JSONSerialization.data(
      withJSONObject: object, options: [.sortedKeys, .prettyPrinted])
    #expect(json.output == String(decoding: written, as: UTF8.self) + "\n")
  }

  @Test("Several keys, or those of standard input, are one array of JSON")
  func showPrintsAnArray() throws {
    let space = try Workspace()
    func show(_ arguments: String..., input: String = "") throws -> String {
      let call = ["show", "item"] + arguments + ["--format", "json"]
      let finished = try run("moclone", call, input: input, in: space.folder)
      #expect(finished.status == 0, "\(finished)")
      return finished.output
    }
    let both = try show("6", "7")
    let objects = try #require(JSONSerialization.jsonObject(with: Data(both.utf8)) as? [[String: Any]])
    #expect(objects.compactMap { $0["key"] as? String } == ["6", "7"])
    let written = try JSONSerialization.data(
      withJSONObject: objects, options: [.sortedKeys, .prettyPrinted])
    #expect(both == String(decoding: written, as: UTF8.self) + "\n")
    #expect(try show("-", input: "6\n7\n") == both)
    #expect(try show("6", "--key", "7") == both)
    let one = try show("-", input: "6\n")
    #expect(try (JSONSerialization.jsonObject(with: Data(one.utf8)) as? [Any])?.count == 1)
    #expect(try show("6").hasPrefix("{\n"))
    #expect(try show("-") == "[\n]\n")
  }

  @Test func showPrintsATreeOfThousandsOfLevels() throws {
    let folder = try TemporaryFolder()
    try folder.write(("version: 1\nname: Folders\n" + SharedModel.tree(cascades: true)).utf8, to: "m.yml")
    try DatabaseQueue(path: folder.file("s.sqlite").path).write { db in
      try db.execute(
        sql: """
          CREATE TABLE folder(id INTEGER PRIMARY KEY, name TEXT, parent_id INTEGER REFERENCES folder(id));
          CREATE INDEX p ON folder(parent_id);
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
            INSERT INTO folder(id, parent_id) SELECT i, nullif(i - 1, 0) FROM n;
          """)
    }
    let arguments = ["show", "folder", "1", "--model", "m.yml", "--store", "s.sqlite", "--depth", "6000"]
    let text = try run("moclone", arguments, in: folder.url)
    let lines = text.output.split(separator: "\n")
    #expect(text.status == 0 && lines.count == 6000)
    let space = String(repeating: "  ", count: 100)
    #expect(lines[100] == "\(space)children: Folder 101  name=null")
    #expect(lines[5999] == "\(space)(5999) children: Folder 6000  name=null")
    let json = try run("moclone", arguments + ["--format", "json"], in: folder.url)
    #expect(json.status == 0 && json.output.split(separator: "\"entity\" : \"Folder\"").count == 6001)
    let unindented = json.output.split(separator: "\n").filter { $0 == "  \"entity\" : \"Folder\"," }
    #expect(unindented.count == 5900)
  }

  @Test func explainKnowsEveryCode() throws {
    let run = try moclone("explain")
    #expect(run.status == 0)
    let codes = run.output.split(separator: "\n").compactMap { $0.split(separator: " ").first }
    #expect(codes.contains("unknown-key"))
    #expect(try moclone("explain", "unknown-kee").errors.contains("did you mean 'unknown-key'?"))
  }

  @Test func storeInitDoesNothingWhereAStoreIs() throws {
    let space = try Workspace()
    let before = try space.bytes()
    let run = try moclone("store", "init", in: space.folder)
    #expect(run.status == 0)
    #expect(run.errors.contains("already exists"))
    #expect(try space.bytes() == before)
  }

  @Test func theProjectFileIsFoundInAFolderAbove() throws {
    let space = try Workspace()
    let below = space.folder.appendingPathComponent("a/b")
    try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
    #expect(try moclone("note", "42", in: below).output == "43\n")
  }

  @Test func environmentAndOptionsComeBeforeTheProjectFile() throws {
    let space = try Workspace()
    let run = try moclone("note", "42", in: space.folder, environment: ["MOCLONE_STORE": "elsewhere.sqlite"])
    #expect(run.status == 66)
    let chosen = try moclone(
      "--store", "notes.sqlite", "note", "42", in: space.folder,
      environment: ["MOCLONE_STORE": "elsewhere.sqlite"])
    #expect(chosen.output == "43\n")
  }

  @Test func theDocumentationShowsTheWorkflowThatTheExampleRuns() throws {
    func text(_ path: String) throws -> String {
      try String(contentsOf: project.appendingPathComponent(path), encoding: .utf8)
    }
    #expect(
      try text("Sources/MOCloneKit/MOCloneKit.docc/CheckingModels.md")
        .contains("```yaml\n\(text("Examples/App/workflow.yml"))```\n"))
  }

  /// Every block of Swift and YAML in these articles is a part of the app, which is built and tested.
  @Test(arguments: ["GettingStarted", "Testing"])
  func theArticlesQuoteTheExample(article: String) throws {
    let app = project.appendingPathComponent("Examples/App")
    let files = try FileManager.default.subpathsOfDirectory(atPath: app.path)
      .filter { !$0.hasPrefix(".build") && ["swift", "yml"].contains(($0 as NSString).pathExtension) }
      .map { try String(contentsOf: app.appendingPathComponent($0), encoding: .utf8) }
    let path = "Sources/MOCloneKit/MOCloneKit.docc/\(article).md"
    let text = try String(contentsOf: project.appendingPathComponent(path), encoding: .utf8)
    let blocks = text.matches(of: /```(?:swift|yaml)\n((?s).*?)```/).map { String($0.output.1) }
    #expect(blocks.count >= 3)
    for block in blocks { #expect(files.contains { $0.contains(block) }, "not in the example: \(block)") }
  }

  /// Lines that are left out are `...`; a model begins with the name of its file, and needs no other project.
  @Test(arguments: ["HowItWorks", "Limits", "BeyondOneMachine"])
  func theArticlesBeginWithWhatTheCommandPrints(article: String) throws {
    let path = "Sources/MOCloneKit/MOCloneKit.docc/\(article).md"
    let text = try String(contentsOf: project.appendingPathComponent(path), encoding: .utf8)
    let space = try Workspace()
    if let model = text.firstMatch(of: /```yaml\n((?s)# (\S+)\n.*?)```/) {
      try FileManager.default.removeItem(at: space.folder.appendingPathComponent("moclone.yml"))
      let file = space.folder.appendingPathComponent(String(model.output.2))
      try String(model.output.1).write(to: file, atomically: true, encoding: .utf8)
    }
    let block = try #require(text.firstMatch(of: /```console\n((?s).*?)```/)).output.1
    let printed = try block.split(separator: "\n").filter { $0.hasPrefix("$ moclone ") }.map {
      call -> String in
      let arguments = call.split(separator: " ").dropFirst(2).map(String.init)
      let finished = try run("moclone", arguments, in: space.folder)
      return "\(call)\n\(finished.errors)\(finished.output)"
    }.joined()
    for part in block.split(separator: "...\n") {
      #expect(printed.contains(String(part)), "not printed:\n\(part)\nbut:\n\(printed)")
    }
  }

  @Test func theModelOfTheAnnotationsIsSound() throws {
    let path = "Sources/MOCloneKit/MOCloneKit.docc/Annotations.md"
    let text = try String(contentsOf: project.appendingPathComponent(path), encoding: .utf8)
    let block = try #require(text.firstMatch(of: /```yaml\n((?s).*?)```/))
    let model = try ObjectModel(yaml: String(block.output.1))
    #expect(model.entities.count == 3)
  }

  @Test func theModelOfTheWorkflowIsSound() throws {
    let run = try moclone("validate", "--fail-on", "note", in: project.appendingPathComponent("Examples/App"))
    #expect(run.status == 0 && run.output.isEmpty)
  }

  @Test func aMemoryGraphInTenLines() throws {
    let run = try run("InMemoryExample", [])
    #expect(run.output == "[Oats, Milk] 4\n")
  }

  @Test func helpListsWhatWorks() throws {
    let run = try moclone("--help")
    #expect(run.status == 0)
    for command in ["clone", "plan", "validate", "diff", "explain", "show", "model", "store"] {
      #expect(run.output.contains("  \(command) "), "\(command)")
    }
  }
}

struct DistributionCommandTests {
  private func folder(_ note: String, _ item: String, more: String = "") throws -> Workspace {
    let space = try Workspace()
    let model = """
      version: 1
      name: Tenants
      entities:
        Note:
          \(note)
          attributes: {name: String}
          relationships:
            items: {destination: Item, toMany: true, inverse: note}
            tags: {destination: Tag, toMany: true, inverse: notes\(more)}
        Item:
          \(item)
          attributes: {name: String}
          relationships: {note: {destination: Note, inverse: items, column: [tenant_id, note_id]}}
        Tag:
          attributes: {name: String}
          relationships: {notes: {destination: Note, toMany: true, inverse: tags}}
      """
    try model.write(
      to: space.folder.appendingPathComponent("m.yml"), atomically: true, encoding: .utf8)
    return space
  }

  private static let key = "primaryKey: [tenant_id, {column: id, generate: max}]"

  private func plan(_ space: Workspace, _ arguments: String...) throws -> Finished {
    try run(
      "moclone", ["plan", "note", "--model", "m.yml", "--store", "none.sqlite"] + arguments,
      in: space.folder)
  }

  @Test func aPlanWhoseJoinsAllNameTheColumnStaysTogether() throws {
    let space = try folder(Self.key, Self.key)
    let run = try plan(space, "--distributed-by", "Tenant_ID", "--exclude", "tags")
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.output == """
        table note        cloned      has 'Tenant_ID' in its key
        table item        cloned      has 'Tenant_ID' in its key
        join note - item  Note.items  names 'Tenant_ID'
        A clone by this plan stays within the rows of one 'Tenant_ID'.

        """)
  }

  @Test func whatLeavesTheMachineIsNamed() throws {
    let space = try folder(Self.key, "primaryKey: id")
    let run = try plan(space, "--distributed-by", "tenant_id")
    #expect(run.status == 1)
    #expect(run.output.contains("table item            cloned      has 'tenant_id', but not in its key"))
    #expect(run.output.contains("lacks 'tenant_id', so it must be a reference table"))
    #expect(run.output.contains("does not stay within the rows of one 'tenant_id'"))
    let json = try plan(space, "--distributed-by", "tenant_id", "--format", "json")
    #expect(json.status == 1)
    #expect(json.output.contains("\"staysTogether\" : false"))
  }

  @Test func aColumnThatNoTableHasIsRefused() throws {
    let space = try folder(Self.key, Self.key)
    let run = try plan(space, "--distributed-by", "tenant")
    #expect(run.status == 64 && run.errors.contains("did you mean 'tenant_id'?"), "\(run.errors)")
    #expect(try plan(space, "--format", "json").status == 64)
    #expect(try plan(space, "--distributed-by", "tenant_id", "--sql").status == 64)
  }
}
