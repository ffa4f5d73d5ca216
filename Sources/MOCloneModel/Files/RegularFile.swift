import Foundation

extension stat {
  /// Whether it is of a file that can be read to its end: no folder, no pipe, no device.
  package var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
}

extension URL {
  /// Whether the path leads to a file that can be read to its end.
  package var isRegularFile: Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.isRegularFile
  }
}
