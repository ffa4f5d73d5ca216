import Foundation
import GRDB
import MOCloneKit
import Testing

@Suite("Stores that a killed writer left, that cannot be written, or that are locked")
struct StoreStateTests {
  static let reading = [
    ["show", "note", "42"], ["plan", "note", "42"], ["note", "42", "--dry-run"], ["store", "info"],
    ["store", "metadata", "list"], ["validate", "--fail-on", "never"], ["store", "pack", "packed.sqlite"],
    ["clone", "note", "42", "--into", "cut.sqlite", "--keep-keys"],
    ["import", "items.csv", "--mapping", "map.yml", "--dry-run"], ["dedupe", "--dry-run"],
  ]

  /// A workspace whose store is a killed writer's, in a folder of its own.
  private final class Left {
    let work = try! Workspace()
    var folder: URL { work.folder.appendingPathComponent("left") }
    var store: String { folder.path + "/s.sqlite" }

    /// - Parameter mode: `delete` for a hot journal, `wal` for what is in a -wal, `closed` for none of both.
    init(_ mode: String) throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try "entity: Item\nattributes: {name: '@name'}\n"
        .write(to: work.folder.appendingPathComponent("map.yml"), atomically: true, encoding: .utf8)
      try "name\nHoney\n"
        .write(to: work.folder.appendingPathComponent("items.csv"), atomically: true, encoding: .utf8)
      let queue = try DatabaseQueue(path: work.store)
      try queue.writeWithoutTransaction { db in
        _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(mode == "delete" ? "DELETE" : "WAL")")
        try db.execute(sql: "PRAGMA cache_size = 1")
        if mode == "delete" { try db.beginTransaction(.immediate) }
        // Enough that pages are written before the end.
        try db.execute(
          sql: """
            UPDATE note SET name = 'changed';
            CREATE TABLE junk(x);
            INSERT INTO junk WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2000)
              SELECT hex(zeroblob(200)) FROM c;
            """)
        if mode != "closed" { try copy(mode == "delete" ? ["", "-journal"] : ["", "-wal"]) }
        if mode == "delete" { try db.rollback() }
      }
      try queue.close()
      if mode == "closed" { try copy([""]) }
    }

    private func copy(_ endings: [String]) throws {
      for ending in endings {
        try FileManager.default.copyItem(atPath: work.store + ending, toPath: store + ending)
      }
    }

    func files() throws -> [String: Data] {
      try Dictionary(
        uniqueKeysWithValues: FileManager.default.contentsOfDirectory(atPath: folder.path).map {
          ($0, try Data(contentsOf: folder.appendingPathComponent($0)))
        })
    }

