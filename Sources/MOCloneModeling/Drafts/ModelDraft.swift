import MOCloneModel

/// A model that was read from a database or from Xcode's files, not validated yet, with what a person should know of it.
///
/// ```swift
/// let draft = try ModelDraft(contentsOf: URL(fileURLWithPath: "chinook.sqlite"))
/// print(draft.yaml)
/// let model = try draft.model()
/// ```
public struct ModelDraft: Sendable {
  /// The name of the model.
  public var name: String
  /// The names of the annotation keys in `userInfo`.
  public var userInfoKeys: AnnotationKeys
  /// How the model is stored in SQL.
  public var store: StoreOptions
  /// The entities in the order of the source.
  public var entities: [EntityDescription]
  /// The keys of the model that begin with `x-`.
  public var extensions: [String: ExtensionValue]
  /// Lines that the file has as comments above a place; those of `ModelPath.model` are at the top.
  public var comments: [ModelPath: [String]]
  /// Annotations that would fit, each with its reason: comments in the file, or applied.
  public var suggestions: [Suggestion]
  /// What the model file has no place for, each in a sentence.
  public var omissions: [String]
  /// How many relationships that the database does not declare are proposed in comments.
  package var proposedRelationships = 0
  /// All tables and columns of the database that the draft was made from, those left out included. Nil for a source that
  /// declares its model, so that nothing in it was found by looking at values.
  package var shape: SourceShape?

  /// Creates a draft; without entities it is not a model yet.
  public init(
    name: String, userInfoKeys: AnnotationKeys = .default, store: StoreOptions = StoreOptions(),
    entities: [EntityDescription] = [], extensions: [String: ExtensionValue] = [:]
  ) {
    self.name = name
    self.userInfoKeys = userInfoKeys
    self.store = store
    self.entities = entities
    self.extensions = extensions
    comments = [:]
    suggestions = []
    omissions = []
  }

  /// Creates a draft of a model that exists, to be written as text.
  public init(_ model: ObjectModel) {
    self.init(
      name: model.name, userInfoKeys: model.userInfoKeys, store: model.store, entities: model.entities,
      extensions: model.extensions)
  }

  /// Resolves and validates the model.
  ///
  /// - Throws: `ModelError` with every finding, where at least one is an error.
  public func model() throws(ModelError) -> ObjectModel {
    try ObjectModel(
      name: name, userInfoKeys: userInfoKeys, store: store, entities: entities, extensions: extensions)
  }

  /// Whether the source has tables to make a model of, or some of a model that people made of it.
  package func hasTables(of known: Set<String>) -> Bool {
    !entities.isEmpty || known.contains { shape?.has($0) == true }
  }

  /// The model without validation, to be printed or compared.
  package var unvalidated: ObjectModel {
    ObjectModel(
      unvalidated: name, userInfoKeys: userInfoKeys, store: store, entities: entities, extensions: extensions)
  }
}

extension ModelDraft {
  /// An annotation that would fit a property, and why.
  public struct Suggestion: Sendable, Hashable {
    /// What would be written.
    public enum Edit: Sendable, Hashable {
      /// A key of `userInfo` with its value.
      case annotate(key: String, value: String)
      /// The attribute's `derived`.
      case derive(Derivation)
    }

    /// The attribute or relationship, by the entity that declares it.
    public var path: ModelPath
    /// What would be written.
    public var edit: Edit
    /// Why, in half a sentence.
    public var reason: String

    /// Creates a suggestion.
    public init(at path: ModelPath, _ edit: Edit, reason: String) {
      self.path = path
      self.edit = edit
      self.reason = reason
    }
  }

  /// Applies every suggestion to its property, and keeps the reasons as comments.
  ///
  /// What a person has annotated already stays as it is.
  public mutating func applySuggestions() {
    let places = Dictionary(entities.enumerated().map { ($1.name, $0) }) { first, _ in first }
    for suggestion in suggestions where apply(suggestion, places) {
      comments[suggestion.path, default: []].append(suggestion.reason)
    }
    suggestions = []
  }

  /// Whether there is such a property, and nothing stood there.
  ///
  /// - Parameter places: where the entities are, by name.
  private mutating func apply(_ suggestion: Suggestion, _ places: [String: Int]) -> Bool {
    let path = suggestion.path.components
    guard path.count == 4, let entity = places[path[1]] else { return false }
    if let i = entities[entity].attributes.firstIndex(where: { $0.name == path[3] }), path[2] == "attributes"
    {
      return suggestion.edit.apply(to: &entities[entity].attributes[i])
    }
    if let i = entities[entity].relationships.firstIndex(where: { $0.name == path[3] }),
      path[2] == "relationships"
    {
      return suggestion.edit.annotate(&entities[entity].relationships[i].userInfo)
    }
    return false
  }
}

extension ModelDraft.Suggestion.Edit {
  fileprivate func apply(to attribute: inout AttributeDescription) -> Bool {
    guard case .derive(let derivation) = self else { return annotate(&attribute.userInfo) }
    guard attribute.derivation == nil else { return false }
    attribute.derivation = derivation
    return true
  }

  fileprivate func annotate(_ userInfo: inout [String: String]) -> Bool {
    guard case .annotate(let key, let value) = self, userInfo[key] == nil else { return false }
    userInfo[key] = value
    return true
  }
}
