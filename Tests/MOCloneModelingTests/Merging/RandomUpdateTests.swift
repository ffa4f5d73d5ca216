import Foundation
import MOCloneKit
import MOCloneModeling
import MOCloneTesting
import TestSupport
import Testing

@Suite("Random edits of an imported model")
struct RandomUpdateTests {
  @Test(arguments: Seeds.cases(40, long: 150))
  func editsOfPeopleStayAndAnUnchangedSourceChangesNothing(seed: Int) throws {
    let edited = try EditedModel(seed: UInt64(seed))
    let update = try ModelUpdate(of: edited.file, from: edited.source)
    #expect(update.changes == [], "\(edited.file.text)")
    #expect(String(decoding: update.data, as: UTF8.self) == edited.file.text)
  }

  @Test(arguments: Seeds.cases(40, long: 150))
  func aChangedSourceComesInAndEveryLineOfPeopleStays(seed: Int) throws {
    var edited = try EditedModel(seed: UInt64(seed))
    let count = edited.changeSource()
    let update = try ModelUpdate(of: edited.file, from: edited.source)
    let text = String(decoding: update.data, as: UTF8.self)
    let parsed = ModelParser.parse(SourceFile(path: "model.yml", text: text))
    let errors = parsed.diagnostics.filter { $0.severity == .error }
    #expect(errors.isEmpty, "\(errors.map(\.message))\n\(edited.file.text)\n---\n\(text)")
    #expect(update.changes.count >= count, "\(update.changes)")
    let again = try ModelUpdate(of: SourceFile(path: "model.yml", text: text), from: edited.source)
    #expect(again.isUnchanged, "\(again.changes)\n\(text)")
    try expectLines(of: edited.file.text, in: text)
  }

  /// Every line of a text in another one in its order, as it was or as a comment; lists of constraints may lose some.
  private func expectLines(of old: String, in new: String) throws {
    var rest = new.split(whereSeparator: \.isNewline)[...]
    for line in old.split(whereSeparator: \.isNewline) where !line.contains("uniquenessConstraints") {
      let place = rest.firstIndex {
        $0 == line || $0.filter { $0 != "#" && $0 != " " } == line.filter { $0 != "#" && $0 != " " }
      }
      let found = try #require(place, "lost: \(line)\n\(new)")
      rest = rest[(found + 1)...]
    }
  }
}
