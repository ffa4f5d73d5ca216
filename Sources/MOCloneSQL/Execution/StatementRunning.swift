import MOCloneEngine
import MOCloneModel

/// Runs the statements of a program with the parameters that they name.
package protocol StatementRunning: AnyObject {
  var dialect: Dialect { get }
  /// How many statements were run.
  var count: Int { get }

  func bind(_ parameter: String, _ value: StoredValue)
  /// What a parameter was given; null where it was given nothing.
  func bound(_ parameter: String) -> StoredValue

  /// - Returns: how many rows changed.
  @discardableResult
  func execute(_ sql: String) throws -> Int
  /// - Parameter entity: the one whose objects the statement goes through, for who watches the run.
  @discardableResult
  func execute(_ sql: String, scanning entity: String?) throws -> Int
  func answers(_ sql: String) throws -> [[StoredValue]]
  /// Goes through the rows that a statement selects.
  func eachAnswer(_ sql: String, _ body: ([StoredValue]) throws -> Void) throws

  /// One expansion within a cycle, to be run for each generation with the parameters that are given now.
  ///
  /// - Returns: takes the numbers of rows before a generation and with it, by table plan; gives how many rows were entered.
  func repeated(_ expansion: SQLProgram.Expansion) throws -> (_ seen: [Int], _ last: [Int]) throws -> Int

  /// Lets go of what the database keeps in memory of long writes.
  func releasePages()
}

extension StatementRunning {
  package func eachAnswer(_ sql: String, _ body: ([StoredValue]) throws -> Void) throws {
    for row in try answers(sql) { try body(row) }
  }

  package func bind(_ parameter: String, _ number: some BinaryInteger) {
    bind(parameter, .integer(Int64(number)))
  }

  /// Gives parameters that a prefix and their places name.
  func bind(_ prefix: String, parts: [StoredValue]) {
    for (place, part) in parts.enumerated() { bind("\(prefix)\(place)", part) }
  }

  /// The first row that a statement selects.
  package func answer(_ sql: String) throws -> [StoredValue]? { try answers(sql).first }

  /// The number that a statement selects; nil where it selects none.
  package func integer(_ sql: String) throws -> Int64? {
    guard case .integer(let number)? = try answer(sql)?.first else { return nil }
    return number
  }

  package func count(_ sql: String) throws -> Int { Int(try integer(sql) ?? 0) }
}

/// A connection with a program that is to be run on it.
package protocol CloneSession: AnyObject {
  associatedtype Connection: SQLConnection
  associatedtype Statements: StatementRunning

  var connection: Connection { get }
  var statements: Statements { get }
  var program: SQLProgram { get }

  /// Has statements make UUIDs by a generator until `end`.
  func begin(_ generator: ValueGenerator) throws
  func end()

  /// The greatest number used before, of each table plan whose keys are counted.
  func greatestNumbers() throws -> [(tablePlan: Int, number: Int64)]
  /// Whether new keys from the numbers used before on could be numbers that something refers to already.
  func mayDangle(_ greatest: [(tablePlan: Int, number: Int64)]) throws -> Bool
  /// Makes the temporary tables that the connection does not have.
  func makeTables() throws

  /// Clones a small closure, where the connection has a quicker way for one; nothing of it is refused.
  ///
  /// - Returns: whether it did.
  func cloneSmall(
    _ root: ObjectID, executor: CloneExecutor<Self>, into result: inout CloneResult
  ) throws -> Bool
}
