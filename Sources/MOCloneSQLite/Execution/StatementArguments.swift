import Foundation
import GRDB
import GRDBSQLite
import MOCloneModel
import MOCloneSQL

extension Statement {
  /// Gives the parameters values by their names, byte for byte: GRDB ends a text at a U+0000.
  func bind(_ values: [String: StoredValue]) throws {
    let parameters = parameters
    try setArguments(StatementArguments(parameters.map { values[$0]?.databaseValue ?? .null }))
    for (place, name) in parameters.enumerated() {
      guard let value = values[name], value.hasZero else { continue }
      RawValue(value).bind(to: sqliteStatement, at: Int32(place + 1))
    }
  }

  private var parameters: [String] {
    let count = sqlite3_bind_parameter_count(sqliteStatement)
    guard count > 0 else { return [] }
    return (1...count).map {
      String(String(cString: sqlite3_bind_parameter_name(sqliteStatement, $0)).dropFirst())
    }
  }
}
