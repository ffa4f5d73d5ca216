import Foundation

@testable import MOCloneModel
@testable import MOCloneYAML

/// The part of JSON Schema draft-07 that the project's schemas use; a word it does not know is a failure.
struct SchemaChecker {
  let root: [String: Any]

  init(_ schema: FormatSchema) throws {
    root = try JSONSerialization.jsonObject(with: Data(schema.description.utf8)) as! [String: Any]
  }

  func accepts(_ value: Any) -> Bool {
    accepts(value, by: root)
  }

  private func accepts(_ value: Any, by schema: Any) -> Bool {
    if let verdict = schema as? Bool { return verdict }
    let schema = schema as! [String: Any]
    return schema.allSatisfy { word, rule in holds(word, rule, of: schema, value) }
  }

  private func holds(_ word: String, _ rule: Any, of schema: [String: Any], _ value: Any) -> Bool {
    let map = value as? [String: Any]
    let list = value as? [Any]
    switch word {
    case "$schema", "title", "description", "definitions", "then", "patternProperties": return true
    case "$ref":
      let name = (rule as! String).replacingOccurrences(of: "#/definitions/", with: "")
      return accepts(value, by: (root["definitions"] as! [String: Any])[name]!)
    case "type": return ((rule as? [String]) ?? [rule as! String]).contains { isOf(type: $0, value) }
    case "const": return !isFlag(value) && value as? Double == (rule as? Int).map(Double.init)
    case "enum": return (value as? String).map { (rule as! [String]).contains($0) } ?? false
    case "anyOf": return (rule as! [Any]).contains { accepts(value, by: $0) }
    case "allOf": return (rule as! [Any]).allSatisfy { accepts(value, by: $0) }
    case "if": return !accepts(value, by: rule) || accepts(value, by: schema["then"]!)
    case "required": return map.map { map in (rule as! [String]).allSatisfy { map[$0] != nil } } ?? true
    case "pattern":
      return (value as? String).map { try! Regex(rule as! String).wholeMatch(in: $0) != nil } ?? true
    case "items": return list.map { $0.allSatisfy { accepts($0, by: rule) } } ?? true
    case "minItems": return list.map { $0.count >= rule as! Int } ?? true
    case "properties":
      return (map ?? [:]).allSatisfy { key, value in
        (rule as! [String: Any])[key].map { accepts(value, by: $0) } ?? true
      }
    case "additionalProperties":
      let known = (schema["properties"] as? [String: Any]) ?? [:]
      let hasFreeKeys = schema["patternProperties"] != nil
      return (map ?? [:]).allSatisfy { key, value in
        known[key] != nil || hasFreeKeys && key.hasPrefix("x-") || accepts(value, by: rule)
      }
    default: fatalError("the schema uses '\(word)', which this checker does not know")
    }
  }

  private func isOf(type: String, _ value: Any) -> Bool {
    switch type {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "null": value is NSNull
    case "string": value is String
    case "boolean": isFlag(value)
    case "integer": (value as? Double).map { $0.rounded() == $0 } ?? false && !isFlag(value)
    case "number": value is Double && !isFlag(value)
    default: false
    }
  }

  private func isFlag(_ value: Any) -> Bool {
    value is Bool && String(describing: Swift.type(of: value)).contains("Bool")
  }
}

/// A YAML text as the values an editor makes of it: the core schema of YAML 1.2.
enum YAMLValue {
  /// - Throws: where it is no YAML, or none that a model may use: such a text never comes to a schema.
  static func of(_ text: String) throws -> Any {
    let findings = FindingList()
    let root = try YAMLComposer.compose(text, findings: findings)
    guard findings.diagnostics.isEmpty else { throw ModelError(diagnostics: findings.diagnostics) }
    return root.map(value) ?? NSNull()
  }

  private static func value(_ node: SyntaxNode) -> Any {
    switch node.content {
    case .mapping(let entries):
      Dictionary(entries.map { ($0.key, value($0.value)) }) { first, _ in first }
    case .sequence(let items): items.map(value)
    case .scalar(let text, isPlain: false): text
    case .scalar(let text, isPlain: true): plain(text)
    case .refused: NSNull()
    }
  }

  private static func plain(_ text: String) -> Any {
    switch text {
    case "", "~", "null", "Null", "NULL": NSNull()
    case "true", "True", "TRUE": true
    case "false", "False", "FALSE": false
    default: text.wholeMatch(of: /[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?/) == nil ? text : Double(text)!
    }
  }
}
