import MOCloneKit

/// Cells below each other, within a width: what does not fit goes on in the next line of its column.
struct TextTable {
  let indent: Int
  let width: Int
  let rows: [[String]]
  private static let gap = 2
  private static let narrowest = 8

  /// The lines without blanks at their ends.
  ///
  /// - Parameter paint: makes the text of a cell what is printed; nothing of it takes any room.
  func lines(_ paint: (Int, String) -> String) -> [String] {
    let widths = widths()
    return rows.flatMap { row -> [String] in
      let cells = zip(row, widths).map { Self.wrapped($0, width: $1) }
      let height = cells.map(\.count).max() ?? 0
      return (0..<height).map { line in
        let parts = cells.enumerated().map { column, lines in line < lines.count ? lines[line] : "" }
        return self.line(parts, widths: widths, paint: paint)
      }
    }
  }

  private func line(_ parts: [String], widths: [Int], paint: (Int, String) -> String) -> String {
    let last = parts.lastIndex { !$0.isEmpty } ?? 0
    let cells = parts[...last].enumerated().map { column, text in
      paint(column, text)
        + (column == last ? "" : String(repeating: " ", count: widths[column] - text.count + Self.gap))
    }
    return String(repeating: " ", count: indent) + cells.joined()
  }

  /// The widths of the columns: the widest give way until all fit.
  private func widths() -> [Int] {
    let count = rows.map(\.count).max() ?? 0
    var widths = (0..<count).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    let room = width - indent - Self.gap * (count - 1)
    while widths.reduce(0, +) > room, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > Self.narrowest
    {
      widths[widest] -= 1
    }
    return widths
  }

  /// At blanks; a word that is longer than a line is divided.
  private static func wrapped(_ text: String, width: Int) -> [String] {
    guard text.count > width else { return [text] }
    return text.split(separator: " ").flatMap { parts($0, width: width) }.lines(width: width)
  }

  /// Behind a mark that parts names, where one is in the second half of a line.
  private static func parts(_ word: Substring, width: Int) -> [String] {
    var parts: [String] = []
    var rest = word
    while rest.count > width, width > 0 {
      let line = rest.prefix(width)
      let mark = line.dropFirst(width / 2).lastIndex { "_.,(".contains($0) }
      let end = mark.map { rest.index(after: $0) } ?? line.endIndex
      parts.append(String(rest[..<end]))
      rest = rest[end...]
    }
    return parts + [String(rest)]
  }
}
