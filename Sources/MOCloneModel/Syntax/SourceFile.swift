import Foundation

/// The text of a model file and where it came from.
public struct SourceFile: Sendable, Hashable {
  /// The greatest size that is read: no model comes near it.
  public static let maximumSize = 8 << 20

  /// The path as the user gave it; reports begin with it.
  public let path: String
  public let text: String
  /// The lines without their ends, split as YAML splits them.
  public let lines: [Substring]

  public init(path: String, text: String) {
    self.path = path
    self.text = text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
    lines = Self.lines(of: self.text)
  }

  /// Reads a file.
  ///
  /// - Throws: `ModelError` where it cannot be read, is over 8 MB, or is not UTF-8.
  public init(contentsOf url: URL, path: String? = nil) throws(ModelError) {
    let path = path ?? url.relativePath
    let handle: FileHandle
    do { handle = try FileHandle(forReadingFrom: url) } catch {
      throw ModelError(.unreadableFile(path))
    }
    defer { try? handle.close() }
    if let size = try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize, size > Self.maximumSize {
      throw ModelError(.fileTooLarge(path, size: size))
    }
    try self.init(reading: handle, path: path)
  }

  /// Reads standard input, or another stream, to its end.
  ///
  /// - Throws: `ModelError` where it cannot be read, goes on after 8 MB, or is not UTF-8.
  public init(reading handle: FileHandle, path: String = "<stdin>") throws(ModelError) {
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
    guard data.count <= Self.maximumSize else { throw ModelError(.fileTooLarge(path, size: nil)) }
    if data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE]) || data.prefix(4).contains(0) {
      throw ModelError(.otherEncoding(path))
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw ModelError(.notUTF8(path, offset: Self.firstInvalidByte(of: data), in: data))
    }
    self.init(path: path, text: text)
  }

  /// Where the longest prefix ends that is UTF-8.
  private static func firstInvalidByte(of data: Data) -> Int {
    var decoder = UTF8()
    var bytes = data.makeIterator()
    var offset = 0
    while case .scalarValue(let scalar) = decoder.decode(&bytes) {
      offset += UTF8.width(scalar)
    }
    return offset
  }

  private static func lines(of text: String) -> [Substring] {
    var lines: [Substring] = []
    let scalars = text.unicodeScalars
    var start = scalars.startIndex
    var next = start
    while next < scalars.endIndex {
      let end = next
      let scalar = scalars[next]
      scalars.formIndex(after: &next)
      guard lineEnds.contains(scalar) else { continue }
      if scalar == "\r", next < scalars.endIndex, scalars[next] == "\n" { scalars.formIndex(after: &next) }
      lines.append(text[start..<end])
      start = next
    }
    return lines + [text[start...]]
  }

  private static let lineEnds: Set<Unicode.Scalar> = ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"]
}

extension ModelError {
  init(_ diagnostic: Diagnostic) {
    self.init(diagnostics: [diagnostic])
  }
}
