import Foundation
import GRDB
import MOCloneModel
import MOCloneSQL

extension Database {
  /// Runs a closure that looks at tables whose texts are compared by collations that only the app has: something of
  /// that name compares their characters meanwhile.
  ///
  /// An index that the app has sorted is in another order, so this is for questions of which the answer is a guess, and
  /// never for writing.
  package func standingInForCollations<Result>(
    of schema: StoreSchema, _ body: () throws -> Result
  ) throws -> Result {
    let tables = schema.names.compactMap { schema[$0] }
    let used = tables.flatMap { $0.columns.map(\.collation) + $0.indexes.flatMap(\.columns).map(\.collation) }
    let standIns = used.uniqued { $0.lowercased() }.filter { !knows(collation: $0) }.map { name in
      DatabaseCollation(name) { first, second in
        if first == second { return .orderedSame }
        return first < second ? .orderedAscending : .orderedDescending
      }
    }
    for standIn in standIns { add(collation: standIn) }
    defer { for standIn in standIns { remove(collation: standIn) } }
    return try body()
  }

  /// SQLite lists those that it has only read of as well, so it has to compile something.
  private func knows(collation: String) -> Bool {
    collation.isEmpty
      || (try? makeStatement(sql: "SELECT 'a' < 'b' COLLATE \(Dialect.sqlite.name(collation))")) != nil
  }
}
