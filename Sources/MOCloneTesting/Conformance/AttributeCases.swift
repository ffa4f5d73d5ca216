import Foundation
import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// What a clone holds in its attributes.
  static let attributeCases: [ConformanceCase] = [
    ConformanceCase("values of every type are copied bit for bit") { make, found in
      let graph = try make(everyType())
      for values in [ordinaryValues, extremeValues, [:]] {
        let original = try graph.insert("Thing", values)
        let copy = try Cloner().clone(object: original)
        for type in AttributeType.allCases {
          let name = attributeName(type)
          let held = try original.value(name).exactText
          found.equal(held, (values[name] ?? .null).exactText, "the original's \(name)")
          found.equal(try copy.value(name).exactText, held, "the clone's \(name)")
        }
      }
    },
    ConformanceCase("rebuild: each object gets a new UUID, all get the same instant") { make, found in
      let graph = try make(
        model(
          entity(
            "Note",
            [
              attribute("id", .uuid, optional: false, ["rebuild": "UUID"], column: "uuid"),
              attribute("made", .date, ["rebuild": "now"]),
            ], [many("parts", "Note", inverse: "whole"), one("whole", "Note", inverse: "parts")],
            unique: [["id"]])))
      let root = try graph.insert("Note", ["id": .uuid(UUID())])
      try graph.insert("Note", ["id": .uuid(UUID()), "whole": root.reference])
      let instant = Date(timeIntervalSinceReferenceDate: 600_000_000)
      try found.keepsOriginals(graph) {
        let copy = try Cloner(generator: fixedGenerator(now: instant)).clone(object: root)
        let objects = try [copy] + copy.destinations("parts")
        let injected = (1...2).map { "00000000-0000-4000-8000-00000000000\($0)" }
        found.equal(try objects.map { try $0.text("id") }.sorted(), injected, "the new UUIDs")
        found.equal(
          try objects.map { try $0.value("made") }, [.date(instant), .date(instant)], "the instants")
      }
    },
    ConformanceCase("exclude: the clone gets the default, else null") { make, found in
      let graph = try make(
        model(
          entity(
            "Note",
            [
              attribute("index", .integer32, optional: false, default: 0, ["exclude": ""]),
              attribute("secret", .string, ["exclude": "no matter what"]), attribute("kept"),
            ])))
      let note = try graph.insert("Note", ["index": 5, "secret": "s", "kept": "k"])
      let copy = try Cloner().clone(object: note)
      found.equal(try copy.value("index"), 0, "index")
      found.equal(try copy.value("secret"), .null, "secret")
      found.equal(try copy.value("kept"), "k", "kept")
    },
    ConformanceCase("annotation keys can be renamed for a call") { make, found in
      let graph = try make(
        model(entity("Note", [attribute("a", ["leaveOut": ""]), attribute("b", ["exclude": ""])])))
      let note = try graph.insert("Note", ["a": "a", "b": "b"])
      let copy = try Cloner().clone(object: note, config: AnnotationKeys(exclude: "leaveOut"))
      found.equal(try copy.value("a"), .null, "a")
      found.equal(try copy.value("b"), "b", "b")
    },
    ConformanceCase("annotation keys can be renamed for a model") { make, found in
      let entities = [entity("Note", [attribute("a", ["leaveOut": ""]), attribute("b", ["exclude": ""])])]
      let graph = try make(
        ObjectModel(
          name: "Renamed", userInfoKeys: AnnotationKeys(exclude: "leaveOut"), entities: entities))
      let note = try graph.insert("Note", ["a": "a", "b": "b"])
      let copy = try Cloner().clone(object: note)
      found.equal(try copy.value("a"), .null, "a")
      found.equal(try copy.value("b"), "b", "b")
    },
  ]

  private static func attributeName(_ type: AttributeType) -> String {
    "a" + type.rawValue.filter { $0 != " " }
  }

  private static func everyType() throws -> ObjectModel {
    try model(entity("Thing", AttributeType.allCases.map { attribute(attributeName($0), $0) }))
  }

  private static let ordinaryValues: [String: AttributeValue] = [
    "aString": "O'Reilly\n\u{1F600} e\u{301}", "aBoolean": true,
    "aDate": .date(Date(timeIntervalSinceReferenceDate: 700_000_000.125)),
    "aBinary": .binary(Data([0, 1, 255])), "aInteger16": 12, "aInteger32": -70_000,
    "aInteger64": 5_000_000_000,
    "aDouble": .double(0.1), "aFloat": .double(0.5), "aDecimal": .decimal(Decimal(string: "19.99")!),
    "aUUID": .uuid(UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF")!),
    "aURI": "https://example.org/?q=1", "aTransformable": .binary(Data("x".utf8)),
  ]

  private static let extremeValues: [String: AttributeValue] = [
    "aString": "", "aBoolean": false, "aDate": .date(Date(timeIntervalSince1970: 0)),
    "aBinary": .binary(Data()), "aInteger16": .integer(Int64(Int16.min)),
    "aInteger32": .integer(Int64(Int32.max)), "aInteger64": .integer(Int64.min),
    "aDouble": .double(.leastNonzeroMagnitude), "aFloat": .double(-1e300),
    "aDecimal": .decimal(Decimal(string: "-12345678901234567890.123456789")!),
    "aUUID": .uuid(UUID(uuidString: "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF")!), "aURI": "",
    "aTransformable": .binary(Data(repeating: 7, count: 1_000)),
  ]
}
