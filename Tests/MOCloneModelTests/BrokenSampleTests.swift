import Foundation
import MOCloneModel
import MOCloneYAML
import Testing

/// A sample model with each of its keys misspelt, left out, or doubled: a finding or a model, never a crash.
struct BrokenSampleTests {
  private static let text = try! String(
    contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Models/HealthNotes.yml"), encoding: .utf8)

  /// The words of the format; other keys of the sample are names of its own.
  private static let words: Set<String> = [
    "version", "name", "store", "primaryKey", "entities", "attributes", "relationships", "type", "column",
    "userInfo", "default", "optional", "transient", "destination", "toMany", "inverse", "deleteRule",
    "ordered", "uniquenessConstraints",
  ]

  /// Every place before a colon where a key stands.
  private static let keys: [Range<String.Index>] = {
    let withoutComments = text.split(separator: "\n").map { $0.prefix { $0 != "#" } }
    return withoutComments.flatMap { line in
      line.ranges(of: /[A-Za-z]+:/).map { $0.lowerBound..<line.index(before: $0.upperBound) }
    }
  }()

  /// Whether a word of the format is here as such; `name` is an attribute of the sample as well.
  private static func isWord(_ key: Range<String.Index>) -> Bool {
    guard words.contains(String(text[key])) else { return false }
    let isIndented = key.lowerBound > text.startIndex && text[text.index(before: key.lowerBound)] != "\n"
    return text[key] != "name" || !isIndented
  }

  private func parse(_ text: String) -> ParsedModel {
    ModelParser.parse(SourceFile(path: "broken.yml", text: text))
  }

  private func expectSound(_ parsed: ParsedModel, _ comment: String) {
    #expect((parsed.model == nil) == parsed.diagnostics.contains(where: \.forbidsUse), "\(comment)")
    #expect(parsed.diagnostics.allSatisfy { $0.range != nil }, "\(comment)")
  }

  @Test func keysAreFound() {
    #expect(Self.keys.count > 100 && Self.keys.count { Self.isWord($0) } > 60)
  }

  @Test func eachMisspeltWordIsTheOnlyErrorAndTheRightOneIsProposed() {
    for key in Self.keys where Self.isWord(key) {
      let word = Self.text[key]
      let misspelt = word.dropLast(2) + word.suffix(1) + word.suffix(2).prefix(1)
      let parsed = parse(Self.text.replacingCharacters(in: key, with: misspelt))
      let errors = parsed.diagnostics.filter { $0.severity == .error }
      #expect(errors.map(\.help) == ["did you mean '\(word)'?"], "\(misspelt): \(errors.map(\.message))")
      let line = Self.text[..<key.lowerBound].count { $0 == "\n" } + 1
      #expect(errors.first?.range?.start.line == line)
    }
  }

  @Test func eachMisspeltNameIsAFindingOrAModel() {
    for key in Self.keys where !Self.isWord(key) {
      expectSound(
        parse(Self.text.replacingCharacters(in: key, with: Self.text[key] + "x")), "\(Self.text[key])")
    }
  }

  @Test func eachKeyWithoutItsNameIsAFinding() {
    for key in Self.keys { expectSound(parse(Self.text.replacingCharacters(in: key, with: "")), "\(key)") }
  }

  @Test func eachKeyNamedTwiceNeverCrashes() {
    for key in Self.keys {
      expectSound(parse(Self.text.replacingCharacters(in: key, with: "\(Self.text[key]): {}, a")), "\(key)")
    }
  }

  @Test func theSampleCutOffAtAnyByteIsAFindingOrAModel() {
    for end in 0..<Self.text.utf8.count {
      expectSound(parse(String(decoding: Self.text.utf8.prefix(end), as: UTF8.self)), "\(end) bytes")
    }
  }
}
