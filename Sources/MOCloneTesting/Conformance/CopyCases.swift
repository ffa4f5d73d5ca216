import Foundation
import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// How objects come from one store into another.
  static let copyCases: [TransferCase] = [
    TransferCase("copy: a diamond with cycles into an empty store, and again: nothing is added") {
      make, found in
      let (source, target) = try make.pair(garden(), filling: plant)
      let first = try copy(source, into: target)
      found.equal(first.created, ["Bed": 2, "Plant": 3, "Tag": 2], "what was created")
      let after = try GraphSnapshot(target)
      found.equal(
        try after.keyless(target.model), try GraphSnapshot(source).keyless(target.model), "the copy")
      let second = try copy(source, into: target)
      found.equal(second.created, [:], "what the second copy created")
      found.equal(second.found, ["Bed": 2, "Plant": 3, "Tag": 2], "what the second copy found")
      found.expect(try GraphSnapshot(target) == after, "the second copy changed something")
    },
    TransferCase("copy: found objects keep their values and gain the source's members, none twice") {
      make, found in
      let (source, target) = try make.pair(garden(), filling: plant)
      let rose = try target.insert("Plant", ["name": "rose", "height": 99])
      let bed = try target.insert("Bed", ["name": "north"])
      try bed.setDestinations([target.insert("Plant", ["name": "ivy"]), rose], for: "plants")
      let tag = try target.insert("Tag", ["name": "red"])
      try rose.setDestinations([tag], for: "tags")
      try copy(source, into: target)
      found.equal(try rose.value("height"), 99, "the height of the rose")
      found.equal(try bed.texts("plants", "name"), ["ivy", "rose", "tulip"], "the plants of the bed")
      found.equal(try rose.texts("tags", "name").sorted(), ["red", "tall"], "the tags of the rose")
      found.equal(try target.count("Tag"), 2, "the number of tags")
    },
    TransferCase("copy: an existing to-one is kept, and set anew where it is overwritten") { make, found in
      for overwrites in [false, true] {
        let (source, target) = try make.pair(garden(), filling: plant)
        let rose = try target.insert("Plant", ["name": "rose"])
        let tulip = try target.insert("Plant", ["name": "tulip"])
        try rose.set(target.insert("Bed", ["name": "own"]), for: "bed")
        let report = try copy(source, into: target, CopyRequest(overwrites: overwrites))
        found.equal(try rose.destination("bed")?.text("name"), overwrites ? "north" : "own", "the rose's bed")
        found.equal(try tulip.destination("bed")?.text("name"), "north", "the tulip's bed, which was empty")
        found.equal(report.linked?["Plant.bed"], overwrites ? 2 : 1, "the references set")
        try found.unchanged(target) { try copy(source, into: target, CopyRequest(overwrites: overwrites)) }
      }
    },
    TransferCase("copy: a to-one that is null in the source is kept, and emptied where it is overwritten") {
      make, found in
      let (source, target) = try make.pair(garden())
      try source.insert("Plant", ["name": "rose"])
      let rose = try target.insert("Plant", ["name": "rose"])
      let bed = try target.insert("Bed", ["name": "own"])
      try bed.setDestinations([target.insert("Plant", ["name": "ivy"]), rose], for: "plants")
      for request in [CopyRequest(), CopyRequest(exclude: ["Plant.bed"], overwrites: true)] {
        try found.unchanged(target) { try copy(source, into: target, request) }
      }
      for count in [1, 0] {
        let report = try copy(source, into: target, CopyRequest(overwrites: true))
        found.equal(report.linked?["Plant.bed"] ?? 0, count, "the references set")
        found.equal(try bed.texts("plants", "name"), ["ivy"], "the plants of the bed")
      }
    },
    TransferCase("copy: a relationship that is left out by either of its sides stays as it is") {
      make, found in
      let (source, target) = try make.pair(garden(), filling: plant)
      let bed = try target.insert("Bed", ["name": "own"])
      let rose = try target.insert("Plant", ["name": "rose", "bed": bed.reference])
      for names in [["Plant.bed", "Plant.tags"], ["Bed.plants", "Tag.plants"]] {
        let report = try copy(source, into: target, CopyRequest(exclude: names, overwrites: true))
        found.equal(report.linked?["Plant.tags"], nil, "the pairs made")
        found.equal(try rose.destination("bed")?.text("name"), "own", "the rose's bed")
        found.equal(
          try target.objects("Tag").flatMap { try $0.texts("plants", "name") }, [], "the tagged plants")
      }
    },
    TransferCase("copy: a relationship of a parent entity is not left out of one of its sub-entities only") {
      make, found in
      let model = try model(
        entity(
          "Doc", abstract: true, [attribute("name")], [one("folder", "Folder", inverse: "docs")],
          unique: [["name"]]),
        entity("Text", parent: "Doc"), entity("Sheet", parent: "Doc"),
        entity("Folder", [attribute("name")], [many("docs", "Doc", inverse: "folder")], unique: [["name"]]))
      let (source, target) = try make.pair(model)
      let folder = try source.insert("Folder", ["name": "f"])
      for entity in ["Text", "Sheet"] {
        try source.insert(entity, ["name": .string(entity), "folder": folder.reference])
      }
      try found.refuses(.invalidValue, "Text.folder", leaving: target) {
        try copy(source, into: target, CopyRequest(exclude: ["Text.folder"]))
      }
      try copy(source, into: target, CopyRequest(exclude: ["Doc.folder"]))
      found.equal(
        try target.objects("Doc").map { try $0.destination("folder") }, [nil, nil], "the folders of the docs")
    },
    TransferCase("copy: an overwritten to-one that is null in the source is kept where a side is required") {
      make, found in
      let model = try model(
        entity(
          "Owner", [attribute("name")], [required("things", "Thing", inverse: "owner")], unique: [["name"]]),
        entity("Thing", [attribute("name")], [one("owner", "Owner", inverse: "things")], unique: [["name"]]))
      let (source, target) = try make.pair(model)
      try source.insert("Thing", ["name": "a"])
      let owner = try target.insert("Owner", ["name": "o"])
      try target.insert("Thing", ["name": "a", "owner": owner.reference])
      try found.unchanged(target) { try copy(source, into: target, CopyRequest(overwrites: true)) }
    },
    TransferCase("copy: overwritten lists take the order of the source, behind what only the target has") {
      make, found in
      let (source, target) = try make.pair(garden(), filling: plant)
      let plants = try ["rose", "ivy", "tulip"].map { try target.insert("Plant", ["name": .string($0)]) }
      let owners = try [("Bed", "north"), ("Tag", "tall")].map { entity, name in
        let owner = try target.insert(entity, ["name": .string(name)])
        try owner.setDestinations(plants, for: "plants")
        return owner
      }
      for (request, order) in [
        (CopyRequest(), ["rose", "ivy", "tulip"]),
        (CopyRequest(exclude: ["plants"], overwrites: true), ["rose", "ivy", "tulip"]),
        (CopyRequest(overwrites: true), ["ivy", "tulip", "rose"]),
        (CopyRequest(overwrites: true), ["ivy", "tulip", "rose"]),
      ] {
        try copy(source, into: target, request)
        for owner in owners {
          found.equal(try owner.texts("plants", "name"), order, "the plants of the \(owner.entity)")
        }
      }
    },
    TransferCase("copy: overwritten lists that a member leaves stay as they are the next time") {
      make, found in
      let (source, target) = try make.pair(garden())
      for (graph, other) in [(source, "south"), (target, "north")] {
        let beds = try ["north", "south"].map { try graph.insert("Bed", ["name": .string($0)]) }
        let plants = try ["ivy", "rose", "fern"].map { try graph.insert("Plant", ["name": .string($0)]) }
        try beds[0].setDestinations(Array(plants[..<2]), for: "plants")
        try plants[2].set(beds.first { try $0.text("name") == other }, for: "bed")
      }
      try copy(source, into: target, CopyRequest(overwrites: true))
      try found.unchanged(target) { try copy(source, into: target, CopyRequest(overwrites: true)) }
      for bed in try target.objects("Bed") {
        let order = try bed.text("name") == "north" ? ["ivy", "rose"] : ["fern"]
        found.equal(try bed.texts("plants", "name"), order, "the plants of \(bed.id)")
      }
    },
    TransferCase("copy: a to-one in the key is kept, and refused where it would be overwritten") {
      make, found in
      var slot = entity(
        "Slot", [attribute("code", optional: false, column: "code"), attribute("label")],
        [one("box", "Box", inverse: "slots", optional: false)], unique: [["label"]])
      slot.primaryKey = [KeyColumn("box_id"), KeyColumn("code")]
      let model = try model(
        entity("Box", [attribute("name")], [many("slots", "Slot", inverse: "box")], unique: [["name"]]), slot)
      let (source, target) = try make.pair(model)
      for (graph, name) in [(source, "B"), (target, "A")] {
        let box = try graph.insert("Box", ["name": .string(name)])
        try graph.insert("Slot", ["code": "b", "label": "L", "box": box.reference])
      }
      try copy(source, into: target)
      let error = try found.refuses(.invalidValue, "a slot that would change its box", leaving: target) {
        try copy(source, into: target, CopyRequest(overwrites: true))
      }
      found.equal(error?.failures.first?.property, "box", "the relationship")
      let other = try make.target(model)
      try copy(source, into: other)
      try found.unchanged(other) { try copy(source, into: other, CopyRequest(overwrites: true)) }
    },
    TransferCase("copy: all that is related comes along in every direction where that is asked for") {
      make, found in
      let (source, target) = try make.pair(garden(), filling: plant)
      try source.insert("Tag", ["name": "lonely"])
      let report = try copy(
        source, into: target,
        CopyRequest(entities: ["Tag"], filters: [CopyFilter("Tag", "name", "tall")], follow: .all))
      found.equal(report.created, ["Bed": 1, "Plant": 2, "Tag": 2], "what a tag brings")
      let other = try make.target(garden())
      let bare = try copy(
        source, into: other,
        CopyRequest(entities: ["bed"], exclude: ["plants", "Plant.height"], limit: 1))
      found.equal(bare.created, ["Bed": 1], "a bed without plants")
    },
    TransferCase("copy: a selection brings what it owns and refers to, not what else belongs to that") {
      make, found in
      let (source, target) = try make.pair(shop(), filling: fillShop)
      let report = try copy(
        source, into: target, CopyRequest(filters: [CopyFilter("Customer", "name", "Ann")]))
      found.equal(
        report.created, ["Customer": 1, "Order": 2, "Line": 2, "Product": 2, "Group": 2, "Tag": 1],
        "what a customer brings")
      found.equal(
        try target.objects("Product").map { try $0.text("name") }.sorted(), ["ink", "pen"],
        "the products")
      let other = try make.target(shop())
      let limited = try copy(source, into: other, CopyRequest(entities: ["Group"], limit: 1))
      found.equal(
        limited.created, ["Group": 2, "Product": 2, "Tag": 1, "Line": 3, "Order": 3, "Customer": 2],
        "what a group brings")
    },
    TransferCase("copy: a selected object of a tree brings its descendants and its ancestors") {
      make, found in
      let model = try model(
        entity(
          "Folder", [attribute("name")],
          [one("parent", "Folder", inverse: "children"), many("children", "Folder", inverse: "parent")],
          unique: [["name"]]))
      let (source, target) = try make.pair(model)
      for (name, parent) in [("root", nil), ("a", 1), ("b", 1), ("aa", 2), ("aaa", 4), ("bb", 3)]
        as [(String, Int64?)]
      {
        let folder = try source.insert("Folder", ["name": .string(name)])
        if let parent {
          try folder.set(source.object("Folder", key: ObjectKey([.integer(parent)])), for: "parent")
        }
      }
      try copy(source, into: target, CopyRequest(filters: [CopyFilter("Folder", "name", "aa")]))
      found.equal(
        try target.objects("Folder").map { try $0.text("name") }.sorted(), ["a", "aa", "aaa", "root"],
        "the folders")
    },
    TransferCase("copy: a dry run is refused where the run would be: a unique value that is taken") {
      make, found in
      let model = try model(
        entity("Card", [attribute("number"), attribute("code")], unique: [["number"], ["code"]]))
      let (source, target) = try make.pair(model)
      try source.insert("Card", ["number": "1", "code": "x"])
      try target.insert("Card", ["number": "2", "code": "x"])
      for isDryRun in [true, false] {
        try found.unchanged(target) {
          try found.refuses(.uniqueValue, "a code that another card has, dry run: \(isDryRun)") {
            try copy(source, into: target, options: TransferOptions(isDryRun: isDryRun))
          }
        }
      }
    },
    TransferCase("copy: what is left out gets its default, what is required cannot be left out") {
      make, found in
      let (source, target) = try make.pair(garden(), filling: plant)
      try copy(source, into: target, CopyRequest(exclude: ["height"]))
      found.equal(try target.objects("Plant").map { try $0.value("height") }, [7, 7, 7], "the heights")
      try found.refuses(.invalidValue, "an identity left out") {
        try copy(source, into: target, CopyRequest(exclude: ["Tag.name"]))
      }
      try found.refuses(.unknownName, "a name that nothing has") {
        try copy(source, into: target, CopyRequest(exclude: ["hight"]))
      }
    },
    TransferCase(
      "copy: objects that nothing identifies are left out and named, those they are needed by refused"
    ) {
      make, found in
      let (source, target) = try make.pair(owned(required: false))
      let owner = try source.insert("Owner", ["name": ""])
      try source.insert("Thing", ["name": "a", "owner": owner.reference])
      let report = try copy(source, into: target)
      found.equal(report.skipped?.map(\.place), ["Owner 1"], "what is left out")
      found.equal(try target.objects("Thing").map { try $0.destination("owner") == nil }, [true], "the owner")
      let (strict, other) = try make.pair(owned(required: true))
      let none = try strict.insert("Owner", ["name": .null])
      try strict.insert("Thing", ["name": "a", "owner": none.reference])
      try found.refuses(.requiredLeftEmpty, "a thing without its owner", leaving: other) {
        try copy(strict, into: other)
      }
    },
    TransferCase("copy: what is required and left out by the call is refused once, for that reason") {
      make, found in
      let (source, target) = try make.pair(owned(required: true))
      let owner = try source.insert("Owner", ["name": "o"])
      for name in ["a", "b"] {
        try source.insert("Thing", ["name": .string(name), "owner": owner.reference])
      }
      let error = try found.refuses(.requiredLeftEmpty, "things without their owner", leaving: target) {
        try copy(source, into: target, CopyRequest(entities: ["Thing"], exclude: ["owner"]))
      }
      found.equal(error?.failures.count, 1, "the number of reasons")
      found.expect("\(error!)".contains("do not exclude it"), "the reason is not in '\(error!)'")
      let both = CopyRequest(entities: ["Thing", "Owner"], exclude: ["owner"])
      found.equal(try copy(source, into: target, both).created, ["Owner": 1, "Thing": 2], "what comes along")
    },
    TransferCase("copy: a changed object gets the date of change, a new one keeps the source's") {
      make, found in
      let model = try model(
        entity("Owner", [attribute("name")], [many("things", "Thing", inverse: "owner")], unique: [["name"]]),
        entity(
          "Thing", [attribute("name"), attribute("modified", .date)],
          [one("owner", "Owner", inverse: "things")],
          unique: [["name"]]))
      let (source, target) = try make.pair(model)
      let owner = try source.insert("Owner", ["name": "o"])
      for name in ["a", "b"] {
        try source.insert("Thing", ["name": .string(name), "owner": owner.reference])
      }
      let thing = try target.insert("Thing", ["name": "a"])
      let instant = Date(timeIntervalSince1970: 1000)
      try copy(source, into: target, options: TransferOptions(generator: fixedGenerator(now: instant)))
      found.equal(try thing.value("modified"), .date(instant), "the date of a")
      found.equal(try target.objects("Thing").last?.value("modified"), .null, "the date of b")
    },
    TransferCase("copy: a run that only looks says the same and changes nothing") { make, found in
      let (source, target) = try make.pair(garden(), filling: plant)
      try target.insert("Plant", ["name": "rose"])
      try found.unchanged(target) {
        let report = try copy(source, into: target, options: TransferOptions(isDryRun: true))
        found.equal(report.created, ["Bed": 2, "Plant": 2, "Tag": 2], "what would be created")
        found.equal(report.found, ["Plant": 1], "what would be found")
        found.expect(report.dryRun, "the report does not say so")
      }
    },
    TransferCase("copy: once means once") { make, found in
      let (source, target) = try make.pair(owned(required: false))
      try source.insert("Thing", ["name": "a"])
      let options = TransferOptions(once: OnceRequest("things"))
      for _ in 0..<2 { try copy(source, into: target, options: options) }
      found.equal(try target.count("Thing"), 1, "the number of things")
    },
  ]

  @discardableResult
  static func copy(
    _ source: any ObjectGraph, into target: any ObjectGraph, _ request: CopyRequest = CopyRequest(),
    options: TransferOptions = TransferOptions()
  ) throws -> TransferReport {
    try copying(target).copyObjects(from: source, request, options: options)
  }

  private static func garden() throws -> ObjectModel {
    try model(
      entity(
        "Bed", [attribute("name")], [many("plants", "Plant", inverse: "bed", ordered: true)],
        unique: [["name"]]),
      entity(
        "Plant", [attribute("name", optional: false), attribute("height", .integer32, default: 7)],
        [
          one("bed", "Bed", inverse: "plants"), one("neighbour", "Plant"),
          many("tags", "Tag", inverse: "plants"),
        ], unique: [["name"]]),
      entity(
        "Tag", [attribute("name")], [many("plants", "Plant", inverse: "tags", ordered: true)],
        unique: [["name"]]))
  }

  /// Two plants in an order of their own, which are neighbours of each other and share a tag.
  private static func plant(_ graph: any ObjectGraph) throws {
    let plants = try ["rose", "tulip", "fern"].map {
      try graph.insert("Plant", ["name": .string($0), "height": .integer(Int64($0.count))])
    }
    let bed = try graph.insert("Bed", ["name": "north"])
    try graph.insert("Bed", ["name": "south"])
    try bed.setDestinations([plants[1], plants[0]], for: "plants")
    try plants[0].set(plants[1], for: "neighbour")
    try plants[1].set(plants[0], for: "neighbour")
    let tags = try ["red", "tall"].map { try graph.insert("Tag", ["name": .string($0)]) }
    try tags[1].setDestinations([plants[1], plants[0]], for: "plants")
    try tags[0].setDestinations([plants[0]], for: "plants")
  }

  /// Customers own orders and these their lines, which refer to products in groups that lie in each other.
  private static func shop() throws -> ObjectModel {
    try model(
      entity(
        "Customer", [attribute("name")], [many("orders", "Order", inverse: "customer")], unique: [["name"]]),
      entity(
        "Order", [attribute("number")],
        [one("customer", "Customer", inverse: "orders"), many("lines", "Line", inverse: "order")],
        unique: [["number"]]),
      entity(
        "Line", [attribute("number")],
        [one("order", "Order", inverse: "lines"), one("product", "Product", inverse: "lines")],
        unique: [["number"]]),
      entity(
        "Product", [attribute("name")],
        [
          many("lines", "Line", inverse: "product"), one("group", "Group", inverse: "products"),
          many("tags", "Tag", inverse: "products"),
        ], unique: [["name"]]),
      entity(
        "Group", [attribute("name")],
        [many("products", "Product", inverse: "group"), one("above", "Group")], unique: [["name"]]),
      entity("Tag", [attribute("name")], [many("products", "Product", inverse: "tags")], unique: [["name"]]))
  }

  private static func fillShop(_ graph: any ObjectGraph) throws {
    let groups = try ["desk", "all", "other"].map { try graph.insert("Group", ["name": .string($0)]) }
    try groups[0].set(groups[1], for: "above")
    let tag = try graph.insert("Tag", ["name": "new"])
    let products = try [("pen", 0), ("ink", 0), ("cup", 2)].map { name, group in
      let product = try graph.insert("Product", ["name": .string(name)])
      try product.set(groups[group], for: "group")
      try product.setDestinations([tag], for: "tags")
      return product
    }
    for (number, (name, product)) in [("Ann", 0), ("Ann", 1), ("Bob", 0), ("Bob", 2)].enumerated() {
      let customer = try graph.findOrCreate("Customer", ["name": .string(name)]).object
      let order = try graph.insert("Order", ["number": .string("\(number)")])
      try order.set(customer, for: "customer")
      let line = try graph.insert("Line", ["number": .string("\(number)")])
      try line.set(order, for: "order")
      try line.set(products[product], for: "product")
    }
  }

  static func owned(required: Bool) throws -> ObjectModel {
    try model(
      entity("Owner", [attribute("name")], [many("things", "Thing", inverse: "owner")], unique: [["name"]]),
      entity("Thing", [attribute("name")], [one("owner", "Owner", inverse: "things", optional: !required)]))
  }
}
