/// What an attribute gets instead of a copy of the original's value.
package enum RebuildRule: String, Sendable, Hashable, Codable, CaseIterable {
  /// A new UUID per object
  case uuid
  /// The operation's one instant
  case now

  /// What there is to know of a rule.
  private var traits: (types: [AttributeType], summary: String, repetition: String?, makesKeys: Bool) {
    switch self {
    case .uuid: ([.uuid], "a new UUID for each object", nil, true)
    case .now: ([.date], "the one instant of the operation", "the same instant", false)
    }
  }

  /// The types of the attributes that can hold what is made.
  package var types: [AttributeType] { traits.types }

  /// What is made, in words for the reader of a model; it is never null, whatever the original holds.
  package var summary: String { traits.summary }

  /// What all objects of a clone get alike; nil where the value depends on the object.
  package var repetition: String? { traits.repetition }

  /// Whether no other object has what an object gets.
  package var isUnique: Bool { repetition == nil }

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

extension ObjectModel {
  /// What to do where clones would repeat unique values: not all can be made by a rule, or be missing.
  ///
  /// - Parameters:
  ///   - canBeRoot: whether it can be the object that is cloned, to which values can be given.
  ///   - computed: the names that the database computes, with the attributes that it computes them from as far as they are
  ///     known: only these can be made anew or given.
  package func advice(
    repeating names: [String], of entity: String, canBeRoot: Bool, computed: [String: [String]] = [:]
  ) -> String {
    let changeable = names.flatMap { computed[$0] ?? [$0] }.uniqued()
    let attributes = changeable.compactMap { attribute($0, of: entity) }
    let relationships = changeable.compactMap { relationship($0, of: entity) }
    let isUnknown = computed.isEmpty && attributes.isEmpty && relationships.isEmpty
    let isMade = attributes.contains { RebuildRule.unique(for: $0.type) != nil }
    let isLeftOut = attributes.contains(where: \.isOptional) || relationships.contains(where: \.isOptional)
    let rules = [isMade || isUnknown ? "'rebuild'" : nil, isLeftOut || isUnknown ? "'exclude'" : nil]
      .compactMap(\.self)
    let places = changeable.map { "'\($0)'" }.alternatives
    let place = computed.isEmpty ? (names.count > 1 ? "one of them" : "it") : places
    let annotation = "annotate \(place) with \(rules.alternatives)"
    if canBeRoot {
      let results = computed.keys.sorted().map { "'\($0)'" }.joined(separator: " and ")
      let given =
        changeable.isEmpty
        ? "give what the database computes \(results) from a new value with --set"
        : computed.isEmpty
          ? "give a new value with --set"
          : "give \(places) a new value with --set, since the database computes \(results)"
      return (rules.isEmpty ? "" : annotation + ", or ") + given
    }
    return rules.isEmpty ? "exclude a relationship over which a clone comes to such objects" : annotation
  }
}
