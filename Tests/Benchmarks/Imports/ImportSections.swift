import Foundation
import MOCloneKit

extension Section {
  /// Rows of a file with find-or-create of themselves and of three related objects each; whole processes.
  static let imports = Section(name: "import") { setting in
    let files = ItemFiles(rows: setting.rows, scratch: setting.scratch)
    try files.make()
    let imports = ImportRuns(files: files, scratch: setting.scratch)
    for format in [FileFormat.csv, .ndjson, .xml] {
      _ = try imports.moclone(format)
      try files.check(imports.store, "moclone import of \(format.rawValue)")
    }
    let title = "import of \(Unit.count(setting.rows)) rows"
    let samples = try alternate(setting.runs, [{ try imports.moclone(.csv) }, imports.flat])
    var rows = [
      TableRow(
        "\(title) of CSV, indexed, with three related objects each", samples[0],
        against: "`sqlite3` shell's `.import` into one flat table", samples[1], atMost: 3)
    ]
    if SQLiteUtils.exists {
      let theirs = try alternate(1, [{ try imports.python() }])[0]
      rows.append(
        TableRow("the same", samples[0], against: "Python's `sqlite-utils`, upserts", theirs, atMost: 0.2))
    }
    for (format, work) in zip([FileFormat.csv, .ndjson, .xml], Work.readRows).dropFirst() {
      let input = WorkInput(path: files.path(format), size: setting.rows)
      let samples = try alternate(
        setting.runs, [{ try imports.moclone(format) }, { try work.measured(input) }])
      rows.append(
        TableRow(
          "\(title) of \(format.rawValue.uppercased())", samples[0],
          against: "reading alone by the same reader",
          samples[1], atMost: 5))
    }
    return rows + [try imports.memory(title)]
  }
}

/// Imports into empty stores, each a process.
private struct ImportRuns {
  let files: ItemFiles
  let scratch: Scratch
  var store: String { scratch.path("imported.sqlite") }

  private func arguments(_ format: FileFormat) -> [String] {
    [
      "import", files.path(format), "--mapping", files.mapping(format), "--model", files.model, "--store",
      store,
    ]
  }

  private func makeStore() throws {
    scratch.remove(store)
    _ = try Child(Program.moclone, ["store", "init", "--model", files.model, "--store", store])
  }

  func moclone(_ format: FileFormat) throws -> Double {
    try makeStore()
    return try Child(Program.moclone, arguments(format)).seconds
  }

  func flat() throws -> Double {
    scratch.remove(store)
    return try Child("/usr/bin/env", ["sqlite3", store, ".import --csv \(files.path(.csv)) flat"]).seconds
  }

  func python() throws -> Double {
    scratch.remove(store)
    let seconds = try SQLiteUtils.seconds(files.path(.csv), store)
    try StoreChecks(store, of: "sqlite-utils").expect("SELECT count(*) FROM item", files.rows)
    return seconds
  }

  func memory(_ title: String) throws -> TableRow {
    try makeStore()
    let peak = try Peak.bytes(Program.moclone, arguments(.csv))
    return TableRow(
      work: "\(title), peak memory of the whole process", rival: "", ours: Unit.megabytes(peak), theirs: "",
      ratio: "", toReach: "at most 64 MB", spread: "")
  }
}
