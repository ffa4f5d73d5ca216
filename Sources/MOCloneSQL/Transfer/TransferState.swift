/// What is known of a stream while its objects are moved, which decides how its new keys are written in SQL.
package struct TransferState: Sendable {
  /// What is added to a number to make the new key.
  package var keyOffset: Int64 = 0
  /// Whether the map holds keys: of objects that were there, or that have new ones.
  package var hasMap = false
  /// Whether the map holds the key of every row.
  package var isMapped = false
  /// Whether some rows are left out.
  package var hasSkipped = false
  /// Whether only some of the rows are moved: those that were reached.
  package var isPartial = false
  /// Whether some rows may be outside a subtree that is cut out.
  package var hasLinked = true
  /// Whether several rows may become one object.
  package var joins = false
  /// Whether some reference leads to a row that does not exist.
  package var hasDangling = false
  /// Whether objects that were there reference missing rows, in a database that enforces its foreign keys.
  package var meetsDangling = false
  /// Whether keys are made as the rows are written, since nobody asks for them.
  package var leavesKeys = false
  /// The columns of staged rows, by their places, for which none of them gives a value.
  package var ungiven: Set<Int> = []
}
