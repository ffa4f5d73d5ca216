/// Where the keys and values of a model stand in its file.
struct SourceMap: Sendable {
  private var ranges: [ModelPath: SourceRange] = [:]

  /// Notes the place of a key; a value on one line says more than its key, a map or a list less.
  mutating func add(_ path: ModelPath, _ entry: SyntaxNode.Entry) {
    let isScalar = entry.value.scalar != nil && !entry.value.isNull
    ranges[path] = isScalar ? entry.value.range : entry.keyRange
  }

  mutating func add(_ path: ModelPath, _ range: SourceRange) {
    ranges[path] = range
  }

  /// The place of a path, else of what it lies in.
  func range(of path: ModelPath) -> SourceRange? {
    var path = path
    while true {
      if let range = ranges[path] { return range }
      if path.components.isEmpty { return nil }
      path = path.parent
    }
  }

  /// The finding with the places of its paths.
  func locate(_ diagnostic: Diagnostic) -> Diagnostic {
    var diagnostic = diagnostic
    diagnostic.range = diagnostic.range ?? range(of: diagnostic.path)
    diagnostic.notes = diagnostic.notes.map { note in
      Diagnostic.Note(note.message, at: note.path, range: note.range ?? range(of: note.path))
    }
    return diagnostic
  }
}
