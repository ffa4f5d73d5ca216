import Foundation
import TestSupport
import Testing

@Suite("Xcode models on the command line")
struct XcodeModelCommandTests {
  private let folder: TemporaryFolder
  private static let path = "App/Notes.xcdatamodeld/Notes.xcdatamodel/contents"

  init() throws {
    folder = try TemporaryFolder()
    try write(Self.notes())
  }

  /// A note with items; the annotation of its id as people write it in Xcode's editor.
  private static func notes(id: String = "rebuild", items: String = "") -> String {
    """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
        <entity name="Item" representedClassName="Item" syncable="YES">
            <attribute name="name" optional="YES" attributeType="String"/>
            <relationship name="note" maxCount="1" deletionRule="Nullify" destinationEntity="Note" inverseName="items" inverseEntity="Note"/>
        </entity>
        <entity name="Note" representedClassName="Note" syncable="YES">
            <attribute name="id" attributeType="UUID" usesScalarValueType="NO">
                <userInfo>
                    <entry key="\(id)" value="uuid"/>
                </userInfo>
            </attribute>
            <relationship name="items" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Item" inverseName="note" inverseEntity="Item">\(items)</relationship>
        </entity>
    </model>
    """
  }

  private func write(_ xml: String, to path: String = path) throws { try folder.write(xml.utf8, to: path) }

  private func run(_ arguments: String...) throws -> Finished {
    try CommandTests.run("moclone", arguments, in: folder.url)
  }

  @Test func validateFindsAnnotationsAtLinesOfTheXML() throws {
    try write(Self.notes(id: "rebild"))
    let run = try run("validate", "App/Notes.xcdatamodeld")
    #expect(run.status == 1)
    #expect(run.output.hasPrefix("\(Self.path):10:29: error: "), "\(run.output)")
    #expect(run.output.contains("[misspelt-annotation]"))
    #expect(run.output.contains("                    <entry key=\"rebild\" value=\"uuid\"/>\n"))
  }

  @Test("Help for a model of Xcode speaks of its inspectors, not of YAML")
  func help() throws {
    try write(
      Self.notes().replacing("inverseName=\"note\" inverseEntity=\"Item\"", with: "")
        .replacing("inverseName=\"items\" inverseEntity=\"Note\"", with: ""))
    let output = try run("validate", "App/Notes.xcdatamodeld").output
    #expect(output.contains("    help: ") && !output.contains("userInfo:"), "\(output)")
    #expect(output.contains(" as the Inverse") || output.contains("the user info key 'onClone'"), "\(output)")
  }

  @Test(arguments: [
    ".", "App", "App/Notes.xcdatamodeld", "App/Notes.xcdatamodeld/", "App/*.xcdatamodeld",
    "**/*.xcdatamodeld", path,
  ])
  func validateFindsXcodeModelsInFolders(argument: String) throws {
    let run = try run("validate", argument)
    #expect(run.status == 0 && run.errors.contains("No findings in 1 file."), "\(run)")
  }

  @Test func aCurrentVersionIsOneModel() throws {
    try write(Self.notes(), to: "App/Notes.xcdatamodeld/Notes 2.xcdatamodel/contents")
    let undecided = try run("validate", ".")
    #expect(undecided.status == 2 && undecided.output.contains("[unsupported-model-source]"), "\(undecided)")
    let bundle = "App/Notes.xcdatamodeld"
    let advice =
      "name a version by its path: '\(bundle)/Notes 2.xcdatamodel' or '\(bundle)/Notes.xcdatamodel'"
    for command in [
      ["validate", bundle], ["plan", "note", "--model", bundle], ["model", "import", bundle],
    ] {
      let run = try CommandTests.run("moclone", command, in: folder.url)
      #expect(run.status != 0 && (run.output + run.errors).contains(advice), "\(command): \(run)")
    }
    for version in ["Notes", "Notes 2"] {
      let path = "\(bundle)/\(version).xcdatamodel"
      for command in [
        ["validate", path], ["plan", "note", "--model", path], ["diff", path, path],
        ["model", "import", path],
        ["model", "show", "--model", path], ["model", "export", "--xcdatamodel", "--model", path],
      ] {
        let run = try CommandTests.run("moclone", command, in: folder.url)
        #expect(run.status == 0, "\(command): \(run)")
      }
    }
    try write(
      "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>Notes 2.xcdatamodel</string></dict></plist>",
      to: "App/Notes.xcdatamodeld/.xccurrentversion")
    let decided = try run("validate", ".")
    #expect(decided.status == 0 && decided.errors.contains("No findings in 1 file."), "\(decided)")
  }

  @Test func planAndShowReadXcodeModels() throws {
    let plan = try run("plan", "note", "--model", "App/Notes.xcdatamodeld")
    #expect(plan.status == 0 && plan.output.contains("items"), "\(plan)")
    try folder.write("version: 1\nmodel: App/Notes.xcdatamodeld\n".utf8, to: "moclone.yml")
    let show = try run("model", "show")
    #expect(show.status == 0 && show.output.contains("UUID"), "\(show)")
  }

