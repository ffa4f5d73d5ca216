import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension StoreFile {
  /// Opens the database with the settings of every connection that moclone makes.
  ///
  /// What is only read is read whatever state it is in: see ``reading(_:)``.
  ///
  /// - Parameters:
  ///   - isShipped: whether nobody writes the file where its folder cannot be written.
  ///   - coreData: whether a store that Core Data made may be opened for writing.
  /// - Throws: `CloneError` (`no-such-store`, `store-damaged`, `store-busy`, `store-failed`, `core-data-store`).
  package func open(
    isReadOnly: Bool, isShipped: Bool = false, coreData: CoreDataWriting = .refused
  ) throws -> DatabaseQueue {
    guard exists else {
      throw CloneError(
        .noSuchStore, "the store '\(path)' does not exist",
        // A new store has nothing to read.
        help: isReadOnly ? nil : "create it with `moclone store init`")
    }
    guard !isFolder else {
      throw CloneError(
        .noSuchStore, "'\(path)' is a folder, and no store",
        help: "name the file of the database")
    }
    // SQLite would take it for a database without a page, and remove a -wal beside it: a writer's first page is in the file.
    guard !isEmpty else {
      throw CloneError(
        .noSuchStore, "'\(path)' is empty, and no store",
        help: isReadOnly ? "name the file of the database" : "create it with `moclone store init`")
    }
    return try naming {
      guard isReadOnly else { return try writing(coreData) }
      guard isShipped, isUnchanging else { return try reading() }
      // A connection that may write takes away again what SQLite makes beside the store.
      return try isWritable ? connection(to: path, isReadOnly: false) : connection(to: uri + "?immutable=1")
    }
  }

  /// Opens the database to look at it once, so that no file appears beside it or changes.
  ///
  /// SQLite makes a -shm for a -wal that nobody has open, so such a store is read in a private copy.
  func openWithoutTrace() throws -> DatabaseQueue {
    let files = FileManager.default
    let hasLeftWAL = files.fileExists(atPath: path + "-wal") && !files.fileExists(atPath: path + "-shm")
    guard exists, isInWALMode, hasLeftWAL, let copy = try PrivateCopy(of: self) else {
      return try open(isReadOnly: true, isShipped: true)
    }
    return try naming { try connection(to: copy.path, keeping: copy) }
  }

  private func writing(_ coreData: CoreDataWriting) throws -> DatabaseQueue {
    // The last writer that closes a store in WAL mode changes its file, so a reader looks first.
    if isInWALMode, coreData == .refused {
      let reader = try reading()
      defer { try? reader.close() }
      try reader.read { try CoreDataStore.refuse(writing: $0, at: path) }
    }
    let queue = try connection(to: path, isReadOnly: false)
    if coreData == .refused {
      try queue.writeWithoutTransaction { try CoreDataStore.refuse(writing: $0, at: path) }
    }
    return queue
  }

  /// A connection that only reads.
  ///
  /// A writer that was killed leaves a journal, which a reader must not play back. So it is played back by a connection
  /// that may write, or where the file cannot be written, in a private copy. The same goes for a -wal that cannot be read
  /// without files beside it.
  private func reading() throws -> DatabaseQueue {
    do {
      return try connection(to: path)
    } catch let error as DatabaseError where error.needsRecovery {
      if let recovered = try? recovered() { return recovered }
      guard let copy = try PrivateCopy(of: self) else { throw error }
      return try connection(to: copy.path, keeping: copy)
    }
  }

  private func recovered() throws -> DatabaseQueue {
    try connection(to: path, isReadOnly: false).close()
    return try connection(to: path)
  }

  /// - Parameter copy: what must live as long as the connection.
  private func connection(
    to path: String, isReadOnly: Bool = true, keeping copy: PrivateCopy? = nil
  ) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    configuration.busyMode = .waiting(busyTimeout)
    configuration.label = "moclone"
    configuration.prepareDatabase { db in
      try withExtendedLifetime(copy) { try db.execute(sql: Self.settings) }
    }
    return try DatabaseQueue(path: path, configuration: configuration)
  }

  /// Room for the pages of graphs whose generations lie scattered: 12 MB each for the store and for temporary tables.
  private static let settings = """
    PRAGMA main.cache_size = -12000;
    PRAGMA temp.cache_size = -12000;
    PRAGMA temp.secure_delete = OFF
    """
}

