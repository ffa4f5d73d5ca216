import Foundation
import MOCloneTesting
import TestSupport
import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Edits that findings about random models propose")
struct RandomAdviceTests {
  /// Each of the models takes seconds.
  @Test(arguments: Seeds.all(0..<6, long: 0..<300))
  func eachRemovesItsFindingAndHarmsNothing(seed: UInt64) throws {
    let model = try RandomModel.make(seed: seed)
    let encoder = JSONEncoder()
    // In the same order in every run, on which random graphs of the model depend.
    encoder.outputFormatting = .sortedKeys
    try ProposedEdits.check(String(decoding: try encoder.encode(model), as: UTF8.self))
  }
}
