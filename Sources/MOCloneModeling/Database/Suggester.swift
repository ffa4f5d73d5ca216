import MOCloneModel
import MOCloneSQL

/// Finds annotations that would fit a model that was imported from a database.
struct Suggester {
  let db: any SQLConnection
  let shape: DatabaseShape
  let draft: ModelDraft
  let model: ObjectModel
  let mapping: SchemaMapping
  /// The entities that have a table of their own, with it.
  let homes: [(entity: EntityDescription, table: DatabaseTable)]
  /// Where the model has a warning that suggestions must not add.
  private let known: Set<ModelPath>

  init(db: any SQLConnection, shape: DatabaseShape, draft: ModelDraft) {
    self.db = db
    self.shape = shape
    self.draft = draft
    let model = draft.unvalidated
    self.model = model
    known = Set(ModelValidator.validate(model).filter { $0.code == .oneSidedExclude }.map(\.path))
    let mapping = shape.contents.mapping(model)
    self.mapping = mapping
    homes = model.entities.compactMap { entity in
      entity.parent == nil ? shape.contents[mapping[entity.name].table].map { (entity, $0) } : nil
    }
  }

  /// Those that leave the model valid, one for each property and key.
  func suggestions() throws -> [ModelDraft.Suggestion] {
    let (kept, unique) = (keptByTriggers, uniqueSuggestions())
    let attributes = attributeSuggestions(kept)
    let renewed = attributes.filter { $0.key == model.userInfoKeys.rebuild }.map(\.path)
    var all =
      attributes + unique.all + relationshipSuggestions(besides: unique.settled)
      + (try followSuggestions(besides: kept.map(\.attribute), renewed: Set(renewed)))
    all = sound(withoutRepetitions(all))
    // What is left out can make another list repeat values, and what the validator warns of can lead to the next warning.
    for _ in 0..<Self.mostRounds {
      let unique = uniqueSuggestions(beside: all)
      let more = sound(
        withoutRepetitions(
          all + unique.all + aggregateSuggestions(besides: all, keeping: Set(unique.kept.keys))))
      if more.count == all.count { break }
      all = more
    }
    return sound(withoutRepetitions(all + treeSuggestions(beside: all)))
  }

  private static let mostRounds = 8

  private func withoutRepetitions(_ suggestions: [ModelDraft.Suggestion]) -> [ModelDraft.Suggestion] {
    suggestions.uniqued { $0.path.components + [$0.key] }
  }

  /// Applied, none of them may be an error, or undone by the other side of its relationship.
  private func sound(_ suggestions: [ModelDraft.Suggestion]) -> [ModelDraft.Suggestion] {
    var rest = suggestions
    while !rest.isEmpty {
      let faults = faults(of: applied(rest))
      if faults.isEmpty { return rest }
      let places = Set(faults.map { $0.path.components.prefix(4) })
      let left = rest.filter { !places.contains($0.path.components[...]) }
      if left.count == rest.count { return [] }
      rest = left
    }
    return rest
  }

  func applied(_ suggestions: [ModelDraft.Suggestion]) -> ObjectModel { annotated(suggestions).unvalidated }

  private func annotated(_ suggestions: [ModelDraft.Suggestion]) -> ModelDraft {
    var draft = draft
    draft.suggestions = suggestions
    draft.applySuggestions()
    return draft
  }

  /// What is suggested for the sake of unique values where some suggestions are applied.
  private func uniqueSuggestions(beside others: [ModelDraft.Suggestion]) -> UniqueSuggestions {
    Suggester(db: db, shape: shape, draft: annotated(others)).uniqueSuggestions()
  }

  /// What people should know of properties to which nothing is suggested.
  func remarks(beside suggestions: [ModelDraft.Suggestion]) -> [ModelPath: [String]] {
    uniqueSuggestions(beside: suggestions).kept.filter { !$0.value.isEmpty }
      .merging(comparedDates) { $0 + $1 }
  }

  private func faults(of model: ObjectModel) -> [Diagnostic] {
    let findings =
      ModelValidator.validate(model) + shape.contents.findings(model)
    return findings.filter {
      $0.severity == .error
        || $0.code == .oneSidedExclude && $0.severity == .warning && !known.contains($0.path)
    }
  }

  // MARK: What the entities are made of

  func forward(_ reference: TableReference) -> RelationshipDescription? {
    let columns = reference.columns.map(\.sqlName)
    return model.relationships(of: shape.entities[reference.table]).first { relationship in
      guard let key = mapping[relationship.entity].foreignKey(relationship.name) else { return false }
      return key.columns.map(\.sqlName) == columns
    }
  }

  /// The way back, where a clone of the target takes the rows of the reference along.
  func owning(_ reference: TableReference) -> RelationshipDescription? {
    guard let back = forward(reference).flatMap(model.inverse(of:)), back.userInfo.isEmpty else { return nil }
    return back
  }

  func exclude(_ relationship: RelationshipDescription, _ reason: String) -> ModelDraft.Suggestion {
    ModelDraft.Suggestion(
      at: .relationship(relationship), .annotate(key: model.userInfoKeys.exclude, value: ""), reason: reason)
  }
}

extension ModelDraft.Suggestion {
  fileprivate var key: String {
    switch edit {
    case .annotate(let key, _): key
    case .derive: "derived"
    }
  }
}
