import Foundation

/// An object as NSKeyedArchiver writes it.
indirect enum Archived {
  case string(String)
  case integer(Int)
  case real(Double)
  case boolean(Bool)
  case data([UInt8])
  case list([Archived])
  /// A dictionary whose keys are strings.
  case map([(String, Archived)])
  /// An object of a class; a value that is a reference has its own object.
  case object(String, [(String, Archived)])
  /// A value that is not an object of its own.
  case plain(Int)
  /// The object of a number, for cycles.
  case reference(Int)
}

/// Writes keyed archives, as Foundation on Linux cannot: a binary property list with references.
struct ArchiveBuilder {
  private var objects: [[UInt8]] = []
  /// The numbers of the archive's objects among those of the list.
  private var table: [Int] = []

  static func data(_ root: Archived) -> Data {
    var builder = ArchiveBuilder()
    builder.table = [builder.add(string: "$null")]
    let number = builder.archive(root)
    let entries = [
      ("$archiver", builder.add(string: "NSKeyedArchiver")),
      ("$top", builder.add(dictionary: [("root", builder.add(uid: number))])),
      ("$objects", builder.add(array: builder.table)),
    ]
    let top = builder.add(dictionary: entries)
    return builder.file(top: top)
  }

  /// - Returns: the number in the archive.
  private mutating func archive(_ value: Archived) -> Int {
    if case .reference(let number) = value { return number }
    let number = table.count
    table.append(0)
    table[number] = object(of: value)
    return number
  }

  private mutating func object(of value: Archived) -> Int {
    switch value {
    case .string(let text): return add(string: text)
    case .integer(let number), .plain(let number), .reference(let number): return add(integer: number)
    case .real(let number): return add([0x23] + Self.bytes(number.bitPattern, 8))
    case .boolean(let isTrue): return add([isTrue ? 0x09 : 0x08])
    case .data(let bytes): return add(Self.marker(0x40, bytes.count) + bytes)
    case .list(let items): return instance("NSArray", [("NS.objects", add(references: items))])
    case .map(let entries):
      let keys = add(references: entries.map { .string($0.0) })
      return instance("NSDictionary", [("NS.keys", keys), ("NS.objects", add(references: entries.map(\.1)))])
    case .object(let name, let entries): return instance(name, entries.map { ($0.0, field($0.1)) })
    }
  }

  /// Numbers and bytes stand in their object, all else is a reference.
  private mutating func field(_ value: Archived) -> Int {
    switch value {
    case .plain, .boolean, .real: object(of: value)
    default: add(uid: archive(value))
    }
  }

  private mutating func instance(_ name: String, _ entries: [(String, Int)]) -> Int {
    let description = add(dictionary: [("$classname", add(string: name))])
    table.append(description)
    return add(dictionary: entries + [("$class", add(uid: table.count - 1))])
  }

  private mutating func add(references items: [Archived]) -> Int {
    let places = items.map { archive($0) }
    return add(array: places.map { add(uid: $0) })
  }

  // MARK: The property list

  private mutating func add(_ bytes: [UInt8]) -> Int {
    objects.append(bytes)
    return objects.count - 1
  }

  private mutating func add(string: String) -> Int {
    guard string.utf8.allSatisfy({ $0 < 0x80 }) else {
      return add(Self.marker(0x60, string.utf16.count) + string.utf16.flatMap { Self.bytes(UInt64($0), 2) })
    }
    return add(Self.marker(0x50, string.utf8.count) + Array(string.utf8))
  }

  private mutating func add(integer: Int) -> Int {
    add([0x13] + Self.bytes(UInt64(bitPattern: Int64(integer)), 8))
  }
  private mutating func add(uid: Int) -> Int { add([0x81] + Self.bytes(UInt64(uid), 2)) }
  private mutating func add(array: [Int]) -> Int {
    add(Self.marker(0xA0, array.count) + array.flatMap { Self.bytes(UInt64($0), 2) })
  }

  private mutating func add(dictionary: [(String, Int)]) -> Int {
    let keys = dictionary.map { add(string: $0.0) }
    let references = (keys + dictionary.map(\.1)).flatMap { Self.bytes(UInt64($0), 2) }
    return add(Self.marker(0xD0, dictionary.count) + references)
  }

  private static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind | UInt8(count)] : [kind | 0xF, 0x11] + bytes(UInt64(count), 2)
  }

  private static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  private func file(top: Int) -> Data {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(bytes.count)
      bytes += object
    }
    let place = bytes.count
    bytes += offsets.flatMap { Self.bytes(UInt64($0), 4) } + [0, 0, 0, 0, 0, 0, 4, 2]
    for number in [objects.count, top, place] { bytes += Self.bytes(UInt64(number), 8) }
    return Data(bytes)
  }
}
