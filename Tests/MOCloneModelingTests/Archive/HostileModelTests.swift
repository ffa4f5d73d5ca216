import Foundation
import MOCloneKit
import MOCloneModeling
import MOCloneTesting
import Testing

/// Ten mutants each; with MOCLONE_LONG=1 five thousand in all, else some.
private let seeds = 0..<(ProcessInfo.processInfo.environment["MOCLONE_LONG"] == "1" ? 500 : 40)

@Suite("Xcode models and archives that are broken")
struct HostileModelTests {
  /// Ten of a seed, each cut off, or with bytes changed, left out or repeated.
  private func mutants(of data: Data, seed: Int) -> [Data] {
    var random = SplitMix64(seed: UInt64(seed))
    return (0..<10).map { _ in
      var bytes = [UInt8](data)
      switch random.next() % 4 {
      case 0: bytes = Array(bytes.prefix(Int(random.next() % UInt64(bytes.count + 1))))
      case 1:
        let start = Int(random.next() % UInt64(bytes.count))
        let end = min(bytes.count, start + Int(random.next() % 40))
        bytes.replaceSubrange(start..<end, with: bytes[start..<end] + bytes[start..<end])
      default:
        for _ in 0...Int(random.next() % 8) {
          bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        }
      }
      return Data(bytes)
    }
  }

  @Test(arguments: seeds)
  func brokenXMLIsAnErrorOrAModel(seed: Int) throws {
    for data in mutants(of: Data(Self.xml.utf8), seed: seed) {
      guard let source = try? SourceFile(path: "contents", data: data) else { continue }
      let parsed = XcodeModel.parse(source, name: "Notes")
      #expect(parsed.model != nil || parsed.diagnostics.contains { $0.severity == .error })
      let draft = try? ModelDraft(xcode: source, name: "Notes")
      #expect(draft != nil || parsed.model == nil)
      if let model = parsed.model {
        let xml = SourceFile(path: "contents", text: model.xcodeContents().xml)
        #expect(try ModelDraft(xcode: xml, name: "Notes").unvalidated == model)
      }
    }
  }

  @Test(arguments: seeds)
  func brokenArchivesAreAnErrorOrAModel(seed: Int) throws {
    for data in mutants(of: Self.archive, seed: seed) {
      do {
        _ = try ModelDraft(storeAt: "Notes.sqlite", archive: data)
      } catch let error as CloneError {
        #expect(error.failures[0].code == .unsupportedModelSource)
      }
    }
  }

  @Test func aBombIsNotInflated() throws {
    // A megabyte of the code that repeats the last byte 258 times.
    let bomb = Data([0x63]) + Data(repeating: 0, count: 1 << 20)
    #expect(throws: CloneError.self) { try ModelDraft(storeAt: "Notes.sqlite", archive: bomb) }
  }

  @Test func objectsThatShareTheirPlaceDoNotFillTheMemory() {
    // A hundred thousand arrays, each of which is said to be the same hundred thousand references.
    let count = 100_000
    var bytes =
      Array("bplist00".utf8) + [0xAF, 0x12] + Self.number(count, 4) + [UInt8](repeating: 0, count: count * 4)
    let table = bytes.count
    for _ in 0..<count { bytes += Self.number(8, 4) }
    bytes += [0, 0, 0, 0, 0, 0, 4, 4] + Self.number(count, 8) + Self.number(0, 8) + Self.number(table, 8)
    #expect(throws: CloneError.self) { try ModelDraft(storeAt: "Notes.sqlite", archive: Data(bytes)) }
  }

  private static func number(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static let xml = xcodeModel(
    """
    <entity name="Note" representedClassName="Note" isAbstract="YES" syncable="YES" elementID="Memo">
        <attribute name="id" attributeType="UUID" defaultValueString="5F1C2B3A-0000-4000-8000-000000000001"/>
        <attribute name="day" optional="YES" attributeType="Date" defaultDateTimeInterval="388411200"/>
        <attribute name="n" attributeType="Integer 16" minValueString="-3" maxValueString="9" defaultValueString="0">
            <userInfo><entry key="exclude" value="&lt;a&amp;&#10;b&gt;"/></userInfo>
        </attribute>
        <relationship name="items" optional="YES" toMany="YES" minCount="1" deletionRule="Cascade" ordered="YES" \
    destinationEntity="Item" inverseName="note" inverseEntity="Item"/>
        <fetchIndex name="byN"><fetchIndexElement property="n" type="Binary" order="ascending"/></fetchIndex>
        <uniquenessConstraints><uniquenessConstraint><constraint value="id"/></uniquenessConstraint></uniquenessConstraints>
    </entity>
    <entity name="Letter" parentEntity="Note"/>
    <entity name="Item">
        <relationship name="note" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Note" \
    inverseName="items" inverseEntity="Note"/>
    </entity>
    """, rest: "<configuration name=\"Local\"><memberEntity name=\"Item\"/></configuration>")

  private static let archive: Data = {
    let attribute = Archived.object(
      "NSAttributeDescription",
      [
        ("NSPropertyName", .string("a")), ("NSAttributeType", .plain(400)),
        ("NSDefaultValue", ArchivedModelTests.decimal), ("NSUserInfo", .map([("key", .string("vålue"))])),
      ])
    let relationship = Archived.object(
      "NSRelationshipDescription",
      [
        ("NSPropertyName", .string("next")), ("NSMaxCount", .plain(1)),
        ("_NSDestinationEntityName", .string("Note")),
      ])
    let entity = Archived.object(
      "NSEntityDescription",
      [
        ("NSEntityName", .string("Note")),
        ("NSProperties", .map([("a", attribute), ("next", relationship)])),
      ])
    return ArchiveBuilder.data(.object("NSManagedObjectModel", [("NSEntities", .map([("Note", entity)]))]))
  }()
}
