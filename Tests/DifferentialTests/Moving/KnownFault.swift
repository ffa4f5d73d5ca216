/// Where the operations are known not to follow the rules: each is met on purpose, counted, and not compared.
enum KnownFault: String, CaseIterable {
  /// A selection by entity, condition or limit takes along what is related in any direction.
  case selectionTakesAlmostEverything
  /// Which of several equally new and full duplicates stays is decided by the keys of the store.
  case tiesAreDecidedByKeys
}
