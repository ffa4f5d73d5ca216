/// The keys of annotations, whatever a model calls them.
enum AnnotationKey: CaseIterable {
  case exclude, rebuild, followParent, withoutParent, onClone

  func name(_ keys: AnnotationKeys) -> String {
    switch self {
    case .exclude: keys.exclude
    case .rebuild: keys.rebuild
    case .followParent: keys.followParent
    case .withoutParent: keys.withoutParent
    case .onClone: AnnotationKeys.onClone
    }
  }
}

/// The annotations of one `userInfo` as written, where a misspelt key counts as the one that was meant.
struct WrittenAnnotations {
  /// The key as written, and its value.
  private(set) var entries: [AnnotationKey: (key: String, value: String)] = [:]
  private(set) var misspelt: [(key: String, meant: String)] = []
  let meaning: CloneAnnotations

  /// Those of most properties.
  static let none = WrittenAnnotations([:], keys: .default)

  init(_ userInfo: [String: String], keys: AnnotationKeys) {
    var corrected: [String: String] = [:]
    for annotation in AnnotationKey.allCases {
      let name = annotation.name(keys)
      guard let value = userInfo[name] else { continue }
      entries[annotation] = (name, value)
      corrected[name] = value
    }
    for (key, value) in Self.others(in: userInfo, beside: corrected, keys: keys) {
      guard let meant = AnnotationKey.allCases.first(where: { Self.isSlip(key, name: $0.name(keys)) }) else {
        continue
      }
      misspelt.append((key, meant.name(keys)))
      if entries[meant] == nil { entries[meant] = (key, value) }
      if corrected[meant.name(keys)] == nil { corrected[meant.name(keys)] = value }
    }
    meaning = CloneAnnotations(userInfo: corrected, keys: keys)
  }

  /// What is not spelt as an annotation. A standard word that is renamed away is the project's own, however near the new
  /// one is.
  private static func others(
    in userInfo: [String: String], beside annotations: [String: String], keys: AnnotationKeys
  ) -> [(key: String, value: String)] {
    if annotations.count == userInfo.count { return [] }
    let known = Set(AnnotationKey.allCases.flatMap { [$0.name(keys), $0.name(.default)] })
    return userInfo.filter { !known.contains($0.key) }.sorted { $0.key < $1.key }
  }

  var isEmpty: Bool { entries.isEmpty }
  var present: [AnnotationKey] { AnnotationKey.allCases.filter { entries[$0] != nil } }

  func has(_ annotation: AnnotationKey) -> Bool { entries[annotation] != nil }

  /// The value in lower case, as values are compared.
  func value(_ annotation: AnnotationKey) -> String? { entries[annotation]?.value.lowercased() }

  /// The key as it is written, for messages and paths.
  func key(_ annotation: AnnotationKey) -> String { entries[annotation]?.key ?? "" }

  /// One edit or other case; names too short for that are compared without case only.
  private static func isSlip(_ key: String, name: String) -> Bool {
    let (a, b) = (Array(key.lowercased().unicodeScalars), Array(name.lowercased().unicodeScalars))
    return editDistance(a, b, limit: b.count < 4 ? 0 : 1) != nil
  }
}

/// An attribute or a relationship.
protocol AnnotatedProperty {
  var userInfo: [String: String] { get }
  var path: ModelPath { get }
  var quoted: String { get }
}

extension AttributeDescription: AnnotatedProperty {
  var path: ModelPath { .attribute(self) }
}

extension RelationshipDescription: AnnotatedProperty {
  var path: ModelPath { .relationship(self) }
}

/// An attribute or relationship beside its annotations; an object, since many lists hold it.
final class Annotated<Property: AnnotatedProperty> {
  let property: Property
  let annotations: WrittenAnnotations
  var path: ModelPath { property.path }
  var quoted: String { property.quoted }

  init(_ property: Property, annotations: WrittenAnnotations) {
    self.property = property
    self.annotations = annotations
  }

  func path(_ annotation: AnnotationKey) -> ModelPath {
    path / "userInfo" / annotations.key(annotation)
  }

  /// An annotation taken away; `withoutParent` means nothing without `followParent`.
  func removal(of annotation: AnnotationKey) -> ModelEdit {
    let all: [AnnotationKey] = annotation == .followParent ? [.followParent, .withoutParent] : [annotation]
    return ModelEdit(all.filter(annotations.has).map { .remove(path($0)) })
  }
}

extension ModelChecks {
  func written(_ userInfo: [String: String]) -> WrittenAnnotations {
    userInfo.isEmpty ? .none : WrittenAnnotations(userInfo, keys: keys)
  }

  func annotated<P>(_ property: P) -> Annotated<P> {
    Annotated(property, annotations: written(property.userInfo))
  }

  /// Those that have annotations.
  func annotated<P>(among properties: some Sequence<P>) -> [Annotated<P>] {
    properties.compactMap { property in
      guard !property.userInfo.isEmpty else { return nil }
      let annotated = annotated(property)
      return annotated.annotations.isEmpty ? nil : annotated
    }
  }

  /// Whether an attribute is another name for a part of its entity's key.
  func isInKey(_ attribute: AttributeDescription) -> Bool {
    mapping[attribute.entity].attributes[attribute.name]?.keyPart != nil
  }
}
