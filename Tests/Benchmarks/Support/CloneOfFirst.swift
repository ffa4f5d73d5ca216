import MOCloneKit

extension Work {
  /// moclone as a program uses it: opens the store by its path, clones the object with key 1 and closes. What is linked
  /// is not counted, as no rival does.
  static func cloneOfFirst(_ name: String, of entity: String, _ yaml: String) -> Work {
    Work(name: name) { input in
      let model = try ObjectModel(yaml: yaml)
      return try ContinuousClock().measure {
        let graph = try SQLiteGraph(path: input.path, model: model)
        let request = CloneRequest(count: input.copies)
        var cloner = Cloner()
        cloner.countsLinks = false
        try cloner.clone(object: graph.object(entity, key: 1), request: request)
        try graph.close()
      }
    }
  }
}
