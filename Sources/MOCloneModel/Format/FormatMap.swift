/// A map of a file format: the one table of its keys, by which the parser reads it and the JSON Schema describes it.
package struct FormatMap: Sendable {
  /// The name of the schema's definition.
  package let name: String
  package let summary: String
  package let keys: [FormatKey]
  /// The names of the keys, as the parser asks for them.
  package let names: [String]

  package init(_ name: String, summary: String, keys: [FormatKey]) {
    self.name = name
    self.summary = summary
    self.keys = keys
    names = keys.map(\.name)
  }
}

/// A key of a map: its value and what it means.
package struct FormatKey: Sendable {
  package let name: String
  package let value: FormatValue
  package let summary: String
  package let isRequired: Bool

  package init(_ name: String, value: FormatValue, summary: String, isRequired: Bool = false) {
    self.name = name
    self.value = value
    self.summary = summary
    self.isRequired = isRequired
  }
}

/// The value of a key.
package indirect enum FormatValue: Sendable {
  /// The number of the format's version.
  case version
  case string
  case boolean
  /// True, false, or one of some words.
  case booleanOr([String])
  case integer
  case number
  case choice([String])
  /// A value of the attribute's type.
  case anyValue
  /// A name or a list of names.
  case strings
  /// A list of names and of lists of names.
  case listOfStrings
  case map(FormatMap)
  /// A map that holds itself.
  case later(@Sendable () -> FormatMap)
  /// A map whose keys are names that the user chooses.
  case named(FormatValue)
  /// A name, a map, or a list of both.
  case columns(FormatMap)
  /// An attribute's type, with a question mark where it is optional.
  case type
  /// A type alone or a map.
  case attribute
  /// A map of strings, in which some keys are annotations.
  case userInfo([FormatKey])
  /// One of some words in upper or lower case, where the annotation's key has no other name.
  case annotation([String])

  /// One of the cases of a setting.
  package static func choice<T: RawRepresentable<String> & CaseIterable>(of type: T.Type) -> FormatValue {
    .choice(T.words)
  }
}

extension RawRepresentable<String> where Self: CaseIterable {
  /// How the cases are written. A key path would be made anew by each call, since the type is generic.
  package static var words: [String] { allCases.map { $0.rawValue } }
}
