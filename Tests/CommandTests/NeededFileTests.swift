import Foundation
import Testing

@Suite("Results are written over no file that a run needs")
struct NeededFileTests {
  /// A workspace whose settings name a model of its own, and another name for each file.
  private final class Space {
    let work: Workspace
    var folder: URL { work.folder }

    init() throws {
      work = try Workspace()
      let model = project.appendingPathComponent("Models/HealthNotes.yml")
      try Data(contentsOf: model).write(to: folder.appendingPathComponent("model.yml"))
      try Data("version: 1\nmodel: model.yml\nstore: notes.sqlite\n".utf8)
        .write(to: folder.appendingPathComponent("moclone.yml"))
    }

    /// Every file but the links, with what it holds.
    func files() throws -> [String: Data] {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      return try Dictionary(
        uniqueKeysWithValues: names.filter { !$0.hasPrefix("link") }.map {
          ($0, try Data(contentsOf: folder.appendingPathComponent($0)))
        })
    }
  }

  static let needed = [
    "notes.sqlite", "notes.sqlite-wal", "notes.sqlite-shm", "notes.sqlite-journal", "model.yml",
    "moclone.yml",
  ]

  @Test("--mapping names none of them, also by another spelling or over a link", arguments: needed)
  func mapping(file: String) throws {
    let space = try Space()
    let manager = FileManager.default
    try manager.createDirectory(
      at: space.folder.appendingPathComponent("link.d"), withIntermediateDirectories: true)
    try manager.createSymbolicLink(atPath: space.folder.path + "/link", withDestinationPath: "./" + file)
    var names = [file, "./link.d/../" + file, space.folder.path + "//" + file, "link"]
    if manager.fileExists(atPath: space.folder.path + "/" + file) {
      #expect(Foundation.link(space.folder.path + "/" + file, space.folder.path + "/link2") == 0)
      names.append("link2")
    }
    let before = try space.files()
    for name in names {
      for option in [[], ["--dry-run"]] {
        let run = try run("moclone", ["note", "42", "--mapping", name] + option, in: space.folder)
        #expect(run.status == 1, "\(name): \(run.errors)")
        #expect(run.errors.hasPrefix("moclone: '\(name)' cannot be written: "), "\(run.errors)")
        #expect(run.errors.contains("name another file. [needed-file]"), "\(run.errors)")
        #expect(try space.files() == before)
      }
    }
  }

  @Test("A store that a link names has its -wal where the link leads")
  func linkedStore() throws {
    let space = try Space()
    let elsewhere = space.folder.appendingPathComponent("link.d")
    try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: true)
    let link = elsewhere.appendingPathComponent("s.sqlite").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../notes.sqlite")
    let run = try moclone("note", "42", "--store", link, "--mapping", "notes.sqlite-wal", in: space.folder)
    #expect(run.status == 1 && run.errors.contains("[needed-file]"), "\(run.errors)")
  }

  @Test("Other options that write files refuse the same in the same words")
  func others() throws {
    let space = try Space()
    let before = try space.files()
    for arguments in [
      ["store", "pack", "notes.sqlite-journal"], ["store", "pack", "model.yml", "--replace"],
      ["store", "pack", "notes.sqlite", "--replace"], ["store", "pack", "moclone.yml", "--replace"],
      ["validate", "--write-baseline", "notes.sqlite-wal"],
      ["clone", "note", "42", "--into", "notes.sqlite-wal"],
      ["copy", "--whole", "--from", "notes.sqlite", "--into", "notes.sqlite-shm"],
    ] {
      let run = try run("moclone", arguments, in: space.folder)
      #expect(run.status == 1 && run.errors.contains("cannot be written: "), "\(arguments) \(run.errors)")
      #expect(run.errors.contains("name another file. [needed-file]"), "\(arguments) \(run.errors)")
      #expect(try space.files() == before)
    }
  }

  @Test("--rejects of an import names none of them either, nor its input and its mapping")
  func rejects() throws {
    let space = try Space()
    try Data("name\nx\n".utf8).write(to: space.folder.appendingPathComponent("rows.csv"))
    try Data("entity: Tag\nattributes: {name: '@name'}\n".utf8)
      .write(to: space.folder.appendingPathComponent("map.yml"))
    let before = try space.files()
    for name in Self.needed + ["rows.csv", "map.yml", "./map.yml"] {
      let arguments = [
        "import", "rows.csv", "--mapping", "map.yml", "--by", "Tag=name", "--bad-rows", "skip", "--rejects",
        name,
      ]
      for option in [[], ["--dry-run"]] {
        let run = try run("moclone", arguments + option, in: space.folder)
        #expect(run.status == 1 && run.errors.contains("[needed-file]"), "\(name): \(run.errors)")
        #expect(try space.files() == before)
      }
    }
  }

  @Test("A refused clone leaves an older mapping as it was; a done one takes its place and keeps its link")
  func olderMapping() throws {
    let space = try Space()
    let file = space.folder.appendingPathComponent("map.tsv")
    try Data("older\n".utf8).write(to: file)
    try FileManager.default.createSymbolicLink(
      atPath: space.folder.path + "/link", withDestinationPath: "map.tsv")
    let before = try space.files()
    #expect(try moclone("note", "999", "--mapping", "link", in: space.folder).status == 66)
    #expect(try moclone("note", "42", "--set", "memos=1", "--mapping", "link", in: space.folder).status == 64)
    #expect(try moclone("note", "42", "--dry-run", "--mapping", "link", in: space.folder).status == 0)
    #expect(try space.files() == before)
    #expect(try moclone("note", "42", "--mapping", "link", in: space.folder).status == 0)
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.hasPrefix("entity\toriginal\tclone\nNote\t42\t43\n"))
    #expect(try space.files().keys.sorted() == before.keys.sorted())
  }

  @Test("A mapping that cannot be written is refused before anything is cloned", arguments: ["no/map", "."])
  func unwritable(path: String) throws {
    let space = try Space()
    let run = try moclone("note", "42", "--mapping", path, in: space.folder)
    #expect(run.status == 2 && run.errors.contains("'\(path)' cannot be written: "), "\(run.errors)")
    #expect(try space.work.number("SELECT count(*) FROM note") == 1)
  }
}
