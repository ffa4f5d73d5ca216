import MOCloneModel

extension Explanation {
  /// What clones of random graphs do that no clone should.
  static let simulations: [DiagnosticCode: Explanation] = [
    .originalChanged: Explanation(
      "A clone changes an object that was there before.",
      why:
        "`validate --simulate` cloned an object of a random graph, and an object outside the clone held another value or "
        + "lost a link afterwards. No model should make this happen, so report it with the model and the seed."
    ),
    .openReference: Explanation(
      "A clone is linked to an original that was cloned as well.",
      why:
        "References inside what is cloned lead to clones. `validate --simulate` saw one that leads out again. No model "
        + "should make this happen, so report it with the model and the seed."),
    .notRepeatable: Explanation(
      "A second clone of an object is refused, or holds something else than the first.",
      why:
        "`validate --simulate` clones each object twice, and the clone once more. Where a unique value is excluded and has "
        + "a default, the first clone takes the default and the second one is refused. Rebuild the value, or exclude it "
        + "without a default."),
  ]
}
