#if PostgreSQL
  import CPostgreSQL
  import Foundation

  /// A connection by libpq alone, as the rivals use it.
  final class ServerConnection {
    let handle: OpaquePointer

    init(_ location: String) throws {
      handle = PQconnectdb(location)
      PQsetNoticeProcessor(handle, { _, _ in }, nil)
      guard PQstatus(handle) == CONNECTION_OK else { throw failure }
    }

    deinit { PQfinish(handle) }

    private var failure: BenchmarkError { BenchmarkError(String(cString: PQerrorMessage(handle))) }

    func run(_ script: String) throws {
      let result = PQexec(handle, script)
      defer { PQclear(result) }
      guard [PGRES_COMMAND_OK, PGRES_TUPLES_OK].contains(PQresultStatus(result)) else { throw failure }
    }

    func prepare(_ sql: String, as name: String) throws {
      let result = PQprepare(handle, name, sql, 0, nil)
      defer { PQclear(result) }
      guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw failure }
    }

    /// The number that a prepared statement with one parameter selects.
    func number(_ name: String, _ argument: Int) throws -> Int {
      let result = String(argument).withCString { text in
        var values: UnsafePointer<CChar>? = text
        return PQexecPrepared(handle, name, 1, &values, nil, nil, 0)
      }
      defer { PQclear(result) }
      guard PQresultStatus(result) == PGRES_TUPLES_OK, PQntuples(result) == 1 else { throw failure }
      return Int(String(cString: PQgetvalue(result, 0, 0))) ?? 0
    }
  }
#endif
