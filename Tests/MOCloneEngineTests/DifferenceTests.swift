import Foundation
import MOCloneEngine
import MOCloneModel
import MOCloneYAML
import Testing

@Suite("What clones hold otherwise after a change of the model")
struct DifferenceTests {
  private static let sample = try! String(
    contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Models/HealthNotes.yml"), encoding: .utf8)

  /// The difference that edits of HealthNotes make: each text is there once and becomes the other.
  private func difference(_ edits: (String, String)...) throws -> CloneDifference {
    var text = Self.sample
    for (old, new) in edits {
      try #require(text.ranges(of: old).count == 1, "\(old)")
      text = text.replacing(old, with: new)
    }
    return CloneDifference(from: try ObjectModel(yaml: Self.sample), to: try ObjectModel(yaml: text))
  }

  private func kinds(_ difference: CloneDifference) -> [String] {
    difference.changes.map { "\($0.kind.rawValue) \($0.subject)" }
  }

  private let memos = "ordered: true, inverse: note"
  private let tags = "{destination: Tag, toMany: true, inverse: memos"

  @Test("A change of comments, columns, order and names that no clone looks at is none")
  func noChange() throws {
    let difference = try difference(
      ("# shared: many-to-many is linked", ""), ("column: note_uuid", "column: other"),
      ("deleteRule: cascade}\n      memos:", "deleteRule: deny}\n      memos:"),
      ("name: HealthNotes", "name: Notes"))
    #expect(difference.changes.isEmpty && !difference.isBreaking)
    #expect(difference.text == "Clones contain the same as before.\n")
  }

  @Test("An exclusion leaves out what lies behind it too, and is one change for all roots")
  func exclusion() throws {
    func model(_ userInfo: String) throws -> ObjectModel {
      try ObjectModel(
        yaml: """
          version: 1
          entities:
            Shelf:
              relationships: {books: {destination: Book, toMany: true, inverse: shelf}}
            Book:
              relationships:
                shelf: {destination: Shelf, inverse: books}
                pages: {destination: Page, toMany: true, inverse: book, userInfo: \(userInfo)}
            Page:
              relationships:
                book: {destination: Book, inverse: pages}
                lines: {destination: Line, toMany: true, inverse: page}
            Line:
              relationships: {page: {destination: Page, inverse: lines}}
          """)
    }
    let difference = CloneDifference(from: try model("{}"), to: try model("{exclude: yes}"))
    #expect(kinds(difference) == ["no-longer-cloned Book.pages"])
    let change = try #require(difference.changes.first)
    #expect(change.isBreaking && difference.isBreaking)
    #expect(change.objects == ["Page", "Line"])
    #expect(change.roots.map(\.entity) == ["Shelf", "Book"])
    #expect(change.roots[0].path == ["Shelf.books"])
    #expect(change.roots[0].objects[1].path == ["Shelf.books", "Book.pages", "Page.lines"])
    #expect(change.after == "left out (excluded by its annotation)")
  }

  @Test("Taking an exclusion back is no breaking change")
  func inclusion() throws {
    let without = Self.sample.replacing(memos, with: memos + ", userInfo: {exclude: \"\"}")
    let difference = CloneDifference(
      from: try ObjectModel(yaml: without), to: try ObjectModel(yaml: Self.sample))
    #expect(kinds(difference) == ["newly-cloned Note.memos"])
    #expect(!difference.isBreaking)
    // Tags are only linked, so they are not among what is copied.
    #expect(difference.changes.first?.objects == ["Memo"])
  }

  @Test("A link that became a copy, and the reverse")
  func links() throws {
    let toCopy = try difference((tags, tags + ", userInfo: {onClone: clone}"))
    #expect(kinds(toCopy) == ["link-became-copy Memo.tags"])
    #expect(toCopy.changes[0].objects == ["Tag"] && toCopy.isBreaking)
    let toLink = try difference((memos, memos + ", userInfo: {onClone: link}"))
    // The inverse is to-one, so memos of the original stay with it.
    #expect(kinds(toLink) == ["no-longer-cloned Note.memos"])
    let none = try difference((tags, tags + ", userInfo: {exclude: \"\"}"))
    #expect(kinds(none) == ["no-longer-linked Memo.tags"])
  }

  @Test("An attribute that is no longer rebuilt, no longer follows, no longer copied, and one that now is")
  func attributes() throws {
    let rebuilt = try difference(("userInfo: {rebuild: uuid}", "userInfo: {}"))
    #expect(kinds(rebuilt) == ["no-longer-rebuilt Note.id"])
    #expect(rebuilt.changes[0].before == "rebuilt: uuid" && rebuilt.changes[0].after == "copied")
    let following = try difference((", userInfo: {followParent: id, withoutParent: keep}", ""))
    #expect(kinds(following) == ["no-longer-following Item.noteID"])
    // An item that is itself the root kept its value all along.
    #expect(following.changes[0].roots.map(\.entity) == ["Note", "NoteDescription"])
    let left = try difference(("data:       Binary?", "data: {type: Binary?, userInfo: {exclude: \"\"}}"))
    #expect(kinds(left) == ["no-longer-copied Note.data"])
    let now = try difference((", userInfo: {exclude: \"\"}", ""))
    #expect(kinds(now) == ["newly-copied Note.index"] && !now.isBreaking)
    let removed = try difference(("      value:      {type: Double, default: 0}\n", ""))
    #expect(kinds(removed) == ["no-longer-copied ItemData.value"])
  }

  @Test("A key that is no longer a new UUID")
  func key() throws {
    func model(_ userInfo: String, _ uuids: String) throws -> ObjectModel {
      try ObjectModel(
        yaml:
          "version: 1\nstore: {uuids: \(uuids)}\nentities: {E: {attributes: {id: {type: UUID, userInfo: \(userInfo)}}}}\n"
      )
    }
    let old = try model("{rebuild: uuid}", "text")
    #expect(kinds(CloneDifference(from: old, to: try model("{}", "text"))) == ["no-longer-rebuilt E.id"])
    #expect(CloneDifference(from: old, to: try model("{rebuild: uuid}", "blob")).changes.isEmpty)
  }

  @Test("An annotation on the way back, which was never copied, changes only what is copied from there")
  func wayBack() throws {
    let difference = try difference(
      (
        "note:  {destination: Note, optional: true, inverse: items}",
        "note:  {destination: Note, optional: true, inverse: items, userInfo: {exclude: \"\"}}"
      ))
    #expect(difference.changes.flatMap(\.roots).map(\.entity) == ["Item"])
  }

  @Test("A renamed entity is one that went and one that came, each said once")
  func renamed() throws {
    let renamed = Self.sample.replacing("ItemData", with: "Measure")
    let difference = CloneDifference(
      from: try ObjectModel(yaml: Self.sample), to: try ObjectModel(yaml: renamed))
    #expect(kinds(difference) == ["no-longer-cloned Item.datas", "newly-cloned Item.datas"])
    #expect(difference.changes.map(\.objects) == [["ItemData"], ["Measure"]])
  }

  @Test("An entity that nothing leads to is named by itself, in either direction")
  func aloneEntity() throws {
    let old = try ObjectModel(yaml: Self.sample)
    let new = try ObjectModel(yaml: Self.sample + "  Setting:\n    attributes: {key: String}\n")
    #expect(kinds(CloneDifference(from: old, to: new)) == ["entity-added Setting"])
    #expect(kinds(CloneDifference(from: new, to: old)) == ["entity-removed Setting"])
    #expect(CloneDifference(from: new, to: old).isBreaking)
  }

  @Test("An entity that can no longer be cloned by itself")
  func refusedRoot() throws {
    let difference = try difference((", withoutParent: keep", ""))
    let refusal = try #require(difference.changes.first)
    #expect(kinds(difference).first == "root-refused Item" && refusal.isBreaking)
    #expect(refusal.after.contains("noteID"))
  }

  @Test("Inherited properties change under the entity that declares them, once for all sub-entities")
  func inherited() throws {
    func model(_ userInfo: String) throws -> ObjectModel {
      try ObjectModel(
        yaml: """
          version: 1
          entities:
            Shape:
              abstract: true
              attributes: {name: {type: String?, userInfo: \(userInfo)}}
            Circle: {parent: Shape}
            Square: {parent: Shape}
          """)
    }
    let difference = CloneDifference(from: try model("{}"), to: try model("{exclude: yes}"))
    #expect(kinds(difference) == ["no-longer-copied Shape.name"])
    #expect(difference.changes[0].roots.map(\.entity) == ["Circle", "Square"])
  }

  @Test("One change deep in a model of fifty entities is reported once")
  func largeModel() throws {
    func model(_ userInfo: String) throws -> ObjectModel {
      let entities = (0..<50).map { i in
        let down = i == 49 ? "" : "      next: {destination: E\(i + 1), toMany: true, inverse: up}\n"
        let up = i == 0 ? "" : "      up: {destination: E\(i - 1), inverse: next}\n"
        let mark = i == 49 ? "{type: UUID, userInfo: \(userInfo)}" : "UUID"
        return "  E\(i):\n    attributes: {mark: \(mark)}\n    relationships:\n\(down)\(up)"
      }
      return try ObjectModel(yaml: "version: 1\nentities:\n" + entities.joined())
    }
    let difference = CloneDifference(from: try model("{rebuild: uuid}"), to: try model("{}"))
    #expect(kinds(difference) == ["no-longer-rebuilt E49.mark"])
    #expect(difference.changes[0].roots.count == 50)
    #expect(difference.text.contains("copying: E49, E48 (over E48.next), "))
    #expect(difference.text.contains("and 46 more"))
  }

  @Test("An order that is no longer kept, and columns outside the model that are no longer copied")
  func orderAndColumns() throws {
    let unordered = try difference(("ordered: true, ", ""))
    #expect(kinds(unordered) == ["no-longer-ordered Note.memos"])
    #expect(unordered.changes[0].before == "cloned in order (its own)" && unordered.isBreaking)
    let store = try difference(("primaryKey: pk ", "unmapped: default\n  primaryKey: pk "))
    #expect(kinds(store) == ["no-longer-copied store.unmapped"])
  }

  @Test("Names cannot break the table of Markdown")
  func markdown() throws {
    func model(_ type: String) throws -> ObjectModel {
      try ObjectModel(yaml: "version: 1\nentities:\n  E:\n    attributes: {\"a|`b\": \(type)}\n")
    }
    let difference = CloneDifference(
      from: try model("String?"), to: try model("{type: String?, userInfo: {exclude: x}}"))
    #expect(
      difference.markdown.contains(
        "| **breaking** | `E.a\\|'b` is no longer copied | copied | left empty |  | `E` |\n"))
  }

