import MOCloneModel

extension SourceFile {
  /// Whether the file is the XML of an Xcode model; no model file in YAML or JSON begins so.
  package var isXML: Bool { text.unicodeScalars.first { !$0.properties.isWhitespace } == "<" }

  /// The findings about misspelt keys with the edits that fix them.
  package func addingFixes(to diagnostics: [Diagnostic]) -> [Diagnostic] {
    var byLine: [Int: [Int]] = [:]
    for (i, diagnostic) in diagnostics.enumerated() where diagnostic.renaming != nil {
      if let line = diagnostic.range?.start.line { byLine[line, default: []].append(i) }
    }
    var diagnostics = diagnostics
    forEachLine(numbered: Array(byLine.keys)) { number, line, bytes in
      let ranges = byLine[number]!.compactMap { diagnostics[$0].range }
      let offsets = Self.offsets(
        ofColumns: ranges.flatMap { [$0.start.column, $0.end.column] }, line, bytes: bytes)
      for i in byLine[number]! {
        diagnostics[i].fix = Self.fix(diagnostics[i], offsets: offsets, bytes: bytes)
      }
    }
    return diagnostics
  }

  /// Nil where something else stands there than the bare or quoted key, such as one with escapes or an anchor.
  private static func fix(
    _ diagnostic: Diagnostic, offsets: [Int: Int], bytes: UnsafeBufferPointer<UInt8>
  ) -> Diagnostic.Fix? {
    guard let renaming = diagnostic.renaming, let range = diagnostic.range,
      range.start.line == range.end.line, renaming.meant.isSafeKey,
      let start = offsets[range.start.column], let end = offsets[range.end.column], start < end
    else { return nil }
    let isQuoted = bytes[start] == UInt8(ascii: "\"") || bytes[start] == UInt8(ascii: "'")
    let name = isQuoted && end - start >= 2 ? start + 1..<end - 1 : start..<end
    guard bytes[name].elementsEqual(renaming.written.utf8) else { return nil }
    return Diagnostic.Fix(bytes: name, replacement: renaming.meant)
  }

  /// Where code points of a line begin, which count from 1; one pass, for a whole file may be one line.
  private static func offsets(
    ofColumns columns: [Int], _ line: Range<Int>, bytes: UnsafeBufferPointer<UInt8>
  ) -> [Int: Int] {
    let wanted = Set(columns)
    var offsets: [Int: Int] = [:]
    var column = 0
    for i in line where bytes[i] & 0xC0 != 0x80 {
      column += 1
      if wanted.contains(column) { offsets[column] = i }
    }
    if wanted.contains(column + 1) { offsets[column + 1] = line.upperBound }
    return offsets
  }
}

extension String {
  /// Whether the text can stand as a key wherever another stood, with quotes and without.
  fileprivate var isSafeKey: Bool {
    wholeMatch(of: /[A-Za-z][A-Za-z0-9_]*/) != nil
  }
}
