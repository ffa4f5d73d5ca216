import Foundation

/// Rows by the hash of their values; open addressing, with the values' bytes behind each other.
final class RowTable {
  private struct Slot {
    var hash: UInt64 = 0
    var number: Int64 = 0
    var start = 0
  }

  private static let least = 1 << 8
  private let fields: UnsafeMutableBufferPointer<Int>
  private var slots: UnsafeMutableBufferPointer<Slot>
  private var bytes: UnsafeMutableRawBufferPointer
  private(set) var count = 0
  private(set) var used = 0

  /// - Parameter fields: the values that a row is told by.
  init(_ fields: [Int]) {
    self.fields = .allocate(capacity: fields.count)
    _ = self.fields.initialize(from: fields)
    slots = .allocate(capacity: Self.least)
    slots.initialize(repeating: Slot())
    bytes = .allocate(byteCount: 1 << 12, alignment: 8)
  }

  deinit {
    fields.deallocate()
    slots.deallocate()
    bytes.deallocate()
  }

  /// Forgets all rows.
  func clear() {
    slots.deallocate()
    bytes.deallocate()
    slots = .allocate(capacity: Self.least)
    slots.initialize(repeating: Slot())
    bytes = .allocate(byteCount: 1 << 12, alignment: 8)
    (count, used) = (0, 0)
  }

  /// The hash of a row's values, eight bytes at a time.
  func hash(_ record: Record) -> UInt64 {
    var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
    func mix(_ word: UInt64) {
      hash = (hash ^ word) &* 0xBF58_476D_1CE4_E5B9
      hash ^= hash >> 29
    }
    for number in fields {
      let field = record.fields[number]
      mix(UInt64(field.count) << 2 | field.kind.mark)
      let bytes = UnsafeRawBufferPointer(field.bytes)
      var i = 0
      while i + 8 <= bytes.count {
        mix(bytes.loadUnaligned(fromByteOffset: i, as: UInt64.self))
        i += 8
      }
      var rest: UInt64 = 0
      while i < bytes.count {
        rest = rest << 8 | UInt64(bytes[i])
        i += 1
      }
      mix(rest)
    }
    return hash ^ (hash >> 32)
  }

  func find(_ hash: UInt64, _ record: Record) -> Int64? {
    var place = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[place].number != 0 {
      let slot = slots[place]
      if slot.hash == hash, isSame(record, at: slot.start) { return slot.number }
      place = (place + 1) & (slots.count - 1)
    }
    return nil
  }

  private func isSame(_ record: Record, at start: Int) -> Bool {
    var place = start
    for number in fields {
      let field = record.fields[number]
      let head = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      guard head == UInt64(field.count) << 2 | field.kind.mark else { return false }
      place += 8
      if let start = field.start, memcmp(bytes.baseAddress! + place, start, field.count) != 0 { return false }
      place += field.count
    }
    return true
  }

  func enter(_ number: Int64, _ hash: UInt64, _ record: Record) {
    if count * 2 >= slots.count { grow() }
    put(Slot(hash: hash, number: number, start: used), in: slots)
    count += 1
    for number in fields {
      let field = record.fields[number]
      reserve(8 + field.count)
      bytes.storeBytes(of: UInt64(field.count) << 2 | field.kind.mark, toByteOffset: used, as: UInt64.self)
      bytes.baseAddress!.advanced(by: used + 8).copyMemory(
        from: UnsafeRawPointer(field.start ?? UnsafePointer(bitPattern: 1)!), byteCount: field.count)
      used += 8 + field.count
    }
  }

  private func reserve(_ more: Int) {
    guard used + more > bytes.count else { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: (used + more) * 2, alignment: 8)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<used]))
    bytes.deallocate()
    bytes = larger
  }

  private func put(_ slot: Slot, in slots: UnsafeMutableBufferPointer<Slot>) {
    var place = Int(truncatingIfNeeded: slot.hash) & (slots.count - 1)
    while slots[place].number != 0 { place = (place + 1) & (slots.count - 1) }
    slots[place] = slot
  }

  private func grow() {
    let larger = UnsafeMutableBufferPointer<Slot>.allocate(capacity: slots.count * 2)
    larger.initialize(repeating: Slot())
    for slot in slots where slot.number != 0 { put(slot, in: larger) }
    slots.deallocate()
    slots = larger
  }
}
