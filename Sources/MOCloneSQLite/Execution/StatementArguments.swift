import Foundation
import GRDB
import GRDBSQLite
import MOCloneModel
import MOCloneSQL

extension Statement {
  /// The arguments of this statement, by the names of its parameters.
  func pick(from values: [String: DatabaseValue]) -> StatementArguments {
    StatementArguments(parameters.map { values[$0] ?? .null })
  }

  func pick(from values: [String: StoredValue]) -> StatementArguments {
    StatementArguments(parameters.map { values[$0]?.databaseValue ?? .null })
  }

  private var parameters: [String] {
    let count = sqlite3_bind_parameter_count(sqliteStatement)
    guard count > 0 else { return [] }
    return (1...count).map {
      String(String(cString: sqlite3_bind_parameter_name(sqliteStatement, $0)).dropFirst())
    }
  }
}
