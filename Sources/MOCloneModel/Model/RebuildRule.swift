/// What an attribute gets instead of a copy of the original's value.
package enum RebuildRule: String, Sendable, Hashable, Codable, CaseIterable {
  /// A new UUID per object
  case uuid
  /// The operation's one instant
  case now

  /// The types of the attributes that can hold what is made.
  package var types: [AttributeType] {
    switch self {
    case .uuid: [.uuid]
    case .now: [.date]
    }
  }

  /// What is made, in words for the reader of a model.
  package var summary: String {
    switch self {
    case .uuid: "a new UUID for each object"
    case .now: "the one instant of the operation"
    }
  }

  /// Whether no other object has what an object gets.
  package var isUnique: Bool {
    switch self {
    case .uuid: true
    case .now: false
    }
  }

  /// What all objects of a clone get alike; nil where the value depends on the object.
  package var repetition: String? {
    switch self {
    case .uuid: nil
    case .now: "the same instant"
    }
  }

  /// Whether what is made is never null, whatever the original holds.
  package var makesValues: Bool {
    switch self {
    case .uuid, .now: true
    }
  }
}
