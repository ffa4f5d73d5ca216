import Foundation
import MOCloneEngine
import MOCloneModel
import Testing

@Suite("Identities")
struct IdentityTests {
  private func model() throws -> ObjectModel {
    try ObjectModel(
      name: "Shop",
      entities: [
        EntityDescription(
          name: "Article",
          attributes: [
            AttributeDescription(name: "name", type: .string),
            AttributeDescription(name: "code", type: .string),
          ],
          relationships: [
            RelationshipDescription(name: "prices", destination: "Price", isToMany: true, inverse: "article"),
            RelationshipDescription(name: "main", destination: "Price", isOptional: true),
          ],
          uniquenessConstraints: [["name"], ["code"]]),
        EntityDescription(name: "Fruit", parent: "Article"),
        EntityDescription(
          name: "Price", attributes: [AttributeDescription(name: "currency", type: .string)],
          relationships: [
            RelationshipDescription(name: "article", destination: "Article", inverse: "prices")
          ],
          uniquenessConstraints: [["article", "currency"]]),
        EntityDescription(name: "Note", attributes: [AttributeDescription(name: "text", type: .string)]),
      ])
  }

  @Test("The first uniqueness constraint, inherited too; an entity without one has none")
  func constraints() throws {
    let identities = try Identities(model())
    #expect(identities["Article"]?.names == "name")
    #expect(identities["Fruit"]?.names == "name")
    #expect(identities["Fruit"]?.scope == "Article")
    #expect(identities["Price"]?.names == "article, currency")
    #expect(identities["Note"] == nil)
  }

  @Test("What a call names comes first, for sub-entities too, and may lead through relationships")
  func calls() throws {
    let request = try IdentityRequest(texts: ["article=code", "Price=article.code, currency", "text"])
    let identities = try Identities(model(), identifiedBy: request)
    #expect(identities["Fruit"]?.names == "code")
    #expect(identities["Fruit"]?.scope == "Fruit")
    #expect(identities["Price"]?.names == "article.code, currency")
    #expect(identities["Note"]?.names == "text")
  }

  @Test("Everything that is wrong with a call is said at once, with the nearest names")
  func wrongCalls() throws {
    let error = #expect(throws: CloneError.self) {
      try Identities(
        model(),
        identifiedBy: ["Artikle": ["name"], "Article": ["nam", "prices"], "Price": ["article.cod"]])
    }
    let text = "\(try #require(error))"
    for part in [
      "'Artikle'", "did you mean 'Article'", "did you mean 'name'", "'prices' is to-many", "'code'",
    ] {
      #expect(text.contains(part))
    }
    let unknown = #expect(throws: CloneError.self) {
      try Identities(model(), identifiedBy: .init(common: ["colour"]))
    }
    #expect(
      unknown?.failures.first?.message
        == "no entity has a property 'colour' that could identify it; --by names attributes")
  }

  @Test(
    "Texts that name nothing, or the same twice, are refused",
    arguments: [["=a"], ["A="], ["a,"], ["A=a", "A=b"], ["a", "b"]])
  func wrongTexts(_ texts: [String]) {
    #expect(throws: CloneError.self) { try IdentityRequest(texts: texts) }
  }

  @Test("Destinations that identify come first; entities that identify each other are refused")
  func order() throws {
    let model = try model()
    let names = model.entities.map(\.name)
    #expect(try Identities(model).order(["Price", "Fruit", "Article"]) == ["Article", "Fruit", "Price"])
    let cyclic = try Identities(model, identifiedBy: ["Article": ["main"]])
    let error = #expect(throws: CloneError.self) { try cyclic.order(names) }
    #expect(error?.code == .identityCycle)
  }
}

