import Foundation
import MOCloneEngine
import MOCloneModel

/// A connection to a store, as everything that reads and writes objects by SQL sees it.
///
/// Statements name their parameters; what a statement does not name is ignored, and what is not given is null.
package protocol SQLConnection: AnyObject {
  var dialect: Dialect { get }

  /// Runs a statement.
  ///
  /// - Returns: how many rows changed.
  @discardableResult
  func execute(_ sql: String, _ arguments: [String: StoredValue]) throws -> Int

  /// The rows that a statement selects, all of which are read into memory.
  func rows(_ sql: String, _ arguments: [String: StoredValue]) throws -> [[StoredValue]]

  /// Reads the rows that a statement selects one by one, in flat memory; no other statement may run meanwhile.
  func stream(_ sql: String, body: ([StoredValue]) throws -> Void) throws

  /// What the database says of some tables.
  func schema(of tables: [String], _ mapping: SchemaMapping) throws -> StoreSchema

  /// The columns of some tables, which are read anew only where a table has changed: cheap enough to be asked for each set
  /// of objects.
  func columns(of tables: [String]) throws -> StoreSchema

  /// The type that a column is declared with, where columns take values of every type; nil where the database itself
  /// refuses what does not fit, and for a missing column. Cheap enough to be asked for each value.
  func declaredType(of column: String, in table: String) throws -> String?

  /// What a constraint has refused, in the model's words; nil where the error is none of a constraint.
  func refusal(
    _ error: any Error, writing table: TableSchema?, of entities: [String], mapping: SchemaMapping
  ) -> ConstraintFailure?

  /// Inserts a row.
  ///
  /// - Returns: what the database gave the columns of the key.
  func insert(_ row: [String: StoredValue], into entity: EntityMapping) throws -> [StoredValue]

  /// Whether the database makes the value of a column of the key itself.
  func makesKey(_ column: String, of table: String) throws -> Bool

  /// Runs what a constraint may refuse, so that the transaction can go on afterwards.
  func attempting<Result>(_ body: () throws -> Result) throws -> Result

  /// Has foreign keys wait until the end of the transaction, as far as the database can.
  func deferForeignKeys() throws

  /// The same at least while a closure runs.
  func whileForeignKeysWait<Result>(_ body: () throws -> Result) throws -> Result

  /// The contents of a file beside the store.
  func externalFile(named name: String) throws -> Data
}

extension SQLConnection {
  package func rows(_ query: Select, _ arguments: Arguments) throws -> [[StoredValue]] {
    try rows(query.text(dialect), arguments.values)
  }

  /// The number that a query selects; nil where it selects none.
  package func number(_ query: Select, _ arguments: Arguments = Arguments()) throws -> Int64? {
    guard case .integer(let number)? = try rows(query, arguments).first?.first else { return nil }
    return number
  }
}

/// The values of a statement that is written for one use, by the parameters that stand for them.
package struct Arguments {
  package private(set) var values: [String: StoredValue] = [:]

  package init() {}

  /// The parameter that stands for another value.
  package mutating func add(_ value: StoredValue, _ dialect: Dialect) -> String {
    let name = "p\(values.count)"
    values[name] = value
    return dialect.parameter(name)
  }

  /// The parameters that stand for other values.
  package mutating func add(_ values: [StoredValue], _ dialect: Dialect) -> [String] {
    values.map { add($0, dialect) }
  }
}

extension SQLConnection {
  package func whileForeignKeysWait<Result>(_ body: () throws -> Result) throws -> Result {
    try deferForeignKeys()
    return try body()
  }
}
