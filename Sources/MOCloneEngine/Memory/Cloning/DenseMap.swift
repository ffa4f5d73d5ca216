import Foundation

/// A number for each row of a table, 0 until set; rows beyond the table hold 0 too.
///
/// The memory comes as zero pages, so that what a small clone costs does not grow with the table. A map that is kept
/// for the next clone is given back with every number 0. It is a bare handle, as a column's cells are: whoever makes it
/// calls `deallocate()` at the end.
struct DenseMap {
  private var count = 0
  /// The cells themselves, for loops over rows that are known to be of the table.
  private(set) var cells: UnsafeMutablePointer<Int32>

  init() {
    cells = Self.zeros(1)
  }

  func deallocate() {
    free(cells)
  }

  /// Makes room for the rows of a table, with some to spare for those that come later.
  ///
  /// Every number must be 0.
  mutating func reserve(_ rows: Int) {
    guard rows > count else { return }
    count = rows + min(rows, Self.spare)
    free(cells)
    cells = Self.zeros(count)
  }

  private static let spare = 1 << 20

  private static func zeros(_ count: Int) -> UnsafeMutablePointer<Int32> {
    guard let memory = calloc(count, MemoryLayout<Int32>.stride) else { preconditionFailure("out of memory") }
    return memory.bindMemory(to: Int32.self, capacity: count)
  }

  subscript(row: Row) -> Int32 {
    get { row >= 0 && Int(row) < count ? cells[Int(row)] : 0 }
    nonmutating set {
      precondition(row >= 0 && Int(row) < count, "row out of range")
      cells[Int(row)] = newValue
    }
  }
}
