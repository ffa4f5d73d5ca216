import Foundation
import MOCloneKit
import MOCloneModeling
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("The picture of a model")
struct ModelDiagramTests {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func example() throws -> ObjectModel {
    try ObjectModel(contentsOf: Self.root.appendingPathComponent("Models/HealthNotes.yml"))
  }

  @Test func mermaidShowsAttributesAndCardinalities() throws {
    let text = try ModelDiagram(example()).mermaid
    #expect(
      text.hasPrefix("erDiagram\n  accTitle: HealthNotes\n  \"Note\" {\n    UUID id UK \"rebuild: uuid\"\n"))
    #expect(text.contains("    UUID noteID \"optional, followParent: id, else keep\"\n"))
    #expect(text.contains("  \"Note\" |o--o{ \"Item\" : \"items / note\"\n"))
    #expect(text.contains("  \"Note\" ||--o| \"NoteDescription\" : \"noteDescription / note\"\n"))
    #expect(text.contains("  \"Memo\" }o--o{ \"Tag\" : \"tags / memos\"\n"))
    #expect(!text.contains("Legend"))
  }

  @Test func aPictureOfACloneSaysWhatIsCopiedLinkedAndLeftOut() throws {
    let plan = try ClonePlan(
      model: example(), entity: "Note", request: CloneRequest(exclude: ["datas", "data"]))
    let mermaid = ModelDiagram(plan).mermaid
    for line in [
      "  \"Note\"[\"Note (root)\"]:::root {", "  \"Item\"[\"Item (copied)\"]:::copied {",
      "  \"Tag\"[\"Tag (linked)\"]:::linked {", "  \"ItemData\"[\"ItemData (left out)\"]:::leftOut {",
      "    Binary data \"optional, excluded\"", "  \"Note\" |o--o{ \"Item\" : \"items / note (copied)\"",
      "  \"Item\" ||..o{ \"ItemData\" : \"datas / item (left out)\"",
      "  \"Memo\" }o..o{ \"Tag\" : \"tags / memos (linked)\"", "  \"Legend: linked\":::linked",
    ] { #expect(mermaid.contains(line + "\n"), "\(line)\n\(mermaid)") }
    let dot = ModelDiagram(plan).dot
    #expect(dot.contains("<B>Tag</B>&nbsp;&nbsp;linked"))
    #expect(
      dot.contains(
        "arrowtail=crowodot, arrowhead=crowodot, color=\"#218bff\", fontcolor=\"#218bff\", style=dashed]"))
    #expect(
      dot.contains(
        "arrowtail=teetee, arrowhead=crowodot, color=\"#8c959f\", fontcolor=\"#8c959f\", style=dotted]"))
    #expect(dot.contains("not reached, or excluded"))
  }

  @Test func countsOfOneObjectAreInTheTitles() throws {
    let plan = try ClonePlan(model: example(), entity: "Note")
    let counts = CloneResult(roots: [], cloned: ["Note": 1, "Item": 3], linked: ["Tag": 2])
    let diagram = ModelDiagram(plan, counts: counts)
    #expect(diagram.mermaid.contains("\"Item\"[\"Item (copied ×3)\"]"))
    #expect(diagram.mermaid.contains("\"Memo\"[\"Memo (copied ×0)\"]"))
    #expect(diagram.dot.contains("<B>Tag</B>&nbsp;&nbsp;linked ×2"))
  }

  @Test func inheritanceSelfReferencesAndMissingInversesAreLines() throws {
    let model = try ObjectModel(
      name: "Tree",
      entities: [
        EntityDescription(
          name: "Node", isAbstract: true,
          relationships: [
            RelationshipDescription(
              name: "parent", destination: "Node", isOptional: true, inverse: "children"),
            RelationshipDescription(name: "children", destination: "Node", isToMany: true, inverse: "parent"),
          ]),
        EntityDescription(name: "Folder", parent: "Node"),
        EntityDescription(
          name: "File", parent: "Node",
          relationships: [RelationshipDescription(name: "icon", destination: "Icon", isOptional: true)]),
        EntityDescription(name: "Icon", uniquenessConstraints: []),
      ])
    let text = ModelDiagram(model).mermaid
    #expect(text.contains("  \"Node\"[\"Node (abstract)\"]\n"))
    #expect(text.contains("  \"Node\" |o--o{ \"Node\" : \"children / parent\"\n"))
    #expect(text.contains("  \"Node\" ||..|| \"Folder\" : \"is a\"\n"))
    #expect(text.contains("  \"File\" }o--o| \"Icon\" : \"icon\"\n"))
    let plan = try ClonePlan(model: model, entity: "Folder")
    #expect(ModelDiagram(plan).dot.contains("<B>Node</B>&nbsp;&nbsp;abstract&nbsp;&nbsp;root"))
    #expect(ModelDiagram(plan).dot.contains("\"Node\" -> \"Folder\" [arrowtail=empty, arrowhead=none"))
  }

  static let hostile = [
    "a\"b", "a\\", "a\\\"", "<B>a</B>", "a&amp;b", "a]b", "a{b}", "a\nb", "a\u{0}b", "%%a", "#35;", "a;b",
    "direction LR",
    "PK", "pk", "e1", "legend", "\u{202E}a", " ", "🌲", "日本", "-->", "`a`", "__a__", "graph", "a:b",
    "\u{FFFF}",
  ]

  @Test(arguments: hostile)
  func anyNameIsTextAndNothingElse(name: String) throws {
    let model = try ObjectModel(
      name: name,
      entities: [
        EntityDescription(
          name: name,
          attributes: [
            AttributeDescription(name: name, type: .string, userInfo: ["exclude": name], column: "a")
          ].map {
            var attribute = $0
            attribute.isOptional = true
            return attribute
          },
          relationships: [
            RelationshipDescription(
              name: name + "s", destination: "Other", isToMany: true, inverse: name + "b")
          ]),
        EntityDescription(
          name: "Other",
          relationships: [
            RelationshipDescription(
              name: name + "b", destination: name, isOptional: true, inverse: name + "s")
          ]),
      ])
    let diagram = ModelDiagram(try ClonePlan(model: model, entity: name))
    expectMermaid(diagram.mermaid)
    guard hasGraphviz else { return }
    let svg = try diagram.text(.svg)
    let shown = XMLText(svg).texts.joined(separator: "\n").replacing("\u{A0}", with: " ")
    let seen = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } ? name : "b"
    let isVisible = !seen.contains("\u{202E}") && seen != "\u{FFFF}" && seen != " "
    #expect(!isVisible || shown.contains(seen), "\(shown)")
  }

  /// Every line is one of the four that the language has: no name breaks out of its quotes.
  private func expectMermaid(_ text: String) {
    let text = text.replacing("\n", with: "\u{1}")
    let quoted = #"\"[^\"\\%\u{1}`{}<>]*\""#
    let name = "\(quoted)(\\[\(quoted)\\])?(:::[A-Za-z]+)?"
    let line = [
      "erDiagram", "  accTitle: (#[0-9]+;|[^;#\"{}\u{1}])*", "  \(name)( \\{)?", "  \\}",
      "    [A-Za-z0-9]+ [A-Za-z_][A-Za-z0-9_]*( UK)?( \(quoted))?",
      "  \(quoted) [|}][o|](--|\\.\\.)[o|][|{] \(quoted) : \(quoted)",
      "  classDef [A-Za-z]+ [a-z0-9:#,\\- ]+",
    ].joined(separator: "|")
    let pattern = try! Regex("(?:(?:\(line))\u{1})+")
    #expect(text.wholeMatch(of: pattern) != nil, "\(text.replacing("\u{1}", with: "\n"))")
  }

  private var hasGraphviz: Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: $0 + "/dot") }
  }

  /// The picture that the README shows is of the example model of today.
  @Test func thePictureOfTheExampleModelIsThatOfToday() throws {
    let dot = try ModelDiagram(ClonePlan(model: example(), entity: "Note")).dot
    let file = Self.root.appendingPathComponent(".github/HealthNotes.dot")
    #expect(
      try String(contentsOf: file, encoding: .utf8) == dot,
      "write .github/HealthNotes.dot and .svg anew: moclone model diagram --model Models/HealthNotes.yml --root note"
    )
  }
}

/// What an SVG shows as text.
private final class XMLText: NSObject, XMLParserDelegate {
  private(set) var texts: [String] = []
  private var isText = false

  init(_ xml: String) {
    super.init()
    let parser = XMLParser(data: Data(xml.utf8))
    parser.delegate = self
    _ = parser.parse()
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    isText = name == "text"
    if isText { texts.append("") }
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?)
  {
    isText = false
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    if isText { texts[texts.count - 1] += text }
  }
}
