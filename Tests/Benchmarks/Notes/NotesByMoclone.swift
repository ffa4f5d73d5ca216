import MOCloneKit

extension Work {
  /// Opens the store by its path, clones note 1 and closes.
  static let notesByMoclone = Work(name: "notes-moclone") { input in
    let model = try NotesModel.model()
    return try ContinuousClock().measure {
      let graph = try SQLiteGraph(path: input.path, model: model)
      try Cloner().clone(object: graph.object("Note", key: 1))
      try graph.close()
    }
  }
}
