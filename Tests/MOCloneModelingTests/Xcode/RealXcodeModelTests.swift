import Foundation
import MOCloneKit
import MOCloneModeling
import Testing

/// Facts about real models, written down by hand from their XML.
@Suite("Xcode models that others made", .withCoreDataFiles)
struct RealXcodeModelTests {
  private func draft(_ name: String) throws -> ModelDraft {
    try ModelDraft(contentsOf: CoreDataFiles.model(name))
  }

  /// The sizes: entities, attributes, relationships, and those without an inverse.
  @Test(
    arguments: zip(
      CoreDataFiles.models,
      [
        [2, 4, 2, 0], [3, 9, 4, 0], [8, 32, 6, 0], [4, 13, 2, 0], [5, 36, 10, 0], [6, 15, 10, 0],
        [8, 13, 6, 0],
        [12, 29, 9, 9],
      ]))
  func sizes(name: String, sizes: [Int]) throws {
    let entities = try draft(name).entities
    let relationships = entities.flatMap(\.relationships)
    #expect(
      sizes == [
        entities.count, entities.flatMap(\.attributes).count, relationships.count,
        relationships.count { $0.inverse == nil },
      ])
  }

  /// Nothing is an error in any of them, and the warnings are true of each.
  @Test(arguments: CoreDataFiles.models)
  func onlyFaultsOfTheSourceAreFound(name: String) throws {
    let file = try ModelFile(CoreDataFiles.model(name).path)
    let parsed = file.parsed()
    #expect(parsed.model != nil)
    #expect(parsed.diagnostics.map(\.code.rawValue) == Self.warnings[name, default: []])
    #expect(parsed.diagnostics.allSatisfy { $0.range != nil })
  }

  private static let warnings = [
    "magicalpanda__MagicalRecord__TestModel": Array(repeating: "missing-inverse", count: 9),
    // A unique identifier without 'rebuild', and clones that lead up into an owner, or into what others own.
    "SwiftGen__SwiftGen__Model-Model_2": ["returns-to-kind", "unique-copied", "climbs-to-owner"],
    "fatbobman__MOCloner__Model": ["climbs-to-owner", "joins-other-aggregate"],
  ]

  @Test func moClonersNotesHaveTheirAnnotations() throws {
    let model = try draft("fatbobman__MOCloner__Model").model()
    #expect(
      model.entities.map(\.name) == ["Item", "Memo", "Note", "NoteDescription", "ToManyTag", "ToOneTag"])
    #expect(model.attribute("id", of: "Note")?.userInfo == ["rebuild": "uuid"])
    #expect(model.attribute("createDate", of: "Note")?.userInfo == ["rebuild": "now"])
    #expect(model.attribute("index", of: "Item")?.userInfo == ["exclude": "value"])
    #expect(
      model.attribute("noteIDBlank", of: "Item")?.userInfo == [
        "followParent": "id", "withoutParent": "blank",
      ])
    #expect(model.relationship("items", of: "Note")?.deleteRule == .cascade)
    #expect(model.relationship("memos", of: "Note")?.isOrdered == true)
    let transient = try #require(model.attribute("transient", of: "Note"))
    #expect(transient.isTransient && !transient.isOptional && transient.defaultValue == .bool(true))
    let data = try #require(model.attribute("data", of: "Note"))
    #expect(kept(data.extensions) == ["allowsExternalBinaryDataStorage": .text("YES")])
    #expect(kept(model.entity("Note")!.extensions)["codeGenerationType"] == .text("class"))
  }

  @Test func grootsCharactersHaveTheirUserInfo() throws {
    let model = try draft("gonzalezreal__Groot__Model").model()
    #expect(model.concreteEntities(of: "Abstract") == ["ConcreteA", "ConcreteB"])
    #expect(model.entity("Abstract")?.isAbstract == true)
    #expect(model.entity("Card")?.userInfo == ["identityAttributes": "suit, value"])
    #expect(
      model.attribute("identifier", of: "Character")?.userInfo
        == ["JSONKeyPath": "id", "JSONTransformerName": "GrootTests.Transformer"])
    #expect(model.relationship("powers", of: "Character")?.inverse == "characters")
    #expect(kept(model.attribute("suit", of: "Card")!.extensions) == ["indexed": .text("YES")])
  }

  @Test func magicalRecordsRelationshipsHaveNoInverse() throws {
    let model = try draft("magicalpanda__MagicalRecord__TestModel").model()
    let toMany = try #require(model.relationship("testAbstractToManyRelationship", of: "SingleRelatedEntity"))
    #expect(toMany.inverse == nil && toMany.isToMany && toMany.deleteRule == .cascade)
    #expect(toMany.userInfo == ["relatedByAttribute": "sampleBaseAttribute"])
    #expect(model.lineage(of: "ConcreteRelatedEntity") == ["ConcreteRelatedEntity", "AbstractRelatedEntity"])
    #expect(
      model.attribute("notInJsonAttribute", of: "SingleEntityWithNoRelationships")?.defaultValue
        == .string("Set From Core Data Model Editor"))
    #expect(
      model.attribute(
        "secondaryMappedAttribute", of: "SingleEntityRelatedToMappedEntityWithSecondaryMappings")?.userInfo
        == [
          "mappedKeyName": "no_in_use", "mappedKeyName.1": "getting_warmer",
          "mappedKeyName.2": "actualMappedKey",
        ])
    #expect(
      kept(model.entity("EntityWithDifferentClassName")!.extensions)["representedClassName"]
        == .text("DifferentClassNameMapping"))
  }

  @Test func momcomsEntityHasLimitsOfEveryType() throws {
    let draft = try draft("atomicbird__momcom__momcomTests-momcTests_2")
    let model = try draft.model()
    #expect(model.entity("Entity")?.renamedFrom == "myRenamingIdentifier")
    #expect(model.entity("Entity")?.parent == "AbstractEntity")
    #expect(model.entity("Entity")?.userInfo == ["someKey": "randomValue"])
    #expect(kept(model.entity("Entity")!.extensions)["versionHashModifier"] == .text("myVersionHashModifier"))
    let int16 = try #require(model.attribute("int16Attribute", of: "Entity"))
    #expect(int16.minimum == -3 && int16.maximum == 9 && int16.defaultValue == .integer(0))
    let decimal = try #require(model.attribute("decimalAttribute", of: "Entity"))
    #expect(decimal.minimum == -4.5 && decimal.maximum == 4.5)
    let date = try #require(model.attribute("dateAttribute", of: "Entity"))
    #expect(date.defaultValue == .date(Date(timeIntervalSinceReferenceDate: 388_411_200)))
    let others = try #require(model.relationship("otherEntities", of: "Entity"))
    #expect(others.minCount == 1 && others.maxCount == 9)
    #expect(model.entity("UnrelatedEntity")?.configurations == ["UnrelatedConfiguration"])
    #expect(
      draft.omissions.contains("Left out: the max of dates, which is not checked, of 'Entity.dateAttribute'.")
    )
  }

  @Test func swiftGensModelHasNearlyEveryFeature() throws {
    let model = try draft("SwiftGen__SwiftGen__Model-Model_2").model()
    #expect(model.entity("ChildEntity")?.parent == "MainEntity")
    #expect(model.attribute("derivedCount", of: "ChildEntity")?.derivation == .computed)
    #expect(
      kept(model.attribute("canonicalOptionalString", of: "ChildEntity")!.extensions)["derivationExpression"]
        == .text("canonical:(optionalString)"))
    #expect(model.entity("NewEntity")?.uniquenessConstraints == [["identifier"]])
    #expect(model.entity("NewEntity")?.configurations == ["Custom"])
    #expect(model.attribute("binaryData", of: "MainEntity")?.userInfo == ["key": "value"])
    #expect(model.attribute("uri", of: "MainEntity")?.type == .uri)
    #expect(
      kept(model.attribute("attributedString", of: "MainEntity")!.extensions)["customClassName"]
        == .text("NSAttributedString"))
    #expect(model.relationship("oneToMany", of: "MainEntity")?.isOrdered == true)
    guard case .list(let requests)? = kept(model.extensions)["fetchRequest"] else {
      Issue.record("no fetch requests")
      return
    }
    #expect(requests.count == 3)
  }

  @Test func contentfulsPostsAreOrderedOnBothSides() throws {
    let model = try draft("contentful__contentful-persistence.swift__Test").model()
    #expect(model.relationship("authors", of: "Post")?.isOrdered == true)
    #expect(model.relationship("createdEntries", of: "Author")?.isOrdered == true)
    #expect(model.relationship("categoryInverse", of: "Category")?.isOrdered == false)
    #expect(
      model.relationship("theFeaturedImage", of: "Post")?.inverse
        == "featuredImage_2wKn6yEnZewu2SCCkus4as_Inverse")
    #expect(model.attribute("tags", of: "Post")?.type == .binary)
  }

  @Test func syncsNotesAreRead() throws {
    let ordered = try draft("3lvis__Sync__151-ordered-many-to-many-151-many-to-many").model()
    #expect(ordered.relationship("tags", of: "Note")?.isOrdered == true)
    #expect(ordered.relationship("notes", of: "Tag")?.isOrdered == true)
    #expect(ordered.attribute("id", of: "Note")?.defaultValue == .integer(0))
    let demo = try draft("3lvis__Sync__Notes-Demo").model()
    #expect(demo.relationship("superNotes", of: "SuperUser")?.userInfo == ["sync.remoteKey": "annotations"])
    #expect(demo.relationship("superUser", of: "SuperNote")?.inverse == "superNotes")
    #expect(demo.attribute("remoteID", of: "SuperUser")?.isOptional == false)
    #expect(kept(demo.entity("SuperUser")!.extensions)["representedClassName"] == .text(""))
  }
}
