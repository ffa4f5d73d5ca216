import Foundation

/// The number of a row in its table or join.
typealias Row = Int32

/// Stands for no row in a column of rows.
let noRow: Row = -1

/// The cells of one column, one after another in memory.
///
/// An array would copy itself when cells are appended from a slice of it, which is what cloning does, and an object
/// would be counted each time it is touched. So this is a bare handle: whoever makes it calls `deallocate()` at the end.
struct ColumnBuffer<Element> {
  private struct Header {
    var base: UnsafeMutablePointer<Element>
    var count = 0
    var capacity = 0
  }

  private let header: UnsafeMutablePointer<Header>

  init() {
    header = .allocate(capacity: 1)
    header.initialize(to: Header(base: malloc(1)!.bindMemory(to: Element.self, capacity: 0)))
  }

  func deallocate() {
    base.deinitialize(count: count)
    free(base)
    header.deallocate()
  }

  var base: UnsafeMutablePointer<Element> { header.pointee.base }
  var count: Int { header.pointee.count }

  subscript(row: Row) -> Element {
    get {
      precondition(row >= 0 && Int(row) < count, "row out of range")
      return base[Int(row)]
    }
    nonmutating set {
      precondition(row >= 0 && Int(row) < count, "row out of range")
      base[Int(row)] = newValue
    }
  }

  func append(_ element: Element, times: Int = 1) {
    reserve(times)
    (base + count).initialize(repeating: element, count: times)
    header.pointee.count += times
  }

  /// Appends the cells of some rows, in the order given, as often as asked.
  func appendCopies(of rows: RowRuns, times: Int) {
    reserve(rows.count * times)
    let cells = base
    var next = cells + count
    for _ in 0..<times {
      rows.forEachRange { range in
        precondition(range.lowerBound >= 0 && Int(range.upperBound) <= count, "row out of range")
        if _isPOD(Element.self) {
          next.initialize(from: cells + Int(range.lowerBound), count: range.count)
          next += range.count
        } else {
          // The type is known here, so that its cells are copied one by one faster than by a call for many.
          for row in range {
            next.initialize(to: cells[Int(row)])
            next += 1
          }
        }
      }
    }
    header.pointee.count += rows.count * times
  }

  /// Writes the cells of some rows, counted from a row.
  func fill(from first: Row, _ places: RowRuns, _ cell: (Row) -> Element) {
    let cells = base
    places.forEachRange { range in
      precondition(
        first + range.lowerBound >= 0 && Int(first + range.upperBound) <= count, "row out of range")
      for place in range { cells[Int(first + place)] = cell(first + place) }
    }
  }

  func truncate(to newCount: Int) {
    (base + newCount).deinitialize(count: count - newCount)
    header.pointee.count = newCount
  }

  /// Makes room for exactly that much, unless single rows come one after another. The system moves large memory by
  /// giving its pages another address, so that what is there is not copied; cells of all types may be moved so.
  private func reserve(_ more: Int) {
    let (count, capacity) = (count, header.pointee.capacity)
    guard count + more > capacity else { return }
    let grown = more < capacity / 4 ? max(8, capacity + capacity / 2) : 0
    header.pointee.capacity = max(count + more, grown)
    guard let larger = realloc(base, header.pointee.capacity * MemoryLayout<Element>.stride) else {
      preconditionFailure("out of memory")
    }
    header.pointee.base = larger.bindMemory(to: Element.self, capacity: header.pointee.capacity)
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

  deinit {
    cells.deallocate()
  }

  subscript(row: Row) -> Row { cells[row] }
}
