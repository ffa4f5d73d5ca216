import Foundation

/// A model as far as its file could be read, and everything that was found.
package struct ParsedModel: Sendable {
  /// Nil where a finding is an error.
  package let model: ObjectModel?
  /// The model as far as it could be read, whatever the findings are; nil where it could not be.
  package let read: ObjectModel?
  /// In the order of the file.
  package let diagnostics: [Diagnostic]
  /// What the file was composed of; nil where it could not be read to its end.
  package let root: SyntaxNode?
  /// The entities whose clones could not be checked, because errors leave open what they are; nil stands for all.
  package let unchecked: [String]?

  package init(
    model: ObjectModel?, read: ObjectModel? = nil, diagnostics: [Diagnostic], root: SyntaxNode?,
    unchecked: [String]? = nil
  ) {
    self.model = model
    self.read = read
    self.diagnostics = diagnostics
    self.root = root
    self.unchecked = unchecked
  }

  /// The same with the findings as somebody changed them.
  package func with(_ diagnostics: [Diagnostic]) -> ParsedModel {
    ParsedModel(model: model, read: read, diagnostics: diagnostics, root: root, unchecked: unchecked)
  }

  /// Findings about the model with their places in the file.
  package func locate(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    ModelParser.locate(diagnostics, in: root)
  }
}

/// Reads and validates composed texts.
package enum ModelParser {
  /// Reads and validates what a text was composed of.
  package static func parse(_ root: SyntaxNode, context: ReadingContext) -> ParsedModel {
    let model = root.isRefused ? nil : ModelReader(context: context).model(root)
    guard let model, !context.findings.isCut else { return result(model, context: context, root: root) }
    let (findings, unchecked) = validate(model, context: context)
    context.findings.add(findings)
    return result(model, context: context, root: root, unchecked: unchecked)
  }

  /// Reads what a text was composed of, without validation; nil where it is no model at all.
  package static func read(_ root: SyntaxNode, _ context: ReadingContext) -> ObjectModel? {
    ModelReader(context: context).model(root)
  }

  /// What the validator finds in the parts of a model that were understood.
  static func findings(in model: ObjectModel, _ context: ReadingContext) -> [Diagnostic] {
    validate(model, context: context).findings
  }

  /// The same with the entities of whose clones nothing is known.
  private static func validate(
    _ model: ObjectModel, context: ReadingContext
  ) -> (findings: [Diagnostic], unchecked: [String]?) {
    let parts = ModelValidator.ReadParts(damaged: context.damaged, deleteRules: context.deleteRules)
    let (findings, unchecked) = ModelValidator.validate(model, parts)
    let losesNames = context.findings.diagnostics.contains { $0.code == .duplicateKey }
    let told = findings.filter { diagnostic in
      if losesNames, diagnostic.code.missesName { return false }
      if context.isDamaged(diagnostic.path) || context.isDamagedBeside(diagnostic) { return false }
      // Notes about a missing entity only repeat its name.
      let isAboutName = diagnostic.code == .unknownDestination || diagnostic.code == .unknownParent
      return isAboutName || !diagnostic.notes.contains { context.isDamaged($0.path) }
    }
    return (told, unchecked)
  }

  package static func result(
    _ model: ObjectModel?, context: ReadingContext, root: SyntaxNode?, unchecked: [String]? = nil
  ) -> ParsedModel {
    var sorted = locate(context.findings.diagnostics, in: root).sortedByPlace()
    if context.findings.isCut { sorted.append(.tooManyFindings()) }
    let isFaulty = sorted.contains(where: \.forbidsUse)
    return ParsedModel(
      model: isFaulty ? nil : model, read: model, diagnostics: sorted, root: root, unchecked: unchecked)
  }

  /// Most files have no findings, so places are noted in a second reading, where there are any.
  package static func locate(_ diagnostics: [Diagnostic], in root: SyntaxNode?) -> [Diagnostic] {
    guard !diagnostics.isEmpty, let root, !root.isRefused else { return diagnostics }
    let context = ReadingContext()
    _ = ModelReader(context: context).model(root)
    return context.map.map { diagnostics.map($0.locate) } ?? diagnostics
  }
}

extension ReadingContext {
  /// Whether a key was not understood, without which the finding about its property cannot be judged.
  fileprivate func isDamagedBeside(_ finding: Diagnostic) -> Bool {
    let property = ModelPath(Array(finding.path.components.prefix(4)))
    return finding.code.otherKeys.contains { damaged.contains(property / $0) }
  }
}

extension DiagnosticCode {
  /// Whether a name is missing, which may be what a duplicate key was meant to be.
  fileprivate var missesName: Bool {
    [.unknownDestination, .unknownParent, .unknownInverse, .unknownConstraintProperty].contains(self)
  }

  /// The keys of a property that a finding about another key of it depends on.
  fileprivate var otherKeys: [String] {
    switch self {
    case .requiredExcluded, .blankRequired: ["default", "optional"]
    case .defaultOutsideLimits, .defaultOfAnotherType: ["type", "min", "max", "pattern"]
    case .rebuildType, .followedType, .invalidPattern: ["type"]
    case .orderedToOne, .joinTableOnToOne, .columnOnToMany, .invalidCount: ["toMany"]
    case .orderColumnWithoutOrder: ["ordered", "toMany"]
    default: []
    }
  }
}

extension [Diagnostic] {
  /// In the order of the file, those without a place first; those of one place stay in their order.
  package func sortedByPlace() -> [Diagnostic] {
    enumerated().sorted { a, b in
      let (first, second) = (a.element.range?.start, b.element.range?.start)
      guard let first, let second, first != second else {
        return (first == nil ? 0 : 1, a.offset) < (second == nil ? 0 : 1, b.offset)
      }
      return first < second
    }.map(\.element)
  }
}