extension DatabaseError {
  /// Whether a reader found what only a writer can bring in order, or no place for the files beside the database.
  fileprivate var needsRecovery: Bool {
    resultCode == .SQLITE_READONLY || resultCode == .SQLITE_CANTOPEN
  }
}

extension Database.BusyMode {
  /// Waits for a lock up to a limit, until the run is cancelled: SQLite's own wait would go on.
  static func waiting(_ limit: Duration) -> Self {
    let start = Locked(ContinuousClock.now)
    return .callback { tries in
      let waited = start.withLock { start in
        if tries == 0 { start = .now }
        return start.duration(to: .now)
      }
      guard waited < limit, !Cancellation.isCancelled else { return false }
      // Most locks are short; a long wait needs no more than a look now and then.
      let pause = min(Duration.milliseconds(min(tries + 1, 25)), limit - waited)
      usleep(UInt32(pause / Duration.microseconds(1)))
      return true
    }
  }
}

/// A copy of a database that cannot be written, with what its journal or -wal says; removed with its last user.
private final class PrivateCopy: Sendable {
  private let folder: URL
  let path: String

  /// - Returns: nil where the file cannot be copied, so that it cannot be read either.
  /// - Throws: `CloneError` (`store-busy`) where the file changes all the time.
  init?(of store: StoreFile) throws {
    let source = URL(fileURLWithPath: store.realPath)
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("moclone-\(UUID())")
    path = folder.appendingPathComponent(source.lastPathComponent).path
    guard Self.state(of: [source.path]).first != nil else { return nil }
    // A process that ends by `exit` runs no deinitializer.
    Leftovers.add(folder.path) { [folder] in PrivateCopy.remove(folder) }
    do {
      try copy(source.path)
      let queue = try DatabaseQueue(path: path)
      try queue.writeWithoutTransaction { _ = try String.fetchOne($0, sql: "PRAGMA journal_mode = DELETE") }
      try queue.close()
    } catch is CocoaError {
      return nil
    }
  }

  deinit { Leftovers.remove(folder.path) }

  /// Another thread can be about to remove the same folder, and end with the process before it is done.
  private static func remove(_ folder: URL) {
    for _ in 0..<3 where FileManager.default.fileExists(atPath: folder.path) {
      try? FileManager.default.removeItem(at: folder)
    }
  }

  /// Copies until nothing has changed meanwhile.
  private func copy(_ source: String) throws {
    let files = ["", "-journal", "-wal"].map { source + $0 }
    for _ in 0..<5 {
      try? FileManager.default.removeItem(at: folder)
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let before = Self.state(of: files)
      for (file, ending) in zip(files, ["", "-journal", "-wal"])
      where FileManager.default.fileExists(atPath: file) {
        try Data(contentsOf: URL(fileURLWithPath: file), options: .alwaysMapped)
          .write(to: URL(fileURLWithPath: path + ending))
      }
      if Self.state(of: files) == before { return }
    }
    throw CloneError(.storeBusy, "another process writes to the store all the time", help: "try again later")
  }

  /// Which files there are, how long, and when they were changed; nothing for what is no regular file.
  private static func state(of files: [String]) -> [String] {
    files.compactMap { file in
      var status = stat()
      guard stat(file, &status) == 0, status.isRegularFile else { return nil }
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      return "\(file) \(status.st_ino) \(status.st_size) \(time.tv_sec) \(time.tv_nsec)"
    }
  }
}
