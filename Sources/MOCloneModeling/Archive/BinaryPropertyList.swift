import Foundation

/// A binary property list (`bplist00`) as a table of objects that refer to each other by number.
///
/// Foundation reads the format too, but on Linux hides the references (UIDs) of keyed archives. Nothing is followed here,
/// so an object may hold itself; what is read at all is bounded by the size of the file.
struct BinaryPropertyList {
  enum Object: Equatable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case date(Date)
    case data(Data)
    case string(String)
    /// The number of an object of a keyed archive.
    case uid(Int)
    case array([Int])
    case dictionary(keys: [Int], values: [Int])
  }

  private(set) var objects: [Object] = []
  let top: Int

  private static let header = Data("bplist00".utf8)
  private static let trailerSize = 32

  /// - Throws: `ArchiveFault` where the data are no binary property list, or a broken one.
  init(_ data: Data) throws(ArchiveFault) {
    let bytes = [UInt8](data)
    guard data.starts(with: Self.header) else { throw ArchiveFault("it is no binary property list") }
    guard bytes.count >= Self.header.count + Self.trailerSize else { throw Self.broken }
    var trailer = ByteCursor(bytes, at: bytes.count - Self.trailerSize + 6)
    let (offsetSize, referenceSize) = (try trailer.integer(1), try trailer.integer(1))
    let (count, top, table) = (try trailer.integer(8), try trailer.integer(8), try trailer.integer(8))
    let end = bytes.count - Self.trailerSize
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), count > 0, top >= 0, top < count,
      table >= Self.header.count, table <= end, count <= (end - table) / offsetSize
    else { throw Self.broken }
    self.top = top
    var offsets = ByteCursor(bytes, at: table)
    var reader = ObjectReader(bytes, end: table, referenceSize: referenceSize, count: count)
    objects.reserveCapacity(count)
    for _ in 0..<count { objects.append(try reader.object(at: try offsets.integer(offsetSize))) }
  }

  fileprivate static let broken = ArchiveFault("its property list is broken")
}

/// Reads objects, each of which may be read once for the size of the file, however many are said to be at one place.
private struct ObjectReader {
  private var cursor: ByteCursor
  private let referenceSize: Int
  /// How many objects there are.
  private let count: Int
  private let end: Int
  /// The bytes that may still be read.
  private var budget: Int

  init(_ bytes: [UInt8], end: Int, referenceSize: Int, count: Int) {
    cursor = ByteCursor(bytes, at: 0)
    self.end = end
    self.referenceSize = referenceSize
    self.count = count
    budget = bytes.count * 2
  }

  mutating func object(at offset: Int) throws(ArchiveFault) -> BinaryPropertyList.Object {
    guard offset >= 8, offset < end else { throw BinaryPropertyList.broken }
    cursor.offset = offset
    let marker = try cursor.integer(1)
    let low = marker & 0xF
    switch marker >> 4 {
    case 0x0:
      switch low {
      case 0x0: return .null
      case 0x8: return .boolean(false)
      case 0x9: return .boolean(true)
      default: throw BinaryPropertyList.broken
      }
    case 0x1: return .integer(try signed(size: 1 << low))
    case 0x2: return .real(try real(size: 1 << low))
    case 0x3 where low == 3: return .date(Date(timeIntervalSinceReferenceDate: try real(size: 8)))
    case 0x4: return .data(Data(try take(length(low))))
    case 0x5: return .string(String(decoding: try take(length(low)), as: UTF8.self))
    case 0x6: return .string(try utf16(length(low)))
    case 0x8: return .uid(try cursor.integer(low + 1))
    case 0xA, 0xC: return .array(try references(length(low)))
    case 0xD:
      let count = try length(low)
      return .dictionary(keys: try references(count), values: try references(count))
    default: throw BinaryPropertyList.broken
    }
  }

  /// The length in the marker, or in an integer behind it.
  private mutating func length(_ low: Int) throws(ArchiveFault) -> Int {
    guard low == 0xF else { return low }
    let marker = try cursor.integer(1)
    guard marker >> 4 == 1, marker & 0xF <= 3 else { throw BinaryPropertyList.broken }
    return try cursor.integer(1 << (marker & 0xF))
  }

  private mutating func take(_ length: Int) throws(ArchiveFault) -> ArraySlice<UInt8> {
    guard length >= 0, length <= end - cursor.offset, length <= budget else {
      throw BinaryPropertyList.broken
    }
    budget -= length
    return try cursor.take(length)
  }

  private mutating func utf16(_ length: Int) throws(ArchiveFault) -> String {
    guard length >= 0, length <= end else { throw BinaryPropertyList.broken }
    let bytes = try take(length * 2)
    let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    return String(decoding: units, as: UTF16.self)
  }

  private mutating func references(_ length: Int) throws(ArchiveFault) -> [Int] {
    guard length >= 0, length <= end, length * referenceSize <= budget else {
      throw BinaryPropertyList.broken
    }
    budget -= length * referenceSize
    var references: [Int] = []
    references.reserveCapacity(length)
    for _ in 0..<length {
      let reference = try cursor.integer(referenceSize)
      guard reference >= 0, reference < count else { throw BinaryPropertyList.broken }
      references.append(reference)
    }
    return references
  }

  /// Integers of up to four bytes are positive; of sixteen bytes the lower half counts, as no model holds more.
  private mutating func signed(size: Int) throws(ArchiveFault) -> Int64 {
    guard size <= 16 else { throw BinaryPropertyList.broken }
    if size == 16 { _ = try cursor.take(8) }
    return Int64(bitPattern: try cursor.unsigned(min(size, 8)))
  }

  private mutating func real(size: Int) throws(ArchiveFault) -> Double {
    switch size {
    case 4: return Double(Float(bitPattern: UInt32(try cursor.unsigned(4))))
    case 8: return Double(bitPattern: try cursor.unsigned(8))
    default: throw BinaryPropertyList.broken
    }
  }
}

/// A place in bytes, from which big-endian numbers are read.
struct ByteCursor {
  private let bytes: [UInt8]
  var offset: Int

  init(_ bytes: [UInt8], at offset: Int) {
    self.bytes = bytes
    self.offset = offset
  }

  mutating func take(_ count: Int) throws(ArchiveFault) -> ArraySlice<UInt8> {
    guard count >= 0, offset >= 0, count <= bytes.count - offset else { throw BinaryPropertyList.broken }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  mutating func unsigned(_ size: Int) throws(ArchiveFault) -> UInt64 {
    try take(size).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// - Throws: `ArchiveFault` where the number is greater than any place can be.
  mutating func integer(_ size: Int) throws(ArchiveFault) -> Int {
    guard let number = Int(exactly: try unsigned(size)) else { throw BinaryPropertyList.broken }
    return number
  }
}
