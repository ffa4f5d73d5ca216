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
      model(2000) { "\(follower), relationships: {h: {destination: E\(min($0 + 1, 1999)), optional: true}}" }
    ),
    (
      "ring",
      model(2000) { "\(follower), relationships: {h: {destination: E\(($0 + 1) % 2000), optional: true}}" }
    ),
    (
      "star of sub-entities",
      model(2000) {
        $0 == 0
          ? "relationships: {h: {destination: E0, optional: true}}, attributes: {a: String}"
          : "parent: E0, \(follower)"
      }
    ),
    (
      "unknown destinations", model(2000) { "relationships: {h: {destination: X\($0)}}" }
    ),
  ]

  @Test(arguments: shapes)
  func areReadInTimeThatGrowsWithTheirText(_ name: String, _ text: String) {
    var findings: [Diagnostic] = []
    let time = ContinuousClock().measure {
      findings = ModelParser.parse(SourceFile(path: "large.yml", text: text)).diagnostics
    }
    #expect(!findings.isEmpty && !findings.contains { $0.code == .tooManyValues }, "\(name)")
    // A build without optimization on a busy machine; a search of all pairs takes minutes.
    #expect(time < .seconds(20), "\(name)")
  }
}
