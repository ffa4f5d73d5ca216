/// An error of a caller's closure on its way out of a graph, which must not be taken for one of the database's own.
package struct ClosureError: Error {
  package let error: any Error

  /// Runs a caller's closure.
  package static func marking<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw ClosureError(error: error) }
  }
}
