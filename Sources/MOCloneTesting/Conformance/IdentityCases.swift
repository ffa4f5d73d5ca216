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
      try found.unchanged(graph) {
        try found.refuses(.unknownName, "an unknown attribute") {
          try graph.findOrCreate("Price", ["article.name": "Milk", "currency": "EUR", "colour": "red"])
        }
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
    ConformanceCase("several calls run as one: a failure takes them all back, older changes stay") {
      make, found in
      let graph = try make(shop())
      try graph.insert("Note", ["text": "before"])
      try found.unchanged(graph) {
        try found.refuses(.unknownEntity, "an unknown entity") {
          try graph.atomically { graph in
            try graph.insert("Note", ["text": "inside"])
            try graph.insert("Article", ["name": "inside"])
            try graph.insert("Nothing", [:])
          }
        }
      }
      found.equal(try graph.atomically { try $0.count("Note") }, 1, "the number of notes")
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
