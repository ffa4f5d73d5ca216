/// An attribute of an entity: its name, type, annotations and place in the store.
public struct AttributeDescription: Sendable, Hashable {
  public var name: String
  public var type: AttributeType
  public var isOptional: Bool
  public var defaultValue: AttributeValue?
  /// Transient attributes are not stored, so they are not copied.
  public var isTransient: Bool
  public var isDerived: Bool
  /// The least value, or the least length of a String; checked on insert, import and sync.
  public var minimum: Double?
  /// The greatest value, or the greatest length of a String.
  public var maximum: Double?
  /// A regular expression that the whole of a String matches.
  public var pattern: String?
  public var renamedFrom: String?
  public var userInfo: [String: String]
  /// The column, where it is not the name as the store's naming writes it.
  public var column: String?
  /// The date or UUID form of this attribute, where it is not the store's.
  public var storage: ValueStorage?
  /// The entity that declares the attribute; set by `ObjectModel`.
  public internal(set) var entity = ""

  public init(
    name: String, type: AttributeType, isOptional: Bool = false, defaultValue: AttributeValue? = nil,
    isTransient: Bool = false, isDerived: Bool = false, minimum: Double? = nil, maximum: Double? = nil,
    pattern: String? = nil, renamedFrom: String? = nil, userInfo: [String: String] = [:],
    column: String? = nil, storage: ValueStorage? = nil
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.defaultValue = defaultValue
    self.isTransient = isTransient
    self.isDerived = isDerived
    self.minimum = minimum
    self.maximum = maximum
    self.pattern = pattern
    self.renamedFrom = renamedFrom
    self.userInfo = userInfo
    self.column = column
    self.storage = storage
  }
}

/// How one attribute's dates or UUIDs are stored.
public enum ValueStorage: Sendable, Hashable {
  case date(DateStorage)
  case uuid(UUIDStorage)
}
