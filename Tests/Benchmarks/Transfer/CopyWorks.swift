import MOCloneKit

extension Work {
  static let itemsByMoclone = Work("items-moclone") { input in
    let model = try ObjectModel(yaml: CopiedItems.model)
    let source = try SQLiteGraph(
      path: CopiedItems.source(of: input.path), model: model, isReadOnly: true)
    let target = try SQLiteGraph(path: input.path, model: model)
    try target.copy(from: source)
    try target.close()
  }

  /// Everything as it is, into tables that are empty: SQLite takes the notes over as they lie on the pages.
  static let itemsByInsert = Work("items-insert") { input in
    try copy(input.path, "SELECT * FROM s.note", "SELECT * FROM s.item")
  }

  /// The half that is missing, which is known without looking, and its new keys too.
  static let halfByInsert = Work("half-insert") { input in
    try copy(
      input.path,
      """
      SELECT id + (SELECT max(id) FROM main.note), name, created FROM s.note WHERE id % 2 = 1
      """,
      """
      SELECT id + (SELECT max(id) FROM main.item), name, payload, note_id + (SELECT count(*) FROM s.note) / 2
      FROM s.item WHERE note_id % 2 = 1
      """)
  }

  private static func copy(_ path: String, _ notes: String, _ items: String) throws {
    let connection = try Connection(path)
    try connection.execute("ATTACH '\(CopiedItems.source(of: path))' AS s")
    // As much as moclone has.
    try connection.execute("PRAGMA s.cache_size = -8000")
    try connection.execute(
      """
      BEGIN IMMEDIATE;
      INSERT INTO main.note \(notes);
      INSERT INTO main.item \(items);
      COMMIT
      """)
  }
}

extension Section {
  /// Beside `INSERT ... SELECT` over an attached store, which looks for nothing.
  static let copiesBetweenStores = Section(name: "copy") { setting in
    try [(false, Work.itemsByInsert, 1.2), (true, Work.halfByInsert, 1.5)].map { hasHalf, rival, limit in
      let items = CopiedItems(count: setting.rows, hasHalf: hasHalf)
      let comparison = try setting.store(items.store) { path in
        Console.note("making the stores of a \(items.title)")
        try items.make(at: path)
      }
      let works = [Work.itemsByMoclone, rival]
      for work in works { try comparison.verify(work, items.check) }
      let samples = try comparison.time(works, runs: setting.runs)
      return TableRow(
        items.title, samples[0], against: "`INSERT ... SELECT` over ATTACH, no matching", samples[1],
        atMost: limit)
    }
  }
}
