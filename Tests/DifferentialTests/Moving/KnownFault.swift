/// Where the operations are known not to follow the rules: each is met on purpose, counted, and not compared.
///
/// A suite that meets one in no case any more fails: the line here, and what looks for it, must then go.
enum KnownFault: String, CaseIterable {
  /// A copy refuses references that lead nowhere, or lets them lead to what has that key in the target.
  case danglingReferences
  /// A copy in SQLite takes identities that are equal after conversion for different ones.
  case identitiesInOtherNotations
  /// A selection by entity, condition or limit takes along what is related in any direction.
  case selectionTakesAlmostEverything
  /// Which of several equally new and full duplicates stays is decided by the keys of the store.
  case tiesAreDecidedByKeys
}
