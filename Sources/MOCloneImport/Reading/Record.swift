/// A place in a file; lines and columns count from 1, columns in Unicode code points.
package struct Place: Sendable, Hashable {
  package var line: Int
  package var column: Int
}

/// One value of a row, its location, and its bytes, which are valid until the next row is read.
package struct Field {
  package enum Kind {
    /// The row has nothing of that name.
    case absent
    /// JSON's null, or an empty place between two commas of CSV.
    case null
    case text
    /// A number, true or false of JSON.
    case literal
  }

  package var kind = Kind.absent
  package var start: UnsafePointer<UInt8>?
  package var count = 0
  package var place = Place(line: 0, column: 0)

  /// Whether it says nothing, or null, or an empty text.
  package var isEmpty: Bool { kind == .absent || kind == .null || count == 0 }
  package var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }
  package var string: String { String(decoding: bytes, as: UTF8.self) }
}

/// One row of a file as far as it was asked for; the reader uses it anew for the next row.
package final class Record {
  package let shape: RecordShape
  package internal(set) var place = Place(line: 1, column: 1)
  /// What the row is called in an object of rows, where it holds a value for that as well.
  package internal(set) var name: Field?
  /// The values in the order of the shape.
  package let fields: UnsafeMutableBufferPointer<Field>
  /// The nested rows, by the places of their shapes.
  package internal(set) var nested: [[Record]]
  /// The row as it is in the file.
  package internal(set) var text = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  /// Where reasons go in the row's text, and how.
  var gap: Range<Int>?
  var style = RowText.Style.member
  private var spare: [[Record]]

  package init(_ shape: RecordShape) {
    self.shape = shape
    fields = .allocate(capacity: shape.fieldCount)
    fields.initialize(repeating: Field())
    nested = Array(repeating: [], count: shape.nested.count)
    spare = nested
  }

  deinit {
    fields.deallocate()
  }

  /// The row where the file's bytes are no longer kept.
  var copy: RowText?
  /// The row as it is in the file, to be kept.
  var kept: RowText { copy ?? RowText(bytes: Array(text), gap: gap, style: style) }

  func clear(at place: Place) {
    self.place = place
    gap = nil
    name = nil
    // Nothing may point to the bytes of the row before.
    for i in fields.indices { fields[i] = Field() }
    for i in nested.indices where !nested[i].isEmpty {
      spare[i] += nested[i]
      nested[i].removeAll(keepingCapacity: true)
    }
  }

  /// Adds a nested row, empty.
  func add(_ number: Int, at place: Place) -> Record {
    let record = spare[number].popLast() ?? Record(shape.nested[number])
    record.clear(at: place)
    nested[number].append(record)
    return record
  }
}

/// Memory for values that are not in the file as they are; a value stays where it is until the next row.
final class TextArena {
  private var blocks: [UnsafeMutableBufferPointer<UInt8>] = []
  private var used = 0

  deinit {
    for block in blocks { block.deallocate() }
  }

  /// Lets go of all values.
  func clear() {
    for block in blocks.dropFirst() { block.deallocate() }
    blocks = Array(blocks.prefix(1))
    used = 0
  }

  /// Room that may be used up to its end; `keep` says how much was.
  func room(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    if let last = blocks.last, last.count - used >= count { return last.baseAddress! + used }
    blocks.append(.allocate(capacity: max(count, 1 << 16)))
    used = 0
    return blocks[blocks.count - 1].baseAddress!
  }

  func keep(_ count: Int) {
    used += count
  }

  func copy(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafePointer<UInt8> {
    let place = room(bytes.count)
    if let start = bytes.baseAddress { place.update(from: start, count: bytes.count) }
    keep(bytes.count)
    return UnsafePointer(place)
  }
}

/// A text that grows in an arena.
struct ArenaText {
  private let arena: TextArena
  private var room: UnsafeMutablePointer<UInt8>
  private var capacity = 256
  private(set) var count = 0

  init(_ arena: TextArena) {
    self.arena = arena
    room = arena.room(capacity)
  }

  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: UnsafePointer(room), count: count) }

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    reserve(bytes.count)
    if let start = bytes.baseAddress { (room + count).update(from: start, count: bytes.count) }
    count += bytes.count
  }

  mutating func append(_ byte: UInt8) {
    reserve(1)
    room[count] = byte
    count += 1
  }

  private mutating func reserve(_ more: Int) {
    guard count + more > capacity else { return }
    capacity = max(capacity * 2, count + more)
    let larger = arena.room(capacity)
    if larger != room { larger.update(from: room, count: count) }
    room = larger
  }
}
