import Foundation

/// Random UUIDs for the rivals, sixteen for one call of the system.
final class UUIDSource {
  private var bytes = [UInt8](repeating: 0, count: 256)
  private var place = 256

  func next() -> UUID {
    if place == bytes.count {
      getentropy(&bytes, bytes.count)
      place = 0
    }
    defer { place += 16 }
    return bytes.withUnsafeBytes { random in
      var uuid = random.loadUnaligned(fromByteOffset: place, as: uuid_t.self)
      uuid.6 = uuid.6 & 0x0F | 0x40
      uuid.8 = uuid.8 & 0x3F | 0x80
      return UUID(uuid: uuid)
    }
  }
}
