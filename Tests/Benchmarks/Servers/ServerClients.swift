#if PostgreSQL
  import Foundation
  import MOCloneKit
  import MOClonePostgres

  /// Clients that clone small notes over connections which are open already.
  struct ServerClients {
    let location: String
    let clones: Int

    /// Seconds in which a client by moclone makes all clones.
    func byMoclone() throws -> Double { try all(among: 1) }

    /// Seconds in which the statement by hand, prepared, makes all clones.
    func byHand() throws -> Double {
      try ServerNotes.reset(location)
      let connection = try ServerConnection(location)
      try connection.prepare(ServerNotes.byHand, as: "clone")
      for number in 1...Self.warmUp { _ = try connection.number("clone", number) }
      let duration = try ContinuousClock().measure {
        for number in 0..<clones { _ = try connection.number("clone", number % ServerNotes.notes + 1) }
      }
      try check(clones + Self.warmUp)
      return duration.seconds
    }

    /// Seconds in which several clients, each with a connection and a thread of its own, make all clones.
    func all(among clients: Int) throws -> Double {
      try ServerNotes.reset(location)
      let model = try ObjectModel(yaml: ServerNotes.model)
      let ready = DispatchGroup()
      let done = DispatchGroup()
      let start = DispatchSemaphore(value: 0)
      let failures = Failures()
      for client in 0..<clients {
        ready.enter()
        done.enter()
        Thread.detachNewThread {
          defer { done.leave() }
          let graph = failures.catching {
            let graph = try PostgresGraph(PostgresLocation(location), model: model)
            try clone(Self.warmUp, from: client, in: graph)
            return graph
          }
          ready.leave()
          start.wait()
          failures.catching { if let graph { try clone(clones / clients, from: client, in: graph) } }
        }
      }
      ready.wait()
      let duration = ContinuousClock().measure {
        for _ in 0..<clients { start.signal() }
        done.wait()
      }
      try failures.check()
      try check(clones + Self.warmUp * clients)
      return duration.seconds
    }

    private func clone(_ count: Int, from first: Int, in graph: PostgresGraph) throws {
      for number in 0..<count {
        let key = ObjectKey([.integer(Int64((first + number) % ServerNotes.notes + 1))])
        try Cloner().clone(object: ManagedObject(id: ObjectID("Note", key: key), graph: graph))
      }
    }

    /// Every clone has the rows of its original.
    private func check(_ clones: Int) throws {
      let connection = try ServerConnection(location)
      try connection.prepare(
        """
        SELECT (count(*) = $1::int AND (SELECT count(*) FROM item) = 6 * $1 AND (SELECT count(*) FROM itemdata) = 6 * $1
          AND (SELECT count(*) FROM memo_tag) = 4 * $1)::int FROM note
        """, as: "check")
      guard try connection.number("check", clones + ServerNotes.notes) == 1 else {
        throw BenchmarkError("clones in PostgreSQL lack rows")
      }
    }

    /// As often as a server needs to settle on a plan of a prepared statement.
    private static let warmUp = 10
  }

  /// What went wrong in threads.
  ///
  /// `@unchecked Sendable`: the errors are read and written under the lock.
  private final class Failures: @unchecked Sendable {
    private let lock = NSLock()
    private var errors: [any Error] = []

    @discardableResult
    func catching<Result>(_ body: () throws -> Result) -> Result? {
      do { return try body() } catch {
        lock.withLock { errors.append(error) }
        return nil
      }
    }

    func check() throws {
      if let error = lock.withLock({ errors.first }) { throw error }
    }
  }
#endif
