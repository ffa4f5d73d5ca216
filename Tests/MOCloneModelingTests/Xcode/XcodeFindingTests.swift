import Foundation
import MOCloneKit
import MOCloneModeling
import Testing

@Suite("Findings in Xcode's XML")
struct XcodeFindingTests {
  private func findings(_ xml: String) -> [String] {
    let parsed = XcodeModel.parse(SourceFile(path: "contents", text: xml), name: "Notes")
    return parsed.diagnostics.map { finding in
      let place = finding.range.map { "\($0.start.line):\($0.start.column)-\($0.end.column)" } ?? "?"
      return "\(place) \(finding.code.rawValue)"
    }
  }

  @Test func annotationsAreFoundAtTheirLines() {
    let xml = xcodeModel(
      """
      <entity name="Note">
        <attribute name="id" optional="YES"
                   attributeType="UUID">
          <userInfo>
            <entry key="rebild" value="uuid"/>
          </userInfo>
        </attribute>
        <attribute name="date" optional="YES" attributeType="String"><userInfo><entry key='rebuild' value='now'/></userInfo></attribute>
      </entity>
      """)
    #expect(findings(xml) == ["7:19-25 misspelt-annotation", "10:102-105 rebuild-type"])
  }

  @Test func aRelationshipIsFoundAtItsNameAndItsInverse() {
    let xml = xcodeModel(
      """
      <entity name="Note">
      \t<relationship name="é" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Item"/>
      \t<relationship name="item" optional="YES" maxCount="1" destinationEntity="Item" inverseName="gone"/>
      </entity>
      <entity name="Item"/>
      """)
    #expect(findings(xml) == ["5:94-98 unknown-inverse"])
    #expect(findings(xml.replacing(" inverseName=\"gone\"", with: "")).contains("4:22-23 missing-inverse"))
  }

  @Test(arguments: [
    (
      "<entity name=\"Note\"><attribute name=\"a\" attributeType=\"Sting\"/></entity>",
      "3:56-61 unknown-value"
    ),
    ("<entity name=\"Note\"><attribute name=\"a\"/></entity>", "3:38-39 missing-key"),
    ("<entity name=\"Note\"><attribute attributeType=\"String\"/></entity>", "3:22-31 missing-key"),
    ("<entity name=\"Note\"/><entity name=\"Note\"/>", "3:36-40 duplicate-key"),
    (
      "<entity name=\"Note\"><attribute name=\"a\" attributeType=\"Integer 16\" defaultValueString=\"x\"/></entity>",
      "3:88-89 default-type"
    ),
    ("<entity name=\"Note\" isAbstract=\"perhaps\"/>", "3:33-40 wrong-kind"),
    (
      "<entity name=\"Note\"><relationship name=\"a\" deletionRule=\"Never\" destinationEntity=\"Note\"/></entity>",
      "3:58-63 unknown-value"
    ),
    ("<entity name=\"Note\"><userInfo><entry value=\"x\"/></userInfo></entity>", "3:32-37 unknown-key"),
    ("<entity name=\"Note\">", "4:9-10 syntax"),
    ("<entity name=\"Note\" name=\"Other\"/>", "3:35-36 syntax"),
    ("<entity name=\"&who;\"/>", "3:23-24 syntax"),
  ])
  func aFaultIsFoundAtItsPlace(entities: String, finding: String) {
    #expect(findings(xcodeModel(entities)).contains(finding), "\(findings(xcodeModel(entities)))")
  }

  @Test func aDOCTYPEIsRefused() {
    let xml = """
      <?xml version="1.0"?>
      <!DOCTYPE model [<!ENTITY a SYSTEM "file:///etc/passwd">]>
      <model><entity name="&a;"/></model>
      """
    #expect(findings(xml).first?.hasSuffix("syntax") == true)
  }

  @Test(arguments: ["<plist/>", "", "<model", "{}", "<model><entity name=\"a\"/></model><model/>"])
  func anotherTextIsRefused(text: String) {
    #expect(throws: ModelError.self) { try draft(text) }
  }

  @Test func linesOfOtherSystemsAreCounted() {
    let xml =
      "<model>\r\n<entity name=\"Note\">\r<attribute name=\"a\" attributeType=\"Sting\"/></entity></model>"
    #expect(findings(xml) == ["3:36-41 unknown-value"])
  }

  @Test func nestingAndCountsAreLimited() {
    let deep =
      "<model>" + String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100) + "</model>"
    #expect(findings(deep).first?.hasSuffix("nested-too-deep") == true)
    let many = "<model>" + String(repeating: "<a/>", count: 300_001) + "</model>"
    #expect(findings(many).first?.hasSuffix("too-many-values") == true)
    let wide = "<model " + (0..<500_000).map { "a\($0)=''" }.joined(separator: " ") + "/>"
    #expect(findings(wide) == ["1:1-2 too-many-values"])
  }
}
