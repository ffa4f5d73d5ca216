import Foundation

/// A number for each row of a table, 0 until set; rows beyond the table hold 0 too.
///
/// The memory comes as zero pages, so that what a small clone costs does not grow with the table.
final class DenseMap {
  private let count: Int
  /// The cells themselves, for loops over rows that are known to be of the table.
  let cells: UnsafeMutablePointer<Int32>

  init(count: Int) {
    self.count = count
    let memory = calloc(max(count, 1), MemoryLayout<Int32>.stride)
    guard let memory else { preconditionFailure("out of memory") }
    cells = memory.bindMemory(to: Int32.self, capacity: max(count, 1))
  }

  deinit {
    free(cells)
  }

  subscript(row: Row) -> Int32 {
    get { row >= 0 && Int(row) < count ? cells[Int(row)] : 0 }
    set {
      precondition(row >= 0 && Int(row) < count, "row out of range")
      cells[Int(row)] = newValue
    }
  }
}
