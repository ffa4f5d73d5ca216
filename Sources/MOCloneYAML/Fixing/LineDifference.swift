import MOCloneModel

/// The difference of two strings that have the same number of lines.
struct LineDifference {
  private static let context = 3
  private let old: [ArraySlice<UInt8>]
  private let new: [ArraySlice<UInt8>]

  init(old: [UInt8], new: [UInt8]) {
    self.old = Self.lines(old)
    self.new = Self.lines(new)
  }

  /// Each with its line feed; only these end a line for `patch`.
  private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    for i in bytes.indices where bytes[i] == 0x0A {
      lines.append(bytes[start...i])
      start = i + 1
    }
    if start < bytes.count { lines.append(bytes[start...]) }
    return lines
  }

  func unified(path: String) -> String {
    let changed = old.indices.filter { old[$0] != new[$0] }
    guard !changed.isEmpty else { return "" }
    // A tab ends a name that has blanks.
    let name = path + (path.contains(" ") ? "\t" : "")
    return "--- \(name)\n+++ \(name)\n" + hunks(changed).map(hunk).joined()
  }

  /// The lines of each hunk; those whose contexts meet are one.
  private func hunks(_ changed: [Int]) -> [Range<Int>] {
    var hunks: [Range<Int>] = []
    for line in changed {
      let around = max(0, line - Self.context)..<min(old.count, line + Self.context + 1)
      if let last = hunks.last, last.upperBound >= around.lowerBound {
        hunks[hunks.count - 1] = last.lowerBound..<around.upperBound
      } else {
        hunks.append(around)
      }
    }
    return hunks
  }

  private func hunk(_ lines: Range<Int>) -> String {
    var text = "@@ -\(lines.lowerBound + 1),\(lines.count) +\(lines.lowerBound + 1),\(lines.count) @@\n"
    var pending: [Int] = []
    for i in lines {
      if old[i] != new[i] {
        pending.append(i)
        continue
      }
      text += changes(pending) + line(" ", bytes: old[i])
      pending = []
    }
    return text + changes(pending)
  }

  private func changes(_ changed: [Int]) -> String {
    changed.map { line("-", bytes: old[$0]) }.joined() + changed.map { line("+", bytes: new[$0]) }.joined()
  }

  private func line(_ mark: String, bytes: ArraySlice<UInt8>) -> String {
    let text = mark + String(decoding: bytes, as: UTF8.self)
    return bytes.last == 0x0A ? text : text + "\n\\ No newline at end of file\n"
  }
}
