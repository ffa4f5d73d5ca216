import Foundation
import MOCloneModel

/// The values of one attribute, in cells of its type, with a mark where there is none.
class ValueColumn {
  let id: Int32
  let space: Int
  let attribute: AttributeDescription
  let nulls = ColumnBuffer<Bool>()

  init(id: Int, space: Int, attribute: AttributeDescription) {
    self.id = Int32(id)
    self.space = space
    self.attribute = attribute
  }

  deinit {
    nulls.deallocate()
  }

  func value(_ row: Row) -> AttributeValue { preconditionFailure("abstract") }
  func set(_ value: AttributeValue, _ row: Row) { preconditionFailure("abstract") }
  /// Sets the values of some rows, counted from a row.
  func fill(from first: Row, _ places: RowRuns, _ value: (Row) -> AttributeValue) {
    preconditionFailure("abstract")
  }
  /// Sets one value in some rows, counted from a row.
  func fill(from first: Row, _ places: RowRuns, with value: AttributeValue) {
    preconditionFailure("abstract")
  }
  func appendNulls(_ count: Int) { nulls.append(true, times: count) }
  func appendCopies(of rows: RowRuns, times: Int) { preconditionFailure("abstract") }
  func truncate(to count: Int) { nulls.truncate(to: count) }

  static func column(id: Int, space: Int, attribute: AttributeDescription) -> ValueColumn {
    switch attribute.type {
    case .string, .uri: TypedColumn<String>(id: id, space: space, attribute: attribute)
    case .boolean: TypedColumn<Bool>(id: id, space: space, attribute: attribute)
    case .date: TypedColumn<Date>(id: id, space: space, attribute: attribute)
    case .binary, .transformable: TypedColumn<Data>(id: id, space: space, attribute: attribute)
    case .integer16, .integer32, .integer64: TypedColumn<Int64>(id: id, space: space, attribute: attribute)
    case .double, .float: TypedColumn<Double>(id: id, space: space, attribute: attribute)
    case .decimal: TypedColumn<Decimal>(id: id, space: space, attribute: attribute)
    case .uuid: TypedColumn<UUID>(id: id, space: space, attribute: attribute)
    }
  }
}

final class TypedColumn<Cell: ColumnCell>: ValueColumn {
  let cells = ColumnBuffer<Cell>()

  deinit {
    cells.deallocate()
  }

  override func value(_ row: Row) -> AttributeValue {
    nulls[row] ? .null : cells[row].attributeValue
  }

  override func set(_ value: AttributeValue, _ row: Row) {
    let cell = Cell(value)
    nulls[row] = cell == nil
    cells[row] = cell ?? Cell.blank
  }

  override func fill(from first: Row, _ places: RowRuns, _ value: (Row) -> AttributeValue) {
    Cell.fill(cells, nulls, from: first, places, value)
  }

  override func fill(from first: Row, _ places: RowRuns, with value: AttributeValue) {
    Cell.fill(cells, nulls, from: first, places, with: value)
  }

  override func appendNulls(_ count: Int) {
    super.appendNulls(count)
    cells.append(Cell.blank, times: count)
  }

  override func appendCopies(of rows: RowRuns, times: Int) {
    Cell.appendCopies(of: rows, times: times, to: cells, nulls)
  }

  override func truncate(to count: Int) {
    super.truncate(to: count)
    cells.truncate(to: count)
  }
}

/// A type that cells of a column can have.
protocol ColumnCell: AttributeValueConvertible {
  /// What is in a cell that is marked as null.
  static var blank: Self { get }
  /// Nil for null; values of other types do not come here.
  init?(_ value: AttributeValue)
  /// Appends cells to a column. The methods of a generic class are compiled once for all types; this one is compiled
  /// for each, which makes the difference between copying bytes and asking the type how to copy.
  static func appendCopies(
    of rows: RowRuns, times: Int, to cells: ColumnBuffer<Self>, _ nulls: ColumnBuffer<Bool>)
  static func fill(
    _ cells: ColumnBuffer<Self>, _ nulls: ColumnBuffer<Bool>, from first: Row, _ places: RowRuns,
    _ value: (Row) -> AttributeValue)
  static func fill(
    _ cells: ColumnBuffer<Self>, _ nulls: ColumnBuffer<Bool>, from first: Row, _ places: RowRuns,
    with value: AttributeValue)
}

extension ColumnCell {
  static func appendCopies(
    of rows: RowRuns, times: Int, to cells: ColumnBuffer<Self>, _ nulls: ColumnBuffer<Bool>
  ) {
    nulls.appendCopies(of: rows, times: times)
    cells.appendCopies(of: rows, times: times)
  }

  static func fill(
    _ cells: ColumnBuffer<Self>, _ nulls: ColumnBuffer<Bool>, from first: Row, _ places: RowRuns,
    _ value: (Row) -> AttributeValue
  ) {
    let isNull = nulls.base
    cells.fill(from: first, places) { row in
      let cell = Self(value(row))
      isNull[Int(row)] = cell == nil
      return cell ?? blank
    }
  }

  static func fill(
    _ cells: ColumnBuffer<Self>, _ nulls: ColumnBuffer<Bool>, from first: Row, _ places: RowRuns,
    with value: AttributeValue
  ) {
    let cell = Self(value)
    nulls.fill(from: first, places) { _ in cell == nil }
    cells.fill(from: first, places) { _ in cell ?? blank }
  }
}

extension Int64: ColumnCell {
  static var blank: Int64 { 0 }
  init?(_ value: AttributeValue) {
    if case .integer(let number) = value { self = number } else { return nil }
  }
}

extension Double: ColumnCell {
  static var blank: Double { 0 }
  init?(_ value: AttributeValue) {
    if case .double(let number) = value { self = number } else { return nil }
  }
}

extension Bool: ColumnCell {
  static var blank: Bool { false }
  init?(_ value: AttributeValue) {
    if case .bool(let boolean) = value { self = boolean } else { return nil }
  }
}

extension String: ColumnCell {
  static var blank: String { "" }
  init?(_ value: AttributeValue) {
    if case .string(let text) = value { self = text } else { return nil }
  }
}

extension UUID: ColumnCell {
  static var blank: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
  init?(_ value: AttributeValue) {
    if case .uuid(let uuid) = value { self = uuid } else { return nil }
  }
}

extension Date: ColumnCell {
  static var blank: Date { Date(timeIntervalSinceReferenceDate: 0) }
  init?(_ value: AttributeValue) {
    if case .date(let date) = value { self = date } else { return nil }
  }
}

extension Decimal: ColumnCell {
  static var blank: Decimal { 0 }
  init?(_ value: AttributeValue) {
    if case .decimal(let number) = value { self = number } else { return nil }
  }
}

extension Data: ColumnCell {
  static var blank: Data { Data() }
  init?(_ value: AttributeValue) {
    if case .binary(let data) = value { self = data } else { return nil }
  }
}