  @Test func diffComparesWithACommit() throws {
    func git(_ arguments: String...) throws {
      let setting = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
      let run = try CommandTests.run("git", setting + arguments, in: folder.url, path: "/usr/bin")
      #expect(run.status == 0, "\(run)")
    }
    try git("init", "-q")
    try git("add", ".")
    try git("commit", "-qm", "one")
    let model = "App/Notes.xcdatamodeld"
    #expect(try run("diff", "--against", "HEAD", model).status == 0)
    try write(Self.notes(items: "<userInfo><entry key=\"exclude\" value=\"\"/></userInfo>"))
    let changed = try run("diff", "--against", "HEAD", model)
    #expect(
      changed.status == 1 && changed.output.hasPrefix("breaking: Note.items is no longer copied"),
      "\(changed)")
    // The version of then is gone, and another one is the current one.
    try FileManager.default.moveItem(
      at: folder.file("\(model)/Notes.xcdatamodel"), to: folder.file("\(model)/Other.xcdatamodel"))
    #expect(try run("diff", "--against", "HEAD", model).status == 1)
    let none = try run("diff", "--against", "HEAD", "App/None.xcdatamodeld")
    #expect(none.status == 66 && none.errors.contains("App/None.xcdatamodeld"), "\(none)")
    #expect(try run("diff", "--against", "HEAD", "\(model)/Other.xcdatamodel/contents").status != 0)
  }

  @Test("A change of an Xcode model is accepted by a baseline, not by a comment that Xcode removes")
  func acceptance() throws {
    let (old, new) = ("Old.xcdatamodel", "New.xcdatamodel")
    try write(Self.notes(), to: old + "/contents")
    try write(
      Self.notes(items: "<userInfo><entry key=\"exclude\" value=\"\"/></userInfo>"), to: new + "/contents")
    let report = try run("diff", old, new, "--format", "github")
    #expect(report.status == 1 && !report.output.contains("moclone:allow"), "\(report)")
    #expect(report.output.contains("--write-baseline FILE --reason TEXT"), "\(report)")
    #expect(try run("diff", old, new, "--write-baseline", "b.json", "--reason", "meant").status == 0)
    #expect(try run("diff", old, new, "--baseline", "b.json", "--format", "github").status == 0)
  }

  @Test func importAndExportAreEachOthersReverse() throws {
    let imported = try run("model", "import", "App/Notes.xcdatamodeld", "-o", "notes.yml")
    #expect(imported.status == 0, "\(imported)")
    #expect(imported.errors.contains("Left out: syncable=\"YES\""))
    let exported = try run(
      "model", "export", "--xcdatamodel", "--model", "notes.yml", "-o", "New.xcdatamodeld")
    #expect(exported.status == 0, "\(exported)")
    let again = try run("model", "import", "New.xcdatamodeld")
    let first = try String(contentsOf: folder.file("notes.yml"), encoding: .utf8)
    #expect(again.output.split(separator: "\n").dropFirst() == first.split(separator: "\n").dropFirst())
    #expect(try run("diff", "App/Notes.xcdatamodeld", "New.xcdatamodeld").status == 0)
    let twice = try run("model", "export", "--xcdatamodel", "--model", "notes.yml", "-o", "New.xcdatamodeld")
    #expect(twice.status == 1 && twice.errors.contains("already exists"))
    #expect(try run("model", "export", "--model", "notes.yml").status == 64)
  }

  @Test("A folder that does not exist is never made", arguments: ["no/x", "no/x.xcdatamodeld"])
  func missingFolder(output: String) throws {
    #expect(try run("model", "import", "App/Notes.xcdatamodeld", "-o", "notes.yml").status == 0)
    let run = try run("model", "export", "--xcdatamodel", "--model", "notes.yml", "-o", output)
    #expect(run.status == 2)
    #expect(run.errors.contains("'\(output)' cannot be written: its folder does not exist."), "\(run)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("no").path))
  }

  @Test func whatIsNotInferredFromAnXcodeModelIsRefused() throws {
    let run = try run("model", "import", "App/Notes.xcdatamodeld", "--infer")
    #expect(run.status == 64)
    #expect(run.errors.contains("'--infer' has no effect, because 'App/Notes.xcdatamodeld' is"), "\(run)")
  }

  @Test func standardInputMayBeXML() throws {
    let run = try moclone("validate", "-", input: Self.notes(id: "rebild"), in: folder.url)
    #expect(run.status == 1 && run.output.hasPrefix("<stdin>:10:29: error: "), "\(run)")
  }

  @Test func misspeltAnnotationsAreFixedInTheXML() throws {
    try write(Self.notes(id: "rebild"))
    let patch = try run("validate", "--fix", "--dry-run", "App/Notes.xcdatamodeld")
    #expect(
      patch.output.contains("+                <entry key=\"rebuild\" value=\"uuid\"/>\n"), "\(patch)")
    let run = try run("validate", "--fix", "App/Notes.xcdatamodeld")
    #expect(run.status == 0, "\(run)")
    #expect(try String(contentsOf: folder.file(Self.path), encoding: .utf8) == Self.notes())
  }
}
