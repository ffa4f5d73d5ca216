import Foundation

/// The text of a model file and where it came from.
public struct SourceFile: Sendable, Hashable {
  /// The greatest size that is read: no model comes near it.
  public static let maximumSize = 8 << 20

  /// What standard input is called in reports.
  public static let standardInput = "<stdin>"

  /// The path as the user gave it; reports begin with it.
  public let path: String
  /// The content of the file, without a byte order mark.
  public private(set) var text: String
  /// Whether the file begins with a byte order mark, which `text` is without.
  public let hasByteOrderMark: Bool

  /// Creates a file from a string of any size; nothing is read.
  public init(path: String, text: String) {
    var text = text
    let hasMark = text.unicodeScalars.first == "\u{FEFF}"
    if hasMark { text.unicodeScalars.removeFirst() }
    self.init(path: path, text: text, hasByteOrderMark: hasMark)
  }

  private init(path: String, text: String, hasByteOrderMark: Bool) {
    self.path = path
    self.hasByteOrderMark = hasByteOrderMark
    self.text = text
    self.text.makeContiguousUTF8()
  }

  /// Reads a file.
  ///
  /// - Throws: `ModelError` where it cannot be read, is over 8 MB, or is not UTF-8.
  public init(contentsOf url: URL, path: String? = nil) throws(ModelError) {
    guard url.isFileURL else { throw ModelError(.remote(url.absoluteString)) }
    let path = path ?? url.relativePath
    let handle: FileHandle
    do { handle = try FileHandle(forReadingFrom: url) } catch {
      throw ModelError(.unreadableFile(path))
    }
    defer { try? handle.close() }
    if let size = try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize, size > Self.maximumSize {
      throw Self.tooLarge(path)
    }
    try self.init(reading: handle, path: path)
  }

  /// Reads standard input, or another stream, to its end.
  ///
  /// - Throws: `ModelError` where it cannot be read, goes on after 8 MB, or is not UTF-8.
  public init(reading handle: FileHandle, path: String = standardInput) throws(ModelError) {
    var data = Data()
    do {
      while let part = try handle.read(upToCount: 1 << 16), !part.isEmpty {
        data += part
        if data.count > Self.maximumSize { break }
      }
    } catch {
      throw ModelError(.unreadableFile(path))
    }
    try self.init(path: path, data: data)
  }

  /// Decodes the bytes of a file.
  ///
  /// - Throws: `ModelError` where they are over 8 MB, or not UTF-8.
  public init(path: String, data: Data) throws(ModelError) {
    if data.starts(with: Data("SQLite format 3\0".utf8)) { throw ModelError(.database(path)) }
    guard data.count <= Self.maximumSize else { throw Self.tooLarge(path) }
    if data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE]) || data.prefix(4).contains(0) {
      throw ModelError(.otherEncoding(path))
    }
    // Decoding drops the mark on some platforms and keeps it on others.
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let hasMark = data.starts(with: mark)
    guard let text = String(data: hasMark ? data.dropFirst(mark.count) : data, encoding: .utf8) else {
      throw ModelError(.notUTF8(path, offset: Self.firstInvalidByte(of: data), in: data))
    }
    self.init(path: path, text: text, hasByteOrderMark: hasMark)
  }

  /// The source names the file, since nothing of it is read.
  private static func tooLarge(_ path: String) -> ModelError {
    ModelError(diagnostics: [.fileTooLarge], source: SourceFile(path: path, text: ""))
  }

  /// Where the longest prefix ends that is UTF-8.
  private static func firstInvalidByte(of data: Data) -> Int {
    data.withUnsafeBytes { bytes in
      var decoder = UTF8()
      var iterator = bytes.makeIterator()
      var offset = 0
      while case .scalarValue(let scalar) = decoder.decode(&iterator) { offset += UTF8.width(scalar) }
      return offset
    }
  }
}

// MARK: - Lines

extension SourceFile {
  /// The longest line that reports show, in bytes; no person reads more.
  private static let longestLine = 1600

  /// Some lines by their numbers, without their ends, split as YAML splits them; one pass over the text.
  ///
  /// Few lines are ever shown, so none is kept: a file of empty lines has eight million.
  func lines(numbered numbers: [Int]) -> [Int: String] {
    var lines: [Int: String] = [:]
    forEachLine(numbered: numbers) { number, line, bytes in
      guard line.count <= Self.longestLine else { return }
      lines[number] = String(decoding: bytes[line], as: UTF8.self)
    }
    return lines
  }

  /// Calls a function with some lines' numbers and places in the text.
  package func forEachLine(
    numbered numbers: [Int], _ body: (Int, Range<Int>, UnsafeBufferPointer<UInt8>) -> Void
  ) {
    var wanted = Set(numbers).sorted(by: >)
    var text = text
    text.withUTF8 { bytes in
      var (line, start) = (1, 0)
      while let number = wanted.last, start <= bytes.count {
        let end = Self.endOfLine(from: start, in: bytes)
        if line == number {
          body(line, start..<end, bytes)
          wanted.removeLast()
        } else if number < line {
          wanted.removeLast()
          continue
        }
        start = end + max(1, Self.lineEndLength(at: end, in: bytes))
        line += 1
      }
    }
  }

  /// Calls with each line that a person could read, its number first.
  package func forEachLine(_ body: (Int, Substring) -> Void) {
    var (line, start) = (1, text.utf8.startIndex)
    let count = text.utf8.count
    text.utf8.withContiguousStorageIfAvailable { bytes in
      var offset = 0
      while offset <= count {
        let end = Self.endOfLine(from: offset, in: bytes)
        let next = text.utf8.index(start, offsetBy: end - offset)
        if end - offset <= Self.longestLine { body(line, text[start..<next]) }
        let skipped = max(1, Self.lineEndLength(at: end, in: bytes))
        guard end + skipped <= count else { return }
        start = text.utf8.index(next, offsetBy: skipped)
        offset = end + skipped
        line += 1
      }
    }
  }

  private static func endOfLine(from start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var end = start
    while end < bytes.count, lineEndLength(at: end, in: bytes) == 0 { end += 1 }
    return end
  }

  /// The bytes of the line end that is here: LF, CR, CR LF, NEL, LS or PS.
  @inline(__always)
  package static func lineEndLength(at i: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard i < bytes.count else { return 0 }
    func byte(_ offset: Int) -> UInt8 { i + offset < bytes.count ? bytes[i + offset] : 0 }
    switch bytes[i] {
    case 0x0A: return 1
    case 0x0D: return byte(1) == 0x0A ? 2 : 1
    case 0xC2: return byte(1) == 0x85 ? 2 : 0
    case 0xE2: return byte(1) == 0x80 && (byte(2) == 0xA8 || byte(2) == 0xA9) ? 3 : 0
    default: return 0
    }
  }
}

extension ModelError {
  package init(_ diagnostic: Diagnostic) {
    self.init(diagnostics: [diagnostic])
  }
}
