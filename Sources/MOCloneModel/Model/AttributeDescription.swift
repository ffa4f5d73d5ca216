/// An attribute of an entity: its name, type, annotations and place in the store.
public struct AttributeDescription: Sendable, Hashable {
  /// The name, unique among the properties of the entity and those it inherits.
  public var name: String
  /// The type of the values.
  public var type: AttributeType
  /// Whether the value may be null.
  public var isOptional: Bool
  /// The value of new objects and of excluded attributes; nil represents null.
  public var defaultValue: AttributeValue?
  /// Transient attributes are not stored, so they are not copied.
  public var isTransient: Bool
  /// What keeps the value, where nobody writes it; nil for a plain attribute.
  public var derivation: Derivation?
  /// The least value, or the least length of a String; checked on insert, import and sync.
  public var minimum: ValueLimit?
  /// The greatest value, or the greatest length of a String.
  public var maximum: ValueLimit?
  /// A regular expression that the whole of a String matches.
  public var pattern: String?
  /// The name in older stores, as in Core Data; kept with the model, but no operation reads it.
  public var renamedFrom: String?
  /// The annotations and the project's own notes; unknown keys are ignored.
  public var userInfo: [String: String]
  /// The column, if its name does not follow from the store's naming.
  public var column: String?
  /// The date or UUID form of this attribute, where it is not the store's.
  public var storage: ValueStorage?
  /// The keys of one's own, which begin with `x-`: kept with the model, but no operation reads them.
  public var extensions: [String: ExtensionValue]
  /// The entity that declares the attribute; set by `ObjectModel`.
  public internal(set) var entity = ""

  /// Creates an attribute; by default it is required, stored, and has no default value.
  public init(
    name: String, type: AttributeType, isOptional: Bool = false, defaultValue: AttributeValue? = nil,
    isTransient: Bool = false, derivation: Derivation? = nil, minimum: ValueLimit? = nil,
    maximum: ValueLimit? = nil,
    pattern: String? = nil, renamedFrom: String? = nil, userInfo: [String: String] = [:],
    column: String? = nil, storage: ValueStorage? = nil, extensions: [String: ExtensionValue] = [:]
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.defaultValue = defaultValue
    self.isTransient = isTransient
    self.derivation = derivation
    self.minimum = minimum
    self.maximum = maximum
    self.pattern = pattern
    self.renamedFrom = renamedFrom
    self.userInfo = userInfo
    self.column = column
    self.storage = storage
    self.extensions = extensions
  }
}

extension AttributeDescription {
  /// Whether the value follows from others, so that no operation moves or compares it.
  public var isDerived: Bool { derivation != nil }

  /// Whether the store's triggers keep the value: every insert writes its default.
  public var isKeptByTriggers: Bool { derivation == .trigger }

  /// What every insert writes where triggers keep the value, and what an excluded attribute holds: the default, else null.
  package var blank: AttributeValue { defaultValue ?? .null }
}

/// What keeps the value of a derived attribute.
public enum Derivation: String, Sendable, Hashable, CaseIterable {
  /// It is computed from other values, as that of a generated column is.
  case computed = "true"
  /// The store's triggers keep it, such as a counter of members or a search column.
  ///
  /// Every insert writes the attribute's default, in clones and in moves, and the triggers do the rest; objects that exist
  /// are never written there. A graph in memory has no triggers, so there a new object keeps the default.
  case trigger
}

/// How one attribute's dates or UUIDs are stored.
public enum ValueStorage: Sendable, Hashable {
  /// The form of the dates of a Date attribute.
  case date(DateStorage)
  /// The form of the UUIDs of a UUID attribute.
  case uuid(UUIDStorage)
}
