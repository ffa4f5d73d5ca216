import ArgumentParser
import MOCloneKit

extension CompletionKind {
  static var entities: CompletionKind {
    .custom { words, _, prefix in CompletionModel(words)?.entities(prefix) ?? [] }
  }

  /// The relationships of what is cloned with the entity on the line; its attributes where no relationship fits.
  static var properties: CompletionKind {
    .custom { words, _, prefix in CompletionModel(words)?.properties(prefix) ?? [] }
  }
}

/// The model that a command line under way is about.
struct CompletionModel {
  private let model: ObjectModel
  private let words: [String]

  /// Nil where no model is named or it has errors: a completion says nothing.
  init?(_ words: [String]) {
    var project = ProjectOptions()
    (project.model, project.store) = (Self.value(of: "--model", in: words), nil)
    guard let model = try? project.loadModel() else { return nil }
    self.model = model
    self.words = words
  }

  private static func value(of option: String, in words: [String]) -> String? {
    guard let place = words.firstIndex(where: { $0 == option || $0.hasPrefix(option + "=") }) else {
      return nil
    }
    let word = words[place]
    if word != option { return String(word.dropFirst(option.count + 1)) }
    return words.dropFirst(place + 1).first { $0 != "=" }
  }

  /// In the case that is being typed: `no` becomes `note`, `No` becomes `Note`.
  func entities(_ prefix: String) -> [String] {
    let isLowercase = !prefix.isEmpty && prefix == prefix.lowercased()
    return model.entities.map(\.name).map { isLowercase ? $0.lowercased() : $0 }
  }

  func properties(_ prefix: String) -> [String] {
    let relationships = entitiesInReach.flatMap { model.relationships(of: $0).map(\.name) }
    let attributes = entitiesInReach.flatMap { model.attributes(of: $0).map(\.name) }
    let isRelationship = relationships.contains { $0.hasPrefix(prefix) }
    return Set(isRelationship ? relationships : attributes).sorted()
  }

  /// The entity on the line with those that are cloned with it; all entities where the line has none yet.
  private var entitiesInReach: [String] {
    let named = words.lazy.compactMap { try? model.entityName($0) }.first
    guard let named, let plan = try? ClonePlan(model: model, entity: named) else {
      return model.entities.map(\.name)
    }
    return plan.nodes.map(\.entity)
  }
}
