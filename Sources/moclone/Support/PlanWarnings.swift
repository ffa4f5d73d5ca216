import MOCloneKit

extension Console {
  /// Warns before a run of tables that it will scan, with the statements that add the missing indexes.
  static func warn(of missing: [MissingIndex]) {
    for index in missing {
      note("warning: \(index.message(isFollowed: index.relationship != nil)) \(index.statement);")
    }
  }
}
