/// Where the operations are known not to follow the rules: a case that meets one is counted and no failure.
enum KnownFault: String, CaseIterable {
  /// Merges are refused where both sides of a one-to-one relationship have duplicates of their own that cross: one merge
  /// after the other would do.
  case mergedPartners
  /// In memory what loses a reference as another object is deleted does not count as changed.
  case deletionsLeaveDatesOfChange
  /// A new object can get a key that dangling references of the target hold: they then lead to a stranger.
  case newKeysMeetDanglingReferences
  /// Copied members keep the source's positions: null and negative ones come before what the list held, equal ones in
  /// the order of the keys.
  case listsKeepPositions
  /// A clone into another store is refused for unique values that only the source has, where its tables say what is
  /// unique.
  case cutsMeetUniqueValuesOfTheSource
  /// An import with `update` writes a value anew that the store has in another notation.
  case importsRewriteEqualValues

  /// Whether graphs in memory have the fault, too: files are read the same way for both.
  func isMet(by executor: Executor) -> Bool {
    executor == .sqlite
  }
}
