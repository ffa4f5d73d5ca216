import MOCloneYAML
import Testing

@testable import ModelCompiler

/// What the build-tool plugin compiles a model into.
struct ModelSourceTests {
  private func source(_ yaml: String, file: String = "Notes.moclone.yml") throws -> String {
    ModelSource(try ObjectModel(yaml: yaml), file: file).text
  }

  @Test func theModelHasAnAccessorAndItsNamesAreConstants() throws {
    let text = try source(
      """
      version: 1
      entities:
        Note:
          attributes: {name: String}
          relationships: {memos: {destination: Memo, toMany: true, inverse: note}}
        Memo:
          relationships: {note: {destination: Note, inverse: memos}}
      """)
    #expect(text.contains("static let notes: MOCloneModel.ObjectModel"))
    #expect(text.contains("enum NotesModel {\n  enum Note {\n    static let entity = \"Note\"\n"))
    #expect(text.contains("    static let memos = \"memos\"\n"))
  }

  @Test func inheritedPropertiesAreNamedByEachEntity() throws {
    let text = try source(
      """
      version: 1
      entities:
        Media: {attributes: {title: String}}
        Photo: {parent: Media}
      """)
    let photo = "enum Photo {\n    static let entity = \"Photo\"\n    static let title = \"title\""
    #expect(text.contains(photo))
  }

  /// Keywords stand in backticks; what no member may be called has an underscore behind it.
  @Test func namesThatSwiftReservesAreWrittenSoThatTheyCompile() throws {
    let text = try source(
      """
      version: 1
      entities:
        Type:
          attributes: {default: String, entity: String, self: String, init: String, 2nd: String, a-b: String}
      """, file: "default.moclone.yml")
    for line in [
      "static let `default`: MOCloneModel.ObjectModel", "enum DefaultModel {", "enum Type_ {",
      "static let `default` = \"default\"", "static let entity_ = \"entity\"", "static let self_ = \"self\"",
      "static let init_ = \"init\"", "static let _2nd = \"2nd\"", "static let a_b = \"a-b\"",
    ] {
      #expect(text.contains(line))
    }
  }

  @Test func jsonWithNumberSignsStaysALiteral() throws {
    let text = try source(
      """
      version: 1
      entities: {Note: {attributes: {name: {type: String, default: 'a"##b'}}}}
      """)
    #expect(text.contains("Data(###\"{"))
  }

  /// A name keeps its constant whatever is added beside it.
  @Test func namesThatSwiftCanWriteGoFirst() throws {
    let text = try source(
      """
      version: 1
      entities: {Note: {attributes: {a b: String, a-b: String, a_b: String}}}
      """)
    for line in ["static let a_b = \"a_b\"", "static let a_b_ = \"a b\"", "static let a_b__ = \"a-b\""] {
      #expect(text.contains(line))
    }
  }

  @Test func whatSwiftMustEscapeIsEscaped() throws {
    let text = try source(
      """
      version: 1
      entities: {Note: {attributes: {"a\\nb": String, "\\"q": String}}}
      """, file: "a\"b.moclone.yml")
    for line in [#"= "a\nb""#, ##"= "\"q""##, ##"path: #"a"b.moclone.yml"#"##] {
      #expect(text.contains(line))
    }
  }

  @Test func theLibrarysTypeStaysInSight() throws {
    let text = try source(
      "version: 1\nentities: {Note: {attributes: {a: String}}}", file: "Object.moclone.yml")
    #expect(text.contains("enum ObjectModel_ {") && text.contains("static let object: MOCloneModel"))
    let versions = try source(
      "version: 1\nentities: {Note: {attributes: {a: String}}}", file: "Notes.v2.moclone.yml")
    #expect(versions.contains("enum Notes_v2Model {") && versions.contains("static let notes_v2:"))
  }
}
