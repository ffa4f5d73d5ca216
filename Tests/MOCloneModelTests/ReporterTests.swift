import Foundation
import MOCloneModel
import Testing

struct ReporterTests {
  private func report(_ text: String, hasColour: Bool = false) -> String {
    let source = SourceFile(path: "m.yml", text: text)
    return TextReporter(source, hasColour: hasColour).report(ModelParser.parse(source).diagnostics)
  }

  @Test func theCaretStandsUnderTheRangeAlsoBehindTabsAndOtherScripts() {
    let text = "version: 1\nname: x\nentities: {\"Größe\":\t{attributes: {a: Strng}}}\n"
    let lines = report(text).split(separator: "\n")
    #expect(lines[0] == "m.yml:3:38: error: 'Strng' is no value of 'type' [unknown-value]")
    #expect(lines[1] == "    entities: {\"Größe\":\t{attributes: {a: Strng}}}")
    #expect(
      lines[2] == "    " + String(repeating: " ", count: 19) + "\t" + String(repeating: " ", count: 17)
        + "^~~~~")
  }

  @Test func coloursOnlyWhereAsked() {
    let text = "version: 1\nname: x\ncolour: 1\nentities: {}\n"
    #expect(!report(text).contains("\u{1B}"))
    #expect(report(text, hasColour: true).contains("\u{1B}[1;31merror\u{1B}[0m"))
  }

  @Test func aModelInCodeIsNamedByItsParts() {
    #expect {
      try ObjectModel(
        name: "x",
        entities: [
          EntityDescription(name: "A", relationships: [RelationshipDescription(name: "b", destination: "B")])
        ])
    } throws: { error in
      "\(error)".hasPrefix("A.b: error: ")
    }
  }

  @Test func jsonHasEveryField() throws {
    let source = SourceFile(path: "m.yml", text: "version: 1\nname: x\nname: y\nentities: {}\n")
    let json = try JSONReporter.report([("m.yml", ModelParser.parse(source).diagnostics)])
    let report = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    let finding = try #require((report["findings"] as? [[String: Any]])?.first)
    #expect(report["version"] as? Int == 1)
    #expect(finding["path"] as? String == "m.yml" && finding["code"] as? String == "duplicate-key")
    #expect(
      finding["line"] as? Int == 3 && finding["column"] as? Int == 1 && finding["endColumn"] as? Int == 5)
    #expect((finding["notes"] as? [[String: Any]])?.first?["line"] as? Int == 2)
  }
}
