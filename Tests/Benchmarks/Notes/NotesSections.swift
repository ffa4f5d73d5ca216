extension Section {
  /// The notes database against set SQL by hand, and against the floor.
  static let notes = Section(name: "notes") { setting in
    let notes = NotesDatabase(rows: setting.rows)
    let comparison = try notes.comparison(setting)
    try comparison.verify(.notesByMoclone, notes.checkClone)
    try comparison.verify(.notesBySQL, notes.checkClone)
    try comparison.verify(.notesFloor, notes.checkFloor)
    let samples = try comparison.time([.notesByMoclone, .notesBySQL, .notesFloor], runs: setting.runs)
    let title = "SQLite, the notes database, \(Unit.count(notes.rows)) rows of one subtree"
    return [
      TableRow(title, samples[0], against: "set SQL by hand, C API", samples[1], atMost: 1.1),
      TableRow(
        title, samples[0], against: "`INSERT ... SELECT` into indexed copies", samples[2], atMost: 1.35),
    ]
  }

  /// Time per row from small to large.
  static let notesScaling = Section(name: "notes-scaling") { setting in
    let sizes = [setting.rows / 100, setting.rows / 10, setting.rows, setting.rows * 5]
    var ours: [Double] = []
    var theirs: [Double] = []
    var rows: [TableRow] = []
    for notes in sizes.map(NotesDatabase.init(rows:)) {
      let comparison = try notes.comparison(setting)
      try comparison.verify(.notesByMoclone, notes.checkClone)
      try comparison.verify(.notesBySQL, notes.checkClone)
      let runs = notes.rows < 500_000 ? setting.runs * 4 : setting.runs
      let samples = try comparison.time([.notesByMoclone, .notesBySQL], runs: runs)
      ours.append(samples[0].median / Double(notes.rows))
      theirs.append(samples[1].median / Double(notes.rows))
      rows.append(
        TableRow(
          "time per row at \(Unit.count(notes.rows)) rows", samples[0], against: "set SQL by hand, C API",
          samples[1], units: notes.rows))
    }
    let growth = (ours.last! / ours[0], theirs.last! / theirs[0])
    rows.append(
      TableRow(
        work: "growth of it from the least to the greatest", rival: "set SQL by hand, C API",
        ours: Unit.ratio(growth.0), theirs: Unit.ratio(growth.1), ratio: Unit.ratio(growth.0 / growth.1),
        toReach: Unit.limit(1), spread: ""))
    return rows
  }

  /// Many copies of a small note against one of a large one, both ours.
  static let copies = Section(name: "copies") { setting in
    let copies = max(2, setting.rows / 1000)
    let small = NotesDatabase(rows: 100)
    let large = NotesDatabase(rows: copies * small.rows)
    var many = try small.comparison(setting)
    many.copies = copies
    try many.verify(.notesByMoclone) { try small.checkCopies(copies, in: $0, of: $1) }
    let one = try large.comparison(setting)
    try one.verify(.notesByMoclone, large.checkClone)
    let samples = try alternate(
      setting.runs * 2,
      [many, one].map { side in { try side.onCopy(side.contender(.notesByMoclone)) } })
    return [
      TableRow(
        "`--count \(copies)` of a note of \(small.rows) rows", samples[0],
        against: "one clone of a note of \(Unit.count(large.rows)) rows (ours too)", samples[1], atMost: 1.2)
    ]
  }
}

extension NotesDatabase {
  /// Makes the store, unless it is there already.
  func comparison(_ setting: Setting) throws -> StoreComparison {
    try setting.store("notes-\(rows).sqlite") { path in
      Console.note("making a store with 2 x \(Unit.count(rows)) rows of notes")
      try make(at: path)
    }
  }
}
