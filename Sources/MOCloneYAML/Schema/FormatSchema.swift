import MOCloneModel

/// The JSON Schema (draft-07) of a file format, by which editors complete, explain and check it.
///
/// It is made of the table of keys that the parser reads by. What it cannot know (names that lead to other names,
/// values that fit their types) is left to `moclone validate`.
///
/// ```swift
/// print(FormatSchema.model)
/// ```
package struct FormatSchema: Sendable, CustomStringConvertible {
  /// The schema of model files.
  package static let model = FormatSchema(.model, title: "A model of moclone")
  /// The schema of `moclone.yml`.
  package static let settings = FormatSchema(.settings, title: "The project file of moclone")

  /// The schema of the mapping files of imports.
  package static let importMapping = FormatSchema(.importMapping, title: "A mapping of moclone import")

  private let root: FormatMap
  private let title: String

  private init(_ root: FormatMap, title: String) {
    self.root = root
    self.title = title
  }

  /// The schema as JSON.
  package var description: String {
    var head: [(String, JSONText)] = [
      ("$schema", "http://json-schema.org/draft-07/schema#"), ("title", .string(title)),
    ]
    head += Self.fields(of: root)
    let definitions = Self.maps(below: root).map { ($0.name, JSONText.object(Self.fields(of: $0))) }
    if !definitions.isEmpty { head.append(("definitions", .object(definitions))) }
    return JSONText.object(head).text + "\n"
  }

  /// The maps that a map leads to, each once.
  private static func maps(below root: FormatMap) -> [FormatMap] {
    var found: [FormatMap] = []
    var pending = [root]
    while !pending.isEmpty {
      let below = pending.removeFirst().keys.compactMap(\.value.map)
      for map in below where !found.contains(where: { $0.name == map.name }) {
        found.append(map)
        pending.append(map)
      }
    }
    return found
  }

  private static func fields(of map: FormatMap) -> [(String, JSONText)] {
    let required = map.keys.filter(\.isRequired).map { JSONText.string($0.name) }
    var fields: [(String, JSONText)] = [
      ("description", .string(map.summary)), ("type", "object"),
      ("properties", .object(map.keys.map { ($0.name, property($0)) })), ("patternProperties", ["^x-": [:]]),
      ("additionalProperties", .boolean(false)),
    ]
    if !required.isEmpty { fields.append(("required", .array(required))) }
    if map.name == FormatMap.model.name { fields += AnnotationSchema.check }
    if map.name == FormatMap.attribute.name { fields.append(("allOf", .array(storageByType))) }
    return fields
  }

  private static func property(_ key: FormatKey) -> JSONText {
    .object([("description", .string(key.summary))] + key.value.schema)
  }

  /// Dates and UUIDs have forms of their own, other types have none.
  private static var storageByType: [JSONText] {
    func rule(_ types: [AttributeType], _ storage: JSONText) -> JSONText {
      let condition: JSONText = [
        "properties": ["type": ["enum": .array(types.flatMap(\.spellings))]], "required": ["type"],
      ]
      return ["if": condition, "then": ["properties": ["storage": storage]]]
    }
    let others = AttributeType.allCases.filter { $0 != .date && $0 != .uuid }
    return [
      rule([.date], ["enum": .array(DateStorage.allCases.map { .string($0.rawValue) })]),
      rule([.uuid], ["enum": .array(UUIDStorage.allCases.map { .string($0.rawValue) })]),
      rule(others, .boolean(false)),
    ]
  }
}

extension AttributeType {
  /// The type as it is written: required and optional.
  fileprivate var spellings: [JSONText] { [.string(rawValue), .string(rawValue + "?")] }
}

extension FormatValue {
  /// The map that has a definition of its own.
  fileprivate var map: FormatMap? {
    switch self {
    case .map(let map), .columns(let map): map
    case .later(let map): map()
    case .named(let value): value.map
    case .attribute: .attribute
    default: nil
    }
  }

  /// What the schema says of a value.
  fileprivate var schema: [(String, JSONText)] {
    switch self {
    case .version: [("const", .integer(1))]
    case .string: Self.oneText
    case .boolean: [("type", "boolean")]
    case .booleanOr(let words):
      [("anyOf", [["type": "boolean"], ["enum": .array(words.map { .string($0) })]])]
    case .integer: [("type", "integer")]
    case .number: [("type", "number")]
    case .choice(let choices): [("enum", .array(choices.map { .string($0) }))]
    case .anyValue, .annotation: Self.textOrNothing
    case .strings: [("anyOf", [.object(Self.oneText), ["type": "array", "items": .object(Self.oneText)]])]
    case .listOfStrings:
      [
        ("type", ["array", "null"]),
        (
          "items",
          [
            "anyOf": [
              .object(Self.oneText),
              ["type": "array", "items": .object(Self.oneText), "minItems": .integer(1)],
            ]
          ]
        ),
      ]
    case .map(let map): Self.nothing(or: map)
    case .later(let map): Self.nothing(or: map())
    case .named(let value):
      [
        ("type", ["object", "null"]), ("patternProperties", ["^x-": [:]]),
        ("additionalProperties", .object(value.schema)),
      ]
    case .columns(let map):
      [("anyOf", [Self.column(map), ["type": "array", "items": Self.column(map), "minItems": .integer(1)]])]
    case .type: [("enum", .array(AttributeType.allCases.flatMap(\.spellings)))]
    case .attribute: [("anyOf", [.object(FormatValue.type.schema), Self.reference(.attribute)])]
    case .userInfo(let keys):
      [
        ("type", ["object", "null"]),
        (
          "properties",
          .object(
            keys.map { key in
              (key.name, .object([("description", .string(key.summary))] + Self.annotation(key.value)))
            })
        ),
        ("additionalProperties", .object(Self.textOrNothing)),
      ]
    }
  }

  /// An annotation's words are offered; whether another one is a fault depends on the names of the keys.
  private static func annotation(_ value: FormatValue) -> [(String, JSONText)] {
    guard case .annotation(let words) = value else { return textOrNothing }
    return [("anyOf", [["enum": .array(words.map { .string($0) })], .object(textOrNothing)])]
  }

  /// YAML takes some strings for numbers or Booleans; as names they are strings all the same.
  private static let oneText: [(String, JSONText)] = [("type", ["string", "number", "boolean"])]
  private static let textOrNothing: [(String, JSONText)] = [
    ("type", ["string", "number", "boolean", "null"])
  ]

  private static func column(_ map: FormatMap) -> JSONText {
    ["anyOf": [.object(oneText), reference(map)]]
  }

  /// Nothing represents an empty map, where that is no map that lacks a key.
  private static func nothing(or map: FormatMap) -> [(String, JSONText)] {
    let needsKeys = map.keys.contains(where: \.isRequired)
    return needsKeys ? [("$ref", place(of: map))] : [("anyOf", [reference(map), ["type": "null"]])]
  }

  private static func reference(_ map: FormatMap) -> JSONText {
    ["$ref": place(of: map)]
  }

  private static func place(of map: FormatMap) -> JSONText {
    .string("#/definitions/\(map.name)")
  }
}
