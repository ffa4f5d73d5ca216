/// The part of a file that is in memory: what has been read and is not done with yet.
final class ByteWindow {
  /// More than any row has; a file without line ends must not fill the memory.
  static let longestRow = 16 << 20
  private static let block = 1 << 18

  let source: ByteSource
  private(set) var base: UnsafeMutablePointer<UInt8>
  /// The place behind the last byte.
  private(set) var end = 0
  private(set) var isAtEnd = false
  private var capacity = block

  init(_ source: ByteSource) {
    self.source = source
    base = .allocate(capacity: Self.block)
  }

  deinit {
    base.deallocate()
  }

  /// Reads more, and lets go of what stands before a place, which then is the window's beginning.
  ///
  /// - Throws: `CloneError` where a single row does not fit into the memory it may take.
  func fill(keeping start: Int) throws {
    let kept = end - start
    guard kept < Self.longestRow else { throw ImportFault.rowTooLong(source.name) }
    if kept * 2 > capacity, capacity < Self.longestRow {
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity * 2)
      larger.update(from: base + start, count: kept)
      base.deallocate()
      base = larger
      capacity *= 2
    } else if start > 0 {
      base.update(from: base + start, count: kept)
    }
    end = kept
    // A row is looked at from its beginning each time, and a pipe has little at once: as much again is read as is kept.
    repeat {
      let room = UnsafeMutableRawBufferPointer(start: base + end, count: capacity - end)
      let count = try source.read(into: room)
      end += count
      isAtEnd = count == 0
    } while !isAtEnd && end < min(kept * 2, capacity)
  }

  /// Reads the first block, whose beginning tells the encoding.
  ///
  /// - Returns: where the text begins, behind a byte order mark.
  func begin() throws -> Int {
    while end < 4, !isAtEnd { try fill(keeping: 0) }
    func starts(with mark: [UInt8]) -> Bool {
      end >= mark.count && mark.indices.allSatisfy { base[$0] == mark[$0] }
    }
    if starts(with: [0xFE, 0xFF]) || starts(with: [0xFF, 0xFE]) {
      throw ImportFault.otherEncoding(source.name)
    }
    return starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  func text(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
  }
}
