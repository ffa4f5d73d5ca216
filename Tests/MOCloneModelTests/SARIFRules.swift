import Foundation

/// The rules of the SARIF 2.1.0 schema for the objects that reports use: required properties, types, values.
///
/// Other properties are refused, as the schema refuses them.
indirect enum SARIFRule: Sendable {
  case text
  case uri
  case number(least: Int)
  case flag
  case one(of: [String])
  case list(SARIFRule, least: Int = 0, isUnique: Bool = false)
  /// Keys of the producer's choice.
  case map(SARIFRule)
  case object([String: SARIFRule], required: Set<String> = [], oneOf: Set<String> = [])

  static let log = object(
    ["$schema": .uri, "version": .one(of: ["2.1.0"]), "runs": .list(run)], required: ["version", "runs"])

  static let run = object(
    [
      "tool": .object(["driver": driver], required: ["driver"]),
      "columnKind": .one(of: ["utf16CodeUnits", "unicodeCodePoints"]),
      "originalUriBaseIds": .map(artifactLocation), "invocations": .list(invocation),
      "results": .list(result),
    ], required: ["tool"])

  static let driver = object(
    ["name": .text, "version": .text, "rules": .list(rule, isUnique: true)], required: ["name"])

  static let rule = object(
    [
      "id": .text, "shortDescription": formatted, "fullDescription": formatted, "help": formatted,
      "defaultConfiguration": .object(["level": level]),
      "properties": .object(["tags": .list(.text, isUnique: true)]),
    ], required: ["id"])

  static let result = object(
    [
      "ruleId": .text, "ruleIndex": .number(least: -1), "level": level, "message": message,
      "locations": .list(location), "relatedLocations": .list(location, isUnique: true),
      "partialFingerprints": .map(.text), "suppressions": .list(suppression, isUnique: true),
    ], required: ["message"])

  static let suppression = object(
    ["kind": .one(of: ["inSource", "external"]), "justification": .text], required: ["kind"])

  static let invocation = object(["executionSuccessful": .flag], required: ["executionSuccessful"])

  static let location = object(
    [
      "physicalLocation": .object(["artifactLocation": artifactLocation, "region": region]),
      "logicalLocations": .list(.object(["fullyQualifiedName": .text]), isUnique: true),
      "message": message,
    ])

  static let artifactLocation = object(["uri": .uri, "uriBaseId": .text, "description": message])

  static let region = object(
    [
      "startLine": .number(least: 1), "startColumn": .number(least: 1), "endLine": .number(least: 1),
      "endColumn": .number(least: 1),
    ])

  static let level = one(of: ["none", "note", "warning", "error"])
  static let message = object(["text": .text, "markdown": .text, "id": .text], oneOf: ["text", "id"])
  static let formatted = object(["text": .text, "markdown": .text], required: ["text"])

  /// What breaks the rule, each with its place.
  func faults(_ value: Any, at place: String = "$") -> [String] {
    switch self {
    case .text: return value is String ? [] : ["\(place) is no text"]
    case .uri:
      let isReference = (value as? String).flatMap { URL(string: $0) } != nil
      return isReference && !"\(value)".contains { " <>\"{}|\\^`".contains($0) } ? [] : ["\(place) is no URI"]
    case .number(let least):
      return (value as? Int).map { $0 >= least } == true ? [] : ["\(place) is too small"]
    case .flag: return value is Bool ? [] : ["\(place) is no flag"]
    case .one(let values): return values.contains("\(value)") ? [] : ["\(place) is '\(value)'"]
    case .list(let rule, let least, let isUnique):
      guard let list = value as? [Any], list.count >= least else { return ["\(place) is no such list"] }
      let repeats = isUnique && Set(list.map { "\($0)" }).count < list.count ? ["\(place) repeats"] : []
      return repeats + list.enumerated().flatMap { rule.faults($1, at: "\(place)[\($0)]") }
    case .map(let rule):
      guard let map = value as? [String: Any] else { return ["\(place) is no map"] }
      return map.flatMap { rule.faults($1, at: "\(place).\($0)") }
    case .object(let properties, let required, let oneOf):
      guard let map = value as? [String: Any] else { return ["\(place) is no object"] }
      let missing = required.subtracting(map.keys).map { "\(place) lacks \($0)" }
      let none = oneOf.isEmpty || !oneOf.isDisjoint(with: map.keys) ? [] : ["\(place) lacks one of \(oneOf)"]
      return missing + none
        + map.flatMap { key, value in
          properties[key]?.faults(value, at: "\(place).\(key)") ?? ["\(place) cannot have \(key)"]
        }
    }
  }
}
