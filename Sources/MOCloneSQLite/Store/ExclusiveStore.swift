import Foundation
import GRDB
import MOCloneEngine

#if canImport(Darwin)
  import Darwin
#endif

/// The one way in which a database file is removed or replaced: nobody else may have it open.
extension StoreFile {
  /// Runs a body that takes the file away, while this connection alone holds it.
  ///
  /// - Throws: `CloneError` (`store-busy`) while another process has it open, what the body throws.
  func withExclusiveLock<T>(_ body: () throws -> T) throws -> T {
    guard exists, isDatabase, !isEmpty else { return try body() }
    guard !isOpenElsewhere else { throw busy }
    // A file that SQLite cannot open or lock for another reason is nobody's.
    guard let queue = try lockable() else { return try body() }
    defer { try? queue.close() }
    return try queue.writeWithoutTransaction { db in
      do {
        try db.execute(sql: "BEGIN EXCLUSIVE")
      } catch let error as DatabaseError {
        if error.resultCode == .SQLITE_BUSY { throw busy }
        return try body()
      }
      defer { try? db.execute(sql: "ROLLBACK") }
      return try body()
    }
  }

  /// In WAL mode a connection keeps its shared lock on the file as long as it is open, so the mode of locking must be
  /// set before the file is first read.
  private func lockable() throws -> DatabaseQueue? {
    var configuration = Configuration()
    configuration.busyMode = .waiting(busyTimeout)
    configuration.label = "moclone"
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
    do {
      return try DatabaseQueue(path: path, configuration: configuration)
    } catch let error as DatabaseError {
      if error.resultCode == .SQLITE_BUSY { throw busy }
      return nil
    }
  }

  private var busy: CloneError {
    CloneError(
      .storeBusy,
      "'\(path)' is open in or locked by another process, so it is neither removed nor replaced",
      help: "close it there first"
    )
  }

  /// Whether another process has the file open, which without WAL mode holds no lock while nothing is read.
  private var isOpenElsewhere: Bool {
    #if os(Linux)
      var own = stat()
      guard stat(path, &own) == 0 else { return false }
      let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return processes.contains { process in
        guard let id = Int32(process), id != getpid() else { return false }
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/fd")) ?? []
        return files.contains { file in
          var status = stat()
          return stat("/proc/\(id)/fd/\(file)", &status) == 0 && status.st_ino == own.st_ino
            && status.st_dev == own.st_dev
        }
      }
    #elseif os(macOS)
      var processes = [pid_t](repeating: 0, count: 64)
      let size = Int32(processes.count * MemoryLayout<pid_t>.stride)
      let found = proc_listpidspath(UInt32(PROC_ALL_PIDS), 0, realPath, 0, &processes, size)
      return found > 0
        && processes.prefix(Int(found) / MemoryLayout<pid_t>.stride).contains { $0 != 0 && $0 != getpid() }
    #else
      return false
    #endif
  }
}
