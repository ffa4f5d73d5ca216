import Foundation

/// A folder for databases, removed in the end.
final class Scratch {
  private let folder: URL

  init(in parent: String?) throws {
    let parent = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
    folder = parent.appendingPathComponent("moclone-benchmarks-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  func path(_ name: String) -> String {
    folder.appendingPathComponent(name).path
  }

  /// A fresh copy of a database, in the page cache and on the disk, so that no run pays for the writing of it.
  func copy(of path: String) throws -> String {
    let copy = path + ".copy"
    remove(copy)
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: copy))
    try file.synchronize()
    try file.close()
    return copy
  }

  func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }
}
