import MOCloneModel

extension RowWrite {
  /// Names the row that is refused because of what must be unique, which is looked at when all is written: the first
  /// without which those before it would be written.
  func checkUnique() throws {
    let failures = graph.uniquenessFailures()
    guard !failures.isEmpty else { return }
    let writers = writers
    let refused = failures.compactMap { failure -> (row: Int, error: CloneError)? in
      failure.objects.compactMap { writers[$0] }.max().map { ($0, failure.error) }
    }
    guard let first = refused.min(by: { $0.row < $1.row }) else { return }
    try rows.about(first.row) { throw first.error }
  }

  /// The last row that made or changed each object.
  private var writers: [MemoryObject: Int] {
    var writers: [MemoryObject: Int] = [:]
    for row in rows.rows.indices {
      guard let object = objects[row] else { continue }
      if isNew(row) || isFound(row) && changed.contains(object) { writers[object] = row }
    }
    return writers
  }
}
