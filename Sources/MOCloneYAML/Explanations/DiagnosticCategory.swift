import MOCloneModel

/// What a code is about.
package enum DiagnosticCategory: String, Sendable, Hashable, Codable, CaseIterable {
  /// The file and its YAML.
  case file
  /// Keys and values of the model file.
  case format
  /// Entities, attributes and relationships.
  case structure
  /// Where a model is in SQL.
  case mapping
  case annotations
  /// What a clone would contain.
  case graph
  /// A database that disagrees with the model.
  case database
  /// What clones hold otherwise after a change of the model.
  case difference
  /// Comments and files that accept findings.
  case report
  /// Errors of a run.
  case run
}

extension DiagnosticCode {
  /// What the code is about: the part of the explanations that it is in.
  package var category: DiagnosticCategory {
    Self.categories[self] ?? .run
  }

  private static let categories: [DiagnosticCode: DiagnosticCategory] =
    Explanation.parts.reduce(into: [:]) { all, part in
      for code in part.explanations.keys { all[code] = part.category }
    }
}
