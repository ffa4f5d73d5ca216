/// An edit of a model that a help proposes: keys that are set or removed, all together.
///
/// A finding may propose several edits, of which each one is enough.
public struct ModelEdit: Sendable, Hashable {
  /// What becomes of one key.
  public enum Step: Sendable, Hashable {
    /// The key is added with a value, or its value becomes another one; maps above it are added where they are missing.
    case set(ModelPath, String)
    /// The key is removed with its value.
    case remove(ModelPath)
  }

  /// What becomes of each key, in this order.
  public var steps: [Step]

  /// Creates an edit from its steps.
  public init(_ steps: [Step]) {
    self.steps = steps
  }
}

extension ModelEdit {
  /// An annotation of a property, added or with another value.
  static func annotate(_ property: ModelPath, _ key: String, _ value: String = "") -> ModelEdit {
    ModelEdit([.set(property / "userInfo" / key, value)])
  }

  /// An annotation that takes the place of another one.
  static func replace(_ property: ModelPath, old: String, by key: String, value: String = "") -> ModelEdit {
    ModelEdit([.remove(property / "userInfo" / old), .set(property / "userInfo" / key, value)])
  }

  static func set(_ path: ModelPath, _ value: String) -> ModelEdit {
    ModelEdit([.set(path, value)])
  }

  static func remove(_ path: ModelPath) -> ModelEdit {
    ModelEdit([.remove(path)])
  }

  static func makeOptional(_ property: ModelPath) -> ModelEdit {
    ModelEdit([.set(property / "optional", "true")])
  }

  func and(_ other: ModelEdit) -> ModelEdit {
    ModelEdit(steps + other.steps)
  }

  /// The relationships that clones follow after the edit, and perhaps did not before.
  func followed(_ keys: AnnotationKeys) -> Set<ModelPath> {
    var followed: Set<ModelPath> = []
    for step in steps {
      switch (step, step.path.components.last) {
      case (.set(_, "clone"), AnnotationKeys.onClone), (.remove, keys.exclude),
        (.remove, AnnotationKeys.onClone):
        followed.insert(step.property)
      case (.set, _): followed.remove(step.property)
      default: break
      }
    }
    return followed
  }

  /// The edit as a part of a sentence: `add 'userInfo: {exclude: ""}' to 'Note.items'`.
  var sentence: String { sentence(with: ["add", "remove", "write"]) }

  /// The edit as the subject of a sentence: `adding 'userInfo: {exclude: ""}' to 'Note.items'`.
  var gerund: String { sentence(with: ["adding", "removing", "writing"]) }

  /// The entities, attributes and relationships whose keys it changes.
  var properties: Set<ModelPath> { Set(steps.map(\.property)) }

  /// - Parameter verbs: what says that a key is added, removed, or written in place of others.
  private func sentence(with verbs: [String]) -> String {
    var properties: [ModelPath] = []
    var steps: [ModelPath: [Step]] = [:]
    for step in self.steps {
      let property = step.property
      if steps[property] == nil { properties.append(property) }
      steps[property, default: []].append(step)
    }
    return properties.map { Self.sentence(of: steps[$0]!, at: $0, verbs: verbs) }.joined(separator: " and ")
  }

  private static func sentence(of steps: [Step], at property: ModelPath, verbs: [String]) -> String {
    let removed = steps.compactMap { if case .remove(let path) = $0 { path.components.last } else { nil } }
    let keys = removed.map { "'\($0)'" }.joined(separator: " and ")
    let place = property.components.isEmpty ? "" : " '\(property.name)'"
    guard removed.count < steps.count else { return "\(verbs[1]) \(keys) from\(place)" }
    let written = "'\(text(of: steps))'"
    return removed.isEmpty
      ? "\(verbs[0]) \(written) to\(place)" : "\(verbs[2]) \(written) in place of \(keys) at\(place)"
  }

  /// The keys that are set, as they are in a file.
  private static func text(of steps: [Step]) -> String {
    var (plain, annotations) = ([String](), [String]())
    for case .set(let path, let value) in steps {
      let text = "\(path.components.last ?? ""): \(value.isEmpty ? "\"\"" : value)"
      if path.parent.components.last == "userInfo" { annotations.append(text) } else { plain.append(text) }
    }
    if !annotations.isEmpty { plain.append("userInfo: {\(annotations.joined(separator: ", "))}") }
    return plain.joined(separator: ", ")
  }
}

extension ModelEdit.Step {
  /// The attribute, relationship or entity whose key it is.
  fileprivate var property: ModelPath {
    path.parent.components.last == "userInfo" ? path.parent.parent : path.parent
  }

  /// The key itself.
  fileprivate var path: ModelPath {
    switch self {
    case .set(let path, _), .remove(let path): path
    }
  }
}

extension SyntaxNode {
  /// The tree of a model file after an edit; short forms of attributes are written out where a key is added to them.
  package func applying(_ edit: ModelEdit) -> SyntaxNode {
    edit.steps.reduce(self) { node, step in
      switch step {
      case .set(let path, let value):
        let scalar = SyntaxNode(content: .scalar(value, isPlain: !value.isEmpty), range: node.range)
        return node.changing(path.components[...], to: scalar)
      case .remove(let path): return node.changing(path.components[...], to: nil)
      }
    }
  }

  /// The tree with another value at a path, or without the key.
  private func changing(_ path: ArraySlice<String>, to new: SyntaxNode?) -> SyntaxNode {
    guard let key = path.first else { return self }
    var entries = writtenOut.entries ?? []
    let place = entries.firstIndex { $0.key == key }
    let value = place.map { entries[$0].value } ?? .emptyMap
    let inner = path.count == 1 ? new : value.changing(path.dropFirst(), to: new)
    switch (place, inner) {
    case (let place?, let inner?): entries[place].value = inner
    case (let place?, nil): entries.remove(at: place)
    case (nil, let inner?): entries.append(Entry(key: key, keyRange: range, value: inner))
    case (nil, nil): break
    }
    return SyntaxNode(content: .mapping(entries), range: range)
  }

  private static let emptyMap = SyntaxNode(content: .mapping([]), range: .point(line: 1, column: 1))

  /// `String?` as `{type: String, optional: true}`.
  private var writtenOut: SyntaxNode {
    guard let text = scalar, !isNull else { return self }
    let isOptional = text.hasSuffix("?")
    func entry(_ key: String, value: String) -> Entry {
      Entry(
        key: key, keyRange: range, value: SyntaxNode(content: .scalar(value, isPlain: true), range: range))
    }
    let type = entry("type", value: isOptional ? String(text.dropLast()) : text)
    return SyntaxNode(
      content: .mapping([type] + (isOptional ? [entry("optional", value: "true")] : [])), range: range)
  }
}
