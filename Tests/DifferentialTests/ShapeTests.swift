import GRDB
import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

private let seeds = Seeds.all(0..<20, long: 0..<1_700)

@Suite(
  "Clones of random graphs of three shapes of models, held against those of the reference cloner",
  .tally { counts in
    for executor in Executor.allCases {
      for shape in RandomShape.allCases {
        // Most seeds must come to a clone, or the comparison proves little.
        #expect(counts["\(executor) \(shape) cloned"] > seeds.count / 2, "\(counts)")
        #expect(counts["\(executor) \(shape) refusedByPlan"] < seeds.count / 4, "\(counts)")
      }
    }
    #expect(counts["row by row"] > seeds.count / 3, "\(counts)")
  })
struct ShapeTests {
  @Test("The graph in memory does the same as the reference cloner", arguments: RandomShape.allCases, seeds)
  func memoryAgrees(_ shape: RandomShape, seed: UInt64) throws {
    let (outcome, differences) = try DifferentialCase(seed: seed, shape: shape, hasColumns: false)
      .compare(Executor.memory.make)
    Tally.count("memory \(shape) \(outcome)")
    #expect(differences == [], "\(differences.joined(separator: "\n"))")
  }

  @Test(
    "SQLite does the same as the reference cloner, in tables of every kind", arguments: RandomShape.allCases,
    seeds)
  func sqliteAgrees(_ shape: RandomShape, seed: UInt64) throws {
    var writers: [DatabaseQueue] = []
    let (outcome, differences) = try DifferentialCase(seed: seed, shape: shape, hasColumns: true).compare {
      model in
      let queue = try DatabaseQueue()
      var schema = RandomSchema(model, seed: seed)
      try queue.write { db in try schema.create(in: db) }
      writers.append(queue)
      return SQLiteGraph(queue, model: model)
    }
    Tally.count("sqlite \(shape) \(outcome)")
    // A clone of small closures needs no tables for them.
    let hasTables = try writers[0].read { try $0.hasTemporaryTables }
    if outcome == .cloned, !hasTables { Tally.count("row by row") }
    for writer in writers {
      #expect(try writer.read { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check") } == [])
    }
    #expect(differences == [], "\(differences.joined(separator: "\n"))")
  }
}

extension Database {
  fileprivate var hasTemporaryTables: Bool {
    get throws { try Int.fetchOne(self, sql: "SELECT count(*) FROM temp.sqlite_schema") != 0 }
  }
}
