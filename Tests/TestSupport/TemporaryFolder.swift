import Foundation

/// A folder of a test's own, removed with its last user.
package final class TemporaryFolder: Sendable {
  package let url: URL
  package var path: String { url.path }

  package init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("moclone-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    // A connection that another thread closes takes its journal away meanwhile, which is an error to the remover.
    for _ in 0..<100 {
      try? FileManager.default.removeItem(at: url)
      guard FileManager.default.fileExists(atPath: path) else { return }
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  /// The place of a file in it.
  package func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// Writes a file, and makes the folders that lead to it.
  @discardableResult
  package func write(_ data: some Sequence<UInt8>, to name: String) throws -> URL {
    let file = file(name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(data).write(to: file)
    return file
  }
}
