extension Work {
  static let notesByMoclone = cloneOfFirst("notes-moclone", of: "Note", NotesModel.text())
}
