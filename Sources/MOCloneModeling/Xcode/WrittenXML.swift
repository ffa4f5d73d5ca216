import MOCloneModel

/// What is kept of an element under `x-coredata`, on its way back into the XML.
struct WrittenXML {
  private var values: [String: ExtensionValue]
  /// Keys of one's own that are not the XML's.
  let otherKeys: [String]
  /// Whether something cannot be an attribute or an element.
  private(set) var isMalformed = false

  init(_ extensions: [String: ExtensionValue]) {
    otherKeys = extensions.keys.filter { $0 != KeptXML.key }.sorted()
    switch extensions[KeptXML.key] {
    case .map(let values): self.values = values
    case nil: values = [:]
    case .text, .list:
      values = [:]
      isMalformed = true
    }
    for (name, value) in values where !Self.isXML(name, value: value) {
      isMalformed = true
      values[name] = nil
    }
  }

  func has(_ name: String) -> Bool { values[name] != nil }

  /// An element of a list, which is no longer among the others.
  mutating func takeElement(_ kind: String, named name: String) -> XcodeElement? {
    guard case .list(let items)? = values[kind],
      let place = items.firstIndex(where: { Self.element(kind, value: $0)?["name"] == name })
    else { return nil }
    var rest = items
    let element = Self.element(kind, value: rest.remove(at: place))
    values[kind] = rest.isEmpty ? nil : .list(rest)
    return element
  }

  /// Adds everything; an attribute takes the place of one that is there, and an empty one removes it.
  func add(to element: inout XcodeElement) {
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      switch value {
      case .text(let text):
        let isSaid = element.attribute(name) != nil
        element.attributes.removeAll { $0.name == name }
        if !(isSaid && text.isEmpty) { element.set(name, text) }
      case .list(let items): element.children += items.compactMap { Self.element(name, value: $0) }
      case .map(let userInfo):
        if name == "userInfo", let child = Self.userInfo(userInfo) { element.children.append(child) }
      }
    }
  }

  private static func element(_ name: String, value: ExtensionValue) -> XcodeElement? {
    guard case .map(let values) = value else { return nil }
    var element = XcodeElement(name: name)
    WrittenXML([KeptXML.key: .map(values)]).add(to: &element)
    element.sortAttributes()
    return element
  }

  private static func userInfo(_ values: [String: ExtensionValue]) -> XcodeElement? {
    .userInfo(values.compactMapValues { if case .text(let text) = $0 { text } else { nil } })
  }

  /// A string is an attribute, a list of maps are elements, a map is `userInfo`.
  private static func isXML(_ name: String, value: ExtensionValue) -> Bool {
    guard isName(name) else { return false }
    switch value {
    case .text: return true
    case .map(let values): return name == "userInfo" && values.values.allSatisfy(\.isText)
    case .list(let items):
      return items.allSatisfy { item in
        guard case .map(let values) = item else { return false }
        return values.allSatisfy { isXML($0.key, value: $0.value) }
      }
    }
  }

  private static func isName(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, first == "_" || first.properties.isAlphabetic else {
      return false
    }
    return name.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || "_-.:0123456789".unicodeScalars.contains($0)
    }
  }
}

extension ExtensionValue {
  fileprivate var isText: Bool { if case .text = self { true } else { false } }
}

extension XcodeElement {
  /// The order in which Xcode writes attributes; what it does not know comes last.
  private static let order = [
    "name", "representedClassName", "isAbstract", "parentEntity", "optional", "transient", "toMany",
    "minCount",
    "maxCount", "deletionRule", "ordered", "destinationEntity", "inverseName", "inverseEntity",
    "attributeType",
    "minDateTimeInterval", "minValueString", "maxDateTimeInterval", "maxValueString",
    "defaultDateTimeInterval",
    "defaultValueString", "regularExpressionString", "derived", "derivationExpression",
    "valueTransformerName",
    "customClassName", "allowsExternalBinaryDataStorage", "usesScalarValueType", "preserveAfterDeletion",
    "spotlightIndexingEnabled", "elementID", "versionHashModifier", "syncable", "codeGenerationType", "type",
    "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion", "sourceLanguage",
    "userDefinedModelVersionIdentifier", "key", "value",
  ]
  private static let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })

  mutating func sortAttributes() {
    attributes.sort { a, b in
      let (first, second) = (Self.places[a.name] ?? .max, Self.places[b.name] ?? .max)
      return first == second ? a.name < b.name : first < second
    }
  }
}
