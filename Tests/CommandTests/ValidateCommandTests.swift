import Foundation
import GRDB
import TestSupport
import Testing

@Suite("validate")
struct ValidateCommandTests {
  /// A folder of models, removed in the end.
  private final class Models {
    private let temporary: TemporaryFolder
    var folder: URL { temporary.url }

    init(_ files: [String: String]) throws {
      temporary = try TemporaryFolder()
      for (name, text) in files { try write(name, text) }
    }

    func write(_ name: String, _ text: String) throws {
      try temporary.write(text.utf8, to: name)
    }
  }

  private static let good = "version: 1\nname: Good\nentities: {Note: {attributes: {name: String}}}\n"
  private static let bad = "version: 1\nname: Bad\nentities:\n  Note:\n    atributes: {name: String}\n"
  private static let warned = """
    version: 1
    name: Warned
    entities:
      Note: {attributes: {name: {type: String, optional: true, userInfo: {exclude: "false"}}}}

    """
  private let models: Models

  init() throws {
    models = try Models([
      "Models/good.yml": Self.good, "Models/deep/bad.yml": Self.bad, "Models/warned.yaml": Self.warned,
      "Models/notes.txt": "no model",
    ])
  }

  private func validate(
    _ arguments: String..., input: String = "", environment: [String: String] = [:]
  ) throws -> Finished {
    try run(
      "moclone", ["validate"] + arguments, input: input, in: models.folder, environment: environment)
  }

