import MOCloneModel

/// What `moclone explain` says about one code.
///
/// ```swift
/// print(DiagnosticCode.unknownInverse.explanation.title)
/// ```
package struct Explanation: Sendable, Hashable {
  /// One sentence: what is wrong.
  package var title: String
  /// Why it matters, and what to do.
  package var why: String
  /// A model file that has the finding; nil where no single one shows it, as for errors of a run.
  package var bad: String? { badExample?.file }
  /// The same model without it.
  package var good: String? { goodExample?.file }
  /// Where the finding is about a database: statements that make one which has it.
  package var badStore: String?
  /// Statements that make a database without it.
  package var goodStore: String?

  private var badExample: Example?
  private var goodExample: Example?

  /// A model file, made when it is asked for: each command reads the codes, few print them.
  private struct Example: Hashable {
    var text: String
    /// Whether the text is what stands below `entities:`.
    var isPart = true
    var file: String {
      guard isPart else { return text }
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { "  \($0)" }
      return "version: 1\nname: Example\nentities:\n" + lines.joined(separator: "\n") + "\n"
    }
  }

  init(_ title: String, why: String) {
    self.title = title
    self.why = why
  }

  /// An explanation with two models, given as the lines below `entities:`.
  init(_ title: String, why: String, bad: String, good: String) {
    self.init(title, why: why)
    badExample = Example(text: bad)
    goodExample = Example(text: good)
  }

  /// An explanation with two files.
  init(_ title: String, why: String, badFile: String, goodFile: String) {
    self.init(title, why: why)
    badExample = Example(text: badFile, isPart: false)
    goodExample = Example(text: goodFile, isPart: false)
  }

  /// An explanation with one model, and the statements that make two databases for it.
  init(_ title: String, why: String, model: String, bad: String, good: String) {
    self.init(title, why: why, bad: model, good: model)
    badStore = bad + ";\n"
    goodStore = good + ";\n"
  }
}

extension DiagnosticCode {
  /// What the code means, with a bad and a good example where it is about models.
  package var explanation: Explanation {
    Explanation.byCode[self] ?? Explanation(rawValue, why: "This code has no further explanation.")
  }
}

extension Explanation {
  /// Written apart by subject; a test holds that no code is missing.
  static let parts: [(category: DiagnosticCategory, explanations: [DiagnosticCode: Explanation])] = [
    (.file, files), (.format, format),
    (.structure, names), (.structure, attributes), (.structure, relationships),
    (.mapping, tables), (.mapping, columns),
    (.annotations, annotations), (.annotations, values), (.annotations, accessPaths),
    (.graph, graph), (.database, database), (.database, databaseKeys),
    (.report, reports),
    (.run, runs), (.run, simulations), (.run, identities), (.run, stores),
  ]

  static let byCode: [DiagnosticCode: Explanation] =
    parts.reduce(into: [:]) { all, part in all.merge(part.explanations) { first, _ in first } }
}
