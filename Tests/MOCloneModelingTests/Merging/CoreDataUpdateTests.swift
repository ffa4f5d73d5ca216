import Foundation
import MOCloneKit
import MOCloneModeling
import Testing

@Suite("A model file that is brought up to date with another version of an Xcode model")
struct CoreDataUpdateTests {
  private static func entity(_ name: String, parent: String? = nil, _ properties: String...) -> String {
    let inherits = parent.map { " parentEntity=\"\($0)\"" } ?? ""
    return "<entity name=\"\(name)\"\(inherits)>\(properties.joined())</entity>"
  }

  private static func attribute(_ name: String) -> String {
    "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"String\"/>"
  }

  private static func toMany(_ name: String, _ destination: String, inverse: String? = nil) -> String {
    let end = inverse.map { " inverseName=\"\($0)\" inverseEntity=\"\(destination)\"" } ?? ""
    return "<relationship name=\"\(name)\" optional=\"YES\" toMany=\"YES\" deletionRule=\"Nullify\" "
      + "destinationEntity=\"\(destination)\"\(end)/>"
  }

  private static let alarm = entity("Alarm", attribute("text"))
  private static let book = entity("Book", parent: "Item", attribute("isbn"))
  private static let film = entity("Film", parent: "Item", attribute("director"))
  private static let item = entity("Item", attribute("title"))
  private static let library = [book, film, item]
  private static let notes = [
    entity("Line", attribute("text")),
    entity("Note", toMany("tags", "Tag", inverse: "notes"), toMany("lines", "Line")),
    entity("Tag", toMany("notes", "Note", inverse: "tags")),
  ]

  private func file(_ entities: [String], _ edit: (String) -> String = { $0 }) throws -> SourceFile {
    SourceFile(path: "notes.yml", text: edit(try draft(xcodeModel(entities.joined())).yaml))
  }

  private func changes(of file: SourceFile, from entities: [String]) throws -> [String] {
    try ModelUpdate(of: file, from: draft(xcodeModel(entities.joined()))).changes.map(\.description)
  }

  @Test(arguments: [library, notes])
  func anEntityThatComesOrGoesLeavesTheOthersAsTheyAre(entities: [String]) throws {
    #expect(try changes(of: file(entities), from: [Self.alarm] + entities) == ["added 'Alarm'"])
    #expect(
      try changes(of: file([Self.alarm] + entities), from: entities)
        == ["commented out 'Alarm', because the table 'ZALARM' no longer exists"])
  }

  @Test func aSubEntityThatComesOrGoesLeavesItsSiblingsAsTheyAre() throws {
    let other = Self.entity("Draft", parent: "Item", Self.attribute("state"))
    #expect(try changes(of: file(Self.library), from: Self.library + [other]) == ["added 'Draft'"])
    #expect(
      try changes(of: file(Self.library + [other]), from: Self.library)
        == ["commented out 'Draft.state', because the column 'ZSTATE' no longer exists"])
  }

  @Test func theRenamingIdentifierTellsASubEntityOfAnotherName() throws {
    let renamed = Self.film.replacing("name=\"Film\"", with: "name=\"Zoom\" elementID=\"Film\"")
    #expect(
      try changes(of: file(Self.library), from: [Self.alarm, Self.book, renamed, Self.item]) == [
        "added 'Alarm'"
      ])
  }

  @Test func aSubEntityThatThePersonCallsOtherwiseIsToldByItsNumber() throws {
    let file = try file(Self.library) { $0.replacing("  Film:\n", with: "  Movie:\n") }
    #expect(try changes(of: file, from: [Self.alarm] + Self.library) == ["added 'Alarm'"])
  }
}
