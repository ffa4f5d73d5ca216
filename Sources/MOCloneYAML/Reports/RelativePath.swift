import Foundation
import MOCloneModel

/// A file's path as seen from a folder, with slashes on every platform.
package struct RelativePath {
  package let text: String
  /// Whether the file is in the folder or below.
  package let isInside: Bool
  /// Nil for standard input.
  let absolute: String?

  package init(of path: String, from folder: String) {
    guard path != SourceFile.standardInput else {
      (text, isInside, absolute) = (path, false, nil)
      return
    }
    let file = URL(fileURLWithPath: path).standardizedFileURL.pathComponents
    let base = URL(fileURLWithPath: folder, isDirectory: true).standardizedFileURL.pathComponents
    let common = zip(file, base).prefix { $0 == $1 }.count
    isInside = common == base.count
    let steps = Array(repeating: "..", count: base.count - common) + file.dropFirst(common)
    text = steps.joined(separator: "/")
    absolute = "/" + file.dropFirst().joined(separator: "/")
  }

  /// The path in reports: relative where the file is in the folder, else as it was given.
  package static func shown(_ path: String, from folder: String) -> String {
    let relative = RelativePath(of: path, from: folder)
    return relative.isInside ? relative.text : path
  }
}
