import Foundation

extension Section {
  /// Peak memory of the whole command, with the store opened by its path.
  static let notesMemory = Section(name: "notes-memory") { setting in
    let model = setting.scratch.path("notes.yml")
    try NotesModel.text().write(toFile: model, atomically: true, encoding: .utf8)
    return try [setting.rows, setting.rows * 5].map { size in
      let notes = NotesDatabase(rows: size)
      let comparison = try notes.comparison(setting)
      let contenders: [StoreComparison.Contender] = [
        { try Peak.bytes(Program.moclone, ["note", "1", "--model", model, "--store", $0]) },
        { try Peak.bytes(Program.benchmarks, Work.notesBySQL.arguments(WorkInput(path: $0))) },
      ]
      try comparison.verify(contenders[0], "moclone note 1", notes.checkClone)
      let peaks = try alternate(
        2, contenders.map { contender in { try comparison.onCopy(contender) } })
      return TableRow(
        work: "peak memory of the whole process at \(Unit.count(notes.rows)) rows",
        rival: "set SQL by hand, maps in memory", ours: Unit.megabytes(peaks[0].median),
        theirs: Unit.megabytes(peaks[1].median), ratio: Unit.ratio(peaks[0].median / peaks[1].median),
        toReach: "at most 64 MB", spread: "")
    }
  }
}
