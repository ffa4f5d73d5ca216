import Foundation
import GRDB
import GRDBSQLite
import MOCloneModel

extension Statement {
  /// The arguments of this statement, by the names of its parameters.
  func pick(from values: [String: DatabaseValue]) -> StatementArguments {
    let count = sqlite3_bind_parameter_count(sqliteStatement)
    guard count > 0 else { return [] }
    let names = (1...count).map {
      String(cString: sqlite3_bind_parameter_name(sqliteStatement, $0)).dropFirst()
    }
    return StatementArguments(names.map { values[String($0)] ?? .null })
  }
}

extension AttributeValue {
  /// A value as the store holds it, for keys.
  init(raw value: DatabaseValue) {
    switch value.storage {
    case .null: self = .null
    case .int64(let number): self = .integer(number)
    case .double(let number): self = .double(number)
    case .string(let text): self = .string(text)
    case .blob(let bytes): self = .binary(bytes)
    }
  }
}
