import Foundation
import GRDB
import GRDBSQLite
import MOCloneEngine

/// A store as a file, whatever the model: with its -wal and -shm beside it.
///
/// ```swift
/// let store = StoreFile("notes.sqlite")
/// try store.place(copyOf: "default.sqlite")   // once: does nothing where a store is already
/// ```
public struct StoreFile: Sendable {
  /// The path of the database file, as it was given; `file:x` and `:memory:` are names of files like others.
  public let path: String
  /// How long a connection waits for a store that another one has locked.
  public let busyTimeout: Duration
  /// Whether its metadata may be changed where Core Data made the store.
  public let coreData: CoreDataWriting

  /// As long as a short transaction of an app takes, and no longer than a person waits.
  public static let defaultBusyTimeout = Duration.seconds(5)

  /// Names a store; whether the file exists is not checked.
  public init(
    _ path: String, busyTimeout: Duration = StoreFile.defaultBusyTimeout, coreData: CoreDataWriting = .refused
  ) {
    // SQLite would take these for an address and for a database in memory.
    self.path = path.hasPrefix("file:") || path == ":memory:" ? "./" + path : path
    self.busyTimeout = busyTimeout
    self.coreData = coreData
  }

  /// Whether there is a file at the path; asked anew each time.
  public var exists: Bool { FileManager.default.fileExists(atPath: path) }

  /// Whether a folder has the path, or is where a link there leads.
  var isFolder: Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }

  /// Whether the file and the files beside it can be written.
  package var isWritable: Bool {
    let folder = URL(fileURLWithPath: realPath).deletingLastPathComponent().path
    return [realPath, folder].allSatisfy(FileManager.default.isWritableFile)
  }

  /// The files that SQLite keeps beside a database.
  var companions: [String] { ["-wal", "-shm", "-journal"].map { path + $0 } }

  /// The database and what SQLite keeps beside it, which lies where a link leads.
  package var files: [String] { Set([path, realPath]).sorted().flatMap { [$0] + StoreFile($0).companions } }

  /// Whether the database is in WAL mode and nobody has it open: reading it would make a -wal beside it, which its
  /// folder may not allow.
  var isUnchanging: Bool {
    isInWALMode && !FileManager.default.fileExists(atPath: path + "-wal")
  }

  /// The file as SQLite's addresses name it, without parameters.
  var uri: String {
    let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "?#"))
    let absolute = URL(fileURLWithPath: path).standardizedFileURL.path
    return "file://" + (absolute.addingPercentEncoding(withAllowedCharacters: allowed) ?? absolute)
  }

  var isInWALMode: Bool { header?[18] == 2 }

  /// Folders beside the store in which an app keeps large values of it.
  var support: [String] {
    guard !path.isEmpty else { return [] }
    let file = URL(fileURLWithPath: realPath)
    let name = ".\(file.deletingPathExtension().lastPathComponent)_SUPPORT"
    let folder = file.deletingLastPathComponent().appendingPathComponent(name).path
    return FileManager.default.fileExists(atPath: folder) ? ["the folder '\(name)' beside the store"] : []
  }

  /// Whether there is a file without a byte, as an app leaves it that opens its store and writes nothing.
  package var isEmpty: Bool {
    let attributes = try? FileManager.default.attributesOfItem(atPath: realPath)
    return (attributes?[.size] as? NSNumber)?.intValue == 0
  }

  /// Whether the file begins as a database does; an empty file can become one.
  var isDatabase: Bool { isEmpty || header?.starts(with: "SQLite format 3\0".utf8) != false }

  /// The first bytes of the file, zeros where it is shorter; nil where it cannot be read.
  ///
  /// SQLite itself reads them: a process that closes a file loses its locks on it, those of every connection.
  private var header: [UInt8]? {
    var connection: OpaquePointer?
    defer { sqlite3_close(connection) }
    guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else { return nil }
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = withUnsafeMutablePointer(to: &file) {
      sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, $0)
    }
    guard code == SQLITE_OK, let file, let reading = file.pointee.pMethods?.pointee.xRead else { return nil }
    var bytes = [UInt8](repeating: 0, count: 20)
    let result = reading(file, &bytes, Int32(bytes.count), 0)
    return [SQLITE_OK, SQLITE_IOERR | 2 << 8].contains(result) ? bytes : nil
  }

  /// Failures of the database, with the name of the file.
  func naming<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as DatabaseError { throw named(error) }
  }

  func named(_ error: DatabaseError) -> any Error {
    guard let failure = StoreErrors.translated(error) as? CloneError else { return CancellationError() }
    let first = failure.failures[0]
    return CloneError(first.code, "'\(path)': \(first.problem)", help: first.help, underlying: error)
  }
}

// MARK: - Metadata

extension StoreFile: MetadataStore {
  /// What the store says of itself.
  public func metadata() throws -> [String: String] {
    try read { try MetadataTable(db: $0).all() }
  }

  package func metadata(_ key: String) throws -> String? {
    try read { try MetadataTable(db: $0).value(key) }
  }

  /// Sets the value of a key in its own transaction; throws `CloneError` where the store cannot be written.
  public func setMetadata(_ value: String, for key: String) throws {
    try write { try MetadataTable(db: $0).set(value, for: key) }
  }

  /// Removes a key of the metadata in a transaction of its own.
  ///
  /// - Returns: whether the key existed.
  public func removeMetadata(_ key: String) throws -> Bool {
    try write { try MetadataTable(db: $0).remove(key) }
  }

  func read<T>(_ body: (Database) throws -> T) throws -> T {
    let queue = try open(isReadOnly: true)
    return try naming {
      defer { try? queue.close() }
      return try queue.read(body)
    }
  }

  private func write<T>(_ body: (Database) throws -> T) throws -> T {
    let queue = try open(isReadOnly: false, coreData: coreData)
    return try naming {
      defer { try? queue.close() }
      return try queue.write(body)
    }
  }
}
