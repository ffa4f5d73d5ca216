import Foundation
import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Schema and parser accept the same of models with one mistake")
struct SchemaMutantTests {
  /// Findings that are in the keys and the kinds of values, which a schema can know.
  private static let knowable: Set<DiagnosticCode> = [
    .wrongKind, .unknownKey, .missingKey, .unknownValue, .unsupportedVersion, .emptyModel,
    .unknownAnnotationValue,
  ]

  /// Whether the parser finds the keys and the kinds of values right; nil where that is nothing that a schema can see.
  private func parserAccepts(_ text: String) -> Bool? {
    let codes = Set(ModelParser.parse(SourceFile(path: "m.yml", text: text)).diagnostics.map(\.code))
    // The value of a misspelt key is judged as that of the key that was meant.
    if codes.contains(.misspeltAnnotation) { return nil }
    return codes.isDisjoint(with: Self.knowable)
  }

  @Test("Mutants of the sample models", arguments: ["HealthNotes", "Chinook", "Northwind"])
  func mutants(_ name: String) throws {
    let checker = try SchemaChecker(.model)
    let all = try Mutant.all(ofSample: name)
    let step = ProcessInfo.processInfo.environment["MOCLONE_LONG"] == "1" ? 1 : 37
    var disagreements: [String] = []
    for i in stride(from: 0, to: all.count, by: step) {
      let text = all[i].root.flowText
      guard let value = try? YAMLValue.of(text), let accepts = parserAccepts(text) else { continue }
      if checker.accepts(value) != accepts { disagreements.append(all[i].comment) }
    }
    #expect(disagreements.isEmpty, "\(disagreements.prefix(10))")
  }

  @Test(
    "Values of annotations are checked in either case, unless the keys have other names",
    arguments: [
      ("rebuild: uuid", true), ("rebuild: UUID", true), ("rebuild: Now", true), ("rebuild: uid", false),
      ("rebuild: ''", false), ("rebuild: true", false), ("followParent: anything", true),
      ("withoutParent: Keep", true), ("withoutParent: kept", false), ("exclude: false", true),
    ])
  func annotations(_ annotation: String, _ isAccepted: Bool) throws {
    let checker = try SchemaChecker(.model)
    let text = "{version: 1, entities: {E: {attributes: {a: {type: UUID, userInfo: {\(annotation)}}}}}}"
    #expect(checker.accepts(try YAMLValue.of(text)) == isAccepted)
    let renamed = text.replacing(
      "{version: 1,", with: "{version: 1, userInfoKeys: {rebuild: moRebuild, withoutParent: moWithout},")
    #expect(
      checker.accepts(try YAMLValue.of(renamed)) == !annotation.contains("true")
        || annotation.contains("rebuild: true"))
  }

  @Test("A type with a question mark, and the annotations of relationships")
  func optionalTypes() throws {
    let checker = try SchemaChecker(.model)
    func accepts(_ entity: String) throws -> Bool {
      checker.accepts(try YAMLValue.of("version: 1\nentities:\n  E:\n" + entity))
    }
    #expect(try accepts("    attributes:\n      a: String?\n      b: {type: \"Date?\", storage: unix}\n"))
    #expect(try !accepts("    attributes:\n      a: Strng?\n"))
    let head = "    relationships:\n      r: {destination: E, column: k, userInfo: {onClone: "
    #expect(try accepts(head + "Link}}\n"))
    #expect(try !accepts(head + "share}}\n"))
    #expect(try accepts("    attributes:\n      x-note: {userInfo: {rebuild: 17}}\n"))
  }
}
