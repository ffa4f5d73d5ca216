extension Section {
  /// A file of the full set against the shell's `.import` into a staging table and SQL by hand; one in a hundred is new, changed, gone.
  static let sync = Section(name: "sync") { setting in
    let channels = ChannelSet(count: setting.rows)
    let comparison = try setting.store(channels.store) { path in
      Console.note("making a store and a file of \(Unit.count(channels.count)) channels")
      try channels.make(at: path)
    }
    let works = [Work.channelsByMoclone, .channelsBySQL]
    for work in works { try comparison.verify(work, channels.check) }
    let samples = try comparison.time(works, runs: setting.runs)
    return [
      TableRow(
        "sync of \(Unit.count(channels.count)) rows of CSV, 1 % new, changed and gone each", samples[0],
        against: "SQL by hand with a staging table, `sqlite3` shell", samples[1], atMost: 1.2)
    ]
  }

  static let dedupe = Section(name: "dedupe") { setting in
    let items = DoubledItems(count: setting.rows)
    let comparison = try setting.store(items.store) { path in
      Console.note("making a store of \(Unit.count(items.count)) items with doubles")
      try items.make(at: path)
    }
    let works = [Work.doublesByMoclone, .doublesBySQL]
    for work in works { try comparison.verify(work, items.check) }
    let samples = try comparison.time(works, runs: setting.runs)
    return [
      TableRow(
        "dedupe of \(Unit.count(items.count)) objects, 10 % doubles with children", samples[0],
        against: "set SQL by hand", samples[1], atMost: 1.2)
    ]
  }
}
