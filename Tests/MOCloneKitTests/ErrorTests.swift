import Foundation
import GRDB
import MOCloneKit
import MOCloneSQL
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
      .storeBusy, "the store is locked", help: "try again later", entity: "Note", property: "name")
    #expect(error.recoverySuggestion == "try again later")
    #expect(error.localizedDescription == "the store is locked; try again later")
    #expect("\(error)" == "the store is locked; try again later [store-busy]")
    #expect(error.failureReason == "Note, 'name': code 'store-busy'.")
    #expect(CloneError([]).errorDescription == nil)
  }

  @Test func whatIsNoAdviceIsNoSuggestion() {
    let error = CloneError(.storeMismatch, "the table 'a' took 1 of 2 new rows; the others were ignored")
    #expect(error.recoverySuggestion == nil)
    #expect(error.localizedDescription == error.failures[0].problem)
  }

  @Test func failuresThatSayTheSameAreOne() {
    let whole = CloneError.Failure(.storeBusy, "the store is locked; try again later")
    let parts = CloneError.Failure(.storeBusy, "the store is locked", help: "try again later")
    #expect(whole == parts && Set([whole, parts]).count == 1)
    #expect(CloneError([whole, parts]).failures.count == 1)
    #expect(parts != CloneError.Failure(.storeBusy, parts.problem))
  }

  /// Calls that are refused, and how what they are told to do begins.
  enum Call: String, CaseIterable {
    case misspeltEntity = "did you mean 'Note'?"
    case misspeltAttribute = "did you mean 'title'?"
    case misspeltExclusion = "did you mean 'isDone'?"
    case noIdentity = "expected [ENTITY=]NAME[,NAME]"
    case wrongValue = "expected true or false"
    case repeatedValue = "give a new value with --set"
    case ownGraphInside = "use 'SQLiteGraph.with(db, model: model)' or "

    func run(_ graph: SQLiteGraph, _ queue: DatabaseQueue, note: ObjectKey) throws {
      func clone(_ request: CloneRequest) throws {
        _ = try Cloner(model: graph.model).clone("Note", keys: [note], in: graph, request: request)
      }
      switch self {
      case .misspeltEntity: throw CloneError.unknownEntity("Nots", in: graph.model)
      case .misspeltAttribute: try clone(CloneRequest(set: ["titel": "b"]))
      case .misspeltExclusion: try clone(CloneRequest(exclude: ["isDon"]))
      case .noIdentity: _ = try IdentityRequest(texts: ["Note="])
      case .wrongValue: try clone(CloneRequest(set: ["isDone": "maybe"]))
      case .repeatedValue: try clone(CloneRequest())
      case .ownGraphInside: try queue.write { _ in _ = try graph.count("Note") }
      }
    }
  }

  @Test(arguments: Call.allCases)
  func whatTheLibraryRefusesSaysWhatToDo(_ call: Call) throws {
    let model = try ObjectModel(
      yaml: """
        version: 1
        store: {naming: snakeCase}
        entities:
          Note:
            attributes: {title: String, isDone: {type: Boolean, default: false}}
            uniquenessConstraints: [[title]]
        """)
    let queue = try DatabaseQueue()
    try queue.write { try SchemaWriter(model).create(in: $0) }
    let graph = SQLiteGraph(queue, model: model)
    let note = try graph.insert("Note", ["title": "a"]).id.key
    let error = try #require(throws: CloneError.self) { try call.run(graph, queue, note: note) }
    let failure = error.failures[0]
    #expect(error.recoverySuggestion?.hasPrefix(call.rawValue) == true, "\(error)")
    #expect(failure.message == "\(failure.problem); \(failure.help ?? "")")
    #expect(error.localizedDescription == failure.message)
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

  @Test func errorsOfOwnClosuresComeOutUnchanged() throws {
    let model = try ObjectModel(yaml: "version: 1\nentities: {Note: {attributes: {name: String}}}")
    let queue = try DatabaseQueue()
    try queue.write { try SchemaWriter(model).create(in: $0) }
    let graph = SQLiteGraph(queue, model: model)
    for _ in 0..<2 { try graph.insert("Note", ["name": "n"]) }
    let own = DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "mine")
    let request = DedupeRequest(
      entities: ["Note"], identifiedBy: ["Note": ["name"]], keep: .chosen { _ in throw own })
    func expectMessage(_ message: String = "mine", of body: () throws -> Void) {
      let error = #expect(throws: DatabaseError.self) { try body() }
      #expect(error?.message == message)
    }
    func inOwnTransaction(_ body: (SQLiteGraph, Database) throws -> Void) throws {
      try queue.write { db in try SQLiteGraph.with(db, model: model) { try body($0, db) } }
    }
    let fails: () throws -> Void = { throw own }
    let merges: () throws -> Void = { _ = try graph.dedupe(request) }
    expectMessage { try graph.atomically(fails) }
    expectMessage { try graph.atomically { try graph.atomically(fails) } }
    expectMessage(of: merges)
    expectMessage { try graph.atomically(merges) }
    expectMessage { try inOwnTransaction { graph, _ in try graph.atomically(fails) } }
    expectMessage("no such column: nosuch") {
      try inOwnTransaction { graph, db in
        try graph.atomically { try db.execute(sql: "SELECT nosuch FROM note") }
      }
    }
    let ofGraph = #expect(throws: CloneError.self) {
      try graph.atomically { try graph.object("Note", key: 42) }
    }
    #expect(ofGraph?.code == .noSuchObject)
    #expect(try graph.count("Note") == 2)
  }

  @Test func theErrorOfTheDatabaseIsKept() throws {
    let model = try ObjectModel(yaml: "version: 1\nentities: {Note: {attributes: {name: String}}}")
    let queue = try DatabaseQueue()
    let error = try #require(throws: CloneError.self) { try SQLiteGraph(queue, model: model).count("Note") }
    #expect((error.underlying as? DatabaseError)?.message == "no such table: main.note")
  }
}
