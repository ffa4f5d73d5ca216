import Foundation
import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// How a copy tells which objects of two stores are one, and which of them are related objects.
  static let copyIdentityCases: [TransferCase] = [
    TransferCase("copy: one identity of several stored objects is refused with their list") {
      make, found in
      let (source, target) = try make.pair(owned(required: false))
      try source.insert("Thing", ["name": "a"])
      for _ in 0..<2 { try target.insert("Thing", ["name": "a"]) }
      let error = try found.refuses(.ambiguousIdentity, "two things 'a'", leaving: target) {
        try copy(source, into: target, CopyRequest(identifiedBy: ["Thing": ["name"]]))
      }
      found.expect("\(error!)".contains("Thing 1, Thing 2"), "the list is not in '\(error!)'")
    },
    TransferCase("copy: several objects of the source with one identity are refused, be it there or not") {
      make, found in
      for exists in [false, true] {
        let (source, target) = try make.pair(owned(required: false))
        for name in ["a", "b", "a"] { try source.insert("Thing", ["name": .string(name)]) }
        if exists { try target.insert("Thing", ["name": "a"]) }
        let error = try found.refuses(.ambiguousIdentity, "two things 'a' of the source", leaving: target) {
          try copy(source, into: target, CopyRequest(identifiedBy: ["Thing": ["name"]]))
        }
        found.expect("\(error!)".contains("Thing 1, Thing 3"), "the list is not in '\(error!)'")
      }
    },
    TransferCase("copy: a required one-to-one whose partner has another one is refused with the object") {
      make, found in
      let model = try model(
        entity("Man", [attribute("name")], [one("card", "Card", inverse: "man")], unique: [["name"]]),
        entity("Card", [attribute("number")], [one("man", "Man", inverse: "card", optional: false)]))
      for overwrites in [false, true] {
        let (source, target) = try make.pair(model)
        for graph in [source, target] {
          let man = try graph.insert("Man", ["name": "m"])
          try graph.insert("Card", ["number": "n", "man": man.reference])
        }
        let error = try found.refuses(.constraintFailed, "a second card", leaving: target) {
          try copy(source, into: target, CopyRequest(overwrites: overwrites))
        }
        found.expect("\(error!)".contains("Card 1 is one-to-one"), "the card is not in '\(error!)'")
        found.equal(error?.failures.count, 1, "the number of reasons")
        let report = try copy(
          source, into: target, CopyRequest(identifiedBy: ["Card": ["man"]], overwrites: overwrites))
        found.equal(report.found, ["Card": 1, "Man": 1], "what is found")
      }
    },
    TransferCase("copy: an entity without identity is always made anew") { make, found in
      let (source, target) = try make.pair(owned(required: false))
      let owner = try source.insert("Owner", ["name": "o"])
      try source.insert("Thing", ["name": "a", "owner": owner.reference])
      for _ in 0..<2 { try copy(source, into: target) }
      found.equal(try target.count("Thing"), 2, "the number of things")
      found.equal(
        try target.objects("Owner").flatMap { try $0.texts("things", "name") }, ["a", "a"], "the owner's")
    },
    TransferCase("copy: identities through relationships and by related objects") { make, found in
      for request: IdentityRequest in [["Thing": ["owner", "name"]], ["Thing": ["owner.name", "name"]]] {
        let (source, target) = try make.pair(owned(required: false))
        for graph in [source, target] {
          for name in graph === source ? ["p", "o"] : ["x", "o"] {
            let owner = try graph.insert("Owner", ["name": .string(name)])
            try graph.insert("Thing", ["name": "a", "owner": owner.reference])
          }
        }
        let report = try copy(source, into: target, CopyRequest(identifiedBy: request))
        found.equal(report.found, ["Owner": 1, "Thing": 1], "what is found by \(request)")
        found.equal(try target.count("Thing"), 3, "the number of things")
      }
    },
    TransferCase("copy: concrete entities stay what they are, an identity of another one is refused") {
      make, found in
      let (source, target) = try make.pair(places())
      for name in ["AtHome", "AtShop"] { try source.insert(name, ["place": .string(name)]) }
      try copy(source, into: target)
      found.equal(
        try target.objects("Location").map(\.entity).sorted(), ["AtHome", "AtShop"], "the entities")
      let other = try make.target(places())
      try other.insert("AtShop", ["place": "AtHome"])
      try found.refuses(.identityOfOtherEntity, "a home in a shop", leaving: other) {
        try copy(source, into: other)
      }
    },
    TransferCase("copy: an identity of another entity is refused with the entity that the source has") {
      make, found in
      for (here, there) in [("AtHome", "AtShop"), ("AtShop", "AtHome")] {
        let (source, target) = try make.pair(places())
        try source.insert(here, ["place": "x"])
        let object = try target.insert(there, ["place": "x"])
        let error = try found.refuses(.identityOfOtherEntity, "another entity") {
          try copy(source, into: target)
        }
        found.equal(error?.failures.first?.entity, here, "the entity of the source")
        found.equal(error?.failures.first?.object?.entity, there, "the entity of the target's \(object.id)")
      }
    },
    TransferCase("copy: the partner of a one-to-one is kept, and given up where it is overwritten") {
      make, found in
      // The reference lies with the hat, which is new, or with the man, who keeps his.
      for (owner, overwrites) in [("Boy", false), ("Boy", true), ("Man", false), ("Man", true)] {
        let (source, target) = try make.pair(relatedObjects(owner: owner))
        for (graph, hat) in [(source, "new"), (target, "old")] {
          let man = try graph.insert(owner, ["name": "m"])
          try man.set(graph.insert("Hat", ["name": .string(hat)]), for: "hat")
        }
        let report = try copy(source, into: target, CopyRequest(overwrites: overwrites))
        found.equal(
          report.skipped?.map { $0.reason.contains("the Boy has another Hat in the store") },
          owner == "Boy" && !overwrites ? [true] : nil,
          "whether the report says so")
        found.equal(
          try target.objects(owner)[0].destination("hat")?.text("name"), overwrites ? "new" : "old", "the hat"
        )
        found.equal(try target.count("Hat"), 2, "the number of hats")
      }
    },
    TransferCase("copy: an object that loses its one-to-one partner to another one has changed") {
      make, found in
      let model = try model(
        entity("Boy", [attribute("name")], [one("hat", "Hat", inverse: "boy")], unique: [["name"]]),
        entity(
          "Hat", [attribute("name"), attribute("modified", .date)], [one("boy", "Boy", inverse: "hat")],
          unique: [["name"]]))
      let (source, target) = try make.pair(model)
      for (graph, hat) in [(source, "new"), (target, "old")] {
        let boy = try graph.insert("Boy", ["name": "m"])
        let hat = try graph.insert("Hat", ["name": .string(hat)])
        try hat.set(boy, for: "boy")
      }
      let instant = Date(timeIntervalSince1970: 1000)
      try copy(
        source, into: target, CopyRequest(overwrites: true),
        options: TransferOptions(generator: fixedGenerator(now: instant)))
      let hats = try target.objects("Hat").map { (try $0.text("name"), try $0.value("modified")) }
      found.equal(hats.first { $0.0 == "old" }?.1, .date(instant), "the date of the old hat")
      found.equal(hats.first { $0.0 == "new" }?.1, .null, "the date of the new hat")
    },
  ]

  private static func places() throws -> ObjectModel {
    try model(
      entity("Location", abstract: true, [attribute("place")], unique: [["place"]]),
      entity("AtHome", parent: "Location"), entity("AtShop", parent: "Location"))
  }

  /// The row of the entity whose name comes last holds the reference.
  private static func relatedObjects(owner: String = "Man") throws -> ObjectModel {
    try model(
      entity(owner, [attribute("name")], [one("hat", "Hat", inverse: "owner")], unique: [["name"]]),
      entity("Hat", [attribute("name")], [one("owner", owner, inverse: "hat")], unique: [["name"]]))
  }
}
