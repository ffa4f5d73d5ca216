import GRDB
import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

private let seeds = Seeds.all(0..<100, long: 0..<5_000)

/// The rows of a clone in a store that another program filled are what the rules say, byte for byte.
@Suite(
  "Clones in stores that other programs filled, row by row of their tables",
  .tally { counts in
    #expect(counts["cloned"] > seeds.count * 9 / 10, "\(counts)")
    #expect(counts["row by row"] > seeds.count / 16, "\(counts)")
  })
struct ForeignStoreTests {
  @Test("Values, references and pairs are those of the originals up to the new keys", arguments: seeds)
  func rowsAreTheOriginals(seed: UInt64) throws {
    var results: [RawStore] = []
    for smallClosure in [150, 0] {
      let store = try ForeignStore(seed: seed)
      let before = try RawStore(store.queue)
      let root = Int64(seed % 3) + 1
      var options = CloneOptions(generator: fixedGenerator(), keepsMapping: true)
      options.smallClosure = smallClosure
      let request = CloneRequest(count: seed % 5 == 0 ? 2 : 1)
      let plan = try ClonePlan(model: store.model, entity: "Board", request: request)
      let graph = SQLiteGraph(store.queue, model: store.model)
      let result: CloneResult
      do {
        result = try graph.run(
          plan, roots: [ObjectID("Board", key: [.integer(root)])], options: options, saves: true)
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
      let after = try RawStore(store.queue)
      let expectation = RawExpectation(store: store, before: before, after: after, result: result)
      let differences = expectation.differences(root: root, copies: request.count)
      #expect(differences == [], "seed \(seed): \(differences.joined(separator: "\n"))")
      results.append(after)
      let hasTables = try store.queue.read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM temp.sqlite_schema") != 0
      }
      if smallClosure > 0 { Tally.count("cloned") }
      if !hasTables { Tally.count("row by row") }
    }
    #expect(results[0] == results[1], "seed \(seed): row by row it is something else")
  }
}
