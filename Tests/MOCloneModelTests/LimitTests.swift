import Foundation
import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

/// Texts at and over the limits of what a model file may hold.
struct LimitTests {
  private let head = "version: 1\nentities:\n  A:\n"

  private func findings(_ text: String) -> [Diagnostic] {
    ModelParser.parse(SourceFile(path: "m.yml", text: text)).diagnostics
  }

  @Test func sixtyFourLevelsAreReadAndOneMoreIsNot() {
    func nested(_ depth: Int) -> String {
      "version: 1\nentities: {}\nx-deep: "
        + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
    }
    #expect(findings(nested(64)) == [])
    let found = findings(nested(65))
    #expect(found.map(\.code) == [.nestedTooDeep])
    #expect(found.first?.range == .point(line: 3, column: 72))
  }

  @Test func keysHaveALimitOfTheirOwn() {
    let fits = String(repeating: "k", count: 1024)
    #expect(findings("version: 1\nentities: {}\n? x-\(fits.dropLast(2))\n: 1\n") == [])
    let found = findings("version: 1\nentities: {}\n? x-\(fits)\n: 1\n")
    #expect(found.map(\.code) == [.unsupportedYAML])
    #expect(found.first?.range?.start == SourceRange.Position(line: 3, column: 3))
  }

  @Test func aPatternHasALimit() {
    func model(_ count: Int) -> String {
      head + "    attributes: {a: {type: String, pattern: \"\(String(repeating: "a", count: count))\"}}\n"
    }
    #expect(findings(model(4096)) == [])
    #expect(findings(model(4097)).map(\.code) == [.wrongKind])
  }

  @Test func aModelHasTenThousandEntitiesAndNotOneMore() {
    func model(_ count: Int) -> String {
      "version: 1\nentities:\n" + (0..<count).map { "  E\($0): {attributes: {name: String}}\n" }.joined()
    }
    #expect(findings(model(10_000)) == [])
    let found = findings(model(10_001))
    #expect(found.map(\.code) == [.tooManyValues])
    #expect(found.first?.message == "the model has 10001 entities; the limit is 10000")
  }

  @Test func anEntityHasNoMorePropertiesThanATableColumns() {
    func model(_ count: Int) -> String {
      head + "    attributes:\n" + (0..<count).map { "      a\($0): String\n" }.joined()
    }
    #expect(findings(model(2000)) == [])
    let found = findings(model(2001))
    #expect(found.map(\.code) == [.tooManyValues])
    #expect(found.first?.range?.start.line == 3)
  }

  @Test func listsOfNamesCountAsProperties() {
    let names = (0..<2001).map { "a\($0)" }.joined(separator: ", ")
    for key in ["primaryKey: [\(names)]", "uniquenessConstraints: [[\(names)]]"] {
      #expect(findings(head + "    \(key)\n").map(\.code) == [.tooManyValues])
    }
  }

  @Test func tenThousandErrorsAreListedAndTheRestIsCounted() {
    func model(_ count: Int) -> String {
      "version: 1\nentities: {}\n" + (0..<count).map { "k\($0): v\n" }.joined()
    }
    #expect(findings(model(10_000)).count { $0.code == .unknownKey } == 10_000)
    #expect(findings(model(10_000)).count == 10_000)
    let found = findings(model(10_001))
    #expect(found.count { $0.code == .unknownKey } == 10_000)
    #expect(found.last?.code == .tooManyValues && found.last?.message.contains("10000") == true)
  }

  @Test func findingsInTheYAMLAreLimitedToo() {
    let found = findings("x-list: [" + String(repeating: "*a, ", count: 20_000) + "]")
    #expect(found.count == 10_001)
    #expect(found.first?.range?.start == SourceRange.Position(line: 1, column: 10))
  }

  @Test func keysThatFillEightMegabytesAreRefusedByTheirNumber() {
    let text = (0..<280_000).map { "key\($0): \"a value of some length\"\n" }.joined()
    let filled = String(text.prefix(7_900_000))
    #expect(filled.utf8.count == 7_900_000)
    #expect(findings(filled).map(\.code) == [.tooManyValues])
  }

  @Test func aFileOfEmptyLinesAroundAModelIsValid() {
    let lines = String(repeating: "\n", count: 3_000_000)
    #expect(findings(lines + "version: 1\nentities: {}\n" + lines) == [])
  }

  @Test func aLetterWithAMillionAccentsIsShortened() {
    let accents = String(repeating: "\u{301}", count: 1_000_000)
    let found = findings("version: a\(accents)\n")
    #expect(found.map(\.code) == [.unsupportedVersion])
    #expect(found.allSatisfy { $0.message.unicodeScalars.count < 200 })
  }

  @Test func tagDirectivesAreRefusedAtTheirLine() {
    let found = findings("# a model\n%TAG !a! tag:x\n---\nversion: 1\n")
    #expect(found.map(\.code) == [.unsupportedYAML])
    #expect(found.first?.range == .point(line: 2, column: 1))
    #expect(findings("version: 1\nentities: {}\nx-a: '%TAG'\n# %TAG\n") == [])
  }
}
