import Foundation
import MOCloneEngine
import MOCloneModel

/// Where the files of an Xcode model are: on disk, or in a commit of git.
package protocol XcodeFiles {
  /// The names in a folder, sorted; nil where there is no such folder.
  func names(in folder: String) throws -> [String]?
  /// The bytes of a file.
  func data(_ path: String) throws -> Data
  /// What reports call a file.
  func label(_ path: String) -> String
}

package struct DiskFiles: XcodeFiles {
  package init() {}

  package func names(in folder: String) -> [String]? {
    try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  package func data(_ path: String) throws -> Data {
    let handle: FileHandle
    do { handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path)) } catch {
      throw ModelError(.unreadableFile(path))
    }
    defer { try? handle.close() }
    var data = Data()
    // A pipe gives a part at a time; what is too large is refused as such.
    while data.count <= SourceFile.maximumSize, let part = try handle.read(upToCount: 1 << 20), !part.isEmpty
    {
      data += part
    }
    return data
  }

  package func label(_ path: String) -> String { path }
}

/// An Xcode model on disk: which of its files holds the model, and what it is called.
///
/// An `.xcdatamodeld` has a version or several, of which `.xccurrentversion` names the current one; each version is an
/// `.xcdatamodel`, a folder with one file, `contents`.
package struct XcodeBundle {
  /// The file of the XML.
  package let contents: String
  /// The name of the model: of the bundle, or of the file.
  package let name: String
  private let files: any XcodeFiles

  /// Whether a path looks like an Xcode model, so that it is not taken for another kind of file.
  package static func isNamed(_ path: String) -> Bool {
    let names = path.split(separator: "/")
    guard let last = names.last else { return false }
    let isContents = last == "contents" && names.dropLast().last?.hasSuffix(".xcdatamodel") == true
    return isContents || kinds.contains { last.hasSuffix($0) }
  }

  /// Whether a file begins as the XML of an Xcode model may.
  package static func isXML(_ start: Data) -> Bool {
    let text = String(
      decoding: start.starts(with: [0xEF, 0xBB, 0xBF]) ? start.dropFirst(3) : start, as: UTF8.self)
    return text.first { !$0.isWhitespace } == "<"
  }

  private static let kinds = [".xcdatamodeld", ".xcdatamodel", ".momd", ".mom", ".omo"]

  /// - Parameter version: of an `.xcdatamodeld`; nil for its current one.
  /// - Throws: `CloneError` (`unsupported-model-source`) where there is no such version, or the format is another one.
  package init(_ path: String, version: String? = nil, files: any XcodeFiles = DiskFiles()) throws {
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    self.files = files
    let stem = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
    switch (path as NSString).pathExtension {
    case "mom", "momd", "omo": throw Self.compiled(path)
    case "xcdatamodeld":
      contents = try Self.contents(
        of: path + "/" + Self.version(version, of: path, files: files) + ".xcdatamodel", files)
      name = stem
      return
    case "xcdatamodel":
      contents = try Self.contents(of: path, files)
      name = stem
    default:
      contents = path
      // Foundation ends the program where it is asked for the folder of `.`.
      let folder = stem == "contents" ? URL(fileURLWithPath: path).deletingLastPathComponent() : nil
      let isInBundle = folder?.pathExtension == "xcdatamodel"
      name = isInBundle ? folder!.deletingPathExtension().lastPathComponent : stem
    }
    if let version {
      throw CloneError(
        .unsupportedModelSource,
        "'\(path)' has no versions, so there is no version '\(version)'", help: "leave out --version")
    }
  }

  /// The last names of the path, for people: `Notes.xcdatamodeld/Notes 2.xcdatamodel`.
  var title: String {
    let names = (contents as NSString).pathComponents
    let bundle = names.filter { $0.hasSuffix(".xcdatamodeld") || $0.hasSuffix(".xcdatamodel") }
    return bundle.isEmpty ? names.last ?? contents : bundle.joined(separator: "/")
  }

  /// The text of the XML.
  ///
  /// - Throws: `CloneError` (`unsupported-model-source`) where it is a compiled model, `ModelError` where it is no text.
  package func source() throws -> SourceFile {
    let data = try files.data(contents)
    guard !data.starts(with: Data("bplist".utf8)) else { throw Self.compiled(contents) }
    return try SourceFile(path: files.label(contents), data: data)
  }

  // MARK: Versions

  private static func version(_ asked: String?, of path: String, files: any XcodeFiles) throws -> String {
    guard let names = try files.names(in: path) else { throw ModelError(.unreadableFile(files.label(path))) }
    let versions = names.filter { $0.hasSuffix(".xcdatamodel") }.map {
      ($0 as NSString).deletingPathExtension
    }
    // A name may be composed of other characters than the folder's, which is read by its own.
    func folder(_ version: String) -> String? { versions.first { $0 == version } }
    let known = versions.map { "'\($0)'" }.joined(separator: ", ")
    if let asked {
      let name = asked.hasSuffix(".xcdatamodel") ? (asked as NSString).deletingPathExtension : asked
      if let version = folder(name) { return version }
      throw CloneError(
        .unsupportedModelSource, "'\(path)' has no version '\(asked)'", help: "its versions are \(known)")
    }
    let list = ".xccurrentversion"
    let current = try names.contains(list) ? current(files.data(path + "/" + list)) : nil
    if let version = current.flatMap(folder) { return version }
    // A model that never had a second version may not name its only one.
    if current == nil, versions.count == 1 { return versions[0] }
    guard !versions.isEmpty else {
      throw CloneError(
        .unsupportedModelSource, "'\(path)' holds no .xcdatamodel, so there is no model to read")
    }
    let reason =
      current.map { "names '\($0)' as its current version, which does not exist" }
      ?? "does not say which version is the current one"
    throw CloneError(
      .unsupportedModelSource, "'\(path)' \(reason)",
      help: "name a version by its path: "
        + versions.map { "'\(path)/\($0).xcdatamodel'" }.alternatives)
  }

  private static func current(_ data: Data) -> String? {
    let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
    return (list?["_XCCurrentVersionName"] as? String).map { ($0 as NSString).deletingPathExtension }
  }

  private static func contents(of folder: String, _ files: any XcodeFiles) throws -> String {
    // A file of this name is the XML itself.
    guard let names = try files.names(in: folder) else { return folder }
    if names.contains("contents") { return folder + "/contents" }
    guard names.contains("elements") else {
      throw CloneError(
        .unsupportedModelSource, "'\(folder)' holds no file 'contents', so there is no model to read")
    }
    throw CloneError(
      .unsupportedModelSource,
      "'\(folder)' is in the binary format of Xcode 3 (its file 'elements'), which cannot be read",
      help: "open it in Xcode and set its Minimum Tools Version to Xcode 4 or later, which saves it as XML")
  }

  private static func compiled(_ path: String) -> CloneError {
    CloneError(
      .unsupportedModelSource,
      "'\(path)' is a compiled model, which cannot be read",
      help: "use the .xcdatamodeld that it was compiled from, or a store that an app made with it")
  }
}
