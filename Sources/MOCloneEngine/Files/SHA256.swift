import Foundation

/// The hash function SHA-256 (FIPS 180-4), fed piece by piece.
package struct SHA256 {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  private var rest: [UInt8] = []
  private var count: UInt64 = 0
  private var schedule = [UInt32](repeating: 0, count: 64)

  package init() {}

  /// The hash of a file's bytes, as `sha256:` and 64 hexadecimal digits.
  package static func text(ofFile path: String) throws -> String {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? file.close() }
    var hash = SHA256()
    while let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty { hash.update(piece) }
    return hash.text
  }

  package mutating func update(_ bytes: some Sequence<UInt8>) {
    rest += bytes
    let whole = rest.count / 64 * 64
    rest.withUnsafeBufferPointer { bytes in
      for start in stride(from: 0, to: whole, by: 64) {
        Self.mix(&state, w: &schedule, block: UnsafeBufferPointer(rebasing: bytes[start..<start + 64]))
      }
    }
    rest.removeFirst(whole)
    count += UInt64(whole)
  }

  /// The hash of what was fed so far.
  package var text: String {
    var last = self
    let bits = (count + UInt64(rest.count)) * 8
    let padding = (119 - rest.count % 64) % 64
    let length = (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
    last.update([0x80] + [UInt8](repeating: 0, count: padding) + length)
    return "sha256:" + last.state.map { String(format: "%08x", $0) }.joined()
  }

  private static func mix(
    _ state: inout [UInt32], w: inout [UInt32], block: UnsafeBufferPointer<UInt8>
  ) {
    for t in 0..<16 {
      let i = 4 * t
      w[t] =
        UInt32(block[i]) << 24 | UInt32(block[i + 1]) << 16 | UInt32(block[i + 2]) << 8
        | UInt32(block[i + 3])
    }
    for t in 16..<64 {
      let s0 = turn(w[t - 15], bits: 7) ^ turn(w[t - 15], bits: 18) ^ (w[t - 15] >> 3)
      let s1 = turn(w[t - 2], bits: 17) ^ turn(w[t - 2], bits: 19) ^ (w[t - 2] >> 10)
      w[t] = w[t - 16] &+ s0 &+ w[t - 7] &+ s1
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for t in 0..<64 {
      let s1 = turn(e, bits: 6) ^ turn(e, bits: 11) ^ turn(e, bits: 25)
      let first = h &+ s1 &+ ((e & f) ^ (~e & g)) &+ constants[t] &+ w[t]
      let s0 = turn(a, bits: 2) ^ turn(a, bits: 13) ^ turn(a, bits: 22)
      let second = s0 &+ ((a & b) ^ (a & c) ^ (b & c))
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
    }
    for (i, word) in [a, b, c, d, e, f, g, h].enumerated() { state[i] &+= word }
  }

  @inline(__always)
  private static func turn(_ word: UInt32, bits: UInt32) -> UInt32 {
    word >> bits | word << (32 - bits)
  }

  /// The first 32 bits of the fractions of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = primes.map { prime in
    fraction(ofRoot: prime)
  }

  private static let primes: [UInt64] = (2...311).filter { n in !(2..<n).contains { n % $0 == 0 } }.map {
    UInt64($0)
  }

  /// The greatest number whose cube is at most the prime times 2 to the 96th, without its whole part.
  private static func fraction(ofRoot prime: UInt64) -> UInt32 {
    var root: UInt64 = 0
    for bit in (0..<35).reversed() {
      let next = root | 1 << UInt64(bit)
      let square = next.multipliedFullWidth(by: next)
      // The cube in three words of 64 bits.
      let low = square.low.multipliedFullWidth(by: next)
      let high = square.high.multipliedFullWidth(by: next)
      let (middle, carry) = low.high.addingReportingOverflow(high.low)
      let top = high.high + (carry ? 1 : 0)
      let isTooGreat = top > 0 || middle > prime << 32 || (middle == prime << 32 && low.low > 0)
      if !isTooGreat { root = next }
    }
    return UInt32(truncatingIfNeeded: root)
  }
}
