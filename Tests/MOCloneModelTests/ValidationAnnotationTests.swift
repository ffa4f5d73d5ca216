import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

@Suite("Validation of annotations")
struct ValidationAnnotationTests {
  private let keep = ["followParent": "uid", "withoutParent": "keep"]

  @Test(arguments: [
    AnnotationKeys(exclude: "skip", rebuild: "skip"), AnnotationKeys(exclude: "rebuild"),
    AnnotationKeys(withoutParent: "onClone"),
  ])
  func twoAnnotationsWithOneKey(keys: AnnotationKeys) {
    let found = findings([entity("Note", [attribute("name")])], keys: keys)
    #expect(found.map(\.code) == [.conflictingAnnotations])
    #expect(found.first?.severity == .error)
    #expect(found.first?.path.components.first == "userInfoKeys")
  }

  @Test func misspeltKeys() {
    expect([.misspeltAnnotation], of: notes([attribute("a", optional: true, ["exlude": ""])]))
    expect([.misspeltAnnotation], of: notes([attribute("a", .uuid, ["Rebuild": "uuid"])]))
    expect([.misspeltAnnotation], of: notes(items: ["onclone": "link"]))
    expect([], of: notes([attribute("a", ["colour": "red"])]))
  }

  @Test func aWordThatIsRenamedAwayIsNoSlipOfTheNewOne() {
    let keys = AnnotationKeys(rebuild: "rebuilt")
    func codes(_ userInfo: [String: String]) -> [DiagnosticCode] {
      findings([entity("Note", [attribute("uid", .uuid, userInfo)])], keys: keys).map(\.code)
    }
    #expect(codes(["rebuild": "every week"]) == [])
    #expect(codes(["rebuild": "every week", "rebuilt": "uuid"]) == [])
    #expect(codes(["rebuil": "uuid"]) == [.misspeltAnnotation])
  }

  @Test func aMisspeltKeyHasNoFurtherFindings() {
    expect(
      [.misspeltAnnotation],
      of: notes([attribute("a", .uuid, ["followParent": "uid", "withoutparent": "keep"])]))
    expect([.misspeltAnnotation], of: notes([attribute("a", ["exclud": ""])]))
    expect([.misspeltAnnotation], of: notes(note: ["exclud": ""]))
    expect([.misspeltAnnotation], of: notes(items: ["Exclude": "", "onClone": "clone"]))
    expect([.misspeltAnnotation], of: notes(items: ["Exclude": "no"]))
  }

  @Test func unknownValues() {
    expect([.unknownAnnotationValue], of: notes([attribute("a", .uuid, ["rebuild": "uid"])]))
    expect(
      [.unknownAnnotationValue],
      of: notes([attribute("a", .uuid, ["followParent": "uid", "withoutParent": "copy"])]))
    expect([.unknownAnnotationValue], of: notes(items: ["onClone": "share"]))
  }

