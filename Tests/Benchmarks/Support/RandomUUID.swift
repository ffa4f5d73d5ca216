import GRDBSQLite

/// `random_uuid()` for the rivals: a UUID of version 4 as upper case text, without Foundation and without a system call.
enum RandomUUID {
  static func register(in connection: Connection) throws {
    let status = sqlite3_create_function_v2(
      connection.handle, "random_uuid", 0, SQLITE_UTF8, nil, { context, _, _ in RandomUUID.give(context) },
      nil, nil, nil)
    guard status == SQLITE_OK else { throw connection.failure("random_uuid") }
  }

  private static let digits: [UInt8] = Array("0123456789ABCDEF".utf8)
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  private static func give(_ context: OpaquePointer?) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16 + 36) { memory in
      sqlite3_randomness(16, memory.baseAddress)
      memory[6] = memory[6] & 0x0F | 0x40
      memory[8] = memory[8] & 0x3F | 0x80
      digits.withUnsafeBufferPointer { digits in
        var place = 16
        for i in 0..<16 {
          if i == 4 || i == 6 || i == 8 || i == 10 {
            memory[place] = UInt8(ascii: "-")
            place += 1
          }
          memory[place] = digits[Int(memory[i] >> 4)]
          memory[place + 1] = digits[Int(memory[i] & 15)]
          place += 2
        }
      }
      let text = UnsafeRawPointer(memory.baseAddress! + 16).assumingMemoryBound(to: CChar.self)
      sqlite3_result_text(context, text, 36, transient)
    }
  }
}
