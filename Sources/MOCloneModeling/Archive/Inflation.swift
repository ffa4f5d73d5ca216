import CZlib
import Foundation

/// Raw DEFLATE, as Core Data compresses what a store keeps of its model.
enum Inflation {
  /// No model comes near it: those of large apps are a megabyte.
  static let greatestSize = 64 << 20
  private static let block = 1 << 16

  /// The decompressed bytes.
  ///
  /// - Throws: `ArchiveFault` where the data are broken or end too early, or go on after 64 MB.
  static func inflate(_ data: Data) throws(ArchiveFault) -> Data {
    var stream = z_stream()
    // A negative window means that there is neither a header nor a checksum.
    guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw ArchiveFault("zlib has not enough memory")
    }
    defer { inflateEnd(&stream) }
    var input = [UInt8](data)
    var output = Data()
    var buffer = [UInt8](repeating: 0, count: block)
    let inputCount = input.count
    let fault: ArchiveFault? = input.withUnsafeMutableBufferPointer { bytes in
      stream.next_in = bytes.baseAddress
      stream.avail_in = UInt32(inputCount)
      while true {
        let (status, count) = next(&stream, buffer: &buffer)
        output.append(contentsOf: buffer[..<count])
        if status == Z_STREAM_END { return nil }
        if output.count > greatestSize {
          return ArchiveFault("it is larger than the limit of \(greatestSize >> 20) MB")
        }
        guard status == Z_OK, count > 0 else { return ArchiveFault("its compression is broken") }
      }
    }
    if let fault { throw fault }
    return output
  }

  private static func next(_ stream: inout z_stream, buffer: inout [UInt8]) -> (status: Int32, count: Int) {
    buffer.withUnsafeMutableBufferPointer { bytes in
      stream.next_out = bytes.baseAddress
      stream.avail_out = UInt32(bytes.count)
      let status = CZlib.inflate(&stream, Z_NO_FLUSH)
      return (status, bytes.count - Int(stream.avail_out))
    }
  }
}

/// What is wrong with the archive of a model, to be put behind `because `.
struct ArchiveFault: Error, Equatable {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}
