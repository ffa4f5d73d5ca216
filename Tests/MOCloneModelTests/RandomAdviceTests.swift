import Foundation
import MOCloneTesting
import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Edits that findings about random models propose")
struct RandomAdviceTests {
  /// With MOCLONE_LONG=1 a hundred models, else a few: each takes seconds.
  private static let seeds: Range<UInt64> =
    0..<(ProcessInfo.processInfo.environment["MOCLONE_LONG"] == "1" ? 100 : 6)

  /// Whether a clone joins an aggregate is judged by what it may hold. Here an exclusion leaves some owners out of it that others
  /// of their entity keep in, which only data shows.
  private static let undecided: Set<UInt64> = [86]

  @Test(arguments: seeds)
  func eachRemovesItsFindingAndHarmsNothing(seed: UInt64) throws {
    let model = try RandomModel.make(seed: seed)
    let encoder = JSONEncoder()
    // In the same order in every run, on which random graphs of the model depend.
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(model), as: UTF8.self)
    guard Self.undecided.contains(seed) else { return try ProposedEdits.check(text) }
    withKnownIssue { try ProposedEdits.check(text) }
  }
}
