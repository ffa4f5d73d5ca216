import MOCloneModel
import MOCloneYAML
import Testing

/// Models as large as a file may be, in shapes that are dear to search.
struct LargeModelTests {
  private static let follower =
    "attributes: {b: {type: String, userInfo: {followParent: c, withoutParent: keep}}}"

  private static func model(_ count: Int, _ entity: (Int) -> String) -> String {
    "version: 1\nname: Large\nentities:\n" + (0..<count).map { "  E\($0): {\(entity($0))}\n" }.joined()
  }

  private static let shapes: [(String, String)] = [
    (
      "chain",
      model(1000) { "\(follower), relationships: {h: {destination: E\(min($0 + 1, 999)), optional: true}}" }
    ),
    (
      "ring",
      model(1000) { "\(follower), relationships: {h: {destination: E\(($0 + 1) % 1000), optional: true}}" }
    ),
    (
      "star of sub-entities",
      model(1000) {
        $0 == 0
          ? "relationships: {h: {destination: E0, optional: true}}, attributes: {a: String}"
          : "parent: E0, \(follower)"
      }
    ),
    (
      "unknown destinations", model(1000) { "relationships: {h: {destination: X\($0)}}" }
    ),
  ]

  /// A search of all pairs would take longer than that.
  @Test(.timeLimit(.minutes(3)), arguments: shapes)
  func areReadInTimeThatGrowsWithTheirText(_ name: String, _ text: String) {
    let findings = ModelParser.parse(SourceFile(path: "large.yml", text: text)).diagnostics
    #expect(!findings.isEmpty && !findings.contains { $0.code == .tooManyValues }, "\(name)")
  }
}
