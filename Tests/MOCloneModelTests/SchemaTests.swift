import Foundation
import TestSupport
import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("The JSON Schema and the parser agree")
struct SchemaTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardized
  private let model = try! SchemaChecker(.model)

  /// Findings that are in the keys and the kinds of values, which a schema can know.
  private static let knowable: Set<DiagnosticCode> = [
    .wrongKind, .unknownKey, .missingKey, .unknownValue, .unsupportedVersion, .emptyModel,
    .unknownAnnotationValue,
  ]

  private func read(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
  }

  @Test("The schemas in Models are the ones that the command prints")
  func files() throws {
    #expect(try read("Models/moclone.schema.json") == FormatSchema.model.description)
    #expect(try read("Models/moclone-settings.schema.json") == FormatSchema.settings.description)
    #expect(try read("Models/moclone-import.schema.json") == FormatSchema.importMapping.description)
  }

  @Test(
    "Sample models name the schema for editors and follow it",
    arguments: ["HealthNotes", "Chinook", "Northwind"])
  func samples(_ name: String) throws {
    let text = try read("Models/\(name).yml")
    #expect(text.hasPrefix("# yaml-language-server: $schema=moclone.schema.json\n"))
    #expect(model.accepts(try YAMLValue.of(text)))
  }

  @Test("The example's moclone.yml names its schema and follows it")
  func settingsSample() throws {
    let text = try read("Examples/HealthNotes/moclone.yml")
    let first = try #require(text.split(separator: "\n").first)
    let schema = try #require(first.split(separator: "=").last)
    #expect(FileManager.default.fileExists(atPath: Self.root.path + "/Examples/HealthNotes/" + schema))
    #expect(try SchemaChecker(.settings).accepts(YAMLValue.of(text)))
  }

  @Test(
    "A fixture is refused by the schema exactly where its findings lie in keys and kinds",
    arguments: FixtureTests.names)
  func fixtures(_ name: String) throws {
    let text = try String(contentsOf: FixtureTests.folder.appendingPathComponent(name), encoding: .utf8)
    let codes = Set(ModelParser.parse(SourceFile(path: name, text: text)).diagnostics.map(\.code))
    guard let value = try? YAMLValue.of(text) else { return }
    #expect(model.accepts(value) == codes.isDisjoint(with: Self.knowable))
  }

  @Test("Every key of the format has a description, and no two maps one name")
  func descriptions() {
    let maps = [FormatMap.settings, .importMapping, .importRelationship] + Self.places.map(\.map)
    for map in maps {
      #expect(map.keys.allSatisfy { $0.summary.count > 10 && $0.summary.hasSuffix(".") }, "\(map.name)")
    }
    #expect(Set(maps.map(\.name)).count == maps.count)
  }

  @Test("The example's mapping names its schema and follows it")
  func mappingSample() throws {
    let text = try read("Examples/Groceries/default-data.yml")
    #expect(text.hasPrefix("# yaml-language-server: $schema=../../Models/moclone-import.schema.json\n"))
    #expect(try SchemaChecker(.importMapping).accepts(YAMLValue.of(text)))
  }

  @Test("A mapping: each kind of value is refused by both or by neither, at every key")
  func mappings() throws {
    let checker = try SchemaChecker(.importMapping)
    func parserAccepts(_ text: String) -> Bool {
      do {
        _ = try ImportMapping(yaml: text)
        return true
      } catch { return error.diagnostics.allSatisfy { !Self.knowable.contains($0.code) } }
    }
    let values = [
      "word", "'@name'", "1", "2", "true", "null", "[]", "[word]", "{}", "{a: b}", "{a: ~}", "{a: [b]}",
      "{a: {}}",
      "{a: {attributes: {b: '@c'}}}", "{a: {rows: b, relationships: {c: {set: {d: 1}}}}}",
      "{a: {unknown: b}}",
      "{a: {entity: [b]}}",
    ]
    for key in FormatMap.importMapping.names + ["x-free", "unknown"] where key != "delimiter" {
      for value in values {
        let text = key == "entity" ? "{entity: \(value)}" : "{entity: E, \(key): \(value)}"
        #expect(checker.accepts(try YAMLValue.of(text)) == parserAccepts(text), "\(text)")
      }
    }
    #expect(!checker.accepts(try YAMLValue.of("{rows: a}")) && !parserAccepts("{rows: a}"))
  }

  // MARK: Key by key

  /// A map of the format, and a model around a text that stands there, with what the map cannot do without.
  struct Place: CustomTestStringConvertible, Sendable {
    var map: FormatMap
    var around: @Sendable (String) -> String
    var needed: [String: String] = [:]
    var testDescription: String { map.name }

    func text(_ entries: [String: String]) -> String {
      let all = needed.merging(entries) { $1 }.sorted { $0.key < $1.key }
      return around("{" + all.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + "}")
    }
  }

  static let places: [Place] = [
    Place(map: .model, around: { $0 }, needed: ["version": "1", "entities": "{}"]),
    Place(map: .userInfoKeys, around: { "{version: 1, entities: {}, userInfoKeys: \($0)}" }),
    Place(map: .store, around: { "{version: 1, entities: {}, store: \($0)}" }),
    Place(map: .entity, around: { "{version: 1, entities: {E: \($0)}}" }),
    Place(
      map: .attribute, around: { "{version: 1, entities: {E: {attributes: {a: \($0)}}}}" },
      needed: ["type": "String"]),
    Place(
      map: .relationship, around: { "{version: 1, entities: {E: {relationships: {r: \($0)}}}}" },
      needed: ["destination": "E", "column": "k"]),
    Place(
      map: .keyColumn, around: { "{version: 1, entities: {E: {primaryKey: \($0)}}}" }, needed: ["column": "k"]
    ),
    Place(map: .discriminator, around: { "{version: 1, entities: {E: {discriminator: \($0)}}}" }),
    Place(
      map: .foreignKeyColumn,
      around: { "{version: 1, entities: {E: {relationships: {r: {destination: E, column: \($0)}}}}}" },
      needed: ["column": "k"]),
    Place(
      map: .joinTable,
      around: { "{version: 1, entities: {E: {relationships: {r: {destination: E, joinTable: \($0)}}}}}" }),
  ]

  /// Whether the parser finds the keys and the kinds of values right.
  private func parserAccepts(_ text: String) -> Bool {
    let findings = ModelParser.parse(SourceFile(path: "m.yml", text: text)).diagnostics
    return findings.allSatisfy { !Self.knowable.contains($0.code) }
  }

  @Test("Each kind of value is refused by both or by neither, at every key", arguments: places)
  func values(_ place: Place) throws {
    let values = [
      "word", "1", "2", "1.5", "true", "null", "[]", "[word]", "[[word]]", "[{column: c}]", "{}", "{a: b}",
      "{a: {}}",
      "{a: String}", "{column: c}", "{a: {type: String}}", "{a: {destination: E}}", "snakeCase", "unix",
      "text", "uuid",
      "cascade", "Date", "UUID?", "refuse", "''", "[null]", "{x-a: 1}", "{column: [a]}", "{type: String}",
    ]
    for key in place.map.names + ["x-free", "unknown"] {
      for value in values {
        let text = place.text([key: value])
        #expect(model.accepts(try YAMLValue.of(text)) == parserAccepts(text), "\(text)")
      }
    }
  }

  @Test("Keys that a map cannot do without are missed by both", arguments: places)
  func missing(_ place: Place) throws {
    for key in place.map.names {
      var without = place
      without.needed[key] = nil
      let text = without.text([:])
      #expect(model.accepts(try YAMLValue.of(text)) == parserAccepts(text), "\(text)")
    }
  }

  @Test("The storage of a date, of a UUID and of others is refused by both or by neither")
  func storage() throws {
    let place = try #require(Self.places.first { $0.map.name == "attribute" })
    for type in AttributeType.allCases {
      for storage in ["unix", "sqlite", "blob", "lowercaseText", "other"] {
        let text = place.text(["type": "\(type.rawValue)?", "storage": storage])
        #expect(model.accepts(try YAMLValue.of(text)) == parserAccepts(text), "\(text)")
      }
    }
  }

  @Test("moclone.yml: each kind of value is refused by both or by neither, at every key")
  func settings() throws {
    let checker = try SchemaChecker(.settings)
    let folder = try TemporaryFolder()
    let file = folder.file("moclone.yml")
    for key in FormatMap.settings.names + ["unknown"] {
      for value in ["word", "1", "true", "null", "[]", "[word]", "{}", "{a: b}"] {
        let text = "{" + (key == "version" ? "" : "version: 1, ") + "\(key): \(value)}"
        try text.write(to: file, atomically: true, encoding: .utf8)
        let isRead = (try? ProjectSettings(contentsOf: file)) != nil
        #expect(checker.accepts(try YAMLValue.of(text)) == isRead, "\(text)")
      }
    }
  }

  @Test("The schemas are schemas, and Python's jsonschema gives the same verdicts")
  func official() throws {
    let fixtures = FixtureTests.names.compactMap { name -> Any? in
      let url = FixtureTests.folder.appendingPathComponent(name)
      return (try? String(contentsOf: url, encoding: .utf8)).flatMap { try? YAMLValue.of($0) }
    }
    #expect(fixtures.count > 20)
    let samples = try ["HealthNotes", "Chinook", "Northwind"].map {
      try YAMLValue.of(read("Models/\($0).yml"))
    }
    let keys = try Self.places.flatMap { place in
      try place.map.names.flatMap { key in
        try ["word", "1", "true", "null", "[word]", "{}"].map { try YAMLValue.of(place.text([key: $0])) }
      }
    }
    let instances = fixtures + samples + keys
    guard let verdicts = try PythonSchema.verdicts(instances) else {
      print("skipped: python3 with jsonschema (pip install jsonschema) is not here")
      return
    }
    #expect(verdicts == instances.map(model.accepts))
    #expect(Set(verdicts) == [true, false])
  }
}

/// The checker of PyPI's `jsonschema`.
enum PythonSchema {
  private static let program = """
    import json, sys
    from jsonschema import Draft7Validator
    given = json.load(sys.stdin)
    for schema in given["schemas"]: Draft7Validator.check_schema(schema)
    validator = Draft7Validator(given["schemas"][0])
    print(json.dumps([validator.is_valid(value) for value in given["instances"]]))
    """

  /// - Returns: nil where it is not installed.
  static func verdicts(_ instances: [Any]) throws -> [Bool]? {
    guard try run(["-c", "import jsonschema"], input: Data()).status == 0 else { return nil }
    let schemas = try [FormatSchema.model, .settings].map {
      try JSONSerialization.jsonObject(with: Data($0.description.utf8))
    }
    let input = try JSONSerialization.data(withJSONObject: ["schemas": schemas, "instances": instances])
    let result = try run(["-c", program], input: input)
    return try JSONSerialization.jsonObject(with: result.output) as? [Bool]
  }

  private static func run(_ arguments: [String], input: Data) throws -> (status: Int32, output: Data) {
    let folder = try TemporaryFolder()
    let file = try folder.write(input, to: "input.json")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    process.standardInput = try FileHandle(forReadingFrom: file)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, data)
  }
}
