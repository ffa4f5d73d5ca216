#if os(Linux)
  import Foundation
  import GRDB
  import Testing

  @Suite("Calls of the system that fail", .enabled(if: FailingCalls.isPossible, "no compiler of C"))
  struct FailingCallTests {
    private let space: Workspace
    private let calls: FailingCalls

    init() throws {
      space = try Workspace()
      calls = try FailingCalls(in: space.folder)
    }

    private func names() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: space.folder.path)
    }

    private func file(_ name: String) -> String { space.folder.appendingPathComponent(name).path }

    @Test("init --journal wal makes a store in that mode or fails and leaves nothing")
    func journalMode() throws {
      for number in 1...10 {
        let run = try run(
          "moclone", ["store", "init", "--store", "new.sqlite", "--journal", "wal"], in: space.folder,
          environment: calls.environment("sync", of: "", number: number))
        guard run.status == 0 else {
          #expect(run.status == 2 && run.errors.contains("'new.sqlite'"), "\(number): \(run.errors)")
          #expect(!run.errors.contains("COMMIT"), "\(number): \(run.errors)")
          #expect(try !names().contains { $0.hasPrefix("new.sqlite") })
          continue
        }
        let queue = try DatabaseQueue(path: file("new.sqlite"))
        let mode = try queue.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        #expect(mode == "wal", "\(number)")
        try queue.close()
        for name in try names() where name.hasPrefix("new.sqlite") {
          try FileManager.default.removeItem(atPath: file(name))
        }
      }
    }

    @Test(
      "What fails in a file that is made is told of that file, with its reason",
      arguments: [
        "store pack new.sqlite", "copy --from notes.sqlite --into new.sqlite --whole",
        "store init --from notes.sqlite --store new.sqlite",
      ])
    func newFile(command: String) throws {
      let run = try run(
        "moclone", command.split(separator: " ").map(String.init), in: space.folder,
        environment: calls.environment("open", of: ".tmp-journal", number: 1))
      #expect(run.status == 2)
      #expect(
        run.errors.hasPrefix("moclone: 'new.sqlite': ")
          && run.errors.contains("unable to open database file"),
        "\(run.errors)")
      #expect(try !names().contains { $0.hasPrefix("new.sqlite") })
    }

    @Test("After an I/O error in COMMIT it is said that nobody knows whether it was committed")
    func commit() throws {
      let queue = try DatabaseQueue(path: space.store)
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
      try queue.close()
      let run = try run(
        "moclone", ["note", "42"], in: space.folder,
        environment: calls.environment("sync", of: "-wal", number: 1))
      #expect(run.status == 2 && run.output.isEmpty)
      #expect(
        run.errors.contains("during COMMIT, and whether the transaction was committed is unknown")
          && run.errors.contains("before you run this again"), "\(run.errors)")
    }

    @Test(
      "Where a file that is removed then fails in COMMIT, nothing is said to be unknown",
      arguments: ["other.sqlite", "new.sqlite"])
    func commitOfDraft(target: String) throws {
      try #require(
        moclone("store", "init", "--store", "other.sqlite", "--journal", "wal", in: space.folder).status == 0)
      // Only temporary files and drafts have such a journal here.
      // A commit has two of these calls at least.
      for number in stride(from: 1, to: 400, by: 2) {
        let run = try run(
          "moclone", ["clone", "note", "42", "--into", target, "--missing", "create"], in: space.folder,
          environment: calls.environment("sync", of: "-journal", number: number))
        if run.status == 0 {
          // What rows only pass through does not wait for the disk.
          #expect(number > 1 || target == "other.sqlite")
          return
        }
        #expect(run.status == 2 && run.errors.contains("disk I/O error"), "\(number): \(run.errors)")
        #expect(!run.errors.contains("is unknown"), "\(number): \(run.errors)")
        #expect(try !names().contains { $0.hasPrefix("new.sqlite") })
      }
      Issue.record("each run failed")
    }

    @Test("A folder for temporary files that is not there is named, with what to do")
    func temporaryFolder() throws {
      try #require(moclone("store", "init", "--store", "other.sqlite", in: space.folder).status == 0)
      let run = try run(
        "moclone", ["clone", "note", "42", "--into", "other.sqlite", "--missing", "create"], in: space.folder,
        environment: ["TMPDIR": file("missing")])
      #expect(run.status == 2)
      #expect(
        run.errors.contains("'\(file("missing"))': No such file or directory")
          && run.errors.contains("TMPDIR to a folder that can be written"), "\(run.errors)")
    }
  }

  /// A library that has one call of the system fail with an I/O error in a run of the command.
  private struct FailingCalls {
    static let isPossible = FileManager.default.isExecutableFile(atPath: "/usr/bin/cc")

    private let library: String

    init(in folder: URL) throws {
      library = folder.appendingPathComponent("failing.so").path
      let source = folder.appendingPathComponent("failing.c").path
      try Self.source.write(toFile: source, atomically: true, encoding: .utf8)
      let made = try run("cc", ["-shared", "-fPIC", "-o", library, source, "-ldl"], path: "/usr/bin")
      try #require(made.status == 0, "\(made.errors)")
    }

    /// - Parameters:
    ///   - call: `sync` of any kind, or `open` for a file that is made.
    ///   - ending: how the path of the file ends.
    ///   - number: which of these calls fails.
    func environment(_ call: String, of ending: String, number: Int) -> [String: String] {
      ["LD_PRELOAD": library, "FAILING": call, "FAILING_PATH": ending, "FAILING_NUMBER": "\(number)"]
    }

    private static let source = #"""
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <errno.h>
      #include <fcntl.h>
      #include <stdarg.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      #include <unistd.h>

      static int fails(const char *call, const char *path) {
        static int count = 0;
        const char *name = getenv("FAILING"), *ending = getenv("FAILING_PATH"), *number = getenv("FAILING_NUMBER");
        if (!name || !ending || !number || strcmp(name, call) != 0) return 0;
        size_t length = strlen(path), end = strlen(ending);
        if (end > length || strcmp(path + length - end, ending) != 0) return 0;
        if (__sync_add_and_fetch(&count, 1) != atoi(number)) return 0;
        errno = EIO;
        return 1;
      }

      #define SYNC(name) \
        int name(int file) { \
          char link[64], path[4096]; \
          snprintf(link, sizeof link, "/proc/self/fd/%d", file); \
          ssize_t length = readlink(link, path, sizeof path - 1); \
          path[length < 0 ? 0 : length] = 0; \
          if (fails("sync", path)) return -1; \
          int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, #name); \
          return next(file); \
        }
      SYNC(fsync)
      SYNC(fdatasync)

      #define OPEN(name) \
        int name(const char *path, int flags, ...) { \
          va_list arguments; \
          va_start(arguments, flags); \
          int mode = va_arg(arguments, int); \
          va_end(arguments); \
          if ((flags & O_CREAT) && fails("open", path)) return -1; \
          int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name); \
          return next(path, flags, mode); \
        }
      OPEN(open)
      OPEN(open64)
      """#
  }
#endif
