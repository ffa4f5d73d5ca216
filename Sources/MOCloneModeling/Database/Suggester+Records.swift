import MOCloneModel
import MOCloneSQL

/// Rows that are a record of what happened, as logs and documents are.
extension Suggester {
  private static let logs: Set<String> = [
    "log", "audit", "history", "changelog", "notification", "token", "login", "revision", "backup", "archive",
  ]
  private static let documents: Set<String> = ["invoice", "payment", "refund", "payout"]
  /// Documents only where they hold an amount: a message has receipts, too.
  private static let bookings: Set<String> = ["receipt", "transaction", "charge"]

  /// Why rows of a table are a record of what happened, and nothing that a clone repeats.
  func recordReason(_ table: DatabaseTable) -> String? {
    let last = shape.entities.one(table.id).key.last ?? ""
    if Self.logs.contains(last) { return "a record of what happened to the original" }
    let isDocument =
      Self.documents.contains(last) || Self.bookings.contains(last) && holdsMoney(table)
    return isDocument ? "what was billed or paid is not done again" : nil
  }

  /// The revision that a page points to is no record of it, but what it consists of, as a transaction journal consists of
  /// its transactions.
  func isContent(_ table: DatabaseTable, of reference: TableReference) -> Bool {
    let name = shape.entities.one(table.id)
    let last = name.key.last ?? ""
    if last == "revision" {
      return shape.references.to(table.id).contains { $0.table == reference.target }
    }
    return Self.bookings.contains(last) && !reference.isOptional && reference.onDelete == "CASCADE"
      && shape.entities.one(reference.target).hasPrefix(name)
  }

  private static let amounts: Set<String> = [
    "amount", "total", "subtotal", "price", "sum", "balance", "cents", "value", "fee", "tax", "paid",
    "debit", "credit", "cost", "net", "gross",
  ]

  private func holdsMoney(_ table: DatabaseTable) -> Bool {
    table.schema.columns.contains { !Self.amounts.isDisjoint(with: NameWords($0.name).key) }
  }
}
