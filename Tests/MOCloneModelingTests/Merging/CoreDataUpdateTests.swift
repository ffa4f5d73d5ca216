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
        == ["commented out 'Draft', because the entity 'Draft' no longer exists"])
  }

  @Test func theRenamingIdentifierTellsASubEntityOfAnotherName() throws {
    let renamed = Self.film.replacing("name=\"Film\"", with: "name=\"Zoom\" elementID=\"Film\"")
    #expect(
      try changes(of: file(Self.library), from: [Self.alarm, Self.book, renamed, Self.item]) == [
        "changed 'Film': the name in stores is 'Zoom'", "added 'Alarm'",
      ])
  }

  @Test func aSubEntityThatThePersonCallsOtherwiseIsToldByItsNumber() throws {
    let file = try file(Self.library) { $0.replacing("  Film:\n", with: "  Movie:\n") }
    #expect(try changes(of: file, from: [Self.alarm] + Self.library) == ["added 'Alarm'"])
  }

  // MARK: What an update makes of a file

  /// A file that an update brought to another version; it leaves nothing for a second one.
  private func updated(
    _ file: SourceFile, to entities: [String], _ changes: [String]? = nil
  ) throws -> SourceFile {
    let source = try draft(xcodeModel(entities.joined()))
    let update = try ModelUpdate(of: file, from: source)
    let text = String(decoding: update.data, as: UTF8.self)
    if let changes { #expect(update.changes.map(\.description) == changes) }
    let result = SourceFile(path: "notes.yml", text: text)
    let again = try ModelUpdate(of: result, from: source)
    #expect(again.isUnchanged, "\(again.changes)\n\(text)")
    return result
  }

  private func model(_ file: SourceFile) throws -> ObjectModel {
    try #require(ModelParser.parse(file).model, "\(file.text)")
  }

  /// The file of a version is brought to another one, and is the model then that a new import makes.
  private func expect(_ changes: [String], from old: [String], to new: [String]) throws {
    let result = try updated(file(old), to: new, changes)
    #expect(try model(result) == model(file(new)), "\(result.text)")
  }

  @Test(arguments: [[], [alarm]])
  func aSubEntityThatMovesToAnotherParentStaysItself(others: [String]) throws {
    let pet = Self.entity("Pet", Self.attribute("nick"))
    let dogs = ["Pet", "Item"].map { Self.entity("Dog", parent: $0, Self.attribute("barks")) }
    try expect(
      ["changed 'Dog': the parent is 'Item', was 'Pet'"] + others.map { _ in "added 'Alarm'" },
      from: Self.library + [pet, dogs[0]], to: Self.library + [pet, dogs[1]] + others)
  }

  @Test func anEntityThatGetsAParentHasItsTable() throws {
    let thing = Self.entity("Thing", Self.attribute("note"))
    try expect(
      ["changed 'Item': the parent is 'Thing'", "added 'Thing'"], from: Self.library,
      to: [Self.book, Self.film, Self.entity("Item", parent: "Thing", Self.attribute("title")), thing])
  }

  @Test func aSubEntityBecomesARootAndBack() throws {
    let pet = Self.entity("Pet", Self.attribute("nick"))
    let (sub, root) = (
      Self.entity("Dog", parent: "Pet", Self.attribute("barks")),
      Self.entity("Dog", Self.attribute("barks"))
    )
    try expect(["changed 'Dog': no parent, was 'Pet'"], from: [pet, sub], to: [pet, root])
    try expect(["changed 'Dog': the parent is 'Pet'"], from: [pet, root], to: [pet, sub])
  }

  @Test func theFirstSubEntityOfAnEntityComesIn() throws {
    try expect(["added 'Film'"], from: [Self.item], to: [Self.film, Self.item])
  }

  @Test func aSubEntityThatIsGoneIsACommentAndComesBack() throws {
    let film = Self.entity("Film", parent: "Item", Self.toMany("stars", "Person", inverse: "films"))
    let book = Self.entity("Book", parent: "Item", Self.toMany("authors", "Person", inverse: "books"))
    let films = Self.toMany("films", "Film", inverse: "stars")
    let former = [
      book, film, Self.item, Self.entity("Person", films, Self.toMany("books", "Book", inverse: "authors")),
    ]
    let later = [film, Self.item, Self.entity("Person", films)]
    try expect(
      [
        "commented out 'Book', because the entity 'Book' no longer exists",
        "commented out 'Person.books', because the entity 'Book' no longer exists",
      ], from: former, to: later)
    let returned = try updated(updated(file(former), to: later), to: former)
    #expect(try model(returned) == model(file(former)), "\(returned.text)")
    #expect(!returned.text.contains("gone from the source"))
  }

  @Test func theChildOfASubEntityThatIsGoneHasTheParentAbove() throws {
    let memos = ["Draft", "Item"].map { Self.entity("Memo", parent: $0, Self.attribute("text")) }
    let between = Self.entity("Draft", parent: "Item", Self.attribute("state"))
    try expect(
      [
        "commented out 'Draft', because the entity 'Draft' no longer exists",
        "changed 'Memo': the parent is 'Item', was 'Draft'",
      ], from: Self.library + [between, memos[0]], to: Self.library + [memos[1]])
  }

  @Test func numbersThatTheNamesOfTheFileDoNotGiveAreWritten() throws {
    let renamed = Self.film.replacing("name=\"Film\"", with: "name=\"Anim\" elementID=\"Film\"")
    let version = [Self.book, renamed, Self.item]
    let first = try updated(
      file(Self.library), to: version,
      [
        "changed 'Book': the discriminator is '3'", "changed 'Film': the name in stores is 'Anim'",
        "changed 'Film': the discriminator is '2'",
      ])
    let second = try updated(first, to: [Self.alarm] + version)
    for (file, numbers) in [(first, ["1", "2", "3"]), (second, ["2", "3", "4"])] {
      let mapping = try SchemaMapping(model(file))
      #expect(["Item", "Film", "Book"].compactMap { mapping[$0].discriminator?.value } == numbers)
    }
  }

  @Test func aRootOfAnotherNameHasItsTable() throws {
    let renamed = Self.alarm.replacing("name=\"Alarm\"", with: "name=\"Bell\" elementID=\"Alarm\"")
    _ = try updated(
      file([Self.alarm]), to: [renamed],
      ["changed 'Alarm': the table is 'ZBELL'", "changed 'Alarm': the name in stores is 'Bell'"])
  }

  @Test func aJoinTableThatIsGoneIsNamedAsTheModelNamesIt() throws {
    let (text, word) = (Self.attribute("text"), Self.attribute("word"))
    try expect(
      [
        "commented out 'Note.tags', because the table 'Z_1TAGS' no longer exists",
        "commented out 'Tag.notes', because the table 'Z_1TAGS' no longer exists", "added 'Alarm'",
      ],
      from: [
        Self.entity("Note", text, Self.toMany("tags", "Tag", inverse: "notes")),
        Self.entity("Tag", word, Self.toMany("notes", "Note", inverse: "tags")),
      ], to: [Self.alarm, Self.entity("Note", text), Self.entity("Tag", word)])
  }

  @Test func attributesOfOneNameInSiblingsStayWithTheirEntities() throws {
    let code = Self.attribute("code")
    let film = Self.entity("Film", parent: "Item", code)
    let (former, later) = (
      [Self.entity("Book", parent: "Item", code), film, Self.item],
      [Self.entity("Book", parent: "Item"), film, Self.item]
    )
    try expect(["commented out 'Book.code': 'Book' has it no more"], from: former, to: later)
    try expect(["added 'Book.code' (String?)"], from: later, to: former)
  }

  @Test func anAttributeThatMovesToTheParentIsDeclaredThere() throws {
    let (title, director) = (Self.attribute("title"), Self.attribute("director"))
    let unique =
      "<uniquenessConstraints><uniquenessConstraint><constraint value=\"director\"/>"
      + "</uniquenessConstraint></uniquenessConstraints>"
    try expect(
      ["commented out 'Film.director': 'Film' has it no more", "added 'Item.director' (String?)"],
      from: [Self.book, Self.entity("Film", parent: "Item", director, unique), Self.item],
      to: [
        Self.book, Self.entity("Film", parent: "Item", unique), Self.entity("Item", title, director),
      ])
  }

  @Test func aRelationshipThatLeadsToTheParentOfItsDestinationFollows() throws {
    let people = ["Film", "Item"].map { destination in
      Self.entity(
        "Person",
        "<relationship name=\"favourite\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" "
          + "destinationEntity=\"\(destination)\"/>")
    }
    try expect(
      ["changed 'Person.favourite': Item, was Film"], from: Self.library + [people[0]],
      to: Self.library + [people[1]])
  }

  @Test func aRelationshipBecomesToManyAndOrdered() throws {
    let toOne = { (name: String, destination: String, inverse: String) in
      "<relationship name=\"\(name)\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" "
        + "destinationEntity=\"\(destination)\" inverseName=\"\(inverse)\" "
        + "inverseEntity=\"\(destination)\"/>"
    }
    let line = Self.entity("Line", toOne("note", "Note", "lines"))
    let lines = Self.toMany("lines", "Line", inverse: "note")
    let ordered = lines.replacing("toMany=", with: "ordered=\"YES\" toMany=")
    try expect(
      ["changed 'Note.lines': to-many, was to-one"],
      from: [line, Self.entity("Note", toOne("lines", "Line", "note"))],
      to: [line, Self.entity("Note", lines)])
    try expect(
      ["changed 'Note.lines': ordered"], from: [line, Self.entity("Note", lines)],
      to: [line, Self.entity("Note", ordered)])
    try expect(
      ["changed 'Note.lines': not ordered"], from: [line, Self.entity("Note", ordered)],
      to: [line, Self.entity("Note", lines)])
  }

  @Test func aTransientAttributeComesAndGoes() throws {
    let transient = Self.attribute("text").replacing("optional=", with: "transient=\"YES\" optional=")
    let (title, text) = (Self.attribute("title"), Self.attribute("text"))
    let (none, kept, stored) = (
      [Self.entity("Note", title)], [Self.entity("Note", title, transient)],
      [Self.entity("Note", title, text)]
    )
    try expect(["commented out 'Note.text': 'Note' has it no more"], from: kept, to: none)
    try expect(["added 'Note.text' (String?)"], from: none, to: kept)
    try expect(
      ["commented out 'Note.text': 'Note' has it no more", "added 'Note.text' (String?)"], from: kept,
      to: stored)
    try expect(
      [
        "commented out 'Note.text', because the column 'ZTEXT' no longer exists",
        "added 'Note.text' (String?)",
      ], from: stored, to: kept)
  }

  @Test func anEntityBecomesAbstractAndConcrete() throws {
    let abstract = Self.item.replacing("name=\"Item\"", with: "name=\"Item\" isAbstract=\"YES\"")
    let version = [Self.book, Self.film, abstract]
    try expect(["changed 'Item': abstract"], from: Self.library, to: version)
    try expect(["changed 'Item': not abstract"], from: version, to: Self.library)
  }
}
