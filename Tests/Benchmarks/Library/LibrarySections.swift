import GRDB
import MOCloneKit

/// Clones of the example's note in one transaction, each made by a call of its own.
extension Work {
  /// A cloner that keeps its plan.
  static let libraryByPlan = Work(name: "library-plan") { input in
    try inOneTransaction(input) { graph, copies in
      let note = try graph.object("Note", key: 42)
      let cloner = Cloner(plan: try ClonePlan(model: graph.model, entity: "Note"))
      for _ in 0..<copies { try cloner.clone(object: note) }
    }
  }

  /// A cloner and a request made anew each time, found by key; what is linked is counted.
  static let libraryByRequest = Work(name: "library-request") { input in
    try inOneTransaction(input) { graph, copies in
      let note = try graph.object("Note", key: 42)
      for _ in 0..<copies { try Cloner().clone(object: note, request: CloneRequest(exclude: [])) }
    }
  }

  static let libraryByGRDB = Work(name: "library-grdb") { input in
    let queue = try DatabaseQueue(path: input.path)
    let duration = try queue.write { db in
      let rival = ExampleNoteByGRDB(db: db)
      return try ContinuousClock().measure {
        for _ in 0..<input.copies { try rival.clone(42) }
      }
    }
    try queue.close()
    return duration
  }

  /// Within an open transaction of an open graph, so that neither opening nor committing counts.
  private static func inOneTransaction(
    _ input: WorkInput, _ body: (SQLiteGraph, Int) throws -> Void
  ) throws -> Duration {
    let queue = try DatabaseQueue(path: input.path)
    let model = try ExampleNote.model()
    let duration = try queue.write { db in
      try SQLiteGraph.with(db, model: model) { graph in
        try ContinuousClock().measure { try body(graph, input.copies) }
      }
    }
    try queue.close()
    return duration
  }
}

extension Section {
  /// What one call of the library costs in an open store.
  static let library = Section(name: "library") { setting in
    try [(1, 2_000, 2.0, 2.5), (9, 400, 1.2, 1.2), (91, 100, 0.8, 0.8)].flatMap {
      factor, copies, plan, request in
      let note = ExampleNote(factor: factor)
      let copies = min(copies, max(2, setting.rows / note.rows))
      var comparison = try setting.store("library-\(factor).sqlite", note.make)
      comparison.copies = copies
      let works = [Work.libraryByPlan, .libraryByRequest, .libraryByGRDB]
      for work in works {
        try comparison.verify(work) { try note.check($0, $1, copies: copies) }
      }
      let samples = try comparison.time(works, runs: setting.runs)
      let title =
        "a note of \(Unit.count(note.rows)) rows by the library, \(Unit.count(copies)) times in a transaction"
      return [
        TableRow(
          title + ", with a plan", samples[0], against: "GRDB by hand, row by row", samples[2], units: copies,
          atMost: plan),
        TableRow(
          title + ", with a request", samples[1], against: "GRDB by hand, row by row", samples[2],
          units: copies, atMost: request),
      ]
    }
  }
}
