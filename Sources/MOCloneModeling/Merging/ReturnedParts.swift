import MOCloneModel
import MOCloneYAML

/// Takes away the comments that parts of a model became when the source had them no more, where it has them again.
struct ReturnedParts {
  private var editor: FileEditor
  private let entities: [SyntaxNode.Entry]
  private let addition: Addition
  private var shape: SourceShape { addition.pairing.shape }

  init(_ file: SourceFile, root: SyntaxNode, addition: Addition) {
    editor = FileEditor(file)
    entities = root.entries?.first { $0.key == "entities" }?.value.entries ?? []
    self.addition = addition
    var line = 1
    while line < editor.lines.count {
      line = removed(line).map { $0 + 1 } ?? line + 1
    }
  }

  var fixes: [Diagnostic.Fix] { editor.fixes }

  /// Removes the comment that begins in a line.
  ///
  /// - Returns: its last line; nil where there is none that has to go.
  private mutating func removed(_ line: Int) -> Int? {
    guard let indent = editor.commentIndent(line), text(line, indent: indent).hasPrefix(FileEditor.mark),
      editor.commentIndent(line + 1) == indent
    else { return nil }
    let reason = String(text(line, indent: indent).dropFirst(FileEditor.mark.count))
    let name = text(line + 1, indent: indent).dropFirst(2).prefix { $0 != ":" }
    guard isBack(String(name), reason: reason, in: entity(at: line, indent)) else { return nil }
    var end = line + 1
    var open = braces(end, indent: indent)
    while end < editor.lines.count, belongs(end + 1, indent: indent, isOpen: open > 0) {
      end += 1
      open += braces(end, indent: indent)
    }
    editor.edits.append((editor.lines[line - 1].lowerBound..<editor.startOfLine(end + 1), ""))
    return end
  }

  /// The entity that a comment is in; nil where it was an entity itself.
  private func entity(at line: Int, _ indent: Int) -> String? {
    let above = entities.last { $0.keyRange.start.line < line }
    return above.flatMap { indent > $0.keyRange.start.column - 1 ? $0.key : nil }
  }

  /// By its name, or as what it was gone with is there again; people give parts names of their own.
  private func isBack(_ name: String, reason: String, in entity: String?) -> Bool {
    guard let entity else {
      return addition.entities.contains { YAMLScalar.text($0.name) == name } || hasTable(reason)
    }
    let names =
      (addition.attributes[entity] ?? []).map(\.name) + (addition.relationships[entity] ?? []).map(\.name)
    return names.contains { YAMLScalar.text($0) == name } || hasTable(reason) || hasColumn(reason, of: entity)
  }

  private func hasTable(_ reason: String) -> Bool {
    quoted(reason, behind: "the table ").map(shape.has) ?? false
  }

  private func hasColumn(_ reason: String, of entity: String) -> Bool {
    guard let column = quoted(reason, behind: "the column "),
      let table = SchemaMapping(addition.pairing.old).entities[entity]?.table, shape.has(table)
    else { return false }
    return shape.missing(of: [column], in: table) == nil
  }

  private func quoted(_ reason: String, behind start: String) -> String? {
    guard reason.hasPrefix(start + "'"), reason.hasSuffix("'") else { return nil }
    return String(reason.dropFirst(start.count + 1).dropLast())
  }

  /// Whether a comment goes on with what the line above began: deeper, or inside its braces.
  private func belongs(_ line: Int, indent: Int, isOpen: Bool) -> Bool {
    guard editor.commentIndent(line) == indent else { return false }
    let text = text(line, indent: indent)
    return text == "#" || text.hasPrefix("#  ") || isOpen
  }

  private func braces(_ line: Int, indent: Int) -> Int {
    text(line, indent: indent).reduce(0) { $0 + ("{[".contains($1) ? 1 : "}]".contains($1) ? -1 : 0) }
  }

  private func text(_ line: Int, indent: Int) -> String {
    String(decoding: editor.bytes[editor.lines[line - 1]].dropFirst(indent), as: UTF8.self)
  }
}
