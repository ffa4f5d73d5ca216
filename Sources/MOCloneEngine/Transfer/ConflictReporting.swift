/// The error of a database that tells whether another transaction was in the way.
package protocol ConflictReporting: Error {
  /// Whether the transaction may succeed when it runs again.
  var isConflict: Bool { get }
}

extension TransferOptions {
  /// Runs a body whose input can be read again, and once more after a conflict with another transaction.
  package func repeating<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let conflict as CloneError
      where (conflict.underlying as? any ConflictReporting)?.isConflict == true && !isDryRun
    {
      // A caller's transaction has ended with the conflict, and nothing more can be done in it.
      do { return try body() } catch let error as CloneError where error.code == .storeFailed {
        throw conflict
      }
    }
  }
}
