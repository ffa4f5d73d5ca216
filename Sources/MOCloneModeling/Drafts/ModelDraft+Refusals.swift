import MOCloneModel

extension ModelDraft {
  /// The findings for which clones would be refused.
  var refusals: [Diagnostic] {
    ModelValidator.validate(unvalidated).filter { $0.severity == .error || $0.refusesClones }
  }

  /// Applies the suggestions without which clones would be refused.
  mutating func applyNeededSuggestions() {
    let places = Set(refusals.map(\.path))
    if places.isEmpty { return }
    apply(suggestions.filter { places.contains($0.path) })
    var refused = refusals
    for suggestion in suggestions where refused.contains(where: { takesAlong($0, over: suggestion) }) {
      var draft = self
      draft.apply([suggestion])
      let rest = draft.refusals
      if rest.count < refused.count { (self, refused) = (draft, rest) }
    }
  }

  /// Whether a relationship leads to the entity that a finding is about.
  private func takesAlong(_ refusal: Diagnostic, over suggestion: Suggestion) -> Bool {
    let path = suggestion.path.components
    guard path.count == 4, path[2] == "relationships", refusal.path.components.count > 1 else { return false }
    let relationship = entities.first { $0.name == path[1] }?.relationships.first { $0.name == path[3] }
    return relationship?.destination == refusal.path.components[1]
  }

  private mutating func apply(_ needed: [Suggestion]) {
    let rest = suggestions.filter { !needed.contains($0) }
    suggestions = needed
    applySuggestions()
    suggestions = rest
  }
}
