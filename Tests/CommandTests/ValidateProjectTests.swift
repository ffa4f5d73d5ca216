import Foundation
import TestSupport
import Testing

@Suite("validate in a project of many files")
struct ValidateProjectTests {
  private static let good = "version: 1\nname: Good\nentities: {Note: {attributes: {name: String}}}\n"
  private static let warned = """
    version: 1
    name: Warned
    entities:
      Note: {attributes: {name: {type: String, optional: true, userInfo: {exclude: "false"}}}}

    """
  private let temporary: TemporaryFolder
  private var folder: URL { temporary.url }

  init() throws {
    temporary = try TemporaryFolder()
    try write("Models/good.yml", Self.good)
    try write("Models/old/warned.yml", Self.warned)
    try write("docker-compose.yml", "version: \"3\"\nservices: {web: {image: nginx}}\n")
    try write("broken.yml", "services: [\n")
  }

  private func write(_ name: String, _ text: String) throws {
    try temporary.write(text.utf8, to: name)
  }

  private func validate(_ arguments: String..., below: String = "", environment: [String: String] = [:])
    throws -> Finished
  {
    try run(
      "moclone", ["validate"] + arguments, in: folder.appendingPathComponent(below), environment: environment)
  }

  // MARK: Which files

  @Test("A folder's files of other programs are left out, and named with --verbose")
  func otherPrograms() throws {
    let run = try validate(".", "--verbose")
    #expect(run.status == 0)
    #expect(run.errors.contains("'docker-compose.yml' is not a model, so it is not checked."))
    #expect(run.errors.contains("'broken.yml' is not a model, so it is not checked."))
    #expect(run.errors.contains("1 warning in 1 of 2 files"))
    #expect(try validate("docker-compose.yml").status == 1)
  }

  @Test(
    "A model with a fault on its first level is no other program's file",
    arguments: [
      "version: 1\nentites: {Note: {}}\n", "version: 1\nentities: {Note: [}\n", "version: 1\nname: A\n",
    ])
  func faultyModels(text: String) throws {
    try write("Models/faulty.yml", text)
    let run = try validate(".")
    #expect(run.status == 1)
    #expect(run.output.contains("Models/faulty.yml:"))
  }

  @Test("Mapping files and settings are checked as what they are")
  func otherFilesOfOurs() throws {
    try write("map.yml", "entity: Note\nattributes: {nam: '@name'}\n")
    try write("App/moclone.yml", "version: 1\nmodl: a.yml\n")
    try write("moclone.yml", "version: 1\nmodel: Models/good.yml\n")
    let run = try validate(".", "--only", "unknown-name", "--only", "unknown-key")
    #expect(run.status == 1)
    #expect(run.output.contains("map.yml:2:14: error: Note has no attribute 'nam'. [unknown-name]"))
    #expect(run.output.hasPrefix("App/moclone.yml:2:1: error: moclone.yml has no key 'modl'. [unknown-key]"))
    #expect(try validate("App/moclone.yml", "map.yml").output == run.output)
  }

  @Test func aMappingWithAMisspeltKeyIsAMapping() throws {
    try write("map.yml", "entity: Note\natributes: {name: '@name'}\n")
    let run = try validate("map.yml")
    #expect(run.output.hasPrefix("map.yml:2:1: error: "))
    #expect(run.output.contains("did you mean 'attributes'?") && !run.output.contains("entities"))
  }

  @Test("A pipe in a folder, and one in the place of the settings, keep nobody waiting")
  func pipes() throws {
    #expect(mkfifo(folder.appendingPathComponent("Models/pipe.yml").path, 0o600) == 0)
    #expect(try validate("Models").errors.contains("1 of 2 files"))
    #expect(mkfifo(folder.appendingPathComponent("moclone.yml").path, 0o600) == 0)
    let run = try validate("Models/good.yml")
    #expect(run.status == 66)
    #expect(run.output.hasPrefix("moclone.yml: error: 'moclone.yml' is not a regular file"))
    #expect(try moclone("plan", "note", in: folder).status == 66)
  }

  // MARK: Include and exclude

  @Test("Settings include further models and exclude others, by paths of their own folder")
  func includeAndExclude() throws {
    try write("moclone.yml", "version: 1\ninclude: ['Models/**/*.yml', '*.yml']\n")
    let all = try validate()
    #expect(all.status == 0)
    #expect(all.output.hasPrefix("Models/old/warned.yml:4:80: warning:"))
    let below = try validate(below: "Models/old")
    #expect(below.output.hasPrefix("warned.yml:4:80: warning:"))
    try write("moclone.yml", "version: 1\nmodel: Models/good.yml\ninclude: Models\nexclude: [Models/old]\n")
    #expect(try validate("--strict").errors.hasPrefix("moclone: No findings in 1 file"))
    #expect(try validate("Models", "--strict").status == 0)
    #expect(try validate("Models/old/warned.yml", "--strict").status == 1)
  }

  @Test func aPatternOfTheSettingsThatMatchesNothingIsAFindingAtItsPlace() throws {
    try write("moclone.yml", "version: 1\ninclude: [Models, Modls]\n")
    let run = try validate()
    #expect(run.status == 66)
    #expect(run.output.hasPrefix("moclone.yml:2:19: error: No file matches 'Modls'. [unreadable-file]"))
  }