  @Test("The help about an unknown value names the values that the attribute can have")
  func helpAboutUnknownValues() throws {
    func finding(_ attribute: String) throws -> Diagnostic {
      let text =
        "version: 1\nname: T\nentities:\n  Note:\n    attributes: {uid: UUID}\n"
        + "    relationships: {items: {destination: Item, toMany: true, inverse: note}}\n"
        + "  Item:\n    attributes: {a: {\(attribute)}}\n"
        + "    relationships: {note: {destination: Note, inverse: items}}\n"
      let found = ModelParser.parse(SourceFile(path: "t.yml", text: text)).withTriedAdvice.diagnostics
      return try #require(found.first { $0.code == .unknownAnnotationValue })
    }
    let follower = "userInfo: {followParent: uid, withoutParent: foo}"
    let required = try finding("type: UUID, \(follower)")
    #expect(required.help == "write 'keep'")
    #expect(required.edits.count == 1)
    #expect(try finding("type: UUID, optional: true, \(follower)").help == "write 'keep' or 'blank'")
    #expect(
      try finding("type: String, userInfo: {rebuild: foo}").help
        == "remove it: its values, 'uuid' or 'now', fit other types only")
  }

  @Test func valuesAreComparedWithoutCase() {
    expect([], of: notes([attribute("a", .uuid, ["rebuild": "UUID"])], items: ["onClone": "Clone"]))
  }

  @Test(arguments: ["rebuild", "followParent", "withoutParent"])
  func annotationsOfAttributesOnARelationship(key: String) {
    expect([.misplacedAnnotation], of: notes(items: [key: "keep"]))
  }

  @Test func onCloneOnAnAttribute() {
    expect([.misplacedAnnotation], of: notes([attribute("a", ["onClone": "link"])]))
  }

  @Test func annotationsWithoutEffect() {
    expect(
      [.annotationWithoutEffect], .warning, of: notes([attribute("a", ["exclude": ""], transient: true)]))
    var note = entity("Note")
    note.userInfo = ["exclude": "", "colour": "red"]
    expect([.annotationWithoutEffect], .warning, of: [note])
  }

  @Test func annotationsThatConflict() {
    expect(
      [.conflictingAnnotations], .warning,
      of: notes([attribute("a", .uuid, optional: true, ["exclude": "", "rebuild": "uuid"])]))
    expect(
      [.conflictingAnnotations], .warning,
      of: notes([attribute("a", .uuid, optional: true, ["exclude": "", "followParent": "uid"])]))
    expect(
      [.conflictingAnnotations], .warning,
      of: notes([attribute("a", .uuid, optional: true, ["exclude": "", "withoutParent": "keep"])]))
    expect([.conflictingAnnotations], .warning, of: notes(items: ["exclude": "", "onClone": "clone"]))
    let blank = ["followParent": "uid", "withoutParent": "blank", "rebuild": "uuid"]
    expect([.conflictingAnnotations], .warning, of: notes([attribute("a", .uuid, optional: true, blank)]))
  }

  @Test func whatIsFollowedInVainGoesWithItsFallback() {
    let excluded = keep.merging(["exclude": ""]) { $1 }
    let found = findings(notes([attribute("a", .uuid, optional: true, excluded)]))
    #expect(found.map(\.code) == [.conflictingAnnotations])
    #expect(found.first?.edits.map(\.steps.count) == [2, 1])
  }

  @Test func rebuildBesideKeepIsNoConflict() {
    expect([], of: notes([attribute("a", .uuid, keep.merging(["rebuild": "uuid"]) { $1 })]))
  }

  @Test func anAttributeInTheKey() {
    expect([.keyAnnotation], of: notes([attribute("id", .uuid, optional: true, ["exclude": ""])]))
    expect([.keyAnnotation], of: notes([attribute("id", .uuid, keep)]))
    expect([], of: notes([attribute("id", .uuid, ["rebuild": "uuid"])]))
  }

  @Test func rebuildOfAnotherType() {
    expect([.rebuildType], of: notes([attribute("a", ["rebuild": "uuid"])]))
    expect([.rebuildType], of: notes([attribute("a", .uuid, ["rebuild": "now"])]))
    expect([], of: notes([attribute("a", .date, ["rebuild": "now"])]))
  }

  @Test func anExcludedRequiredAttribute() {
    expect([.requiredExcluded], of: notes([attribute("a", ["exclude": ""])]))
    expect([], of: notes([attribute("a", default: "x", ["exclude": ""])]))
    expect([.requiredExcluded], of: notes([attribute("a", default: .null, ["exclude": "no"])]))
  }

  @Test(arguments: ["false", "No", "0"])
  func excludeWithAValueThatMeansNo(value: String) {
    expect([.excludeValue], .warning, of: notes([attribute("a", optional: true, ["exclude": value])]))
    expect([.excludeValue], .warning, of: notes(items: ["exclude": value], noteIsOptional: true))
  }

  @Test func otherNamesOfTheKeys() {
    let entities = notes([attribute("a", ["omit": ""]), attribute("b", ["exclude": ""])])
    let keys = AnnotationKeys(exclude: "omit")
    #expect(
      findings(entities, keys: keys).map(\.path) == [
        .entity("Item") / "attributes" / "a" / "userInfo" / "omit"
      ])
    let model = ObjectModel(unvalidated: "Test", userInfoKeys: .default, store: .init(), entities: entities)
    let found = ModelValidator.annotationFindings(model, keys: keys)
    #expect(found.map(\.code) == [.requiredExcluded])
    #expect(found.first?.path.components.last == "omit")
  }
}

@Suite("Validation of followed attributes")
struct ValidationFollowTests {
  private func following(_ followed: String, _ type: AttributeType = .uuid) -> [AttributeDescription] {
    [attribute("a", type, ["followParent": followed, "withoutParent": "keep"])]
  }

  @Test func anAncestorThatHasIt() {
    expect([], of: notes(following("uid")))
    expect([], of: notes(following("Note.uid")))
  }

