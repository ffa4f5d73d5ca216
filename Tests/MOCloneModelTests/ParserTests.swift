import Foundation
import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

func parse(_ text: String) -> ParsedModel {
  ModelParser.parse(SourceFile(path: "m.yml", text: text))
}

/// A model whose only entity has one attribute, written as given.
func attributeText(_ text: String) -> String {
  "version: 1\nname: M\nentities:\n  Note:\n    attributes:\n      a: \(text)\n"
}

@Suite("Model files")
struct ParserTests {
  private func attribute(_ text: String) throws -> AttributeDescription {
    let parsed = parse(attributeText(text))
    let model = try #require(parsed.model, "\(parsed.diagnostics.map(\.message))")
    return try #require(model.attribute("a", of: "Note"))
  }

  @Test func shortFormsMeanTheLongOnes() throws {
    #expect(try attribute("String") == attribute("{type: String}"))
    #expect(try attribute("Binary?") == attribute("{type: Binary, optional: true}"))
    #expect(try attribute("Integer 32").type == .integer32)
    #expect(try attribute("{type: UUID?}").isOptional)
  }

  @Test(arguments: AttributeType.allCases)
  func everyTypeIsKnown(type: AttributeType) throws {
    #expect(try attribute(type.rawValue).type == type)
  }

  @Test func annotationsAreKeptWordForWord() throws {
    let attribute = try attribute(
      "{type: String?, userInfo: {exclude: '', a: no, b: 017, c: 1:30, d: 'quoted', e: , f: 1.0, g: yes}}")
    #expect(
      attribute.userInfo == [
        "exclude": "", "a": "no", "b": "017", "c": "1:30", "d": "quoted", "e": "", "f": "1.0", "g": "yes",
      ])
  }

  @Test func scalarsAreReadByTheirType() throws {
    #expect(try attribute("{type: String, default: 017}").defaultValue == "017")
    #expect(try attribute("{type: String, default: no}").defaultValue == "no")
    #expect(try attribute("{type: Integer 16, default: '7'}").defaultValue == 7)
    #expect(try attribute("{type: Boolean, default: false}").defaultValue == false)
    #expect(try attribute("{type: String, default: 'null'}").defaultValue == "null")
    #expect(try attribute("{type: String?, default: null}").defaultValue == nil)
  }

  @Test(arguments: ["yes", "no", "on", "off", "1", "y", "truE"])
  func onlyTrueAndFalseAreBooleans(text: String) {
    let found = parse(attributeText("{type: String, optional: \(text)}")).diagnostics
    #expect(found.map(\.code) == [.wrongKind])
    #expect(found.first?.message.contains("true or false") == true)
  }

  @Test(arguments: ["true", "True", "TRUE", "'true'"])
  func trueIsWrittenInThreeWays(text: String) throws {
    #expect(try attribute("{type: String, optional: \(text)}").isOptional)
  }

  @Test func keysBeginningWithXAreFree() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        x-team: {a: [1, 2]}
        entities:
          x-template: 3
          Note: {x-colour: red, attributes: {x-a: 1, a: {type: String, x-b: }}}
        """)
    #expect(model.entities.map(\.name) == ["Note"])
    #expect(model.attributes(of: "Note").map(\.name) == ["a"])
  }

  @Test func keysAndForeignKeysHaveSeveralForms() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        entities:
          A: {primaryKey: [x, {column: y, generate: none}]}
          B: {primaryKey: {column: k, generate: uuid}}
          C:
            relationships:
              a: {destination: A, column: [ax, {column: ay, references: y}]}
              b: {destination: B, column: b, references: k}
        """)
    #expect(model.entity("A")?.primaryKey == [KeyColumn("x"), KeyColumn("y", generate: KeyGeneration.none)])
    #expect(model.entity("B")?.primaryKey == [KeyColumn("k", generate: .uuid)])
    let a = model.relationship("a", of: "C")
    #expect(a?.columns == [ForeignKeyColumn("ax"), ForeignKeyColumn("ay", references: "y")])
    #expect(model.relationship("b", of: "C")?.columns == [ForeignKeyColumn("b", references: "k")])
  }

  @Test func jsonIsAModelFileToo() throws {
    let text = """
      {"version": 1, "name": "M", "entities": {"Note": {"attributes": {"a": {"type": "String", "default": 0,
      \t"optional": true}}}}}
      """
    #expect(try ObjectModel(yaml: text).attribute("a", of: "Note")?.defaultValue == "0")
  }

  @Test func findingsOnTheModelHaveAPlace() throws {
    let found = parse(attributeText("{type: String, userInfo: {rebuild: uuid}}")).diagnostics
    let range = try #require(found.first?.range)
    #expect(found.map(\.code) == [.rebuildType])
    #expect(range.start == SourceRange.Position(line: 6, column: 45))
    #expect(range.end == SourceRange.Position(line: 6, column: 49))
  }

  @Test func findingsStandInTheOrderOfTheFile() {
    let found = parse("version: 1\nentities: {A: {tabel: t, relationships: {b: {destination: C}}}}\nstor: {}")
    #expect(found.diagnostics.map(\.code) == [.unknownKey, .unknownDestination, .unknownKey])
    #expect(found.diagnostics.map { $0.range?.start.line } == [2, 2, 3])
  }

  @Test(arguments: ["2", "1.0", "'1 '", "one"])
  func otherVersionsAreRefusedAndNotJudged(version: String) {
    let found = parse("version: \(version)\nentitys: {A: {b: c}}").diagnostics
    #expect(found.map(\.code) == [.unsupportedVersion])
  }

  @Test func aMisspeltKeyIsTheOnlyFinding() {
    let found = parse(
      """
      version: 1
      entities:
        A: {atributes: {n: {type: UUID, column: u}}, uniquenessConstraints: [[b]], relationshps: {b: {destination: B, inverse: a}}}
        B: {relationships: {a: {destinaton: A, inverse: b}}}
      """
    ).diagnostics
    #expect(found.map(\.code) == [.unknownKey, .unknownKey, .unknownKey])
    #expect(found.allSatisfy { $0.help?.hasPrefix("did you mean") == true })
  }

  @Test func aMissingSpaceIsTheOnlyFinding() {
    let found = parse(attributeText("{type:String}")).diagnostics
    #expect(found.map(\.code) == [.missingSpace])
    #expect(found.first?.help == "write 'type: String'")
  }

  @Test func aFaultyAttributeCausesNoSecondFinding() {
    let text = "version: 1\nentities: {A: {attributes: {n: [String]}, uniquenessConstraints: [[n]]}}"
    #expect(parse(text).diagnostics.map(\.code) == [.wrongKind])
  }

  @Test func aModelErrorHoldsEveryFinding() {
    #expect {
      try ObjectModel(yaml: attributeText("{type: Strin, optional: maybe}"))
    } throws: { error in
      (error as? ModelError)?.diagnostics.map(\.code) == [.unknownValue, .wrongKind]
    }
  }
}