@Suite("Reports of moves")
struct TransferReportTests {
  @Test("The JSON has the sections of the operation and no other")
  func json() throws {
    var report = TransferReport(.import, isDryRun: true)
    report.add(5, "Item", to: \.created)
    report.add(0, "Unit", to: \.created)
    report.skip("items.csv:7:3", "'x' is no Integer 32")
    #expect(
      try report.json()
        == #"{"created":{"Item":5},"dryRun":true,"operation":"import","skipped":[{"place":"items.csv:7:3","reason":"'x' is no Integer 32"}],"version":1}"#
        + "\n")
    #expect(try JSONDecoder().decode(TransferReport.self, from: Data(report.json().utf8)) == report)
  }

  @Test("A long identity is shortened in the text, and whole in the JSON")
  func longIdentity() throws {
    var report = TransferReport(.dedupe)
    let text = String(repeating: "x", count: 1000)
    report.groups = [.init(entity: "Item", identity: [text], survivor: "1", merged: ["2"])]
    #expect(report.text() == "merged  Item 2 into 1: \(text.prefix(40))…\n")
    #expect(try report.json().contains(text))
  }

  @Test("What a merge gives up has its own heading, with values shortened in the text and whole in the JSON")
  func givenUp() throws {
    var report = TransferReport(.dedupe)
    let text = String(repeating: "x", count: 1000)
    report.skip(
      TransferReport.givenUp(
        [("note", text), ("size", "7")], of: ObjectID("Item", key: 1), for: ObjectID("Item", key: 2)))
    report.skip(
      TransferReport.givenUp([("size", "8")], of: ObjectID("Item", key: 3), for: ObjectID("Item", key: 2)))
    report.skip("Item 4, Item 5", "no survivor was chosen")
    let represents = "Item 2, which has the same identity and represents both"
    #expect(
      report.text() == """
        given up  Item 1: note '\(text.prefix(40))…', size '7'; 'note', 'size' differ from those of \(represents)
        given up  Item 3: size '8'; 'size' differs from that of \(represents)
        left out  Item 4, Item 5: no survivor was chosen

        """)
    #expect(report.text(listed: 1).contains("given up  1 more\n"))
    #expect(report.skipped?.first?.givenUp == ["note": text, "size": "7"])
    #expect(try report.json().contains(text))
  }

  @Test("The text names counts, and some of what was left out")
  func text() {
    var report = TransferReport(.copy)
    #expect(report.text() == "nothing changed\n")
    report.add(2, "Item", to: \.created)
    report.add(1, "Note", to: \.found)
    for number in 1...3 { report.skip("Item \(number)", "its name is null") }
    #expect(
      report.text(listed: 2) == """
        created  2  Item
        found  1  Note
        left out  Item 1: its name is null
        left out  Item 2: its name is null
        left out  1 more

        """)
    report.dryRun = true
    #expect(report.text().hasPrefix("would create  2  Item\nwould find  1  Note\n"))
  }

  @Test("Names without an entity hold for what a call is about, and override no constraint of others")
  func commonNames() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        entities:
          Product:
            attributes: {name: String, code: String}
            uniquenessConstraints: [[code]]
            relationships: {options: {destination: Option, toMany: true, inverse: product}}
          Option:
            attributes: {name: String}
            uniquenessConstraints: [[product, name]]
            relationships: {product: {destination: Product, inverse: options}}
          Cat: {attributes: {name: String, code: String}, uniquenessConstraints: [[code]]}
          Dog: {attributes: {name: String}}
        """)
    func names(_ named: [String]) throws -> [String] {
      let identities = try Identities(model, identifiedBy: IdentityRequest(common: ["name"]), of: named)
      return ["Product", "Option", "Cat", "Dog"].map { entity in
        identities[entity]?.paths.map(\.description).joined(separator: ",") ?? "-"
      }
    }
    #expect(try names(["Product"]) == ["name", "product,name", "code", "name"])
    #expect(try names(["Option"]) == ["code", "name", "code", "name"])
    #expect(try names([]) == ["name", "product,name", "name", "name"])
  }

  @Test("Progress reaches an observer and a sequence of events, which ends with the run")
  func progress() async throws {
    let observer = Progress(totalUnitCount: -1)
    var found: [Int] = []
    let (options, events) = TransferOptions().observed(by: observer).events()
    try options.whole { options in
      try options.report(TransferProgress(objects: ["Item": 2, "Note": 1], total: 10))
      try options.report(TransferProgress(objects: ["Item": 4, "Note": 1], total: 10))
      // The first of three phases is half done.
      #expect(observer.completedUnitCount == 166)
      #expect(observer.totalUnitCount == 1000)
    }
    for await event in events { found.append(event.count) }
    #expect(found == [3, 5])
    #expect(observer.isFinished)
  }

  @Test("A cancelled task ends the run at its next report")
  func cancellation() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try TransferOptions().report(TransferProgress())
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