  @Test("Paths are relative to the working folder, however they were given")
  func relativePaths() throws {
    try write("moclone.yml", "version: 1\nmodel: Models/old/warned.yml\n")
    for arguments in [[], ["./Models/old/warned.yml"], [folder.path + "/Models/old/warned.yml"]] {
      let run = try run("moclone", ["validate"] + arguments, in: folder)
      #expect(run.output.hasPrefix("Models/old/warned.yml:4:80:"), "\(run.output)")
    }
    let above = try validate(below: "Models/old")
    #expect(above.output.hasPrefix("warned.yml:4:80:"))
    try write("sub/x", "")
    #expect(try validate(below: "sub").output.hasPrefix("../Models/old/warned.yml:4:80:"))
  }

  // MARK: What fails, and what is reported

  @Test func strictFailsOnWarnings() throws {
    #expect(try validate("Models").status == 0)
    #expect(try validate("Models", "--strict").status == 1)
    #expect(try validate("Models/good.yml", "--strict").status == 0)
    let both = try validate("Models", "--strict", "--fail-on", "note")
    #expect(both.status == 64 && both.errors.contains("--strict is the same as --fail-on warning"))
  }

  @Test("Only some codes are reported, but never less than that a file could not be read")
  func only() throws {
    let run = try validate("Models", "--strict", "--only", "unique-copied", "--only", "missing-inverse")
    #expect(run.status == 0 && run.output.isEmpty)
    #expect(try validate("Models", "--strict", "--only", "exclude-value").status == 1)
    #expect(try validate("nope.yml", "broken.yml", "--only", "exclude-value").status == 66)
    #expect(try validate("broken.yml", "--only", "exclude-value").status == 1)
    let unknown = try validate("Models", "--only", "uniqe-copied")
    #expect(unknown.status == 64 && unknown.errors.contains("did you mean 'unique-copied'?"))
    #expect(try validate("Models", "--only", "syntax", "--write-baseline", "b.json").status == 64)
  }

  // MARK: Formats of services

  @Test("GitLab's report names the files from the project's folder, each finding once")
  func gitlab() throws {
    try write("Models/old/second.yml", Self.warned)
    let run = try validate(
      "old", "--format", "gitlab", below: "Models", environment: ["CI_PROJECT_DIR": folder.path])
    #expect(run.status == 0)
    let report = try #require(JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String: Any]])
    let locations = report.compactMap { $0["location"] as? [String: Any] }
    #expect(
      locations.map { $0["path"] as? String } == ["Models/old/second.yml", "Models/old/warned.yml"])
    #expect(locations.allSatisfy { ($0["lines"] as? [String: Int])?["begin"] == 4 })
    #expect(Set(report.compactMap { $0["fingerprint"] as? String }).count == 2)
    #expect(
      report.allSatisfy {
        $0["severity"] as? String == "minor" && $0["check_name"] as? String == "exclude-value"
      })
    #expect(try validate("Models/good.yml", "--format", "gitlab").output == "[\n\n]\n")
  }

  @Test("JUnit's failures are what fails the run; the status is the same as in every format")
  func junit() throws {
    let passed = try validate("Models", "--format", "junit")
    #expect(passed.status == 0)
    #expect(passed.output.contains("<testsuites name=\"moclone validate\" tests=\"2\" failures=\"0\""))
    #expect(passed.output.contains("<testcase classname=\"Models/good.yml\" name=\"no findings\"/>"))
    let failed = try validate("Models", "--format", "junit", "--strict")
    #expect(failed.status == 1)
    #expect(failed.output.contains("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""))
    #expect(
      failed.output.contains(
        "<failure message=\"'exclude: false' excludes 'Note.name': the value is ignored.\""))
  }

  @Test func checkstyleNamesEachFileWithItsFindings() throws {
    let run = try validate("Models", "nope.yml", "--format", "checkstyle")
    #expect(run.status == 66)
    #expect(run.output.contains("<file name=\"Models/good.yml\"/>"))
    #expect(run.output.contains("<error line=\"4\" column=\"80\" severity=\"warning\""))
    #expect(run.output.contains("source=\"moclone.unreadable-file\""))
  }

  // MARK: Where it runs

  @Test("The action for GitHub takes its arguments one on each line")
  func action() throws {
    let script = project.appendingPathComponent(".github/actions/validate")
    try write("Models/with blank.yml", Self.warned)
    let environment = [
      "MOCLONE": programs.appendingPathComponent("moclone").path, "GITHUB_ACTIONS": "true",
      "GITHUB_WORKSPACE": folder.path,
    ]
    func act(_ arguments: String) throws -> Finished {
      try run(
        "run", [], in: folder, environment: environment.merging(["MOCLONE_ARGUMENTS": arguments]) { $1 },
        path: script.path)
    }
    let strict = try act("Models/with blank.yml\n--strict\n")
    #expect(strict.status == 1)
    #expect(strict.output.hasPrefix("::warning file=Models/with blank.yml,line=4,"))
    #expect(try act("Models/good.yml").status == 0)
    #expect(try act("").status == 64)
  }
}
