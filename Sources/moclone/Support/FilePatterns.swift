import Foundation
import MOCloneKit

/// Turns what stands on the command line into files: names, folders and patterns such as `Models/**/*.yml`.
///
/// A shell that expands patterns itself gives the same files; quoted ones work in every shell.
struct FilePatterns {
  /// A folder that holds this many is no folder of models.
  private static let mostEntries = 100_000

  private(set) var files: [String] = []
  /// What names no file.
  private(set) var unmatched: [String] = []
  /// The files that nobody named, but a folder holds.
  private(set) var searched: Set<String> = []
  private var seen: Set<String> = []

  init(_ arguments: [String]) {
    for argument in arguments {
      let found = Self.files(of: argument)
      if found.isEmpty { unmatched.append(argument) }
      if found != [argument], Self.isFolderPath(argument) { searched.formUnion(found) }
      for file in found where seen.insert(Self.identity(file)).inserted { files.append(file) }
    }
  }

  static func identity(_ file: String) -> String {
    file == "-" ? file : URL(fileURLWithPath: file).standardizedFileURL.path
  }

  private static func files(of argument: String) -> [String] {
    var isFolder: ObjCBool = false
    if argument != "-", FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder) {
      return isFolder.boolValue && !XcodeBundle.isNamed(argument) ? models(in: argument) : [argument]
    }
    guard argument.contains(where: "*?[".contains) else { return [argument] }
    let (base, segments) = argument.hasPrefix("/") ? ("/", argument.dropFirst()) : ("", argument[...])
    return expand(base, segments: segments.split(separator: "/").map(String.init)[...]).filter {
      !isFolderPath($0) || XcodeBundle.isNamed($0)
    }
  }

  /// What a pattern of the settings matches: files, folders, or nothing.
  static func matches(of pattern: ProjectSettings.Pattern) -> [String] {
    let isAbsolute = pattern.text.hasPrefix("/")
    let base = isAbsolute ? "/" : pattern.folder.hasSuffix("/") ? pattern.folder : pattern.folder + "/"
    return expand(base, segments: pattern.text.split(separator: "/").map(String.init)[...])
  }

  /// The YAML files and the Xcode models of a folder and of those below it.
  private static func models(in folder: String) -> [String] {
    let base = folder.hasSuffix("/") ? folder : folder + "/"
    let texts = expand(base, segments: ["**", "*.y*ml"]).filter { path in
      (path.hasSuffix(".yml") || path.hasSuffix(".yaml")) && URL(fileURLWithPath: path).isRegularFile
    }
    return (texts + xcodeModels(below: base)).sorted()
  }

  /// A version of an Xcode model is no model of its own.
  private static func xcodeModels(below base: String) -> [String] {
    let bundles =
      expand(base, segments: ["**", "*.xcdatamodel"]) + expand(base, segments: ["**", "*.xcdatamodeld"])
    return bundles.filter { path in
      let folders = (path.dropFirst(base.count) as Substring).split(separator: "/").dropLast()
      return !folders.contains { $0.hasSuffix(".xcdatamodeld") || $0.hasSuffix(".xcdatamodel") }
    }
  }

  /// The paths that begin with a base and go on as the segments say, sorted.
  private static func expand(_ base: String, segments: ArraySlice<String>) -> [String] {
    guard let segment = segments.first else { return [String(base.dropLast(base.hasSuffix("/") ? 1 : 0))] }
    let rest = segments.dropFirst()
    if segment == "**" {
      return ([base] + folders(below: base)).flatMap { expand($0, segments: rest.isEmpty ? ["*"] : rest) }
        .sorted()
    }
    guard segment.contains(where: "*?[".contains) else {
      let path = base + segment
      guard FileManager.default.fileExists(atPath: path) else { return [] }
      return expand(rest.isEmpty ? path : path + "/", segments: rest)
    }
    return names(in: base).filter { fnmatch(segment, $0, FNM_PERIOD) == 0 }.flatMap { name in
      rest.isEmpty
        ? [base + name] : isFolderPath(base + name) ? expand(base + name + "/", segments: rest) : []
    }
  }

  /// All folders below, hidden ones and links left out: a link may lead back up.
  private static func folders(below base: String) -> [String] {
    var found: [String] = []
    var next = [base]
    while let folder = next.popLast(), found.count < mostEntries {
      let below = names(in: folder).filter { !$0.hasPrefix(".") && isFolderPath(folder + $0, follows: false) }
        .map { folder + $0 + "/" }
      found += below
      next += below
    }
    return found
  }

  private static func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []).sorted()
  }

  static func isFolderPath(_ path: String, follows: Bool = true) -> Bool {
    if !follows, (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil { return false }
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }
}
