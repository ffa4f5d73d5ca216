extension Section {
  /// The notes database against set SQL by hand, and against the floor.
  static let notes = Section(name: "notes") { setting in
    let notes = NotesDatabase(rows: setting.rows)
    let comparison = try notes.comparison(setting)
    defer { setting.scratch.remove(comparison.path) }
    try comparison.verify(.notesByMoclone) { try notes.checkClone(in: $0, of: Work.notesByMoclone.name) }
    try comparison.verify(.notesBySQL) { try notes.checkClone(in: $0, of: Work.notesBySQL.name) }
    try comparison.verify(.notesFloor) { try notes.checkFloor(in: $0) }
    let samples = try comparison.time([.notesByMoclone, .notesBySQL, .notesFloor], runs: setting.runs)
    let title = "SQLite, the notes database, \(Unit.count(notes.rows)) rows of one subtree"
    return [
      TableRow(title, samples[0], against: "set SQL by hand, C API", samples[1], atMost: 1.1),
      TableRow(
        title, samples[0], against: "`INSERT ... SELECT` into indexed copies", samples[2], atMost: 1.35),
    ]
  }
}

extension NotesDatabase {
  func comparison(_ setting: Setting) throws -> StoreComparison {
    Console.note("notes: making a store with 2 x \(Unit.count(rows)) rows")
    let path = setting.scratch.path("notes-\(rows).sqlite")
    try make(at: path)
    return StoreComparison(scratch: setting.scratch, path: path, size: rows)
  }
}
