import Foundation
import MOCloneEngine
import MOCloneModel

extension ConformanceSuite {
  /// How a local store is merged into another one.
  static let seedCases: [TransferCase] = [
    TransferCase("seed: what is new is dated, what is there keeps its values, members come along") {
      make, found in
      let (local, target) = try make.pair(journal())
      try write(local, "mine", day: 1, entries: ["a", "b"])
      try write(target, "mine", day: 5, entries: ["b"])
      let now = Date(timeIntervalSince1970: 1000)
      let report = try seed(
        local, into: target, options: TransferOptions(generator: fixedGenerator(now: now)))
      found.equal(report.operation, .seed, "the operation")
      found.equal(report.created, ["Entry": 1], "what was made")
      found.equal(report.found, ["Journal": 1, "Entry": 1], "what was found")
      let journal = try target.objects("Journal")[0]
      found.equal(try journal.value("modified"), .date(Date(timeIntervalSince1970: 5)), "the journal's date")
      found.equal(try journal.texts("entries", "text").sorted(), ["a", "b"], "its entries")
      let dates = try journal.destinations("entries").map { try $0.value("modified") }
      found.expect(dates.contains(.date(now)), "the new entry is not dated")
      let lacking = try copying(target).lacking(of: local, identifiedBy: byText, seeded: report)
      found.equal(lacking, [], "what has no counterpart")
    },
    TransferCase("seed: duplicates that are there are merged, and a second seed makes nothing") {
      make, found in
      let (local, target) = try make.pair(journal())
      try write(local, "mine", day: 1, entries: ["a"])
      for text in ["x", "x"] { try target.insert("Entry", ["text": .string(text)]) }
      let report = try seed(local, into: target)
      found.equal(report.created, ["Journal": 1, "Entry": 1], "what was made")
      found.equal(report.merged, ["Entry": 1], "what was merged")
      let again = try found.unchanged(target) { try seed(local, into: target) }
      found.equal(again.created, [:], "what the second seed made")
    },
    TransferCase("seed: nulls of what is there are filled; another value keeps the source from going") {
      make, found in
      let model = try model(
        entity(
          "Author", [attribute("name"), attribute("born", .integer32), attribute("modified", .date)],
          [one("boss", "Author")], unique: [["name"]]))
      let (local, target) = try make.pair(model)
      for graph in [local, target] {
        for name in ["Ann", "Bob", "Cem"] { try graph.insert("Author", ["name": .string(name)]) }
      }
      let authors = try (local: local.objects("Author"), target: target.objects("Author"))
      try authors.local[0].setValue(1950, for: "born")
      try authors.target[2].setValue(1970, for: "born")
      let now = Date(timeIntervalSince1970: 1000)
      let options = TransferOptions(generator: fixedGenerator(now: now))
      var report = try seed(local, into: target, options: options)
      found.equal(report.updated, ["Author": 1], "what is filled")
      found.equal(try authors.target.map { try $0.value("born") }, [1950, .null, 1970], "the years")
      found.equal(try authors.target[0].value("modified"), .date(now), "the date of what is filled")
      found.equal(try lacking(local, in: target, report), [], "what is lacking")
      try authors.local[2].setValue(1971, for: "born")
      try authors.local[1].set(authors.local[0], for: "boss")
      try authors.target[1].set(authors.target[2], for: "boss")
      report = try seed(local, into: target, options: options)
      found.equal(report.updated, nil, "what is filled where all have a value")
      found.equal(
        try lacking(local, in: target, report), ["Author 2: boss", "Author 3: born"], "what differs")
    },
    TransferCase("seed: what refers by a value refers to what was there, once that is filled with the value")
    {
      make, found in
      let user = RelationshipDescription(
        name: "user", destination: "User", isOptional: true, inverse: "notes",
        columns: [ForeignKeyColumn("login", references: "login")])
      let model = try model(
        entity(
          "User", [attribute("name"), attribute("login")], [many("notes", "Note", inverse: "user")],
          unique: [["name"], ["login"]]),
        entity("Note", [attribute("text")], [user], unique: [["text"]]))
      let (local, target) = try make.pair(model)
      let ann = try local.insert("User", ["name": "Ann", "login": "ann"])
      try local.insert("Note", ["text": "of Ann", "user": ann.reference])
      try target.insert("User", ["name": "Ann"])
      let report = try seed(local, into: target)
      found.equal(report.created, ["Note": 1], "what was made")
      found.equal(report.updated, ["User": 1], "what was filled")
      found.equal(try target.objects("User")[0].texts("notes", "text"), ["of Ann"], "what refers to it")
    },
    TransferCase("seed: a null of a unique attribute is filled where no other object has or gets the value") {
      make, found in
      let model = try model(
        entity(
          "Note",
          [attribute("code"), attribute("slug"), attribute("number", .integer64)]
            + ["street", "house"].map { attribute($0) },
          unique: [["code"], ["slug"], ["number"], ["street", "house"]]))
      let (local, target) = try make.pair(model)
      for code in ["a", "b", "c"] {
        try local.insert(
          "Note",
          ["code": .string(code), "slug": .string("slug \(code)"), "street": "Main", "house": .string(code)])
        try target.insert("Note", ["code": .string(code)])
      }
      try target.insert("Note", ["code": "d", "slug": "slug b"])
      try local.insert("Note", ["code": "e", "slug": "slug e", "number": 1])
      try local.objects("Note")[0].setValue(2, for: "number")
      try target.objects("Note")[0].setValue("own", for: "slug")
      let report = try seed(local, into: target)
      found.equal(report.updated, ["Note": 2], "what is filled")
      found.equal(
        try target.objects("Note").map { try $0.value("slug") },
        ["own", .null, "slug c", "slug b", "slug e"], "the slugs")
      found.equal(
        try target.objects("Note").map { try $0.value("number") }, [2, .null, .null, .null, 1], "the numbers")
      found.equal(
        try target.objects("Note").map { try $0.value("house") }, Array(repeating: .null, count: 5),
        "halves of what is unique together")
      found.equal(report.skipped?.map(\.place), ["Note 2"], "what is left out")
      found.expect(report.skipped?[0].reason.contains("'slug'") == true, "the attribute is not named")
      found.equal(try seed(local, into: target).updated, nil, "what a second seed fills")
    },
    TransferCase("seed: an object that nothing identifies has no counterpart") { make, found in
      let (local, target) = try make.pair(journal())
      try write(local, "", day: 1, entries: [])
      let report = try seed(local, into: target)
      found.equal(report.skipped?.map(\.place), ["Journal 1"], "what is left out")
      let lacking = try copying(target).lacking(of: local, identifiedBy: byText, seeded: report)
      found.expect(!lacking.isEmpty, "the journal without a name has a counterpart")
    },
    TransferCase("seed: a run that only looks changes nothing; once means once") { make, found in
      let (local, target) = try make.pair(journal())
      try write(local, "mine", day: 1, entries: ["a"])
      try found.unchanged(target) {
        let report = try seed(local, into: target, options: TransferOptions(isDryRun: true))
        found.equal(report.created, ["Journal": 1, "Entry": 1], "what would be made")
      }
      let once = TransferOptions(once: OnceRequest("local"))
      try seed(local, into: target, options: once)
      for object in try target.objects("Journal") { try target.delete(object) }
      let again = try seed(local, into: target, options: once)
      found.expect(again.reason != nil, "nothing says why nothing was done")
      found.equal(try target.count("Journal"), 0, "the journals")
    },
  ]

