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
    ConformanceCase("keys: numbers are counted within the other parts, copy after copy") { make, found in
      let graph = try make(invoices())
      let tenants = try (0..<2).map { _ in try graph.insert("Tenant") }
      for tenant in [0, 1, 0] { try graph.insert("Invoice", ["tenant": tenants[tenant].reference]) }
      try graph.insert("Invoice", ["tenant": tenants[1].reference, "number": 10])
      found.equal(try tenants[0].texts("invoices", "number"), ["1", "2"], "numbers of the first tenant")
      found.equal(try tenants[1].texts("invoices", "number"), ["1", "10"], "numbers of the second tenant")
      for invoice in try tenants[1].destinations("invoices") {
        try graph.insert("Mark", ["number": 0, "invoice": invoice.id.key.asReference])
      }
      try found.keepsOriginals(graph) {
        let made = try Cloner().clone(object: tenants[1], request: CloneRequest(count: 2))
        for root in made.roots {
          let invoices = try graph.object("Tenant", key: root.key).destinations("invoices")
          found.equal(try invoices.map { try $0.text("number") }, ["1", "2"], "numbers of a new tenant")
          found.equal(
            try invoices.flatMap { try $0.texts("marks", "number") }, ["1", "2"], "what follows them")
        }
        let invoice = try tenants[0].destinations("invoices")[0]
        try Cloner().clone(object: invoice, request: CloneRequest(count: 2))
        let given = try Cloner().clone(object: invoice, request: CloneRequest(set: ["number": 9]))
        found.equal(try graph.value("number", of: given.root), 9, "the number given")
        found.equal(
          try tenants[0].texts("invoices", "number"), ["1", "2", "3", "4", "9"], "numbers of the first tenant"
        )
        let moved = try Cloner().clone(
          object: invoice, request: CloneRequest(set: ["tenant": tenants[1].reference]))
        found.equal(try graph.value("number", of: moved.root), 11, "the number in the second tenant")
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

  /// Invoices, numbered within their tenants, and marks that follow the numbers.
  private static func invoices() throws -> ObjectModel {
    var invoice = entity(
      "Invoice", [attribute("number", .integer64, optional: false)],
      [
        one("tenant", "Tenant", inverse: "invoices", optional: false),
        many("marks", "Mark", inverse: "invoice"),
      ])
    invoice.primaryKey = [KeyColumn("tenant_id"), KeyColumn("number", generate: .max)]
    return try model(
      entity("Tenant", [], [many("invoices", "Invoice", inverse: "tenant")]), invoice,
      entity(
        "Mark",
        [attribute("number", .integer64, ["followParent": "Invoice.number", "withoutParent": "keep"])],
        [one("invoice", "Invoice", inverse: "marks")]))
  }
}

extension ObjectKey {
  /// The key as `insert` takes it for a to-one relationship, be it of several parts.
  var asReference: AttributeValue { parts.count == 1 ? parts[0] : .string(description) }
}
