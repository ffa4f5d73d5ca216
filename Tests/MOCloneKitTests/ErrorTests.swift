import Foundation
import GRDB
import MOCloneKit
import Testing

/// What apps and logs show of errors.
struct ErrorTests {
  @Test func aCloneErrorIsLocalized() throws {
    let model = try ObjectModel(yaml: "version: 1\nentities: {Note: {attributes: {name: String}}}")
    let graph = MemoryGraph(model: model)
    let error = try #require(throws: CloneError.self) { try graph.object("Note", key: 42) }
    #expect(error.localizedDescription == error.failures[0].message)
    #expect(error.failureReason == "Note: code 'no-such-object'.")
  }

  @Test func adviceIsTheSuggestion() {
    let error = CloneError(
      .storeBusy, "the store is locked; try again later", entity: "Note", property: "name")
    #expect(error.recoverySuggestion == "try again later")
    #expect(error.failureReason == "Note, 'name': code 'store-busy'.")
    #expect(CloneError([]).errorDescription == nil)
  }

  @Test(arguments: [
    "the plan was made for another model; this one does not have 'nodes' of Root",
    "the table 'a' took 1 of 2 new rows; the others were ignored or removed by a trigger of the store",
    "the store has no table 'a' (the name follows from 'A'; if it has another name, write 'table:')",
  ])
  func whatIsNoAdviceIsNoSuggestion(message: String) {
    #expect(CloneError(.storeMismatch, message).recoverySuggestion == nil)
  }

  @Test func aModelErrorNamesItsFirstError() throws {
    let error = try #require(throws: ModelError.self) {
      try ObjectModel(
        yaml: "version: 1\nentities:\n  Note:\n    atributes: {}\n", path: "Notes.yml")
    }
    #expect(
      error.localizedDescription == "'Notes.yml' has 1 error: \(error.diagnostics[0].message)")
    #expect(error.failureReason?.hasPrefix("4:5: ") == true)
    #expect(error.recoverySuggestion == "did you mean 'attributes'?")
  }

  @Test func theErrorOfTheDatabaseIsKept() throws {
    let model = try ObjectModel(yaml: "version: 1\nentities: {Note: {attributes: {name: String}}}")
    let queue = try DatabaseQueue()
    let error = try #require(throws: CloneError.self) { try SQLiteGraph(queue, model: model).count("Note") }
    #expect((error.underlying as? DatabaseError)?.message == "no such table: main.note")
  }
}
