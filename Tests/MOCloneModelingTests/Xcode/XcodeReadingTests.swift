import Foundation
import MOCloneKit
import MOCloneModeling
import Testing

@Suite("Xcode's XML as a model")
struct XcodeReadingTests {
  @Test(arguments: [
    (
      #"attributeType="Integer 16" defaultValueString="7""#, AttributeType.integer16,
      AttributeValue.integer(7)
    ),
    (#"attributeType="Integer 64" defaultValueString="7.0""#, .integer64, .integer(7)),
    (#"attributeType="Boolean" defaultValueString="YES""#, .boolean, .bool(true)),
    (#"attributeType="Boolean" defaultValueString="NO""#, .boolean, .bool(false)),
    (#"attributeType="Double" defaultValueString="-0.5""#, .double, .double(-0.5)),
    (#"attributeType="Decimal" defaultValueString="1.10""#, .decimal, .decimal(Decimal(string: "1.1")!)),
    (#"attributeType="String" defaultValueString="a &amp; b&#10;c""#, .string, .string("a & b\nc")),
    (#"attributeType="String" defaultValueString="""#, .string, .string("")),
    (
      #"attributeType="Date" defaultDateTimeInterval="388411200" defaultValueString="2013-04-23 12:00:00 +0000""#,
      .date,
      .date(Date(timeIntervalSinceReferenceDate: 388_411_200))
    ),
    (
      #"attributeType="Date" defaultValueString="2013-04-23 12:00:00 +0200""#, .date,
      .date(Date(timeIntervalSinceReferenceDate: 388_404_000))
    ),
    (
      #"attributeType="UUID" defaultValueString="5F1C2B3A-0000-4000-8000-000000000001""#, .uuid,
      .uuid(UUID(uuidString: "5F1C2B3A-0000-4000-8000-000000000001")!)
    ),
    (#"attributeType="URI" defaultValueString="https://example.org""#, .uri, .string("https://example.org")),
  ])
  func defaultsAreOfTheirType(xml: String, type: AttributeType, value: AttributeValue) throws {
    let attribute = try attribute(#"<attribute name="value" \#(xml)/>"#)
    #expect(attribute.type == type)
    #expect(attribute.defaultValue == value)
    #expect(!attribute.isOptional)
  }

  @Test func limitsOfNumbersAndLengthsAreRead() throws {
    let number = try attribute(
      #"<attribute name="a" attributeType="Integer 16" minValueString="-3" maxValueString="9.0"/>"#)
    #expect(number.minimum == -3 && number.maximum == 9)
    let text = try attribute(
      #"<attribute name="a" attributeType="String" minValueString="1" maxValueString="20" regularExpressionString="[a-z]+"/>"#
    )
    #expect(text.minimum == 1 && text.maximum == 20 && text.pattern == "[a-z]+")
    #expect(text.extensions.isEmpty)
    let long = try attribute(
      #"<attribute name="a" attributeType="Integer 64" maxValueString="9223372036854775807"/>"#)
    #expect(long.maximum == 9_223_372_036_854_775_807 && long.extensions.isEmpty)
  }

  @Test func whatAModelFileCannotSayAsExactlyIsKept() throws {
    let digits = String(repeating: "1234567890", count: 4)
    let xml = "<attribute name=\"a\" attributeType=\"Decimal\" maxValueString=\"\(digits)\"/>"
    #expect(try kept(attribute(xml).extensions) == ["maxValueString": .text(digits)])
    let date =
      #"<attribute name="a" attributeType="Date" minDateTimeInterval="1" minValueString="2001-01-01"/>"#
    let draft = try draft(xcodeModel("<entity name=\"Note\">\(date)</entity>"))
    #expect(draft.entities[0].attributes[0].minimum == nil)
    #expect(
      kept(draft.entities[0].attributes[0].extensions)
        == ["minDateTimeInterval": .text("1"), "minValueString": .text("2001-01-01")])
    #expect(draft.omissions == ["Left out: the min of dates, which is not checked, of 'Note.a'."])
  }

  @Test func aPatternThatSwiftCannotReadIsKeptAndListed() throws {
    let xml = #"<attribute name="a" attributeType="String" regularExpressionString="(?&lt;a"/>"#
    let draft = try draft(xcodeModel("<entity name=\"Note\">\(xml)</entity>"))
    #expect(draft.entities[0].attributes[0].pattern == nil)
    #expect(kept(draft.entities[0].attributes[0].extensions) == ["regularExpressionString": .text("(?<a")])
    #expect(draft.omissions.count == 1)
  }

  @Test func aTransientAttributeMayHaveNoType() throws {
    let without = try attribute(#"<attribute name="a" transient="YES"/>"#)
    #expect(without.type == .transformable && without.isTransient)
    #expect(kept(without.extensions) == ["attributeType": .text("")])
    let undefined = try attribute(#"<attribute name="a" transient="YES" attributeType="Undefined"/>"#)
    #expect(undefined.type == .transformable)
  }

  @Test func aCompositeAttributeHasNoColumnAndIsListed() throws {
    let xml = """
      <entity name="Plane"><attribute name="colours" optional="YES" attributeType="Composite" compositeName="Scheme"/></entity>
      """
    let scheme = #"<composite name="Scheme"><attribute name="wing" attributeType="String"/></composite>"#
    let draft = try draft(xcodeModel(xml, rest: scheme))
    let colours = draft.entities[0].attributes[0]
    #expect(colours.type == .transformable && colours.isTransient)
    #expect(
      kept(colours.extensions) == [
        "attributeType": .text("Composite"), "compositeName": .text("Scheme"), "transient": .text(""),
      ])
    let written = try draft.model().xcodeContents().xml
    #expect(
      written.contains(
        #"<attribute name="colours" optional="YES" attributeType="Composite" compositeName="Scheme"/>"#))
    #expect(
      kept(draft.extensions)["composite"]
        == .list([
          .map([
            "name": .text("Scheme"),
            "attribute": .list([.map(["name": .text("wing"), "attributeType": .text("String")])]),
          ])
        ]))
    #expect(
      draft.omissions == [
        "Left out: the parts of the composite attribute 'Plane.colours'; clones in a store copy their columns unchanged."
      ])
  }

  @Test func relationshipsHaveTheirInverseCountsOrderAndRule() throws {
    let model = try draft(
      xcodeModel(
        """
        <entity name="Note">
          <relationship name="items" optional="YES" toMany="YES" minCount="2" maxCount="9" deletionRule="Cascade" \
        ordered="YES" destinationEntity="Item" inverseName="note" inverseEntity="Item" elementID="things"/>
        </entity>
        <entity name="Item">
          <relationship name="note" maxCount="1" deletionRule="No Action" destinationEntity="Note" inverseName="items" \
        inverseEntity="Note"/>
        </entity>
        """)
    ).model()
    let items = try #require(model.relationship("items", of: "Note"))
    #expect(items.isToMany && items.isOrdered && items.minCount == 2 && items.maxCount == 9)
    #expect(items.deleteRule == .cascade && items.inverse == "note" && items.destination == "Item")
    #expect(kept(items.extensions) == ["elementID": .text("things"), "optional": .text("YES")])
    let note = try #require(model.relationship("note", of: "Item"))
    #expect(!note.isToMany && !note.isOptional && note.deleteRule == .noAction && note.maxCount == nil)
  }

  @Test func aToManyThatIsNotOptionalNeedsADestination() throws {
    let xml = #"<relationship name="items" toMany="YES" deletionRule="Nullify" destinationEntity="Note"/>"#
    let draft = try draft(xcodeModel("<entity name=\"Note\">\(xml)</entity>"))
    let items = draft.entities[0].relationships[0]
    #expect(items.minCount == 1 && !items.isOptional)
    #expect(kept(items.extensions) == ["minCount": .text("")])
  }

  @Test func anInverseMayBeDeclaredOnAnAncestor() throws {
    let model = try draft(
      xcodeModel(
        """
        <entity name="Asset" isAbstract="YES">
          <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Owner" \
        inverseName="assets" inverseEntity="Owner"/>
        </entity>
        <entity name="Image" parentEntity="Asset"/>
        <entity name="Owner">
          <relationship name="assets" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Asset" \
        inverseName="owner" inverseEntity="Asset"/>
        </entity>
        """)
    ).model()
    #expect(model.relationship("owner", of: "Image")?.inverse == "assets")
  }

  /// The relationship leads to a sub-entity in Core Data, and its inverse to the ancestor that declares it.
  @Test func aRelationshipLeadsToTheEntityThatDeclaresItsInverse() throws {
    let xml = xcodeModel(
      """
      <entity name="Album">
        <relationship name="photos" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Photo" \
      inverseName="owner" inverseEntity="Asset"/>
      </entity>
      <entity name="Asset">
        <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Album" \
      inverseName="photos" inverseEntity="Album"/>
      </entity>
      <entity name="Photo" parentEntity="Asset"/>
      """)
    let draft = try draft(xml)
    let model = try draft.model()
    let photos = try #require(model.relationship("photos", of: "Album"))
    #expect(photos.destination == "Asset" && photos.inverse == "owner")
    #expect(kept(photos.extensions) == ["destinationEntity": .text("Photo")])
    #expect(
      draft.omissions == [
        "Left out: that 'Album.photos' leads to 'Photo' alone; it leads to 'Asset', which declares its inverse."
      ])
    #expect(
      model.xcodeContents().xml.contains(
        #"destinationEntity="Photo" inverseName="owner" inverseEntity="Asset""#))
  }

  private func friends(_ attributes: String, _ userInfo: String = "") -> String {
    #"""
    <entity name="Person"><relationship name="friends" optional="YES" deletionRule="Nullify" \#
    destinationEntity="Person" inverseName="friends" inverseEntity="Person" \#(attributes)>\#(userInfo)\#
    </relationship></entity>
    """#
  }

  @Test func aManyToManyRelationshipThatIsItsOwnInverseHasNoneAndLinks() throws {
    let imported = try draft(xcodeModel(friends(#"toMany="YES""#)))
    let model = try imported.model()
    let friends = try #require(model.relationship("friends", of: "Person"))
    #expect(friends.inverse == nil && friends.isMutual && friends.userInfo == ["onClone": "link"])
    #expect(
      imported.omissions == [
        "Left out: that 'Person.friends' is its own inverse; it is taken for a relationship without one that links to its objects."
      ])
    let xml = model.xcodeContents().xml
    #expect(xml.contains(#"inverseName="friends" inverseEntity="Person""#))
    #expect(try draft(xml).model().entities == model.entities)
  }

  @Test(arguments: [
    (#"toMany="YES""#, #"<userInfo><entry key="onClone" value="clone"/></userInfo>"#, ["onClone": "clone"]),
    (#"toMany="YES""#, #"<userInfo><entry key="exclude" value=""/></userInfo>"#, ["exclude": ""]),
    (#"toMany="YES""#, #"<userInfo><entry key="k" value="v"/></userInfo>"#, ["k": "v", "onClone": "link"]),
    (#"toMany="YES" ordered="YES""#, "", ["onClone": "link"]), (#"maxCount="1""#, "", [:]),
  ])
  func whatIsSaidOfARelationshipThatIsItsOwnInverseStays(
    attributes: String, userInfo: String, expected: [String: String]
  ) throws {
    let model = try draft(xcodeModel(friends(attributes, userInfo))).model()
    #expect(model.relationship("friends", of: "Person")?.userInfo == expected)
  }

  @Test func annotationsOfAllPartsAreRead() throws {
    let draft = try draft(
      xcodeModel(
        """
        <entity name="Note" elementID="Memo">
          <attribute name="id" attributeType="UUID" elementID="key">
            <userInfo><entry key="rebuild" value="uuid"/><entry key="empty"/></userInfo>
          </attribute>
          <fetchedProperty name="recent"><fetchRequest name="r" entity="Note" predicateString="a &gt; 1"/>
            <userInfo><entry key="k" value="v"/></userInfo></fetchedProperty>
          <userInfo><entry key="entityKey" value=" kept "/></userInfo>
        </entity>
        """))
    let note = draft.entities[0]
    #expect(note.userInfo == ["entityKey": " kept "] && note.renamedFrom == "Memo")
    #expect(
      note.attributes[0].userInfo == ["rebuild": "uuid", "empty": ""]
        && note.attributes[0].renamedFrom == "key")
    #expect(
      kept(note.extensions)["fetchedProperty"]
        == .list([
          .map([
            "name": .text("recent"), "userInfo": .map(["k": .text("v")]),
            "fetchRequest": .list([
              .map(["name": .text("r"), "entity": .text("Note"), "predicateString": .text("a > 1")])
            ]),
          ])
        ]))
  }

  @Test func aRenamingIdentifierThatIsTheNameSaysNothing() throws {
    let model = #"""
      <entity name="Note" elementID="Note"><attribute name="id" attributeType="UUID" elementID="id"/></entity>
      """#
    let note = try draft(xcodeModel(model)).entities[0]
    #expect(note.renamedFrom == nil && note.attributes[0].renamedFrom == nil)
  }

  @Test func configurationsNameTheirMembers() throws {
    let rest = """
      <configuration name="Cloud" usedWithCloudKit="YES"><memberEntity name="Note"/></configuration>
      <configuration name="Local"><memberEntity name="Note"/><memberEntity name="Gone"/></configuration>
      """
    let draft = try draft(xcodeModel("<entity name=\"Note\"/>", rest: rest))
    #expect(draft.entities[0].configurations == ["Cloud", "Local"])
    #expect(
      kept(draft.extensions)["configuration"]
        == .list([.map(["name": .text("Cloud"), "usedWithCloudKit": .text("YES")])]))
    #expect(
      draft.omissions == [
        "Left out: the member 'Gone' of the configuration 'Local', which is no entity of the model."
      ])
  }

  @Test func whatNobodyKnowsIsKept() throws {
    let draft = try draft(
      xcodeModel(
        #"<entity name="Note" future="1"><attribute name="a" attributeType="String" other="2"><new x="3"/></attribute></entity>"#
      ))
    #expect(kept(draft.entities[0].extensions) == ["future": .text("1")])
    #expect(
      kept(draft.entities[0].attributes[0].extensions)
        == ["other": .text("2"), "new": .list([.map(["x": .text("3")])])])
    #expect(draft.omissions.isEmpty)
  }

  @Test func commentsTextsAndPositionsAreListed() throws {
    let draft = try draft(
      xcodeModel(
        "<!-- why --><entity name=\"Note\" syncable=\"YES\">text</entity>",
        rest: "<elements><element name=\"Note\" positionX=\"1\"/></elements>"))
    #expect(
      draft.omissions == [
        "Left out: the positions of the entities in Xcode's editor (<elements>).",
        "Left out: syncable=\"YES\", which was for Sync Services and has no effect.",
        "Left out: comments in the XML, which Xcode removes as well.", "Left out: the text in <entity>.",
      ])
  }

  @Test func derivedAttributesKeepTheirExpression() throws {
    let count = try attribute(
      #"<attribute name="n" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="items.@count"/>"#
    )
    #expect(count.derivation == .computed)
    #expect(kept(count.extensions) == ["derivationExpression": .text("items.@count")])
  }
}
