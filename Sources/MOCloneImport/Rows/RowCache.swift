import MOCloneEngine

/// Knows the last rows of one kind by their bytes, so that what many rows share is added once; what it has forgotten is
/// joined by the graph.
final class RowCache {
  private static let most = 1 << 16
  private static let mostBytes = 4 << 20
  private let fields: [Int]
  private var slots: [Slot]
  private var count = 0
  private var bytes: [UInt8] = []
  private var key: [UInt8] = []
  private var hash: UInt64 = 0

  private struct Slot {
    var hash: UInt64 = 0
    var number: Int64 = 0
    var start: Int32 = 0
    var length: Int32 = 0
  }

  /// - Parameter fields: the values that a row is told by.
  init(_ fields: [Int]) {
    self.fields = fields
    slots = Array(repeating: Slot(), count: 256)
  }

  /// The number of the same row, where it is known.
  func find(_ record: Record) -> Int64? {
    key.removeAll(keepingCapacity: true)
    for field in fields {
      let field = record.fields[field]
      key.append(UInt8(truncatingIfNeeded: field.count))
      key.append(UInt8(truncatingIfNeeded: field.count >> 8))
      key.append(field.kind.mark)
      key.append(contentsOf: field.bytes)
    }
    hash = Self.hash(key)
    var place = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[place].number != 0 {
      let slot = slots[place]
      if slot.hash == hash, Int(slot.length) == key.count, isKey(at: Int(slot.start)) { return slot.number }
      place = (place + 1) & (slots.count - 1)
    }
    return nil
  }

  private func isKey(at start: Int) -> Bool {
    bytes[start..<start + key.count].elementsEqual(key)
  }

  /// Enters the row that was not found last.
  func enter(_ number: Int64) {
    if count == Self.most || bytes.count + key.count > Self.mostBytes {
      slots = Array(repeating: Slot(), count: slots.count)
      bytes.removeAll(keepingCapacity: true)
      count = 0
    }
    if count * 2 >= slots.count { grow() }
    put(Slot(hash: hash, number: number, start: Int32(bytes.count), length: Int32(key.count)))
    bytes += key
    count += 1
  }

  private func put(_ slot: Slot) {
    var place = Int(truncatingIfNeeded: slot.hash) & (slots.count - 1)
    while slots[place].number != 0 { place = (place + 1) & (slots.count - 1) }
    slots[place] = slot
  }

  private func grow() {
    let old = slots
    slots = Array(repeating: Slot(), count: old.count * 2)
    for slot in old where slot.number != 0 { put(slot) }
  }

  private static func hash(_ bytes: [UInt8]) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return hash ^ (hash >> 29)
  }
}

extension Field.Kind {
  fileprivate var mark: UInt8 {
    switch self {
    case .absent: 0
    case .null: 1
    case .text: 2
    case .literal: 3
    }
  }
}
