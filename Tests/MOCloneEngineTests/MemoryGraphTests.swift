import Foundation
import MOCloneEngine
import MOCloneModel
import MOCloneTesting
import Testing

struct MemoryGraphTests {
  private func library() throws -> MemoryGraph {
    let name = AttributeDescription(name: "name", type: .string, isOptional: true)
    let code = AttributeDescription(name: "code", type: .string, isOptional: true)
    let model = try ObjectModel(
      name: "Library",
      entities: [
        EntityDescription(
          name: "Book", attributes: [name, code],
          relationships: [
            RelationshipDescription(
              name: "pages", destination: "Page", isToMany: true, isOrdered: true, inverse: "book",
              deleteRule: .cascade),
            RelationshipDescription(name: "tags", destination: "Tag", isToMany: true, inverse: "books"),
          ], uniquenessConstraints: [["code"]]),
        EntityDescription(
          name: "Page", attributes: [name],
          relationships: [
            RelationshipDescription(name: "book", destination: "Book", isOptional: true, inverse: "pages")
          ]),
        EntityDescription(
          name: "Tag", attributes: [name],
          relationships: [
            RelationshipDescription(name: "books", destination: "Book", isToMany: true, inverse: "tags")
          ]),
      ])
    return MemoryGraph(model: model)
  }

  @Test func keysAscendFromOneAndAreNotUsedAgain() throws {
    let graph = try library()
    let books = try (0..<3).map { _ in try graph.insert("Book") }
    #expect(books.map(\.id.key) == [1, 2, 3])
    try graph.delete(books[2])
    #expect(try graph.insert("Book").id.key == 4)
    #expect(try graph.find("Book", key: "2") == books[1].id)
    #expect(try graph.find("Book", key: 3) == nil)
    #expect(throws: CloneError.self) { try graph.find("Book", key: "x") }
  }

  @Test func uniqueValuesAreKeptByEveryWayOfWriting() throws {
    let graph = try library()
    let first = try graph.insert("Book", ["code": "a"])
    let second = try graph.insert("Book", ["code": "b"])
    #expect(throws: CloneError.self) { try graph.insert("Book", ["code": "a"]) }
    #expect(throws: CloneError.self) { try second.setValue("a", for: "code") }
    #expect(try second.value("code") == "b")
    try first.setValue(.null, for: "code")
    try second.setValue("a", for: "code")
    try graph.delete(second)
    try graph.insert("Book", ["code": "a"])
    #expect(try graph.count("Book") == 2)
  }

  @Test func uniqueValuesAreKnownAfterRollback() throws {
    let graph = try library()
    try graph.insert("Book", ["code": "a"])
    try graph.save()
    try graph.insert("Book", ["code": "b"])
    try graph.rollback()
    try graph.insert("Book", ["code": "b"])
    #expect(throws: CloneError.self) { try graph.insert("Book", ["code": "a"]) }
  }

  @Test func aFailedInsertLeavesNothing() throws {
    let graph = try library()
    try graph.insert("Book", ["code": "a"])
    let before = try GraphSnapshot(graph)
    #expect(throws: CloneError.self) { try graph.insert("Book", ["code": "a"]) }
    #expect(throws: CloneError.self) { try graph.insert("Page", ["book": 77]) }
    #expect(throws: CloneError.self) { try graph.insert("Page", ["name": .binary(Data())]) }
    #expect(try GraphSnapshot(graph) == before)
    #expect(try graph.insert("Book").id.key == 2)
  }

  @Test func insertTakesTheKeyOfAToOne() throws {
    let graph = try library()
    let book = try graph.insert("Book")
    let page = try graph.insert("Page", ["book": "1"])
    #expect(try page.destination("book") == book)
    #expect(try book.destinations("pages") == [page])
  }

  @Test func addingToALongListDoesNotWalkIt() throws {
    let graph = try library()
    let book = try graph.insert("Book")
    for _ in 0..<20_000 { try book.add(graph.insert("Page"), to: "pages") }
    #expect(try book.destinations("pages").count == 20_000)
  }

  @Test func aSetIsHeldOnce() throws {
    let graph = try library()
    let book = try graph.insert("Book")
    let tag = try graph.insert("Tag")
    try book.setDestinations([tag, tag], for: "tags")
    try book.add(tag, to: "tags")
    #expect(try book.destinations("tags") == [tag])
    #expect(try tag.destinations("books") == [book])
  }

  @Test func destinationsMustFit() throws {
    let graph = try library()
    let book = try graph.insert("Book")
    let page = try graph.insert("Page")
    #expect(throws: CloneError.self) { try book.setDestinations([book], for: "pages") }
    #expect(throws: CloneError.self) { try page.setDestinations([book, book, page], for: "book") }
    #expect(throws: CloneError.self) { try page.destinations("bok") }
  }
}
