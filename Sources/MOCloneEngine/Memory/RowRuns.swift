/// Rows, or places of rows, in the order in which they were added; those that follow each other are kept as one range.
///
/// What was filled in one go lies together, so that loops over it run over bare ranges.
struct RowRuns {
  private(set) var ranges: [Range<Row>] = []
  private(set) var count = 0

  init() {}

  init(_ range: Range<Row>) {
    guard !range.isEmpty else { return }
    ranges = [range]
    count = range.count
  }

  init(_ rows: [Row]) {
    count = rows.count
    var start = 0
    while start < rows.count {
      let first = rows[start]
      var end = start + 1
      while end < rows.count, rows[end] == first + Row(end - start) { end += 1 }
      ranges.append(first..<first + Row(end - start))
      start = end
    }
  }

  var isEmpty: Bool { count == 0 }

  var first: Row? { ranges.first?.lowerBound }

  mutating func append(_ row: Row) {
    count += 1
    if let last = ranges.last, last.upperBound == row {
      ranges[ranges.count - 1] = last.lowerBound..<row + 1
    } else {
      ranges.append(row..<row + 1)
    }
  }
}
