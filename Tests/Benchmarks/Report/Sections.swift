extension Section {
  /// In the order of the table.
  static var all: [Section] {
    [
      notes, notesMemory, notesScaling, smallNote, library, tree, diamonds, links, chain, copies, memory,
      memorySmall,
      imports, copiesBetweenStores, cuts, sync, dedupe, validate, postgres,
    ]
  }
}