  @discardableResult
  private static func seed(
    _ source: any ObjectGraph, into target: any ObjectGraph, options: TransferOptions = TransferOptions()
  ) throws -> TransferReport {
    try copying(target).seed(
      from: source, identifiedBy: source.model.entity("Entry") == nil ? [:] : byText, options: options)
  }

  private static func lacking(
    _ source: any ObjectGraph, in target: any ObjectGraph, _ report: TransferReport
  ) throws -> [String] {
    try copying(target).lacking(of: source, identifiedBy: [:], seeded: report)
  }

  private static let byText: IdentityRequest = ["Entry": ["text"]]

  private static func journal() throws -> ObjectModel {
    try model(
      entity(
        "Journal", [attribute("name"), attribute("modified", .date)],
        [many("entries", "Entry", inverse: "journal")], unique: [["name"]]),
      entity(
        "Entry", [attribute("text"), attribute("modified", .date)],
        [one("journal", "Journal", inverse: "entries")]))
  }

  private static func write(
    _ graph: any ObjectGraph, _ name: String, day: Double, entries: [String]
  ) throws {
    let date: AttributeValue = .date(Date(timeIntervalSince1970: day))
    let journal = try graph.insert("Journal", ["name": .string(name), "modified": date])
    for text in entries {
      try graph.insert("Entry", ["text": .string(text), "modified": date, "journal": journal.reference])
    }
  }
}