    /// Runs the command where nothing can be written beside the store.
    func readOnly(_ arguments: [String]) throws -> Finished {
      let script = "mount --bind \"$1\" \"$1\" && mount -o remount,ro,bind \"$1\" && shift && exec \"$@\""
      let command = [programs.appendingPathComponent("moclone").path] + arguments
      return try CommandTests.run(
        "unshare", ["-rm", "sh", "-c", script, "sh", folder.path] + command, in: work.folder, path: "/usr/bin"
      )
    }
  }

  /// Whether folders can be mounted read only here, as root and others may in a namespace of their own.
  static let canMount: Bool = {
    let folder = FileManager.default.temporaryDirectory.path
    let script = "mount --bind \"$1\" \"$1\" && mount -o remount,ro,bind \"$1\""
    return (try? run("unshare", ["-rm", "sh", "-c", script, "sh", folder], path: "/usr/bin"))?.status == 0
  }()

  @Test("Standard input that is closed is empty", arguments: [["show", "note", "-"], ["note", "-"]])
  func closedInput(command: [String]) throws {
    let work = try Workspace()
    try "entity: Item\nattributes: {name: '@name'}\n"
      .write(to: work.folder.appendingPathComponent("map.yml"), atomically: true, encoding: .utf8)
    let closed = ["-c", "exec \"$@\" <&-", "sh", programs.appendingPathComponent("moclone").path]
    let run = try CommandTests.run(
      "sh", closed + command + ["--store", work.store], in: work.folder, path: "/bin")
    #expect(run.status == 0 && run.output.isEmpty, "\(run.errors)")
    let rows = try CommandTests.run(
      "sh", closed + ["import", "-", "--file-format", "csv", "--mapping", "map.yml"], in: work.folder,
      path: "/bin")
    #expect(rows.status == 1 && rows.errors.contains("empty"), "\(rows.errors)")
  }

  @Test("A hot journal is played back by whoever reads", arguments: reading)
  func hotJournal(command: [String]) throws {
    let left = try Left("delete")
    #expect(try left.files().keys.sorted() == ["s.sqlite", "s.sqlite-journal"])
    let run = try run("moclone", ["--store", left.store] + command, in: left.work.folder)
    #expect(run.status == 0, "\(command): \(run.errors)")
    #expect(try left.files().keys.sorted() == ["s.sqlite"])
    let name = try DatabaseQueue(path: left.store).read {
      try String.fetchOne($0, sql: "SELECT name FROM note")
    }
    #expect(name == "Breakfast")
  }

  @Test(
    "What cannot be written is read in a copy, and stays as it was", .enabled(if: canMount),
    arguments: ["delete", "wal", "closed"])
  func unwritable(mode: String) throws {
    let left = try Left(mode)
    let before = try left.files()
    for command in Self.reading {
      let run = try left.readOnly(["--store", left.store] + command)
      #expect(run.status == 0, "\(mode) \(command): \(run.errors)")
      #expect(try left.files() == before)
    }
    let shown = try left.readOnly(["show", "note", "42", "--store", left.store])
    #expect(shown.output.contains(mode == "delete" ? "name=\"Breakfast\"" : "name=\"changed\""))
    let written = try left.readOnly(["note", "42", "--store", left.store])
    #expect(written.status == 2 && written.output.isEmpty, "\(written.errors)")
    #expect(try left.files() == before)
  }

  @Test("A look at a store that the process has open ends none of its locks")
  func lockedByOwnConnection() throws {
    let space = try Workspace()
    let pool = try DatabasePool(path: space.store)
    defer { try? pool.close() }
    try pool.write { try $0.execute(sql: "UPDATE note SET name = 'Supper'") }
    #expect(try !StoreFile(space.store).place(copyOf: space.store))
    // Without them another process would close the store as the last one, and take its -wal away.
    #expect(try moclone("store", "metadata", "set", "a", "b", in: space.folder).status == 0)
    #expect(FileManager.default.fileExists(atPath: space.store + "-wal"))
  }

  // MARK: Locked

  static let opening = [
    ["note", "42"], ["show", "note", "42"], ["plan", "note", "42"], ["note", "42", "--dry-run"],
    ["store", "info"], ["store", "metadata", "set", "a", "b"], ["store", "metadata", "list"],
    ["store", "pack", "packed.sqlite"], ["dedupe"], ["clone", "note", "42", "--into", "new.sqlite"],
    ["copy", "--from", "notes.sqlite", "--into", "other.sqlite"],
    ["copy", "--from", "other.sqlite", "--into", "notes.sqlite"],
    ["seed", "--from", "other.sqlite", "--into", "notes.sqlite", "--yes"], ["store", "reset", "--yes"],
  ]

  @Test("A locked store is busy after --timeout", arguments: opening)
  func locked(command: [String]) throws {
    let space = try Workspace()
    try #require(moclone("store", "init", "--store", "other.sqlite", in: space.folder).status == 0)
    try DatabaseQueue(path: space.store).writeWithoutTransaction { db in
      try db.beginTransaction(.exclusive)
      let run = try run("moclone", command + ["--timeout", "0"], in: space.folder)
      #expect(run.status == 75, "\(command): \(run.status) \(run.errors)")
      #expect(run.errors.contains("locked by another"), "\(command): \(run.errors)")
      try db.rollback()
    }
  }

  @Test("Whoever waits longer than the lock lasts goes on")
  func waiting() throws {
    let space = try Workspace()
    let isLocked = DispatchSemaphore(value: 0)
    let queue = try DatabaseQueue(path: space.store)
    let holder = Thread {
      try? queue.writeWithoutTransaction { db in
        try db.beginTransaction(.exclusive)
        isLocked.signal()
        Thread.sleep(forTimeInterval: 0.3)
        try db.rollback()
      }
    }
    holder.start()
    isLocked.wait()
    #expect(try moclone("note", "42", "--timeout", "600", in: space.folder).output == "43\n")
  }

  @Test("A time that cannot be waited is a wrong call", arguments: ["-1", "nan", "inf", "soon", "1e300"])
  func wrongTimes(time: String) throws {
    let space = try Workspace()
    #expect(try moclone("note", "42", "--timeout=\(time)", in: space.folder).status == 64)
  }
}
