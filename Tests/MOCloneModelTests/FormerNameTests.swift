import MOCloneYAML
import Testing

@testable import MOCloneModel

@Suite("Former names of entities and attributes")
struct FormerNameTests {
  private func found(_ entities: String) -> [Diagnostic] {
    let lines = entities.split(separator: "\n").map { "  \($0)\n" }.joined()
    return ModelParser.parse(SourceFile(path: "t.yml", text: "version: 1\nname: T\nentities:\n\(lines)"))
      .diagnostics
  }

  @Test(arguments: [
    ("Note: {renamedFrom: Note}", "Note"),
    ("Note: {renamedFrom: Memo}\nMemo: {attributes: {text: String?}}", "Note"),
    ("Note: {renamedFrom: Memo}\nPage: {renamedFrom: Memo}", "Page"),
    ("Note:\n  attributes:\n    title: {type: String, renamedFrom: title}", "Note.title"),
    ("Note:\n  attributes:\n    title: {type: String, renamedFrom: name}\n    name: String", "Note.title"),
    (
      "Note:\n  attributes:\n    title: {type: String, renamedFrom: name}\n"
        + "    label: {type: String, renamedFrom: name}",
      "Note.label"
    ),
    (
      "Note:\n  attributes:\n    old: {type: String, renamedFrom: pages}\n"
        + "  relationships:\n    pages: {destination: Page, toMany: true, inverse: note}\n"
        + "Page:\n  relationships:\n    note: {destination: Note, inverse: pages}",
      "Note.old"
    ),
    (
      "Document:\n  attributes:\n    name: String\n"
        + "Letter:\n  parent: Document\n  attributes:\n    title: {type: String, renamedFrom: name}",
      "Letter.title"
    ),
  ])
  func aNameThatIsNotFree(entities: String, subject: String) throws {
    let findings = found(entities)
    #expect(findings.map(\.code) == [.formerName])
    let finding = try #require(findings.first)
    #expect(finding.path.name == subject && finding.path.components.last == "renamedFrom")
    #expect(finding.range != nil && finding.edits == [.remove(finding.path)])
  }

  @Test(arguments: [
    "Note: {renamedFrom: Memo}\nPage: {attributes: {text: String?}}",
    "Note:\n  attributes:\n    title: {type: String, renamedFrom: name}",
    // Two that swap their names say of each other whose data it is.
    "Note:\n  attributes:\n    a: {type: String, renamedFrom: b}\n    b: {type: String, renamedFrom: a}",
    "Letter:\n  attributes:\n    a: {type: String, renamedFrom: x}\n"
      + "Card:\n  attributes:\n    b: {type: String, renamedFrom: x}",
  ])
  func namesThatAreFree(entities: String) {
    #expect(found(entities).isEmpty)
  }
}
