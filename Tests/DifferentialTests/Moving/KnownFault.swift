/// Where the operations are known not to follow the rules: a case that meets one is counted and no failure.
enum KnownFault: String, CaseIterable {
  /// Which of several equally new and full duplicates stays is decided by the keys of the store.
  case tiesAreDecidedByKeys
  /// Which of two one-to-one objects stays, as their owners are merged, is not always the better one.
  case mergedPartners
  /// What loses a reference as another object is deleted does not count as changed.
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
  /// A row of an object that exists is refused for a required relationship that it does not give.
  case requiredReferencesOfExistingRows

  /// Whether graphs in memory have the fault, too: files are read the same way for both.
  func isMet(by executor: Executor) -> Bool {
    executor == .sqlite || self == .requiredReferencesOfExistingRows
  }
}