  @Test func anUnknownAttribute() {
    let found = findings(notes(following("uld")))
    #expect(found.map(\.code) == [.unknownFollowedAttribute])
    #expect(found.first?.message.hasSuffix("; did you mean 'uid' of Note?") == true)
    let named = findings(notes(following("Note.uld")))
    #expect(named.map(\.code) == [.unknownFollowedAttribute])
    #expect(named.first?.help == "write 'followParent: Note.uid'")
  }

  @Test func anAttributeOfAnotherType() {
    expect([.followedType], of: notes(following("uid", .string)))
  }

  @Test func anUnknownEntity() {
    expect([.unknownFollowedEntity], of: notes(following("Nope.uid")))
  }

  @Test func anEntityThatIsNoAncestor() {
    expect(
      [.unknownFollowedAttribute],
      of: notes(following("Tag.uid")) + [entity("Tag", [attribute("uid", .uuid)])])
    expect(
      [.unknownFollowedAttribute], of: notes(following("uid"), items: ["exclude": ""], noteIsOptional: true))
  }

  @Test func anAncestorOfAnAncestor() {
    let book = entity("Book", [attribute("isbn", .uuid)], [toMany("notes", "Note")])
    expect([], of: notes(following("isbn")) + [book])
  }

  @Test func whatHoldsWithoutAParent() {
    expect([.followWithoutFallback], .warning, of: notes([attribute("a", .uuid, ["followParent": "uid"])]))
    expect([.fallbackWithoutFollow], of: notes([attribute("a", .uuid, ["withoutParent": "keep"])]))
    let blank = ["followParent": "uid", "withoutParent": "blank"]
    expect([.blankRequired], of: notes([attribute("a", .uuid, blank)]))
    expect([], of: notes([attribute("a", .uuid, optional: true, blank)]))
  }
}

@Suite("Validation of annotated relationships")
struct ValidationRelationshipAnnotationTests {
  @Test func anExcludedParentIsMissedByTheRootOnly() {
    expect([.requiredRelationshipExcluded], .warning, of: notes(note: ["exclude": ""]))
    expect([.oneSidedExclude], .warning, of: notes(note: ["exclude": ""], noteIsOptional: true))
  }

  @Test func anExcludedReferenceIsLeftEmpty() {
    let tag = entity("Tag")
    var entities = notes()
    entities[1].relationships.append(toOne("tag", "Tag", ["exclude": ""]))
    let found = findings(entities + [tag])
    #expect(found.map(\.code) == [.requiredRelationshipExcluded])
    #expect(found.first?.severity == .error)
    #expect(found.first?.notes.first?.path == .entity("Note") / "relationships" / "items")
  }

  @Test func bothSidesExcluded() {
    expect(
      [.requiredRelationshipExcluded],
      of: notes(items: ["exclude": ""], note: ["exclude": ""])
        + [entity("Box", [], [toMany("contents", "Item")])])
  }

  @Test func anExcludedInverseFillsNothing() {
    #expect(findings(notes(note: ["exclude": ""])).first?.notes.count == 1)
    #expect(findings(notes(items: ["exclude": ""], note: ["exclude": ""])).first?.notes.isEmpty == true)
  }

  @Test("A list with a least count is required as a to-one is")
  func anExcludedRequiredList() {
    let list = RelationshipDescription(
      name: "items", destination: "Item", isToMany: true, inverse: "note", minCount: 1,
      userInfo: ["exclude": ""])
    var entities = notes(note: ["exclude": ""], noteIsOptional: true)
    entities[0].relationships = [list]
    expect([.requiredRelationshipExcluded], .warning, of: entities)
    #expect(findings(entities).map(\.refusesClones) == [true])
    let found = findings(entities + [entity("Box", [], [toMany("contents", "Note")])])
    #expect(found.map(\.code) == [.requiredRelationshipExcluded])
    #expect(found.map(\.severity) == [.error])
    #expect(found.first?.message == "Cloning a Box would create contents without items.")
  }

  @Test func linksThatWouldTakeFromTheOriginal() {
    expect([.linkLeavesOut], .warning, of: notes(items: ["onClone": "link"]))
    expect(
      [.linkLeavesOut], .warning,
      of: [entity("Note", [], [toMany("items", "Item", ["onClone": "link"])]), entity("Item")])
    expect([], of: notes(note: ["onClone": "link"]))
  }
}
