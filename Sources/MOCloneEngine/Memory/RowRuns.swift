/// Rows, or places of rows, in the order in which they were added; those that follow each other are kept as one range.
///
/// What was filled in one go lies together, so that loops over it run over bare ranges, most often over a single one,
/// which takes no memory of its own.
struct RowRuns {
  private var head: Range<Row>
  private var tail: [Range<Row>] = []
  private(set) var count: Int

  init(_ range: Range<Row> = 0..<0) {
    head = range
    count = range.count
  }

  init(_ rows: [Row]) {
    self.init()
    var start = 0
    while start < rows.count {
      let first = rows[start]
      var end = start + 1
      while end < rows.count, rows[end] == first + Row(end - start) { end += 1 }
      append(first..<first + Row(end - start))
      start = end
    }
  }

  var isEmpty: Bool { count == 0 }

  var first: Row? { isEmpty ? nil : head.lowerBound }

  @inline(__always)
  func forEachRange(_ body: (Range<Row>) -> Void) {
    if isEmpty { return }
    body(head)
    for range in tail { body(range) }
  }

  mutating func append(_ row: Row) {
    append(row..<row + 1)
  }

  private mutating func append(_ range: Range<Row>) {
    if isEmpty {
      head = range
    } else if tail.isEmpty, head.upperBound == range.lowerBound {
      head = head.lowerBound..<range.upperBound
    } else if let last = tail.last, last.upperBound == range.lowerBound {
      tail[tail.count - 1] = last.lowerBound..<range.upperBound
    } else {
      tail.append(range)
    }
    count += range.count
  }
}
