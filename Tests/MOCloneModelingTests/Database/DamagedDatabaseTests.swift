import Foundation
import GRDB
import MOCloneKit
import MOCloneModeling
import MOCloneTesting
import TestSupport
import Testing

@Suite("Models of damaged databases")
struct DamagedDatabaseTests {
  /// A file with some of its bytes changed, or its end cut off, is refused or read, and ends neither the process nor hangs.
  @Test(arguments: 0..<200)
  func aDamagedFileIsAnErrorOrAModel(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var bytes = try Self.file.get()
    // The schema is at the beginning, and what is there does the most harm.
    let end = random.chance(70) ? min(bytes.count, 4096) : bytes.count
    for _ in 0..<random.number(1...30) { bytes[random.number(0...end - 1)] = UInt8(random.number(0...255)) }
    if random.chance(20) { bytes = bytes.prefix(random.number(0...bytes.count)) }
    let folder = try TemporaryFolder()
    let url = folder.url.appendingPathComponent("damaged.sqlite")
    try bytes.write(to: url)
    do {
      let draft = try ModelDraft(contentsOf: url, options: .init(infersRelationships: true))
      _ = draft.yaml
    } catch {
      #expect(error is CloneError || error is ModelError, "\(error)")
    }
  }

  static let file = Result {
    let folder = try TemporaryFolder()
    let url = folder.url.appendingPathComponent("whole.sqlite")
    let queue = try DatabaseQueue(path: url.path)
    try queue.write { db in
      for statement in RandomSchema(seed: 3).definitions { try db.execute(sql: statement) }
      for statement in RandomSchema(seed: 3).inserts { try? db.execute(sql: statement) }
      try db.execute(
        sql: "CREATE TABLE list (id INTEGER PRIMARY KEY, n INT DEFAULT 0, type TEXT, type_id INT); "
          + "CREATE TRIGGER t AFTER INSERT ON list BEGIN UPDATE list SET n = n + 1; END; CREATE VIEW v AS SELECT * FROM list"
      )
    }
    try queue.close()
    return try Data(contentsOf: url)
  }
}
