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
  /// A clone in memory into another graph is refused for unique values that only the source has.
  case cutsInMemoryMeetUniqueValuesOfTheSource
  /// A cut-out in memory leaves out linked objects that nothing identifies, which it should make.
  case cutsInMemoryLoseWhatHasNoIdentity
  /// An import with `update` writes a value anew that the store has in another notation.
  case importsRewriteEqualValues
}
