import Foundation
import GRDB
import MOCloneKit
import Testing

@Suite("moclone store")
struct StoreFileCommandTests {
  private func file(_ space: Workspace, _ name: String) -> String {
    space.folder.appendingPathComponent(name).path
  }

  private func store(_ space: Workspace, _ arguments: String...) throws -> Finished {
    try run("moclone", ["store"] + arguments, in: space.folder)
  }

  private func names(_ path: String) throws -> [String] {
    try DatabaseQueue(path: path).read { try String.fetchAll($0, sql: "SELECT name FROM note ORDER BY name") }
  }

  /// Files of a folder that belong to a store.
  private func files(_ space: Workspace, _ name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: space.folder.path).filter { $0.hasPrefix(name) }
      .sorted()
  }

  @Test("init --from takes over what lies in the -wal file of a store that is in use")
  func initialStoreWithWAL() throws {
    let space = try Workspace()
    let shipped = try DatabasePool(path: space.store)
    try shipped.write { try $0.execute(sql: "UPDATE note SET name = 'Supper'") }
    #expect(try files(space, "notes.sqlite").contains("notes.sqlite-wal"))
    let run = try store(space, "init", "--from", "notes.sqlite", "--store", "app.sqlite")
    #expect(run.status == 0 && run.errors.isEmpty)
    #expect(try files(space, "app.sqlite") == ["app.sqlite"])
    #expect(try names(file(space, "app.sqlite")) == ["Supper"])
    try shipped.close()
  }

  @Test(
    "init --journal wal makes a store in that mode, empty or as a copy, and leaves no other file",
    arguments: [false, true])
  func journal(isCopy: Bool) throws {
    let space = try Workspace()
    for mode in ["wal", "delete"] {
      let run = try run(
        "moclone",
        ["store", "init", "--store", "\(mode).sqlite", "--journal", mode]
          + (isCopy ? ["--from", "notes.sqlite"] : []),
        in: space.folder)
      #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
      #expect(try files(space, mode) == ["\(mode).sqlite"])
      let info = try store(space, "info", "--store", "\(mode).sqlite").output
      #expect(info.contains(mode), "\(info)")
    }
    #expect(try store(space, "init", "--store", "x.sqlite", "--journal", "off").status == 64)
  }

  @Test("init --from refuses a store that does not fit the model, with each finding, and leaves nothing")
  func shippedStoreOfAnotherModel() throws {
    let space = try Workspace()
    try DatabaseQueue(path: file(space, "old.sqlite")).write { db in
      try db.execute(sql: "CREATE TABLE note(pk INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    }
    let run = try store(space, "init", "--from", "old.sqlite", "--store", "app.sqlite")
    #expect(run.status == 1, "\(run.errors)")
    #expect(
      run.errors.contains("HealthNotes.yml:") && run.errors.contains("has no table 'item'"), "\(run.errors)")
    #expect(run.errors.contains("[store-mismatch]") && run.output.isEmpty)
    #expect(try files(space, "app.sqlite") == [])
  }

  @Test("init --from does nothing where a store is")
  func existingStore() throws {
    let space = try Workspace()
    try DatabaseQueue(path: file(space, "app.sqlite")).write { try $0.execute(sql: "CREATE TABLE mine(x)") }
    let run = try store(space, "init", "--from", "notes.sqlite", "--store", "app.sqlite")
    #expect(run.status == 0 && run.errors.contains("already exists"))
  }

  @Test("init refuses a place where something else is: a text, a folder, a link that leads nowhere")
  func occupiedPlace() throws {
    let space = try Workspace()
    try "mine".write(toFile: file(space, "text.sqlite"), atomically: true, encoding: .utf8)
    try FileManager.default.createDirectory(atPath: file(space, "folder"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: file(space, "link.sqlite"), withDestinationPath: "none.sqlite")
    for (name, what) in [
      ("text.sqlite", "is not a SQLite database"), ("folder", "is a folder"),
      ("link.sqlite", "is a symbolic link to a missing file"),
    ] {
      for more in [[], ["--from", "notes.sqlite"]] {
        let run = try run("moclone", ["store", "init", "--store", name] + more, in: space.folder)
        #expect(run.status != 0 && run.errors.contains(what), "\(name)")
      }
    }
    #expect(try String(contentsOfFile: file(space, "text.sqlite"), encoding: .utf8) == "mine")
  }

  @Test("A folder in the place of a store is said to be one")
  func folderInPlace() throws {
    let space = try Workspace()
    try FileManager.default.createDirectory(atPath: file(space, "folder"), withIntermediateDirectories: true)
    for command in [
      ["store", "info"], ["store", "metadata", "set", "a", "b"], ["store", "pack", "packed.sqlite"],
      ["show", "note", "42"], ["note", "42"],
    ] {
      let run = try run("moclone", command + ["--store", "folder"], in: space.folder)
      #expect(run.status == 66 && run.errors.contains("'folder' is a folder"), "\(command) \(run.errors)")
    }
  }

  @Test("reset of a symbolic link removes the store that it leads to, and the link")
  func resetLink() throws {
    let space = try Workspace()
    try FileManager.default.createSymbolicLink(
      atPath: file(space, "link.sqlite"), withDestinationPath: "notes.sqlite")
    #expect(try store(space, "reset", "--yes", "--store", "link.sqlite").status == 0)
    #expect(try files(space, "notes.sqlite") == [] && files(space, "link") == [])
  }

  @Test("A default store in WAL mode can lie in a folder that cannot be written")
  func readOnlyFolder() throws {
    let space = try Workspace()
    let folder = file(space, "bundle")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: space.store, toPath: folder + "/default.sqlite")
    let pool = try DatabasePool(path: folder + "/default.sqlite")
    try pool.write { try $0.execute(sql: "UPDATE note SET name = 'Snack'") }
    try pool.close()
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder) }
    #expect(try store(space, "init", "--from", "bundle/default.sqlite", "--store", "app.sqlite").status == 0)
    #expect(try names(file(space, "app.sqlite")) == ["Snack"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["default.sqlite"])
  }

  @Test("What a removed store left beside it is no part of the new one")
  func staleWAL() throws {
    let space = try Workspace()
    let old = try DatabasePool(path: file(space, "app.sqlite"))
    try old.write { try $0.execute(sql: "CREATE TABLE note(name); INSERT INTO note VALUES ('Old')") }
    try FileManager.default.removeItem(atPath: file(space, "app.sqlite"))
    #expect(try files(space, "app.sqlite") == ["app.sqlite-shm", "app.sqlite-wal"])
    #expect(try store(space, "init", "--from", "notes.sqlite", "--store", "app.sqlite").status == 0)
    #expect(try names(file(space, "app.sqlite")) == ["Breakfast"])
    #expect(try files(space, "app.sqlite") == ["app.sqlite"])
    try old.close()
  }

  @Test("A store that a killed process left half made is neither used nor kept; one that is being made stays")
  func leftovers() throws {
    let space = try Workspace()
    func half(_ endings: [String]) throws -> [String] {
      let name = "app.sqlite.\(UUID()).tmp"
      for ending in endings {
        try "half".write(toFile: file(space, name + ending), atomically: true, encoding: .utf8)
      }
      return endings.map { name + $0 }
    }
    _ = try (half([""]), half(["", "-journal", "-lock"]), half(["-lock"]))
    let living = try half(["", "-lock"])
    let lock = open(file(space, living[1]), O_RDWR)
    defer { close(lock) }
    try #require(flock(lock, LOCK_EX | LOCK_NB) == 0)
    #expect(try store(space, "init", "--from", "notes.sqlite", "--store", "app.sqlite").status == 0)
    #expect(try files(space, "app.sqlite") == ["app.sqlite"] + living)
  }

  @Test("Of two tasks that make one store, one makes it and the other finds it there")
  func twoMakers() throws {
    let space = try Workspace()
    let place = StoreFile(file(space, "app.sqlite"))
    let model = try ObjectModel(yaml: "version: 1\nentities: {Item: {attributes: {name: String}}}")
    #expect {
      try place.place(filled: model) { _ in
        let isPlaced = try place.place(copyOf: space.store)
        #expect(isPlaced)
      }
    } throws: { ($0 as? CloneError)?.code == .storeExists }
    #expect(try names(place.path) == ["Breakfast"])
    #expect(try files(space, "app.sqlite") == ["app.sqlite"])
  }

  @Test("init and pack write where a symbolic link leads, and leave the link")
  func linkInPlace() throws {
    let space = try Workspace()
    let real = file(space, "real")
    try FileManager.default.createDirectory(atPath: real, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: real + "/app.sqlite"))
    try FileManager.default.createSymbolicLink(
      atPath: file(space, "app.sqlite"), withDestinationPath: "real/app.sqlite")
    #expect(try store(space, "init", "--from", "notes.sqlite", "--store", "app.sqlite").status == 0)
    #expect(try names(real + "/app.sqlite") == ["Breakfast"])
    try DatabaseQueue(path: space.store).write { try $0.execute(sql: "UPDATE note SET name = 'Supper'") }
    #expect(try store(space, "pack", "app.sqlite", "--store", "notes.sqlite", "--replace").status == 0)
    #expect(try names(real + "/app.sqlite") == ["Supper"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: real) == ["app.sqlite"])
    let link = try FileManager.default.destinationOfSymbolicLink(atPath: file(space, "app.sqlite"))
    #expect(link == "real/app.sqlite")
  }

  @Test("init says which file is missing, no database, or locked")
  func failures() throws {
    let space = try Workspace()
    let missing = try store(space, "init", "--from", "no.sqlite", "--store", "app.sqlite")
    #expect(missing.status == 66 && missing.errors.contains("no.sqlite"))
    let noFolder = try store(space, "init", "--from", "notes.sqlite", "--store", "no/app.sqlite")
    #expect(noFolder.status == 66 && noFolder.errors.contains("does not exist"))
    try String(repeating: "no database ", count: 20)
      .write(toFile: file(space, "text.sqlite"), atomically: true, encoding: .utf8)
    let text = try store(space, "init", "--from", "text.sqlite", "--store", "app.sqlite")
    #expect(
      text.status == 2 && text.errors.contains("text.sqlite")
        && text.errors.contains("not a SQLite database"))
    let holder = try DatabaseQueue(path: space.store)
    try holder.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN EXCLUSIVE")
      let locked = try store(space, "init", "--from", "notes.sqlite", "--store", "app.sqlite")
      #expect(locked.status == 75 && locked.errors.contains("locked"))
      try db.execute(sql: "ROLLBACK")
    }
    #expect(try files(space, "app.sqlite") == [])
  }

  @Test("A limit of the size of files fails a command, which leaves nothing")
  func limitedFiles() throws {
    let space = try Workspace()
    let program = programs.appendingPathComponent("moclone").path
    for arguments in ["store init --store app.sqlite", "store pack app.sqlite"] {
      let limited = try run(
        "sh", ["-c", "ulimit -f 16; exec \"$0\" \(arguments)", program], in: space.folder, path: "/bin")
      #expect(limited.status == 2 && limited.errors.hasPrefix("moclone: "), "\(limited)")
      #expect(try files(space, "app.sqlite") == [])
    }
  }

  @Test("A cancelled task waits for no lock")
  func cancelledWait() async throws {
    let space = try Workspace()
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let holder = try DatabaseQueue(path: space.store, configuration: configuration)
    try await holder.writeWithoutTransaction { try $0.execute(sql: "BEGIN EXCLUSIVE") }
    let store = StoreFile(space.store, busyTimeout: .seconds(600))
    let waiting = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try store.metadata()
    }
    await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    try await holder.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
  }

  @Test("info and metadata tell apart names that Unicode takes for equal")
  func equalNames() throws {
    let space = try Workspace()
    let path = file(space, "app.sqlite")
    for (name, rows) in [("caf\u{E9}", 1), ("cafe\u{301}", 2)] {
      try DatabaseQueue(path: path).write { db in
        try db.execute(sql: "CREATE TABLE \"\(name)\"(id INTEGER PRIMARY KEY)")
        for _ in 0..<rows { try db.execute(sql: "INSERT INTO \"\(name)\" DEFAULT VALUES") }
      }
      #expect(try store(space, "metadata", "set", name, "\(rows)", "--store", path).status == 0)
    }
    #expect(try StoreFile(path).info().tables == ["caf\u{E9}": 1, "cafe\\u{0301}": 2])
    #expect(try store(space, "metadata", "list", "--store", path).status == 0)
    #expect(try store(space, "metadata", "get", "cafe\u{301}", "--store", path).output == "2\n")
  }

  @Test("info says what the store holds, with a model and without one")
  func info() throws {
    let space = try Workspace()
    #expect(try store(space, "metadata", "set", "answer", "42").status == 0)
    let text = try store(space, "info")
    #expect(text.status == 0 && text.output.contains("Item") && text.output.contains("answer: 42"))
    let json = try store(space, "info", "--format", "json")
    let info = try #require(
      JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(info["version"] as? Int == 1)
    #expect((info["entities"] as? [String: Int])?["Item"] == 2)
    #expect((info["tables"] as? [String: Int])?["item"] == 2)
    #expect((info["metadata"] as? [String: String]) == ["answer": "42"])
    #expect(info["journalMode"] as? String == "delete")
    try FileManager.default.removeItem(at: space.folder.appendingPathComponent("moclone.yml"))
    let bare = try store(space, "info", "--store", "notes.sqlite")
    #expect(bare.status == 0 && bare.output.contains("item"))
    #expect(try store(space, "info", "--store", "no.sqlite").status == 66)
  }

  @Test("pack writes one file, with what lies in the -wal file, that needs no other")
  func pack() throws {
    let space = try Workspace()
    let pool = try DatabasePool(path: space.store)
    try pool.write { try $0.execute(sql: "UPDATE note SET name = 'Supper'") }
    #expect(try store(space, "pack", "packed.sqlite").status == 0)
    #expect(try files(space, "packed") == ["packed.sqlite"])
    let header = try Data(contentsOf: URL(fileURLWithPath: file(space, "packed.sqlite"))).prefix(20)
    #expect(header[18] == 1 && header[19] == 1)
    #expect(try names(file(space, "packed.sqlite")) == ["Supper"])
    try pool.write { try $0.execute(sql: "UPDATE note SET name = 'Lunch'") }
    let again = try store(space, "pack", "packed.sqlite")
    #expect(again.status == 1 && again.errors.contains("--replace"))
    #expect(try names(file(space, "packed.sqlite")) == ["Supper"])
    #expect(try store(space, "pack", "packed.sqlite", "--replace").status == 0)
    #expect(try names(file(space, "packed.sqlite")) == ["Lunch"])
    #expect(try store(space, "pack", "notes.sqlite", "--replace").status == 1)
    try pool.close()
  }

  @Test("reset removes the database with its -wal and -shm, only after a yes")
  func reset() throws {
    let space = try Workspace()
    let pool = try DatabasePool(path: space.store)
    try pool.write { try $0.execute(sql: "UPDATE note SET name = 'Supper'") }
    try pool.close()
    for name in ["notes.sqlite-wal", "notes.sqlite-shm"] {
      try Data().write(to: space.folder.appendingPathComponent(name))
    }
    let refused = try store(space, "reset")
    #expect(refused.status == 1 && refused.errors.contains("--yes"))
    #expect(try files(space, "notes.sqlite").count == 3)
    #expect(try store(space, "reset", "--yes").status == 0)
    #expect(try files(space, "notes.sqlite") == [])
    #expect(try store(space, "reset", "--yes").status == 0)
  }

  @Test("reset leaves a store alone that is being written, and a file that is no database")
  func resetRefusals() throws {
    let space = try Workspace()
    let holder = try DatabaseQueue(path: space.store)
    try holder.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN IMMEDIATE")
      #expect(try store(space, "reset", "--yes").status == 75)
      try db.execute(sql: "ROLLBACK")
    }
    let letter = file(space, "letter.txt")
    try "a letter, not a database".write(toFile: letter, atomically: true, encoding: .utf8)
    let run = try store(space, "reset", "--yes", "--store", letter)
    #expect(run.status == 2 && run.errors.contains("letter.txt"))
    #expect(
      FileManager.default.fileExists(atPath: letter) && FileManager.default.fileExists(atPath: space.store))
  }

  @Test(
    "A store that another process has open is neither removed nor replaced", arguments: ["wal", "delete"])
  func openElsewhere(mode: String) throws {
    let space = try Workspace()
    let queue = try DatabaseQueue(path: space.store)
    try queue.writeWithoutTransaction { _ = try String.fetchOne($0, sql: "PRAGMA journal_mode = \(mode)") }
    _ = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") }
    let reset = try store(space, "reset", "--yes", "--timeout", "0")
    #expect(reset.status == 75)
    #expect(try store(space, "init", "--store", "other.sqlite").status == 0)
    let pack = try store(
      space, "pack", "notes.sqlite", "--replace", "--store", "other.sqlite", "--timeout", "0")
    #expect(pack.status == 75)
    #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") } == 1)
    try queue.close()
    #expect(try store(space, "reset", "--yes").status == 0)
  }

  @Test("An empty file is no store: init puts one in its place")
  func emptyFile() throws {
    let space = try Workspace()
    let path = space.folder.appendingPathComponent("empty.sqlite").path
    try Data().write(to: URL(fileURLWithPath: path))
    #expect(try store(space, "init", "--store", path).status == 0)
    #expect(
      try DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") } == 0)
  }

  @Test(
    "An empty file is no store: every other command says so, and leaves it empty",
    arguments: [
      "store info --store", "store pack packed.sqlite --store", "store metadata list --store",
      "store metadata set a b --store", "show note 42 --store", "note 42 --store",
      "validate --store", "copy --into notes.sqlite --from",
      "copy --from notes.sqlite --into", "seed --yes --into notes.sqlite --from",
      "store init --store new.sqlite --from", "model import",
    ])
  func refusedEmptyFile(call: String) throws {
    let space = try Workspace()
    try Data().write(to: space.folder.appendingPathComponent("empty.sqlite"))
    let arguments = call.split(separator: " ").map(String.init) + ["empty.sqlite"]
    let run = try run("moclone", arguments, in: space.folder)
    #expect(run.status == 66)
    #expect((run.output + run.errors).contains("'empty.sqlite' is empty, and no store"), "\(run)")
    #expect(try Data(contentsOf: space.folder.appendingPathComponent("empty.sqlite")).isEmpty)
    #expect(try files(space, "new.sqlite") + files(space, "packed.sqlite") == [])
  }

  @Test("A store whose tables its writer has in the -wal file alone is one")
  func tablesInWAL() throws {
    let space = try Workspace()
    let pool = try DatabasePool(path: file(space, "new.sqlite"))
    try pool.write { try $0.execute(sql: "CREATE TABLE mine(x)") }
    let run = try store(space, "info", "--store", "new.sqlite")
    #expect(run.status == 0 && run.output.contains("in its -wal"), "\(run)")
    try pool.close()
  }
}