  private func json(_ run: Finished) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
  }

  // MARK: Files

  @Test(arguments: [
    (["Models/*.yml"], "1 file"), (["Models/*"], "1 error"), (["Models/**/*.yml"], "1 of 2 files"),
    (["Models/*.y*ml"], "1 of 2 files"), (["**/bad.yml"], "1 error in 1 file"),
    (["Models/[gw]*.y?ml"], "1 warning"), (["Models"], "1 error and 1 warning in 2 of 3 files"),
    (["Models", "Models/good.yml", "./Models/good.yml"], "2 of 3 files"),
  ])
  func filesFoldersAndPatterns(arguments: [String], words: String) throws {
    let run = try run("moclone", ["validate"] + arguments, in: models.folder)
    #expect(run.errors.contains(words), "\(run.errors)\(run.output)")
  }

  @Test func aFileWhoseNameIsAPatternIsThatFile() throws {
    try models.write("[a].yml", Self.bad)
    let run = try validate("[a].yml")
    #expect(run.output.hasPrefix("[a].yml:5:5: error:"))
  }

  @Test func whatCannotBeReadIsReportedAndTheRestValidated() throws {
    for format in ["text", "json", "github", "sarif"] {
      let run = try validate(
        "nope.yml", "none/*.yml", "Models/deep/bad.yml", "--format", format, "--fail-on", "never")
      #expect(run.status == 66)
      for words in ["nope.yml", "none/*.yml", "atributes"] { #expect(run.output.contains(words)) }
    }
  }

  @Test func standardInputIsOneOfSeveralFiles() throws {
    let run = try validate("Models/good.yml", "-", input: Self.bad)
    #expect(run.status == 1)
    #expect(run.output.hasPrefix("<stdin>:5:5: error:"))
    #expect(run.errors.contains("1 of 2 files"))
  }

  @Test func theOutputIsTheSameEachTime() throws {
    let outputs = try (1...4).map { _ in try validate("Models", "--format", "sarif").output }
    #expect(Set(outputs).count == 1)
  }

  // MARK: Formats and exit status

  @Test(arguments: ["text", "json", "github", "sarif"])
  func theStatusIsTheSameInEveryFormat(format: String) throws {
    let cases: [([String], Int32)] = [
      (["Models/good.yml"], 0), (["Models/warned.yaml"], 0), (["Models"], 1), (["nope.yml"], 66),
      (["Models/warned.yaml", "--fail-on", "warning"], 1), (["Models", "--fail-on", "never"], 0),
    ]
    for (arguments, status) in cases {
      let run = try run("moclone", ["validate"] + arguments + ["--format", format], in: models.folder)
      #expect(run.status == status, "\(arguments)")
    }
  }

  @Test func insideAWorkflowTheFormatIsGitHubs() throws {
    let workflow = ["GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": models.folder.path]
    let run = try validate("Models", environment: workflow)
    #expect(run.output.hasPrefix("::error file=Models/deep/bad.yml,line=5,endLine=5,col=5,endColumn=13,"))
    let text = try validate("Models", "--format", "text", environment: workflow)
    #expect(text.output.hasPrefix("Models/deep/bad.yml:5:5: error:"))
    let below = try moclone(
      "validate", "bad.yml", in: models.folder.appendingPathComponent("Models/deep"), environment: workflow)
    #expect(below.output.hasPrefix("::error file=Models/deep/bad.yml,"))
  }

  @Test func jsonHasAVersionAndCounts() throws {
    let report = try json(try validate("Models", "--format", "json"))
    #expect(report["version"] as? Int == 1)
    #expect((report["findings"] as? [Any])?.count == 2)
    let summary = try #require(report["summary"] as? [String: Int])
    #expect(summary == ["files": 3, "errors": 1, "warnings": 1, "notes": 0, "allowed": 0, "baseline": 0])
  }

  @Test func sarifNamesNoFolderOfTheMachine() throws {
    let run = try validate("Models", "--format", "sarif")
    #expect(run.output.contains("\"uri\" : \"Models/deep/bad.yml\""))
    #expect(!run.output.contains(models.folder.path))
  }

  @Test func colourIsForTerminals() throws {
    #expect(try !validate("Models").output.contains("\u{1B}"))
    #expect(try onTerminal(["NO_COLOR": ""]).contains("\u{1B}[1;31merror"))
    let plain = try onTerminal(["NO_COLOR": "1"])
    #expect(plain.contains("error: The entity 'Note' has no key 'atributes'"))
    #expect(!plain.contains("\u{1B}"))
  }

  /// What `validate` prints on a terminal.
  private func onTerminal(_ environment: [String: String]) throws -> String {
    let program = programs.appendingPathComponent("moclone").path
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/script")
    #if os(Linux)
      process.arguments = ["-qec", "'\(program)' validate Models/deep/bad.yml", "/dev/null"]
    #else
      process.arguments = ["-q", "/dev/null", program, "validate", "Models/deep/bad.yml"]
    #endif
    process.currentDirectoryURL = models.folder
    process.environment = ProcessInfo.processInfo.environment.merging(["GITHUB_ACTIONS": ""]) { $1 }
      .merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  // MARK: Settings and comments

  @Test func severitiesComeFromTheProject() throws {
    try models.write("moclone.yml", "version: 1\nseverities: {unknown-key: warning, exclude-value: off}\n")
    let run = try validate("Models")
    #expect(run.status == 0)
    #expect(run.output.contains("warning: The entity 'Note' has no key 'atributes'"))
    #expect(!run.output.contains("exclude-value"))
  }

  @Test func aFaultInTheSettingsIsAFinding() throws {
    try models.write("moclone.yml", "version: 1\nseverities:\n  unknown-kee: off\n")
    let run = try validate("Models/good.yml")
    #expect(run.status == 1)
    #expect(run.output.hasPrefix("moclone.yml:3:3: error: No finding has the code 'unknown-kee'"))
    #expect(run.output.contains("did you mean 'unknown-key'?"))
  }

  @Test func commentsAllowFindings() throws {
    let allowed = Self.warned.replacingOccurrences(
      of: "  Note", with: "  # moclone:allow exclude-value the export writes it\n  Note")
    try models.write("allowed.yml", allowed)
    let run = try validate("allowed.yml", "--fail-on", "note")
    #expect(run.status == 0)
    #expect(run.errors.contains("1 allowed by comments"))
    try models.write("unused.yml", allowed.replacingOccurrences(of: "exclude: \"false\"", with: ""))
    let unused = try validate("unused.yml", "--fail-on", "warning")
    #expect(unused.status == 1)
    #expect(unused.output.contains("[unused-suppression]"))
  }

  // MARK: Baseline

  @Test func aBaselineHoldsWhatIsThere() throws {
    #expect(try validate("Models", "--write-baseline", "ci/baseline.json").status == 2)
    let written = try validate("Models", "--write-baseline", "baseline.json")
    #expect(written.status == 0)
    #expect(written.errors.contains("2 in the baseline"))
    try models.write("Models/deep/bad.yml", "# moved\n\n" + Self.bad)
    #expect(try validate("Models", "--baseline", "baseline.json").status == 0)
    try models.write("Models/deep/bad.yml", Self.bad + "  Item: {atributes: {}}\n")
    let more = try validate("Models", "--baseline", "baseline.json")
    #expect(more.status == 1)
    #expect(
      more.errors.contains("1 error in 1 of 3 files; 1 in the baseline") || more.output.contains("Item"))
  }

  @Test func staleEntriesOfABaselineAreFindings() throws {
    _ = try validate("Models", "--write-baseline", "baseline.json")
    try models.write("Models/deep/bad.yml", Self.good)
    let run = try validate("Models", "--baseline", "baseline.json", "--fail-on", "warning")
    #expect(run.status == 1)
    #expect(run.output.contains("baseline.json:"))
    #expect(run.output.contains("[stale-baseline]"))
  }

  @Test func aBaselineIsNotWrittenOfWhatWasNotRead() throws {
    let run = try validate("nope.yml", "Models", "--write-baseline", "baseline.json")
    #expect(run.status == 66)
    let path = models.folder.appendingPathComponent("baseline.json").path
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try validate("Models", "--baseline", "baseline.json").status == 66)
    #expect(try validate("Models", "--baseline", "a", "--write-baseline", "b").status == 64)
  }

  // MARK: Long reports

  @Test func manyFaultsStayReadable() throws {
    let entities = (0..<1000).map { i in
      let name = i < 500 ? "{type: Strng}" : "String"
      return "  Entity\(i): {attributes: {name: \(name)}}\n"
    }
    try models.write("large.yml", "version: 1\nname: Large\nentities:\n" + entities.joined())
    let run = try validate("large.yml")
    #expect(run.status == 1)
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 490 + 4 * 10)
    #expect(lines.filter { $0.contains("did you mean 'String'?") }.count == 500)
    #expect(run.errors.contains("  500  unknown-value  "))
    #expect(run.errors.contains("moclone: 500 errors in 1 file"))
  }

  // MARK: Faults of a call

  @Test("A baseline takes the place of a baseline only", arguments: ["Models/good.yml", "Models/notes.txt"])
  func overwriting(file: String) throws {
    let before = try Data(contentsOf: models.folder.appendingPathComponent(file))
    let run = try validate("Models/good.yml", "--write-baseline", file)
    #expect(run.status == 2)
    #expect(
      run.errors
        == "moclone: '\(file)' exists and is not a baseline; remove it, or name another file for --write-baseline.\n"
    )
    #expect(try Data(contentsOf: models.folder.appendingPathComponent(file)) == before)
    for _ in 1...2 { #expect(try validate("Models", "--write-baseline", "known.json").status == 0) }
  }

  @Test func aPlaceThatCannotBeWrittenIsNamedInPlainWords() throws {
    let run = try validate("Models/good.yml", "--write-baseline", "nowhere/known.json")
    #expect(run.status == 2)
    #expect(
      run.errors
        == "moclone: 'nowhere/known.json' cannot be written: its folder does not exist. [unwritable-file]\n")
  }

  @Test func optionsThatExcludeEachOtherAreAWrongCall() throws {
    let run = try validate("Models", "--baseline", "a.json", "--write-baseline", "b.json")
    #expect(run.status == 64)
    #expect(
      run.errors == "moclone: --write-baseline writes all findings, so it cannot be used with --baseline.\n")
  }

  @Test func aStoreThatCannotBeReadIsAFindingOfTheStore() throws {
    let run = try validate("Models/good.yml", "--store", "Models/notes.txt")
    #expect(run.status == 2)
    #expect(run.output.hasPrefix("Models/notes.txt: error: "))
    #expect(run.output.contains("[store-damaged]\n"))
    #expect(run.output.components(separatedBy: "[store-damaged]").count == 2)
  }

  @Test(
    "An error hides only what a store shows of the entities that it touches",
    arguments: [
      "{x: {type: UUID, userInfo: {rebild: uuid}}}", "{x: UUUID}",
    ])
  func storeBesideErrors(attributes: String) throws {
    let path = models.folder.appendingPathComponent("g.sqlite").path
    try DatabaseQueue(path: path).write { db in
      try db.execute(
        sql: "CREATE TABLE note(id INTEGER PRIMARY KEY); CREATE TABLE tag(id INTEGER PRIMARY KEY, z TEXT)")
    }
    try models.write(
      "g.yml",
      "version: 1\nname: A\nentities:\n  Note:\n    attributes: \(attributes)\n  Tag:\n    attributes: {y: String}\n"
    )
    let run = try validate("g.yml", "--store", "g.sqlite")
    #expect(run.status == 1)
    #expect(run.output.contains("[store-mismatch]") && run.output.contains("'tag'"), "\(run.output)")
    #expect(!run.output.contains("'note'"), "\(run.output)")
    #expect(
      run.errors.contains("the store was not checked for Note, because of these errors"), "\(run.errors)")
    let missing = try validate("g.yml", "--store", "nope.sqlite")
    #expect(missing.status == 66 && missing.output.contains("nope.sqlite"), "\(missing)")
  }

  @Test func aStoreThatIsMissingIsToldBesideErrorsThatHideAll() throws {
    try models.write("g.yml", "version: 1\nentities: [\n")
    let missing = try validate("g.yml", "--store", "nope.sqlite")
    #expect(missing.status == 66 && missing.output.contains("nope.sqlite"), "\(missing)")
    let path = models.folder.appendingPathComponent("g.sqlite").path
    try DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE note(id INTEGER PRIMARY KEY)") }
    let run = try validate("g.yml", "--store", "g.sqlite")
    #expect(run.errors.contains("the store was not checked, because of these errors"), "\(run)")
  }

  @Test("Entities that nothing identifies are counted; they are findings where that is asked")
  func identities() throws {
    let good = models.folder.path + "/Models/good.yml"
    let plain = try run("moclone", ["validate", good])
    #expect(plain.status == 0 && plain.output.isEmpty)
    #expect(
      plain.errors.contains(
        "1 entity has no uniqueness constraint, so 'copy' will insert its objects again each time."))
    let asked = try run("moclone", ["validate", good, "--identities"])
    #expect(asked.status == 0)
    #expect(asked.output.contains("note: 'Note' has no uniqueness constraint"))
    #expect(try run("moclone", ["validate", good, "--identities", "--fail-on", "note"]).status == 1)
    try models.write(
      "moclone.yml", "version: 1\nmodel: Models/good.yml\nseverities: {no-identity: error}\n")
    let strict = try run("moclone", ["validate"], in: models.folder)
    #expect(strict.status == 1)
    #expect(strict.output.contains("[no-identity]"))
  }
}
