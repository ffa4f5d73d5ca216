import GRDB
import MOCloneKit
import Synchronization
import Testing

@Suite("Statements of work that moves data")
struct TransferStatementTests {
  @Test("As many for thousands of rows as for a few", arguments: TransferWork.Kind.allCases)
  func count(_ kind: TransferWork.Kind) throws {
    let counts = try [40, 4000].map { rows in
      let statements = Mutex<[String]>([])
      let work = try TransferWork(kind, rows: rows) { statement in
        statements.withLock { all in
          // Rows that are read from a file are put aside one by one, and what a foreign key does for a row that is
          // deleted is traced under the name of the deletion.
          if !statement.contains("VALUES (?"), statement != all.last { all.append(statement) }
        }
      }
      statements.withLock { $0 = [] }
      try work.perform()
      return statements.withLock { $0.count }
    }
    #expect(counts[0] == counts[1])
    #expect(counts[0] < 150)
  }
}
