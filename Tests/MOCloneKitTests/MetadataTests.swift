import Foundation
import GRDB
import MOCloneKit
import Testing

struct MetadataTests {
  private let model = try! ObjectModel(
    name: "Units",
    entities: [
      EntityDescription(name: "Unit", attributes: [AttributeDescription(name: "name", type: .string)])
    ])

  private func graphs() throws -> [any MetadataGraph] {
    [MemoryGraph(model: model), try SQLiteGraph.temporary(model)]
  }

  @Test func textsAreKeptChangedAndRemoved() throws {
    for graph in try graphs() {
      #expect(try graph.metadata() == [:])
      #expect(try graph.removeMetadata("a") == false)
      try graph.setMetadata("1", for: "a")
      try graph.setMetadata("two\nlines, 'quoted'", for: "b")
      try graph.setMetadata("3", for: "a")
      #expect(try graph.metadata() == ["a": "3", "b": "two\nlines, 'quoted'"])
      #expect(try graph.removeMetadata("a"))
      #expect(try graph.metadata("a") == nil)
      #expect(try graph.metadata("b") == "two\nlines, 'quoted'")
    }
  }

  @Test func keysThatUnicodeTakesForEqualAreTwo() throws {
    let graph = try SQLiteGraph.temporary(model)
    for (key, value) in [("caf\u{E9}", "one"), ("cafe\u{301}", "two")] {
      try graph.setMetadata(value, for: key)
    }
    #expect(try graph.metadata() == ["caf\u{E9}": "one", "cafe\\u{0301}": "two"])
    #expect(try graph.metadata("cafe\u{301}") == "two")
  }

  @Test func somethingHappensOnceAndAgainOnlyAfterItsMarkIsRemoved() throws {
    for graph in try graphs() {
      func run() throws -> Int? {
        try graph.runOnce("units", hash: "sha256:00") {
          try graph.insert("Unit", ["name": "kg"])
          return try graph.count("Unit")
        }
      }
      #expect(try run() == 1)
      #expect(try run() == nil)
      #expect(try graph.onceMark("units")?.answer == .done)
      #expect(try graph.onceMark("units")?.hash == "sha256:00")
      try graph.removeMetadata("units")
      #expect(try run() == 2)
    }
  }

  @Test func aRefusalIsAMarkToo() throws {
    for graph in try graphs() {
      try graph.declineOnce("units")
      #expect(try graph.onceMark("units")?.answer == .declined)
      #expect(try graph.runOnce("units") { try graph.insert("Unit", ["name": "kg"]) } == nil)
      #expect(try graph.count("Unit") == 0)
    }
  }

  @Test func aFailureLeavesNeitherObjectsNorMark() throws {
    struct Stop: Error {}
    for graph in try graphs() {
      try graph.insert("Unit", ["name": "l"])
      #expect(throws: Stop.self) {
        try graph.runOnce("units") {
          try graph.insert("Unit", ["name": "kg"])
          try graph.setMetadata("x", for: "other")
          throw Stop()
        }
      }
      #expect(try graph.count("Unit") == 1)
      #expect(try graph.metadata() == [:])
      try graph.insert("Unit", ["name": "g"])
      #expect(try graph.objects("Unit").map { try $0.value("name") } == ["l", "g"])
    }
  }

  @Test func transactionsNest() throws {
    struct Stop: Error {}
    for graph in try graphs() {
      try graph.atomically {
        try graph.insert("Unit", ["name": "l"])
        #expect(throws: Stop.self) {
          try graph.atomically {
            try graph.insert("Unit", ["name": "kg"])
            throw Stop()
          }
        }
        try graph.insert("Unit", ["name": "g"])
      }
      #expect(try graph.objects("Unit").map { try $0.value("name") } == ["l", "g"])
    }
  }

  @Test func memoryForgetsUnsavedTextsOnRollback() throws {
    let graph = MemoryGraph(model: model)
    try graph.setMetadata("1", for: "a")
    try graph.save()
    try graph.setMetadata("2", for: "a")
    try graph.rollback()
    #expect(try graph.metadata("a") == "1")
  }

  @Test func theTableOfMetadataIsNoFinding() throws {
    let graph = try SQLiteGraph.temporary(model)
    let before = try graph.storeFindings()
    try graph.setMetadata("1", for: "a")
    #expect(try graph.storeFindings() == before)
  }

  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (String(repeating: "a", count: 1000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
  ])
  func hashesAreThoseOfTheStandard(text: String, expected: String) {
    var whole = SHA256()
    whole.update(text.utf8)
    #expect(whole.text == "sha256:" + expected)
    var pieces = SHA256()
    for byte in text.utf8 { pieces.update([byte]) }
    #expect(pieces.text == whole.text)
  }
}
