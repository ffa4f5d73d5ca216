import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The files beside a Core Data store in which large values are kept.
struct ExternalFiles: Equatable {
  private let folder: URL
  /// The folder around it, in which Core Data keeps nothing else.
  private var support: URL { folder.deletingLastPathComponent() }

  /// - Parameter path: the path of the store.
  init(of path: String) {
    let store = URL(fileURLWithPath: StoreFile(path).realPath)
    folder = store.deletingLastPathComponent()
      .appendingPathComponent(".\(store.deletingPathExtension().lastPathComponent)_SUPPORT")
      .appendingPathComponent("_EXTERNAL_DATA")
  }

  /// A stored value that names a file.
  static func reference(to name: String) -> Data { Data([ExternalMark.reference] + name.utf8 + [0]) }

  /// Makes the files of another store those of this one, until `unlink()`.
  func link(to other: ExternalFiles) throws {
    try FileManager.default.createSymbolicLink(at: support, withDestinationURL: other.support)
  }

  func unlink() { Foundation.unlink(support.path) }

  /// Copies what lies in the folder of another store and not in this one's.
  ///
  /// - Throws: `CloneError` (`store-failed`) where a file cannot be read or written; `CancellationError`; none has come
  ///   then.
  func copyAll(from other: ExternalFiles) throws {
    _ = try copyAll(from: other) {
      try Cancellation.check()
      try FileManager.default.copyItem(at: $0, to: $1)
    }
  }

  /// Moves what lies in the folder of another store and not in this one's.
  ///
  /// - Returns: what takes it away again.
  /// - Throws: `CloneError` (`store-failed`) where a file cannot be moved; none has come then.
  func takeAll(from other: ExternalFiles) throws -> () -> Void {
    let taken = try copyAll(from: other) { try FileManager.default.moveItem(at: $0, to: $1) }
    return { remove(taken) }
  }

  private func copyAll(from other: ExternalFiles, by transfer: (URL, URL) throws -> Void) throws -> [URL] {
    let (source, target) = (other.support, support)
    let files = FileManager.default
    var copied: [URL] = []
    // What is moved while the folder is read could be met again.
    for name in (files.enumerator(atPath: source.path)?.allObjects ?? []).compactMap({ $0 as? String }) {
      let (old, new) = (source.appendingPathComponent(name), target.appendingPathComponent(name))
      var isFolder: ObjCBool = false
      guard files.fileExists(atPath: old.path, isDirectory: &isFolder), !isFolder.boolValue,
        !files.fileExists(atPath: new.path)
      else { continue }
      do {
        try files.createDirectory(at: new.deletingLastPathComponent(), withIntermediateDirectories: true)
        try transfer(old, new)
        copied.append(new)
      } catch {
        remove(copied)
        if error is CancellationError { throw error }
        throw CloneError(
          .storeFailed, "'\(new.path)' cannot be written: \(error.localizedDescription)", underlying: error)
      }
    }
    return copied
  }

  /// Removes files, and the folders where nothing else lies in them.
  private func remove(_ files: [URL]) {
    for file in files { Foundation.unlink(file.path) }
    for folder in [folder, support] { rmdir(folder.path) }
  }

  /// Removes the files of a store that nobody has seen.
  func removeAll() { try? FileManager.default.removeItem(at: support) }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name).path) }

  /// Whether a file holds the same bytes as that of its name beside another store.
  func hasEqual(_ name: String, in other: ExternalFiles) -> Bool {
    FileManager.default.contentsEqual(atPath: file(name).path, andPath: other.file(name).path)
  }

  /// - Throws: `CloneError` (`needed-file`) where the file cannot be read.
  func read(_ name: String) throws -> Data {
    do { return try Data(contentsOf: file(name)) } catch { throw missing(name) }
  }

  /// Copies a file under a new name.
  ///
  /// - Parameter source: the folder it lies in.
  func copy(_ name: String, from source: ExternalFiles, to new: String) throws {
    guard source.exists(name) else { throw source.missing(name) }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: source.file(name), to: file(new))
    } catch {
      throw CloneError(
        .storeFailed, "'\(file(new).path)' cannot be written: \(error.localizedDescription)")
    }
  }

  func remove(_ names: [String]) { remove(names.map(file)) }

  /// Removes the files whose bytes a file beside another store holds, whatever its name.
  func removeCopied(to other: ExternalFiles) {
    let files = FileManager.default
    // What a link leads to may be another store's as well.
    let isOwn = [support, folder].allSatisfy {
      (try? files.destinationOfSymbolicLink(atPath: $0.path)) == nil
    }
    guard isOwn, FileIdentity(folder.path) != FileIdentity(other.folder.path) else { return }
    let copies = Dictionary(grouping: other.all, by: Self.size)
    remove(
      all.filter { file in
        copies[Self.size(file), default: []].contains {
          files.contentsEqual(atPath: $0.path, andPath: file.path)
        }
      })
  }

  private var all: [URL] {
    (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
  }

  private static func size(_ file: URL) -> Int? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    return (attributes?[.size] as? NSNumber)?.intValue
  }

  private func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

  private func missing(_ name: String) -> CloneError {
    // A subtree on its way has the files of the store that it comes from.
    let linked = try? FileManager.default.destinationOfSymbolicLink(atPath: support.path)
    let path = linked.map { "\($0)/\(folder.lastPathComponent)/\(name)" } ?? file(name).path
    return CloneError(
      .storeFailed, "the store names the file '\(path)' for a large value, but it cannot be read",
      help: "keep the store with the folder beside it")
  }
}
