import MOCloneKit

/// The values that a repeatable option assigns to names: `--set NAME=VALUE`.
struct Assignments {
  private(set) var values: [String: AttributeValue] = [:]

  /// - Parameter takesEmpty: whether a value can be an empty text.
  /// - Throws: `UsageError` for what is no assignment, and for a name that has two values.
  init(_ option: String, _ texts: [String], takesEmpty: Bool = true) throws {
    for text in texts {
      let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard sides.count == 2, !sides[0].isEmpty, takesEmpty || !sides[1].isEmpty else {
        let missing = sides[0].isEmpty && sides.count == 2 ? "name" : "value"
        throw UsageError("'\(option) \(text)' has no \(missing); expected '\(option) NAME=VALUE'")
      }
      guard values.updateValue(.string(sides[1]), forKey: sides[0]) == nil else {
        throw UsageError("duplicate '\(option)' for '\(sides[0])'; pass it once")
      }
    }
  }
}
