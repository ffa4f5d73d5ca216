import Foundation
import MOCloneKit
import MOCloneModeling
import MOCloneTesting
import TestSupport
import Testing

@Suite("A model as Xcode's XML")
struct XcodeExportTests {
  /// The model that the XML of a model is read as.
  private func readBack(_ model: ObjectModel) throws -> ObjectModel {
    try ModelDraft(xcode: SourceFile(path: "contents", text: model.xcodeContents().xml), name: "").unvalidated
  }

  @Test(.withCoreDataFiles, arguments: CoreDataFiles.models)
  func aRealModelIsReadBackAsItWas(name: String) throws {
    let model = try ModelDraft(contentsOf: CoreDataFiles.model(name)).unvalidated
    #expect(model.xcodeContents().omissions.filter { !$0.contains("'store'") }.isEmpty)
    #expect(try readBack(model) == model)
    // By way of the model file too.
    #expect(try readBack(ObjectModel(yaml: ModelDraft(model).yaml)) == model)
  }

  @Test(arguments: 0..<100)
  func aRandomModelIsReadBackButForItsTables(seed: Int) throws {
    let model = try DifferentialCase(seed: UInt64(seed)).model
    let (read, expected) = (try readBack(model), model.asInCoreData)
    for entity in expected { #expect(read.withoutXcode[entity.name] == entity) }
    #expect(read.entities.count == expected.count)
  }

  @Test func theMicrosecondsOfADefaultAreReadBack() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: Notes
        store: {naming: coreData}
        entities:
          Note: {attributes: {day: {type: Date, default: "2020-01-01T00:00:00.123456Z"}}}
        """)
    let day = try readBack(model).attribute("day", of: "Note")
    #expect(day?.defaultValue?.description == "2020-01-01T00:00:00.123456Z")
    #expect(day?.defaultValue == model.attribute("day", of: "Note")?.defaultValue)
  }

  @Test func everyPartIsWrittenAsXcodeWritesIt() throws {
    let model = try ObjectModel(
      name: "Notes",
      entities: [
        EntityDescription(
          name: "Note",
          attributes: [
            AttributeDescription(
              name: "name", type: .string, isOptional: true, defaultValue: "a \"b\" <c>\n&"),
            AttributeDescription(
              name: "day", type: .date, defaultValue: .date(Date(timeIntervalSinceReferenceDate: 0.5)),
              userInfo: ["rebuild": "now"]),
          ],
          relationships: [
            RelationshipDescription(
              name: "items", destination: "Item", isToMany: true, inverse: "note", deleteRule: .cascade)
          ], uniquenessConstraints: [["name", "day"]], configurations: ["Local"]),
        EntityDescription(
          name: "Item",
          relationships: [RelationshipDescription(name: "note", destination: "Note", inverse: "items")]),
      ])
    #expect(
      model.xcodeContents().xml == """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model name="Notes" type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Note" syncable="YES">
                <attribute name="name" optional="YES" attributeType="String" defaultValueString="a &quot;b&quot; &lt;c&gt;&#10;&amp;"/>
                <attribute name="day" attributeType="Date" defaultDateTimeInterval="0.5">
                    <userInfo>
                        <entry key="rebuild" value="now"/>
                    </userInfo>
                </attribute>
                <relationship name="items" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Item" inverseName="note" inverseEntity="Item"/>
                <uniquenessConstraints>
                    <uniquenessConstraint>
                        <constraint value="name"/>
                        <constraint value="day"/>
                    </uniquenessConstraint>
                </uniquenessConstraints>
            </entity>
            <entity name="Item" syncable="YES">
                <relationship name="note" maxCount="1" deletionRule="Nullify" destinationEntity="Note" inverseName="items" inverseEntity="Note"/>
            </entity>
            <configuration name="Local">
                <memberEntity name="Note"/>
            </configuration>
        </model>

        """)
  }

  @Test func whatCoreDataDecidesItselfIsListed() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        userInfoKeys: {exclude: leaveOut}
        entities:
          Note:
            table: notes
            attributes:
              id: {type: UUID, column: uuid}
              size: {type: Integer 32, default: 0, derived: trigger}
              data: {type: Binary, default: AAE=, x-note: mine}
        """)
    #expect(
      model.xcodeContents().omissions == [
        "Left out: 'userInfoKeys': annotations are written with their usual keys.",
        "Left out: 'store': Core Data makes its own tables and columns.",
        "Left out: the column of 'Note.id'.",
        "Left out: 'derived: trigger' of 'Note.size'.",
        "Left out: the default of 'Note.data', as Core Data has none of bytes.",
        "Left out: 'x-note' of 'Note.data'.",
        "Left out: the table, key and discriminator of 'Note'.",
      ])
  }

  @Test func annotationsWithOtherKeysAreWrittenWithTheUsualOnes() throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        name: Notes
        userInfoKeys: {exclude: leave}
        store: {naming: coreData}
        entities:
          Note:
            attributes:
              a: {type: String, optional: true, userInfo: {leave: ""}}
              b: {type: String, optional: true, userInfo: {exclude: from the index, note: mine}}
        """)
    let read = try readBack(model)
    #expect(read.attribute("a", of: "Note")?.userInfo == ["exclude": ""])
    #expect(read.attribute("b", of: "Note")?.userInfo == ["note": "mine"])
    #expect(
      model.xcodeContents().omissions == [
        "Left out: 'userInfoKeys': annotations are written with their usual keys.",
        "Left out: 'exclude' of 'Note.b', which is no annotation in the model.",
      ])
  }

  @Test func charactersThatXMLCannotHoldAreReplacedAndListed() throws {
    let model = try ObjectModel(
      name: "a\u{1}b", entities: [EntityDescription(name: "Note", userInfo: ["x-coredata": "\u{0}"])])
    let (xml, omissions) = model.xcodeContents()
    #expect(xml.contains("name=\"a\u{FFFD}b\""))
    #expect(omissions.last == "Left out: control characters, which XML cannot hold and which became U+FFFD.")
    _ = try readBack(model)
  }

  @Test func keptValuesThatAreNoXMLAreListed() throws {
    let values: ExtensionValue = .map(["a b": .text(""), "list": .list([.text("x")]), "fine": .text("1")])
    let model = try ObjectModel(
      name: "", entities: [EntityDescription(name: "Note", extensions: ["x-coredata": values])])
    let (xml, omissions) = model.xcodeContents()
    #expect(xml.contains(#"<entity name="Note" syncable="YES" fine="1"/>"#))
    #expect(omissions.contains("Left out: a part of 'x-coredata' of 'Note', which is no XML."))
  }
}

extension ObjectModel {
  /// The entities without what Core Data has no place for.
  fileprivate var asInCoreData: [EntityDescription] {
    withoutXcode.values.map { entity in
      var entity = entity
      (entity.table, entity.primaryKey, entity.discriminator) = (nil, [], nil)
      for i in entity.attributes.indices {
        (entity.attributes[i].column, entity.attributes[i].storage) = (nil, nil)
        if entity.attributes[i].derivation == .trigger { entity.attributes[i].derivation = nil }
        if case .binary? = entity.attributes[i].defaultValue { entity.attributes[i].defaultValue = nil }
        if entity.attributes[i].defaultValue == .null { entity.attributes[i].defaultValue = nil }
      }
      for i in entity.relationships.indices {
        (entity.relationships[i].columns, entity.relationships[i].orderColumn) = ([], nil)
        entity.relationships[i].joinTable = nil
      }
      return entity
    }
  }
}
