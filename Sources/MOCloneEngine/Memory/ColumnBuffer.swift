import Foundation

/// The number of a row in its table or join.
typealias Row = Int32

/// Stands for no row in a column of rows.
let noRow: Row = -1

/// The cells of one column, one after another in memory.
///
/// An array would copy itself when cells are appended from a slice of it, which is what cloning does.
final class ColumnBuffer<Element> {
  private(set) var count = 0
  private var capacity = 0
  private(set) var base: UnsafeMutablePointer<Element>

  init() {
    base = malloc(1)!.bindMemory(to: Element.self, capacity: 0)
  }

  deinit {
    base.deinitialize(count: count)
    free(base)
  }

  subscript(row: Row) -> Element {
    get {
      precondition(row >= 0 && Int(row) < count, "row out of range")
      return base[Int(row)]
    }
    set {
      precondition(row >= 0 && Int(row) < count, "row out of range")
      base[Int(row)] = newValue
    }
  }

  func append(_ element: Element, times: Int = 1) {
    reserve(times)
    (base + count).initialize(repeating: element, count: times)
    count += times
  }

  /// Appends the cells of some rows, in the order given, as often as asked.
  func appendCopies(of rows: RowRuns, times: Int) {
    reserve(rows.count * times)
    let cells = base
    var next = cells + count
    for _ in 0..<times {
      for range in rows.ranges {
        precondition(range.lowerBound >= 0 && Int(range.upperBound) <= count, "row out of range")
        for row in range {
          next.initialize(to: cells[Int(row)])
          next += 1
        }
      }
    }
    count += rows.count * times
  }

  /// Writes the cells of some rows, counted from a row.
  func fill(from first: Row, _ places: RowRuns, _ cell: (Row) -> Element) {
    let cells = base
    for range in places.ranges {
      precondition(
        first + range.lowerBound >= 0 && Int(first + range.upperBound) <= count, "row out of range")
      for place in range { cells[Int(first + place)] = cell(first + place) }
    }
  }

  func truncate(to newCount: Int) {
    (base + newCount).deinitialize(count: count - newCount)
    count = newCount
  }

  /// Makes room for exactly that much, unless single rows come one after another. The system moves large memory by
  /// giving its pages another address, so that what is there is not copied; cells of all types may be moved so.
  private func reserve(_ more: Int) {
    guard count + more > capacity else { return }
    let grown = more < capacity / 4 ? max(8, capacity + capacity / 2) : 0
    capacity = max(count + more, grown)
    guard let larger = realloc(base, capacity * MemoryLayout<Element>.stride) else {
      preconditionFailure("out of memory")
    }
    base = larger.bindMemory(to: Element.self, capacity: capacity)
  }
}

/// A column that holds rows of another table, of its own table, or of its join's lists.
final class RowColumn {
  let id: Int32
  /// The row space whose rows have a cell here.
  let space: Int
  let cells = ColumnBuffer<Row>()

  init(id: Int, space: Int) {
    self.id = Int32(id)
    self.space = space
  }

  subscript(row: Row) -> Row { cells[row] }
}
