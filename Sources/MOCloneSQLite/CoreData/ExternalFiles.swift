import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The files beside a Core Data store in which large values are kept.
struct ExternalFiles {
  private let folder: URL

  /// - Parameter path: the path of the store.
  init(of path: String) {
    let store = URL(fileURLWithPath: StoreFile(path).realPath)
    folder = store.deletingLastPathComponent()
      .appendingPathComponent(".\(store.deletingPathExtension().lastPathComponent)_SUPPORT")
      .appendingPathComponent("_EXTERNAL_DATA")
  }

  /// A stored value that names a file.
  static func reference(to name: String) -> Data { Data([ExternalMark.reference] + name.utf8 + [0]) }

  /// Makes the files of another store those of this one, where that has any, until `unlink()`.
  func link(to other: ExternalFiles) throws {
    guard FileManager.default.fileExists(atPath: other.folder.path) else { return }
    try FileManager.default.createSymbolicLink(
      at: folder.deletingLastPathComponent(), withDestinationURL: other.folder.deletingLastPathComponent())
  }

  func unlink() { Foundation.unlink(folder.deletingLastPathComponent().path) }

  /// Copies what lies in the folder of another store and not in this one's.
  ///
  /// - Throws: `CloneError` (`store-failed`) where a file cannot be read or written.
  func bringAll(from other: ExternalFiles) throws {
    let (source, target) = (other.folder.deletingLastPathComponent(), folder.deletingLastPathComponent())
    let files = FileManager.default
    for case let name as String in files.enumerator(atPath: source.path) ?? .init() {
      let (old, new) = (source.appendingPathComponent(name), target.appendingPathComponent(name))
      var isFolder: ObjCBool = false
      guard files.fileExists(atPath: old.path, isDirectory: &isFolder), !isFolder.boolValue,
        !files.fileExists(atPath: new.path)
      else { continue }
      do {
        try files.createDirectory(at: new.deletingLastPathComponent(), withIntermediateDirectories: true)
        try files.copyItem(at: old, to: new)
      } catch {
        throw CloneError(
          .storeFailed, "'\(new.path)' cannot be written: \(error.localizedDescription)", underlying: error)
      }
    }
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name).path) }

  /// - Throws: `CloneError` (`needed-file`) where the file cannot be read.
  func read(_ name: String) throws -> Data {
    do { return try Data(contentsOf: file(name)) } catch { throw missing(name) }
  }

  /// Copies a file under a new name.
  ///
  /// - Parameter source: the folder it lies in.
  func copy(_ name: String, from source: ExternalFiles, to new: String) throws {
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: source.file(name), to: file(new))
    } catch {
      throw source.exists(name)
        ? CloneError(.storeFailed, "'\(file(new).path)' cannot be written: \(error.localizedDescription)")
        : source.missing(name)
    }
  }

  func remove(_ names: [String]) {
    for name in names { try? FileManager.default.removeItem(at: file(name)) }
  }

  private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

  private func missing(_ name: String) -> CloneError {
    CloneError(
      .storeFailed,
      "the store names the file '\(file(name).path)' for a large value, but it cannot be read; keep the store with the "
        + "folder beside it")
  }
}
