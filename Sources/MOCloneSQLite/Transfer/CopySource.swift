import GRDB
import MOCloneEngine
import MOCloneSQL

/// Another database beside the one that is written, attached read only for the time of a closure.
struct CopySource {
  static let schema = "moclone_source"

  let path: String

  func attached<Result>(to db: Database, _ body: () throws -> Result) throws -> Result {
    try db.execute(sql: "ATTACH DATABASE ? AS \(Self.schema)", arguments: [uri])
    defer { try? db.execute(sql: "DETACH DATABASE \(Self.schema)") }
    try db.execute(sql: "PRAGMA \(Self.schema).cache_size = -8000")
    return try body()
  }

  /// Runs a body that reads the store on two connections, again where it was changed in between.
  ///
  /// - Parameter body: it is given the check to make once the second one has begun to read.
  /// - Throws: `CloneError` (`store-busy`) where the store has changed each time.
  func inOneState<Result>(_ body: (_ check: () throws -> Void) throws -> Result) throws -> Result {
    var configuration = Configuration()
    configuration.readonly = true
    // The number tells what other connections have committed, so it is asked on one that commits nothing.
    let watching = try DatabaseQueue(path: uri, configuration: configuration)
    func state() throws -> Int64? {
      try watching.unsafeRead { try Int64.fetchOne($0, sql: "PRAGMA data_version") }
    }
    for _ in 0..<20 {
      let before = try state()
      do {
        return try body { if try state() != before { throw StateChanged() } }
      } catch is StateChanged {}
    }
    throw CloneError(.storeBusy, "another process writes to the source all the time; try again later")
  }

  private struct StateChanged: Error {}

  private var uri: String {
    let file = StoreFile(path)
    return file.uri + (file.isUnchanging ? "?immutable=1" : "?mode=ro")
  }
}
