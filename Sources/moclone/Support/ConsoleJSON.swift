import Foundation

extension Console {
  /// Writes a value as one line of JSON.
  ///
  /// - Throws: where the reader has closed it or the disk is full.
  func writeJSON(_ value: some Encodable) throws {
    try writeAll(value.jsonText() + "\n")
  }
}

extension OutputFormat {
  /// Writes a result to standard output in this format.
  func write(_ result: some Encodable, text: @autoclosure () -> String) throws {
    switch self {
    case .text: try Console.output.writeAll(text())
    case .json: try Console.output.writeJSON(result)
    }
  }
}