  @Test("A follower that finds another ancestor follows another, though its rule says the same")
  func anotherAncestor() throws {
    func model(_ section: String) throws -> ObjectModel {
      try ObjectModel(
        yaml: """
          version: 1
          entities:
            Note:
              attributes: {uid: {type: UUID, userInfo: {rebuild: uuid}}}
              relationships: {sections: {destination: Section, toMany: true, inverse: note}}
            Section:
              attributes: \(section)
              relationships:
                note: {destination: Note, inverse: sections}
                items: {destination: Item, toMany: true, inverse: section}
            Item:
              attributes: {nid: {type: UUID, optional: true, userInfo: {followParent: uid, withoutParent: keep}}}
              relationships: {section: {destination: Section, inverse: items}}
          """)
    }
    let (far, near) = (try model("{}"), try model("{uid: UUID?}"))
    for (old, new, before, after) in [(far, near, "Note", "Section"), (near, far, "Section", "Note")] {
      let change = try #require(
        CloneDifference(from: old, to: new).changes.first { $0.kind == .followsAnother })
      #expect(change.subject == "Item.nid" && change.isBreaking)
      #expect(change.before == "follows \(before).uid, else copied")
      #expect(change.after == "follows \(after).uid, else copied")
      #expect(change.roots.map(\.entity) == ["Note"])
      #expect(change.roots.map(\.path) == [["Note.sections", "Section.items"]])
    }
  }

  @Test("A key that is no longer made for clones is breaking, for every root that brings such objects along")
  func keyNoLongerMade() throws {
    func model(_ generate: String) throws -> ObjectModel {
      try ObjectModel(
        yaml: """
          version: 1
          entities:
            Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}
            Item:
              primaryKey: {column: code, generate: \(generate)}
              relationships: {note: {destination: Note, inverse: items}}
          """)
    }
    let difference = CloneDifference(from: try model("uuid"), to: try model("none"))
    #expect(kinds(difference) == ["no-longer-rebuilt Item.code"])
    #expect(difference.changes[0].roots.map(\.entity) == ["Note", "Item"])
    #expect(CloneDifference(from: try model("none"), to: try model("none")).changes.isEmpty)
  }

  @Test("What is still in the model is not said to be gone")
  func wordsOfAbsence() throws {
    let transient = try difference(
      ("data:       Binary?", "data: {type: Binary, optional: true, transient: true}"))
    #expect(transient.changes.map(\.after).contains("transient"))
    #expect(!transient.text.contains("not in the model"))
  }

  /// Entities in one circle, each the kids of the one before it.
  private func ring(_ count: Int, id: String = "{rebuild: uuid}", kids: String = "{}", follower: String)
    throws -> ObjectModel
  {
    let entities = (0..<count).map { i in
      """
        \("  ")E\(i):
            attributes:
              id: {type: UUID, userInfo: \(i == 0 ? id : "{rebuild: uuid}")}
              f: {type: UUID, optional: true, userInfo: \(follower)}
            relationships:
              kids: {destination: E\((i + 1) % count), toMany: true, inverse: dad, userInfo: \(i == 0 ? kids : "{}")}
              dad: {destination: E\((i + count - 1) % count), optional: true, inverse: kids, userInfo: {exclude: ""}}

      """
    }
    return try ObjectModel(yaml: "version: 1\nentities:\n" + entities.joined())
  }

  @Test("A change that all roots of a large circle reach is one change, whose long paths are cut")
  func largeCircle() throws {
    let following = "{followParent: id, withoutParent: keep}"
    let copied = CloneDifference(
      from: try ring(200, follower: following), to: try ring(200, id: "{}", follower: following))
    #expect(kinds(copied) == ["no-longer-rebuilt E0.id"])
    #expect(copied.changes[0].roots.count == 200)
    for root in 1..<200 {
      let path = (root..<200).map { "E\($0).kids" }
      let ends: [String] = path.count > 16 ? path.prefix(3) + ["..."] + path.suffix(12) : path
      #expect(copied.changes[0].roots[root].path == ends)
    }

    let cut = CloneDifference(
      from: try ring(200, follower: "{}"), to: try ring(200, kids: "{exclude: ''}", follower: "{}"))
    #expect(kinds(cut) == ["no-longer-cloned E0.kids"])
    #expect(cut.changes[0].roots.count == 200)
    #expect(cut.changes[0].objects.count == 200)
  }
}
