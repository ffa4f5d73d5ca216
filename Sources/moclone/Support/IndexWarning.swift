import MOCloneKit

extension Console {
  /// Says before a run what it will have to search without an index, and what mends it.
  static func warn(of missing: [MissingIndex]) {
    for index in missing {
      let why = index.relationship.map { "to follow \($0.qualifiedName) " } ?? ""
      note(
        "warning: \(why)the whole table '\(index.table)' is read, since no index begins with "
          + "\(index.columns.joined(separator: ", ")); this makes one: \(index.statement)")
    }
  }
}
