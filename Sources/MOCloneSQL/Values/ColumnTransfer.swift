import MOCloneModel

/// A column that holds values of attributes, or that only the stores know, and is declared otherwise in the store that rows
/// come from and in the one that they come into.
package struct ColumnTransfer: Sendable {
  package let source: ColumnSchema
  package let target: ColumnSchema
  /// Nil where only the stores know the column.
  package let attribute: AttributeColumn?

  /// Whether all values are numbers that the column keeps: one of real numbers rounds great integers, and a server's of
  /// another type real numbers.
  var keepsNumbers: Bool {
    switch attribute?.storedType {
    case "REAL": target.base == nil
    case "INTEGER": target.affinity != "REAL"
    default: false
    }
  }
}
