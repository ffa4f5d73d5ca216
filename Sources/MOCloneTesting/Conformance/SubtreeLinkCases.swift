import Foundation
import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// What a subtree is linked to in another store: found there, or made.
  static let subtreeLinkCases: [TransferCase] = [
    TransferCase("subtree: links outside the subtree that the other store lacks are refused, all of them") {
      make, found in
      let (source, target) = try make.pair(market(), filling: fillMarket)
      let error = try found.refuses(.missingLinked, "Ann without her town", leaving: target) {
        try cloneSubtree(source, [1], into: target)
      }
      for name in ["Town 1", "Product 1", "Product 2", "Tag 1", "Tag 2"] {
        found.expect("\(error!)".contains(name), "\(name) is not in '\(error!)'")
      }
      found.expect(!"\(error!)".contains("Country"), "a country, which nothing of Ann's links to, is named")
    },
    TransferCase("subtree: links outside are left empty where that is asked, required ones refused") {
      make, found in
      let (source, target) = try make.pair(market(), filling: fillMarket)
      let result = try cloneSubtree(source, [1], into: target, SubtreeRequest(missing: .null))
      found.equal(result.report.created, ["Customer": 1, "Order": 2], "what was made")
      let ann = ManagedObject(id: result.roots[0], graph: target)
      found.equal(try ann.texts("orders", "number"), ["2", "1"], "her orders")
      found.expect(try ann.destination("town") == nil, "she has a town")
      found.expect(try ann.destinations("tags").isEmpty, "she has tags")
      let (strict, other) = try make.pair(market(required: true), filling: fillMarket)
      try found.refuses(.requiredLeftEmpty, "Ann, who must have a town", leaving: other) {
        try cloneSubtree(strict, [1], into: other, SubtreeRequest(missing: .null))
      }
    },
    TransferCase("subtree: what is missing is made with what it requires and nothing else") { make, found in
      let (source, target) = try make.pair(market(), filling: fillMarket)
      let result = try cloneSubtree(source, [1], into: target, SubtreeRequest(missing: .create))
      found.equal(
        result.report.created,
        ["Customer": 1, "Order": 2, "Town": 1, "Country": 1, "Tag": 2, "Product": 2], "what was made")
      found.equal(result.report.cloned, ["Customer": 1, "Order": 2], "what was cloned of it")
      let ann = ManagedObject(id: result.roots[0], graph: target)
      found.equal(try ann.destination("town")?.destination("country")?.text("name"), "CH", "her country")
      found.expect(try ann.destination("town")?.destination("mayor") == nil, "the town has a mayor")
      found.equal(try ann.texts("tags", "name").sorted(), ["new", "old"], "her tags")
      found.equal(
        try ann.destinations("orders").map { try $0.destination("product")!.text("name") },
        ["salt", "bread"],
        "what she ordered")
      let again = try cloneSubtree(source, [2], into: target, SubtreeRequest(missing: .create))
      found.equal(again.report.created, ["Customer": 1, "Order": 1], "what Bob brings")
      found.equal(
        again.report.found, ["Town": 1, "Product": 1, "Tag": 1, "Country": 1], "what is found for Bob")
    },
    TransferCase("subtree: what is linked is found by what the clone leaves out, and made without it") {
      make, found in
      let (source, target) = try make.pair(
        model(
          entity(
            "Part", [attribute("name")],
            [one("whole", "Part", inverse: "parts"), many("parts", "Part", inverse: "whole")],
            unique: [["name"]])))
      let wholes = try ["car", "ship"].map { try source.insert("Part", ["name": .string($0)]) }
      for whole in wholes { try source.insert("Part", ["whole": whole.reference]) }
      let car = try target.insert("Part", ["name": "car"])
      let result = try cloneSubtree(
        source, [3, 4], of: "Part", by: CloneRequest(exclude: ["name"]), into: target,
        SubtreeRequest(missing: .create))
      found.equal(result.report.found, ["Part": 1], "what was found")
      found.equal(result.report.created, ["Part": 3], "what was made")
      let doors = result.roots.map { ManagedObject(id: $0, graph: target) }
      found.equal(try doors[0].destination("whole"), car, "what the first door belongs to")
      found.equal(
        try doors[1].destination("whole")?.value("name"), .null, "the name of the ship that is made")
    },
    TransferCase("subtree: found objects stay as they are and gain members of shared lists, behind their own")
    {
      make, found in
      let (source, target) = try make.pair(market(), filling: fillMarket)
      try fillMarket(target)
      let report = try found.keepsOriginals(target) {
        try cloneSubtree(source, [1], into: target).report
      }
      found.equal(report.created, ["Customer": 1, "Order": 2], "what was made")
      found.equal(report.found, ["Town": 1, "Product": 2, "Tag": 2, "Country": 1], "what was found")
      let tag = try target.object("Tag", key: 2)
      found.equal(try tag.texts("customers", "name"), ["Bob", "Ann", "Ann"], "the tag's customers")
    },
    TransferCase("subtree: what is linked to is found through what it is identified by") { make, found in
      let (source, target) = try make.pair(market())
      for graph in [source, target] {
        for name in graph === source ? ["CH", "DE"] : ["FR", "DE", "CH"] {
          let country = try graph.insert("Country", ["name": .string(name)])
          try graph.insert("Town", ["name": "Bern", "country": country.reference])
        }
      }
      let bern = try source.objects("Town")[0]
      let ann = try source.insert("Customer", ["name": "Ann", "town": bern.reference])
      for path in ["country", "country.name"] {
        let result = try cloneSubtree(
          source, [ann.id.key], into: target, SubtreeRequest(identifiedBy: ["Town": ["name", path]]))
        let copy = ManagedObject(id: result.roots[0], graph: target)
        found.equal(try copy.destination("town")?.destination("country")?.text("name"), "CH", "the country")
        found.equal(result.report.created, ["Customer": 1], "what was made")
      }
    },
    TransferCase("subtree: a linked object whose identity is null or shared by several is refused") {
      make, found in
      let (source, target) = try make.pair(market(), filling: fillMarket)
      try fillMarket(target)
      try source.object("Town", key: 1).setValue("", for: "name")
      try found.unchanged(target) {
        try found.refuses(.missingLinked, "a town without a name") {
          try cloneSubtree(source, [1], into: target)
        }
        let byCountry = SubtreeRequest(identifiedBy: ["Town": ["country.name"]])
        try found.refuses(.ambiguousIdentity, "two towns of one country") {
          try cloneSubtree(source, [1], into: target, byCountry)
        }
      }
    },
    TransferCase("subtree: the partner that a linked object has in the other store is not taken away") {
      make, found in
      let model = try model(
        entity("Man", [attribute("name")], [one("hat", "Hat", inverse: "man", ["onClone": "link"])]),
        entity(
          "Hat", [attribute("name")], [one("man", "Man", inverse: "hat", ["exclude": ""])], unique: [["name"]]
        ))
      let (source, target) = try make.pair(model)
      for graph in [source, target] {
        let man = try graph.insert("Man", ["name": graph === source ? "a" : "b"])
        try man.set(graph.insert("Hat", ["name": "h"]), for: "hat")
      }
      try found.keepsOriginals(target) {
        try cloneSubtree(
          source, [1], of: "Man", into: target, SubtreeRequest(missing: .null, keepsKeys: false))
      }
      found.equal(try target.objects("Hat")[0].destination("man")?.text("name"), "b", "the hat's man")
    },
    TransferCase("subtree: an object that is made brings what it requires itself, and that again") {
      make, found in
      let model = try model(
        entity("Line", [attribute("number")], [one("track", "Track", ["onClone": "link"])]),
        entity("Track", [attribute("name")], [one("album", "Album", optional: false)]),
        entity("Album", [attribute("name")], [one("artist", "Artist", optional: false)]),
        entity("Artist", [attribute("name")]))
      for keepsKeys in [false, true] {
        let (source, target) = try make.pair(model)
        let artist = try source.insert("Artist", ["name": "a"])
        let album = try source.insert("Album", ["name": "b", "artist": artist.reference])
        let track = try source.insert("Track", ["name": "c", "album": album.reference])
        try source.insert("Line", ["number": "1", "track": track.reference])
        let result = try cloneSubtree(
          source, [1], of: "Line", into: target, SubtreeRequest(missing: .create, keepsKeys: keepsKeys))
        found.equal(
          result.report.created, ["Line": 1, "Track": 1, "Album": 1, "Artist": 1], "what was made")
        let line = ManagedObject(id: result.roots[0], graph: target)
        let copy = try line.destination("track")?.destination("album")?.destination("artist")
        found.equal(try copy?.text("name"), "a", "the artist")
      }
    },
    TransferCase("subtree: an object that is made requires the clone of a member, not another one") {
      make, found in
      let model = try model(
        entity(
          "Customer", [attribute("name")],
          [
            many("orders", "Order", inverse: "customer"),
            many("designs", "Product", inverse: "designer", ["exclude": ""]),
          ], unique: [["name"]]),
        entity(
          "Order", [attribute("number")],
          [one("customer", "Customer", inverse: "orders"), one("product", "Product", inverse: "orders")]),
        entity(
          "Product", [attribute("name")],
          [
            many("orders", "Order", inverse: "product"),
            one("designer", "Customer", inverse: "designs", optional: false),
          ], unique: [["name"]]))
      for keepsKeys in [false, true] {
        let (source, target) = try make.pair(model)
        let ann = try source.insert("Customer", ["name": "Ann"])
        let lamp = try source.insert("Product", ["name": "Lamp", "designer": ann.reference])
        try source.insert("Order", ["customer": ann.reference, "product": lamp.reference])
        let result = try cloneSubtree(
          source, [1], into: target, SubtreeRequest(missing: .create, keepsKeys: keepsKeys))
        found.equal(result.report.created, ["Customer": 1, "Order": 1, "Product": 1], "what was made")
        let root = ManagedObject(id: result.roots[0], graph: target)
        let product = try root.destinations("orders").first?.destination("product")
        found.equal(try product?.destination("designer"), root, "who designed the product")
      }
    },
    TransferCase(
      "subtree: of several linked objects of one identity the first by key is made, whoever is linked"
    ) {
      make, found in
      let model = try model(
        entity("Topic", [attribute("name"), attribute("colour")], [many("notes", "Note", inverse: "topic")]),
        entity("Folder", [attribute("name")], [many("notes", "Note", inverse: "folder")]),
        entity(
          "Note", [attribute("name")],
          [one("folder", "Folder", inverse: "notes"), one("topic", "Topic", inverse: "notes")]))
      for keepsKeys in [false, true] {
        let (source, target) = try make.pair(model)
        let topics = try ["red", "blue"].map {
          try source.insert("Topic", ["name": "t", "colour": .string($0)])
        }
        let folder = try source.insert("Folder", ["name": "f"])
        for topic in topics.reversed() {
          try source.insert("Note", ["name": "n", "folder": folder.reference, "topic": topic.reference])
        }
        let request = SubtreeRequest(
          identifiedBy: ["Topic": ["name"]], missing: .create, keepsKeys: keepsKeys)
        let report = try cloneSubtree(source, [1], of: "Folder", into: target, request).report
        found.equal(report.merged ?? [:], keepsKeys ? [:] : ["Topic": 1], "how many others it stands for")
        found.equal(
          report.skipped?.map(\.place) ?? [], keepsKeys ? [] : ["Topic 2"], "what does not come along whole")
        let colours = try target.objects("Note").map { try $0.destination("topic")?.text("colour") }
        found.equal(colours, keepsKeys ? ["blue", "red"] : ["red", "red"], "the topics of the notes")
      }
    },
    TransferCase("subtree: linked objects that are one object of the other store are paired with it once") {
      make, found in
      let model = try model(
        entity("Note", [attribute("name")], [many("tags", "Tag", inverse: "notes")]),
        entity("Tag", [attribute("name")], [many("notes", "Note", inverse: "tags")]))
      for keepsKeys in [false, true] {
        let (source, target) = try make.pair(model)
        let tags = try (0..<2).map { _ in try source.insert("Tag", ["name": "t"]) }
        try source.insert("Note", ["name": "n"]).setDestinations(tags, for: "tags")
        try target.insert("Tag", ["name": "t"])
        let request = SubtreeRequest(identifiedBy: ["Tag": ["name"]], keepsKeys: keepsKeys)
        let result = try cloneSubtree(source, [1], of: "Note", into: target, request)
        found.equal(result.report.found, ["Tag": 1], "what was found")
        found.equal(result.report.linked, ["Note.tags": 1], "what was linked")
        found.equal(try target.objects("Note")[0].texts("tags", "name"), ["t"], "the tags of the note")
      }
    },
  ]
}
