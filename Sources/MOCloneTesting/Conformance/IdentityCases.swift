import Foundation
import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// How objects are found by what identifies them.
  static let identityCases: [ConformanceCase] = [
    ConformanceCase("find or create: by the first uniqueness constraint, found objects stay as they are") {
      make, found in
      let graph = try make(shop())
      let milk = try graph.findOrCreate("Article", ["name": "Milk", "price": 1])
      let again = try graph.findOrCreate("Article", ["name": "Milk", "price": 2])
      found.equal([milk.isNew, again.isNew], [true, false], "what is new")
      found.equal(again.object, milk.object, "the object found again")
      found.equal(try milk.object.value("price"), 1, "its price")
    },
    ConformanceCase("find or create: a key given in another type is converted first") { make, found in
      let graph = try make(model(entity("Line", [attribute("number", .integer32)], unique: [["number"]])))
      let line = try graph.findOrCreate("Line", ["number": "7"])
      found.equal(try graph.findOrCreate("Line", ["number": 7]).object, line.object, "line 7")
    },
    ConformanceCase("find or create: a key is its value, however it is written") { make, found in
      let types: [(AttributeType, [AttributeValue])] = [
        (.decimal, ["1.0", "1.00", 1, .decimal(1)]), (.integer64, [1, "1", "+1"]),
        (.boolean, [true, "yes", 1]),
        (.uuid, ["7D444840-9DC0-11D1-B245-5FFDCE74FAD2", "7d444840-9dc0-11d1-b245-5ffdce74fad2"]),
        (.date, ["2025-01-31T12:00:00Z", "2025-01-31T13:00:00+01:00"]), (.double, [1, "1", "1.0"]),
      ]
      for (type, values) in types {
        let graph = try make(model(entity("Thing", [attribute("key", type)], unique: [["key"]])))
        for value in values { try graph.findOrCreate("Thing", ["key": value]) }
        found.equal(try graph.count("Thing"), 1, "the number of things by a \(type.rawValue)")
      }
    },
    ConformanceCase("find or create: texts are compared byte by byte, accents and case included") {
      make, found in
      let graph = try make(shop())
      for name in ["caf\u{e9}", "cafe\u{301}", "Caf\u{e9}"] {
        found.expect(try graph.findOrCreate("Article", ["name": .string(name)]).isNew, "'\(name)' is found")
      }
      for name in ["caf\u{e9}", "cafe\u{301}", "Caf\u{e9}"] {
        let article = try graph.findOrCreate("Article", ["name": .string(name)])
        found.expect(!article.isNew, "'\(name)' is made again")
        found.equal(Array(try article.object.text("name").utf8), Array(name.utf8), "its bytes")
      }
    },
    ConformanceCase("find or create: null and empty parts find nothing, make nothing and are said") {
      make, found in
      let graph = try make(shop())
      try found.unchanged(graph) {
        for values: [String: AttributeValue] in [["name": .null], ["name": ""], ["price": 3]] {
          try found.refuses(.nullIdentity, "\(values)") { try graph.findOrCreate("Article", values) }
        }
        try found.refuses(.nullIdentity, "an empty text on a path") {
          try graph.findOrCreate("Price", ["article.name": "Milk", "currency": ""])
        }
      }
    },
    ConformanceCase("find or create: several objects with one identity are refused with their list") {
      make, found in
      let graph = try make(shop())
      let twins = try (0..<2).map { _ in try graph.insert("Note", ["text": "a"]) }
      let error = try found.refuses(.ambiguousIdentity, "two notes 'a'") {
        try graph.findOrCreate("Note", ["text": "a"], identifiedBy: ["Note": ["text"]])
      }
      for twin in twins {
        found.expect("\(error!)".contains("\(twin.id)"), "\(twin.id) is not in '\(error!)'")
      }
    },
    ConformanceCase("find or create: without an identity every object is new") { make, found in
      let graph = try make(shop())
      for _ in 0..<2 { found.expect(try graph.findOrCreate("Note", ["text": "a"]).isNew, "a note is found") }
    },
    ConformanceCase("find or create: an identity that leads through a relationship, made on the way") {
      make, found in
      let graph = try make(shop())
      let price = try graph.findOrCreate("Price", ["article.name": "Milk", "currency": "EUR"])
      let again = try graph.findOrCreate("Price", ["article.name": "Milk", "currency": "EUR"])
      let other = try graph.findOrCreate("Price", ["article.name": "Milk", "currency": "CHF"])
      found.equal([price.isNew, again.isNew, other.isNew], [true, false, true], "what is new")
      found.equal(try graph.count("Article"), 1, "the number of articles")
      let milk = try graph.object("Article", key: try graph.objects("Article")[0].id.key)
      found.equal(
        try graph.findOrCreate("Price", ["article": milk.reference, "currency": "EUR"]).object, price.object,
        "the price by the article's key")
      let byName: IdentityRequest = ["Price": ["article.name", "currency"]]
      found.equal(
        try graph.findOrCreate(
          "Price", ["article": milk.reference, "currency": "CHF"], identifiedBy: byName
        ).object, other.object, "the price by its article's name")
    },
    ConformanceCase("find or create: a failure leaves nothing of what was made on the way") { make, found in
      let graph = try make(shop())
      try found.refuses(.unknownName, "an unknown attribute", leaving: graph) {
        try graph.findOrCreate("Price", ["article.name": "Milk", "currency": "EUR", "colour": "red"])
      }
    },
    ConformanceCase("find or create: an inherited constraint holds among all sub-entities") { make, found in
      let graph = try make(
        model(
          entity("Location", abstract: true, [attribute("place")], unique: [["place"]]),
          entity("AtHome", parent: "Location"), entity("AtShop", parent: "Location")))
      let home = try graph.findOrCreate("AtHome", ["place": "Fridge"]).object
      found.equal(try graph.findOrCreate("Location", ["place": "Fridge"]).object, home, "the location")
      try found.refuses(.identityOfOtherEntity, "a fridge in the shop") {
        try graph.findOrCreate("AtShop", ["place": "Fridge"])
      }
    },
    ConformanceCase("find or create: an identity that a call names holds for the entity asked for") {
      make, found in
      let graph = try make(
        model(
          entity("Location", abstract: true, [attribute("place")]), entity("AtHome", parent: "Location"),
          entity("AtShop", parent: "Location")))
      let byPlace: IdentityRequest = ["Location": ["place"]]
      for name in ["AtHome", "AtShop", "AtShop"] {
        try graph.findOrCreate(name, ["place": "Shelf"], identifiedBy: byPlace)
      }
      found.equal(try graph.count("Location"), 2, "the number of locations")
    },
    ConformanceCase("find or create: a new object without a date of change gets the instant") { make, found in
      let graph = try make(
        model(entity("Note", [attribute("text"), attribute("modified", .date)], unique: [["text"]])))
      let instant = Date(timeIntervalSince1970: 1000)
      let rule = ModifiedRule(instant: instant)
      let note = try graph.findOrCreate("Note", ["text": "a"], modified: rule).object
      found.equal(try note.value("modified"), .date(instant), "the date of a")
      let given: AttributeValue = .date(Date(timeIntervalSince1970: 5))
      let other = try graph.findOrCreate("Note", ["text": "b", "modified": given], modified: rule).object
      found.equal(try other.value("modified"), given, "the date of b")
    },
    ConformanceCase(
      "unique values: refused where another object holds them, also after something was taken back"
    ) {
      make, found in
      let graph = try make(shop())
      let milk = try graph.insert("Article", ["name": "Milk"])
      let bread = try graph.insert("Article", ["name": "Bread"])
      for _ in 0..<3 {
        try found.unchanged(graph) {
          let error = try found.refuses(.uniqueValue, "a second milk") {
            try graph.insert("Article", ["name": "Milk"])
          }
          found.expect("\(error!)".contains("name"), "the attribute is not in '\(error!)'")
          try found.refuses(.uniqueValue, "bread called milk") { try bread.setValue("Milk", for: "name") }
          try found.refuses(.uniqueValue, "a price of each") {
            try graph.atomically {
              for _ in 0..<2 {
                try graph.insert("Price", ["article": milk.reference, "currency": "EUR"])
              }
            }
          }
        }
      }
    },
    ConformanceCase("several calls run as one: a failure takes them all back, older changes stay") {
      make, found in
      let graph = try make(shop())
      try graph.insert("Note", ["text": "before"])
      try found.refuses(.unknownEntity, "an unknown entity", leaving: graph) {
        try graph.atomically {
          try graph.insert("Note", ["text": "inside"])
          try graph.insert("Article", ["name": "inside"])
          try graph.insert("Nothing", [:])
        }
      }
      found.equal(try graph.atomically { try graph.count("Note") }, 1, "the number of notes")
    },
  ]

  private static func shop() throws -> ObjectModel {
    try model(
      entity(
        "Article", [attribute("name"), attribute("price", .integer32)],
        [many("prices", "Price", inverse: "article", delete: .cascade)], unique: [["name"], ["price"]]),
      entity(
        "Price", [attribute("currency")], [one("article", "Article", inverse: "prices", optional: false)],
        unique: [["article", "currency"]]),
      entity("Note", [attribute("text")]))
  }
}
