import Foundation

/// As many bytes as the clones of the notes take in the columns of a `MemoryGraph`, copied into fresh pages.
enum MemoryCopy {
  /// The cell of a row or of a reference, and the mark of null beside each value.
  private static let row = MemoryLayout<Int32>.size
  private static let mark = MemoryLayout<Bool>.size

  static func bytes(_ content: NotesContent) -> Int {
    content.items * item + content.datas * itemData + content.memos * memo + content.links * link
  }

  private static func cell<T>(_ type: T.Type) -> Int {
    MemoryLayout<T>.stride + mark
  }

  /// A member of a list has its owner and two neighbours; an owner has the two ends of its list.
  private static let member = 3 * row
  private static let ends = 2 * row

  private static let item = row + 2 * cell(UUID.self) + 2 * cell(String.self) + member + ends
  private static let itemData = row + cell(Date.self) + cell(Double.self) + cell(String.self) + member
  private static let memo = row + cell(String.self) + member + ends
  private static let link = 2 * member
}

extension Work {
  static let memoryCopy = Work(name: "memory-copy") { input in
    let count = MemoryCopy.bytes(NotesContent(objects: input.size))
    let source = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
    memset(source, 1, count)
    var target: UnsafeMutableRawPointer?
    let duration = ContinuousClock().measure {
      target = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
      memcpy(target!, source, count)
    }
    guard memcmp(source, target!, count) == 0 else { throw BenchmarkError("memcpy") }
    return duration
  }
}
