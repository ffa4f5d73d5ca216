/// What an attribute gets instead of a copy of the original's value.
package enum RebuildRule: String, Sendable, Hashable, Codable, CaseIterable {
  /// A new UUID per object
  case uuid
  /// The operation's one instant
  case now

  /// What there is to know of a rule.
  private struct Traits {
    var types: [AttributeType]
    var summary: String
    var isUnique: Bool
    var repetition: String?
    var makesValues: Bool
    var makesKeys: Bool
  }

  private var traits: Traits {
    switch self {
    case .uuid:
      Traits(
        types: [.uuid], summary: "a new UUID for each object", isUnique: true, makesValues: true,
        makesKeys: true)
    case .now:
      Traits(
        types: [.date], summary: "the one instant of the operation", isUnique: false,
        repetition: "the same instant", makesValues: true, makesKeys: false)
    }
  }

  /// The types of the attributes that can hold what is made.
  package var types: [AttributeType] { traits.types }

  /// What is made, in words for the reader of a model.
  package var summary: String { traits.summary }

  /// Whether no other object has what an object gets.
  package var isUnique: Bool { traits.isUnique }

  /// What all objects of a clone get alike; nil where the value depends on the object.
  package var repetition: String? { traits.repetition }

  /// Whether what is made is never null, whatever the original holds.
  package var makesValues: Bool { traits.makesValues }

  /// Whether an attribute can have it that is another name for a key, which the store then makes in this way.
  package var makesKeys: Bool { traits.makesKeys }

  /// The rule that gives each object a value of a type that no other object has; nil where there is none.
  package static func unique(for type: AttributeType) -> RebuildRule? {
    allCases.first { $0.isUnique && $0.types.contains(type) }
  }

  /// What makes values unique, as a model writes it: `rebuild: uuid`.
  package static var uniqueAnnotations: [String] {
    allCases.filter(\.isUnique).map { "rebuild: \($0.rawValue)" }
  }
}
