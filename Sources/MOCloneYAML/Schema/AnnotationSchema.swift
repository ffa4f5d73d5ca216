import MOCloneModel

/// The values of annotations in a schema.
///
/// They are checked where the model gives the keys no other names: with other names a `rebuild` in `userInfo` is another tool's.
enum AnnotationSchema {
  /// The condition and what holds then, as keys of the model's schema.
  static var check: [(String, JSONText)] {
    [
      ("if", ["properties": ["userInfoKeys": .boolean(false)]]),
      (
        "then",
        [
          "properties": [
            "entities": named([
              "attributes": named(userInfo(.attribute)), "relationships": named(userInfo(.relationship)),
            ])
          ]
        ]
      ),
    ]
  }

  /// A map of names, each of which has some keys.
  private static func named(_ properties: JSONText) -> JSONText {
    ["patternProperties": ["^x-": [:]], "additionalProperties": ["properties": properties]]
  }

  private static func userInfo(_ map: FormatMap) -> JSONText {
    let keys = map.keys.flatMap { key -> [FormatKey] in
      if case .userInfo(let keys) = key.value { keys } else { [] }
    }
    let rules = keys.compactMap { key -> (String, JSONText)? in
      guard case .annotation(let words) = key.value else { return nil }
      return (key.name, ["type": "string", "pattern": .string(pattern(words))])
    }
    return ["userInfo": ["properties": .object(rules)]]
  }

  /// The words in upper or lower case, for which JSON Schema has no other notation.
  private static func pattern(_ words: [String]) -> String {
    let spelt = words.map { word in word.map { "[\($0)\($0.uppercased())]" }.joined() }
    return "^(\(spelt.joined(separator: "|")))$"
  }
}
