import Foundation
import MOCloneEngine
import MOCloneModel

extension RowAccess {
  /// Refuses what a store could not give back: a number of which a column of numbers would keep some digits only, a text of
  /// which SQLite would make a number, what is no number, and dates that its notation has no place for.
  ///
  /// - Parameter isPlanned: whether the types of a server were asked by `ClonePlan.checkWidths`.
  /// - Throws: `CloneError` (`invalid-value`). The column is looked at only where a value can be such a one.
  package func checkRoom(
    for value: AttributeValue, in column: AttributeColumn, of entity: String, isPlanned: Bool = false
  ) throws {
    guard !isUnreadable(value, in: column) else {
      throw CloneError(
        .invalidValue,
        "'\(value)' cannot be read again from the column '\(column.column)' of \(entity), so it is not written",
        entity: entity, property: column.column)
    }
    let isAsked = dialect.hasTypes ? !isPlanned && value.mayBeRounded : value.mayLoseDigits
    let table = mapping[entity].table
    guard isAsked, let schema = try declared(column.column, in: table),
      try dialect.hasTypes
        ? schema.affinity == "REAL" && !schema.holds(value, of: column) : !keeps(value, in: schema)
    else { return }
    var failure = CloneError.Failure.noRoom(for: value, of: entity, in: schema, table: table)
    (failure.entity, failure.property) = (entity, column.column)
    throw CloneError([failure])
  }

  private func declared(_ column: String, in table: String) throws -> ColumnSchema? {
    if dialect.hasTypes { return try db.schema(of: [table], mapping)[table]?.column(column) }
    return try db.declaredType(of: column, in: table).map {
      ColumnSchema(name: column, type: $0, collation: "", isRequired: false, isGenerated: false)
    }
  }

  private func isUnreadable(_ value: AttributeValue, in column: AttributeColumn) -> Bool {
    let coding = ValueCoding(column)
    return switch value {
    case .double(let number): number.isNaN && !dialect.hasTypes
    case .decimal(let decimal):
      (decimal.isNaN || decimal.magnitude >= Self.longest) && coding.decode(coding.encode(value)) == nil
    case .date(let date) where !column.dates.isNumber:
      !date.hasFourDigits && coding.decode(coding.encode(value)) == nil
    default: false
    }
  }

  /// From here on a decimal is written with more digits than one can be read from.
  private static var longest: Decimal { Decimal(sign: .plus, exponent: 38, significand: 1) }

  /// Whether SQLite stores a number as one that is equal, a decimal being written as a text, and another text as it is.
  private func keeps(_ value: AttributeValue, in column: ColumnSchema) throws -> Bool {
    guard column.isNumeric else { return true }
    if case .integer(let number) = value {
      return column.affinity != "REAL" || Int64(exactly: Double(number)) == number
    }
    guard case .decimal(let decimal) = value else {
      let columnTransfer = ColumnTransfer(source: column, target: column, attribute: nil)
      let isLost = dialect.columnTransfer(dialect.parameter("value"), columnTransfer)!.isLost
      return try db.rows("SELECT 1 WHERE \(isLost.text)", ["value": .text("\(value)")]).isEmpty
    }
    if column.affinity != "REAL", Int64(decimal.description) != nil { return true }
    return decimal.isKept(as: Double.self)
  }
}

extension AttributeValue {
  fileprivate var isInteger: Bool { if case .integer = self { true } else { false } }

  /// Whether it is a number with more digits than the smallest type of real numbers of a server.
  fileprivate var mayBeRounded: Bool {
    switch self {
    case .decimal(let decimal): decimal.description.count > 6
    case .integer(let number): number.magnitude > 1 << 24
    default: false
    }
  }

  /// Whether it has more digits than a number of SQLite, or is a text that looks like a number.
  fileprivate var mayLoseDigits: Bool {
    switch self {
    case .integer(let number): number.magnitude > 1 << 53
    case .decimal(let decimal): decimal.description.count > 15
    case .string(let text):
      text.contains(where: \.isNumber) && text.allSatisfy { "0123456789+-.eE \t\n\r\u{B}\u{C}".contains($0) }
    default: false
    }
  }
}

extension CloneError.Failure {
  /// A value that a column would round, cut off or not take.
  static func noRoom(for value: AttributeValue, of owner: String, in column: ColumnSchema, table: String)
    -> Self
  {
    .init(
      .invalidValue,
      "'\(value)' of \(owner) does not fit the column '\(column.name)' of the table '\(table)', which is "
        + "\(column.type)",
      help: column.base == nil
        ? "SQLite makes a number of fifteen digits of it, so change the value, or declare the column "
          + (value.isInteger ? "INTEGER" : "TEXT")
        : "change the value, or widen the column")
  }

  /// A value that the type of a column does not take at all.
  ///
  /// - Parameters:
  ///   - value: as a text; nil where the database does not tell which value it is, nor of which column.
  ///   - reason: what the database says.
  package static func untaken(
    _ value: String?, of owner: String, by column: ColumnSchema?, of table: String, _ reason: String
  ) -> Self {
    let value = value.map { "'\($0)'" } ?? "a value"
    let place =
      column.map { "the column '\($0.name)' of the table '\(table)', which is \($0.type)" }
      ?? "the table '\(table)'"
    return .init(
      .invalidValue, "\(value) of \(owner) does not fit \(place): \(reason)", help: "change the value")
  }
}

extension Decimal {
  /// Whether a real number, which is read by the digits that tell it from every other one, gives it back.
  func isKept<Real: LosslessStringConvertible>(as type: Real.Type) -> Bool {
    Real(description).flatMap { Decimal(string: $0.description) } == self
  }
}

extension Date {
  /// Whether it is a date, of a year between 1 and 9999.
  fileprivate var hasFourDigits: Bool {
    (-62_135_596_800..<253_402_300_800).contains(timeIntervalSince1970)
  }
}
