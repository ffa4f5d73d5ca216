/// Where the operations are known not to follow the rules: a case that meets one is counted and no failure.
enum KnownFault: String, CaseIterable {
  /// Which of several equally new and full duplicates stays is decided by the keys of the store.
  case tiesAreDecidedByKeys
  /// What loses a reference as another object is deleted does not count as changed.
  case deletionsLeaveDatesOfChange
}
