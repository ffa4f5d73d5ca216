import MOCloneModel

/// A part of a model that an update made a comment.
struct GoneComment {
  /// The first is the one with the reason.
  var lines: ClosedRange<Int>
  var reason: String
  /// What was commented out.
  var text: String
  /// The entity that it is in; nil where it was an entity itself.
  var entity: String?
  /// The map in flow style below, out of which it was taken; nil where it stands in its place.
  var map: SyntaxNode?

  var isRelationship: Bool { text.contains("destination:") && !text.contains("relationships:") }

  func isNamed(_ name: String) -> Bool { text.hasPrefix(YAMLScalar.text(name) + ":") }

  /// The name in a reason such as `the column 'size'`.
  func quoted(behind start: String) -> String? {
    guard reason.hasPrefix(start + "'"), reason.hasSuffix("'") else { return nil }
    return String(reason.dropFirst(start.count + 1).dropLast())
  }
}

/// Finds the comments that an update wrote, by the line with the reason above each.
struct GoneComments {
  private(set) var all: [GoneComment] = []
  private let editor: FileEditor
  private let map: SyntaxNode?
  private let entities: [SyntaxNode.Entry]

  init(_ file: SourceFile, root: SyntaxNode) {
    editor = FileEditor(file)
    map = root.entries?.first { $0.key == "entities" }?.value
    entities = map?.entries ?? []
    var line = 1
    while line < editor.lines.count {
      if let comment = comment(at: line) {
        all.append(comment)
        line = comment.lines.upperBound
      }
      line += 1
    }
  }

  /// The edits that make parts of comments again.
  func fixes(restoring comments: [GoneComment]) -> [Diagnostic.Fix] {
    var editor = editor
    for comment in comments {
      if let map = comment.map {
        editor.delete(lines: comment.lines)
        editor.add([FileEditor.NewEntry(name: "", lines: [], flow: comment.text)], to: map, .last)
      } else {
        editor.delete(lines: comment.lines.lowerBound...comment.lines.lowerBound)
        for line in comment.lines.dropFirst() { editor.uncomment(line: line) }
      }
    }
    return editor.fixes
  }

  // MARK: Finding

  private func comment(at line: Int) -> GoneComment? {
    guard let indent = editor.commentIndent(line), text(line).hasPrefix(FileEditor.mark),
      editor.commentIndent(line + 1) == indent
    else { return nil }
    var end = line + 1
    var open = braces(end)
    while end < editor.lines.count, belongs(end + 1, indent: indent, isOpen: open > 0) {
      end += 1
      open += braces(end)
    }
    while end > line + 1, isFiller(end) { end -= 1 }
    let words = (line + 1...end).map { number in text(number).dropFirst().drop { $0 == " " } }
    var comment = GoneComment(
      lines: line...end, reason: String(text(line).dropFirst(FileEditor.mark.count)),
      text: words.joined(separator: " "), entity: entity(at: line, indent))
    if let (entity, map) = flowMap(below: comment, indent: indent) {
      (comment.entity, comment.map) = (entity, map)
    }
    return comment
  }

  private func entity(at line: Int, _ indent: Int) -> String? {
    let above = entities.last { $0.keyRange.start.line < line }
    return above.flatMap { indent > $0.keyRange.start.column - 1 ? $0.key : nil }
  }

  /// The map that begins in the first line below that is no comment, where that is indented as the comment is.
  private func flowMap(below comment: GoneComment, indent: Int) -> (entity: String?, map: SyntaxNode)? {
    var line = comment.lines.upperBound + 1
    while line <= editor.lines.count, editor.commentIndent(line) != nil { line += 1 }
    guard line <= editor.lines.count, editor.indent(line) == indent else { return nil }
    if let map, editor.isFlow(map), map.range.start.line == line { return (nil, map) }
    guard let entity = entities.last(where: { $0.keyRange.start.line <= line }) else { return nil }
    let isEntity =
      entity.keyRange.start.line == line && comment.quoted(behind: "the table ") != nil
      && !comment.isRelationship
    let sections = (entity.value.entries ?? []).filter {
      ["attributes", "relationships"].contains($0.key) && $0.value.range.start.line == line
        && editor.isFlow($0.value)
    }
    let section = sections.first {
      sections.count == 1 || ($0.key == "relationships") == comment.isRelationship
    }
    guard !isEntity, let section else { return nil }
    return (entity.key, section.value)
  }

  /// Whether a comment goes on with what the line above began: deeper, or inside its braces.
  private func belongs(_ line: Int, indent: Int, isOpen: Bool) -> Bool {
    guard let own = editor.commentIndent(line), own <= indent, !text(line).hasPrefix(FileEditor.mark) else {
      return false
    }
    return isOpen || own == indent && text(line).hasPrefix("#  ") || isFiller(line)
  }

  /// An empty line, or a comment, of what was commented out; it ends with neither.
  private func isFiller(_ line: Int) -> Bool { text(line) == "#" || text(line).hasPrefix("# #") }

  /// How many braces a line opens and does not close, except those in quotes and in a comment behind it.
  private func braces(_ line: Int) -> Int {
    var depth = 0
    var quote: Character?
    var last: Character = " "
    for character in text(line).dropFirst(2) {
      if quote != nil {
        if character == quote { quote = nil }
      } else if character == "#", last == " " {
        break
      } else if "\"'".contains(character), " {[,:".contains(last) {
        quote = character
      } else {
        depth += "{[".contains(character) ? 1 : "}]".contains(character) ? -1 : 0
      }
      last = character
    }
    return depth
  }

  private func text(_ line: Int) -> String {
    String(decoding: editor.bytes[editor.lines[line - 1]].drop { $0 == 0x20 }, as: UTF8.self)
  }
}
