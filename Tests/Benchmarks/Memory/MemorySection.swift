extension Section {
  /// The first clone into a graph just filled.
  static let memory = Section(name: "memory") { setting in
    let input = WorkInput(size: setting.rows)
    let content = NotesContent(objects: setting.rows)
    Console.note("  verifying \(Work.memoryVerified.name)")
    _ = try Work.memoryVerified.measured(input)
    let works = [Work.memoryByMoclone, .memoryByClasses, .memoryByDictionaries, .memoryCopy]
    Console.note("  timing \(works.map(\.name).joined(separator: ", "))")
    let samples = try alternate(
      setting.runs, works.map { work in { try work.measured(input) } })
    let title = "memory graph, \(Unit.count(content.objects)) objects, \(Unit.count(content.links)) links"
    let megabytes = Unit.megabytes(Double(MemoryCopy.bytes(content)))
    let rivals = [
      ("a class graph with a dictionary memo", 0.1), ("dictionaries of values with a memo", 1.0 / 30),
      ("memcpy of \(megabytes) into fresh pages", 4.0),
    ]
    return zip(rivals, samples.dropFirst()).map { rival, theirs in
      TableRow(title, samples[0], against: rival.0, theirs, atMost: rival.1)
    }
  }
}
