// What is in the cells.
extension CSVScanner {
  func string(_ cell: Int) -> String { field(cell).string }

  func field(_ number: Int) -> Field {
    let cell = cells[number]
    let count = cell.end - cell.start
    let kind: Field.Kind = count == 0 && !cell.isQuoted ? .null : .text
    guard cell.hasEscapes else {
      return Field(
        kind: kind, start: UnsafePointer(window.base + cell.start), count: count, place: cell.place)
    }
    let room = arena.room(count)
    var (i, length) = (cell.start, 0)
    while i < cell.end {
      room[length] = window.base[i]
      length += 1
      i += window.base[i] == UInt8(ascii: "\"") ? 2 : 1
    }
    arena.keep(length)
    return Field(kind: .text, start: UnsafePointer(room), count: length, place: cell.place)
  }
}
