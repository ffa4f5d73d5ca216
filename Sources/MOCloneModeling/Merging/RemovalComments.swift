import MOCloneModel

/// A part of a model that an update made a comment.
struct RemovalComment {
  /// The first is the one with the reason.
  var lines: ClosedRange<Int>
  var reason: String
  /// What was commented out.
  let text: String
  /// The same without the comments in it.
  private let bare: String
  /// The entity that it is in; nil where it was an entity itself.
  var entity: String?
  /// The map in flow style below, out of which it was taken; nil where it stands in its place.
  var map: SyntaxNode?
  /// Whether a key of its own, none inside what it has, is that of a relationship.
  let isRelationship: Bool

  init(lines: ClosedRange<Int>, reason: String, body: [String], entity: String?) {
    (self.lines, self.reason, self.entity) = (lines, reason, entity)
    let words = body.map { $0.drop { $0 == " " } }
    text = words.joined(separator: " ")
    bare = words.map(Self.withoutComment).joined(separator: " ")
    isRelationship = Self.ownKeys(bare, of: body).contains("destination")
  }

  /// The key.
  var name: String {
    if let quote = text.first, "\"'".contains(quote) {
      return String(text.dropFirst().prefix { $0 != quote })
    }
    var key = text.prefix { $0 != ":" }
    while key.last == " " { key.removeLast() }
    return String(key)
  }

  /// The entity and the property that it was; several comments can be of one part.
  var names: [String] { [entity, name].compactMap { $0 } }

  /// The same of a part.
  static func names(in path: ModelPath) -> [String] {
    path.components.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
  }

  /// Whether it says how to clone.
  var hasAnnotations: Bool { bare.contains("userInfo") }

  /// What it shares with those that it cannot come back without, such as the other side of a relationship.
  ///
  /// - Parameter entities: those that are comments.
  func links(_ entities: Set<String>) -> [[String]] {
    guard entity == nil || isRelationship else { return [names] }
    let destinations = values(of: "destination")
    let others = (destinations + values(of: "parent")).filter(entities.contains).map { [$0] }
    guard entity != nil, let destination = destinations.first, let inverse = values(of: "inverse").first
    else {
      return [names] + others
    }
    return [names, [destination, inverse]] + others
  }

  /// The words behind a key, wherever it is.
  private func values(of key: String) -> [String] {
    bare.split(separator: key + ":", omittingEmptySubsequences: false).dropFirst().map { rest in
      let word = String(rest.drop { $0 == " " }.prefix { !",} ".contains($0) })
      return word.filter { !"\"'".contains($0) }
    }
  }

  static func withoutComment(_ line: Substring) -> Substring {
    if line.hasPrefix("#") { return "" }
    return line.firstRange(of: " #").map { line[..<$0.lowerBound] } ?? line
  }

  /// The keys of the map that it has.
  private static func ownKeys(_ bare: String, of body: [String]) -> [String] {
    func indent(_ line: String) -> Int { line.prefix { $0 == " " }.count }
    let below = body.dropFirst().filter { line in
      line.drop { $0 == " " }.first.map { $0 != "#" } ?? false
    }
    let isFlow = body.first?.contains("{") ?? false
    guard !isFlow, let first = below.first, first.drop(while: { $0 == " " }).first != "{" else {
      return keysInFlow(bare)
    }
    return below.filter { indent($0) == indent(first) }.map { line in
      let key = String(line.prefix { $0 != ":" })
      return key.filter { !"\"' ".contains($0) }
    }
  }

  private static func keysInFlow(_ text: String) -> [String] {
    var (keys, word, depth): ([String], String, Int) = ([], "", 0)
    var quote: Character?
    for character in text {
      if quote == nil, "\"'".contains(character) {
        quote = character
      } else if quote == character {
        quote = nil
      } else if quote != nil {
        word.append(character)
      } else if "{[,}]".contains(character) {
        depth += "{[".contains(character) ? 1 : "}]".contains(character) ? -1 : 0
        word = ""
      } else if character == ":" {
        if depth == 1 { keys.append(word) }
        word = ""
      } else if character != " " {
        word.append(character)
      }
    }
    return keys
  }

  /// What the source had no more; nil for another reason.
  var lost: LostPart? { LostPart(reason) }
}

/// Finds the comments that an update wrote, by the line with the reason above each.
struct RemovalComments {
  private(set) var all: [RemovalComment] = []
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
  func fixes(restoring comments: [RemovalComment]) -> [Diagnostic.Fix] {
    var editor = editor
    for comment in comments.sorted(by: { $0.lines.lowerBound < $1.lines.lowerBound }) {
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

  /// Those that can come back only together. Of several comments of one part only the last is among them, for what goes
  /// again becomes a comment below the older one.
  var groups: [[RemovalComment]] {
    let last = Dictionary(all.map { ($0.names, $0.lines.lowerBound) }, uniquingKeysWith: { $1 })
    let newest = all.filter { last[$0.names] == $0.lines.lowerBound }
    let entities = Set(newest.filter { $0.entity == nil }.map(\.name))
    var groups: [[RemovalComment]] = []
    var owners: [[String]: Int] = [:]
    for comment in newest {
      let links = comment.links(entities)
      let found = Set(links.compactMap { owners[$0] }).sorted()
      let number = found.first ?? groups.count
      if found.isEmpty { groups.append([]) }
      groups[number].append(comment)
      for link in links { owners[link] = number }
      for other in found.dropFirst() {
        groups[number] += groups[other]
        groups[other] = []
        owners = owners.mapValues { $0 == other ? number : $0 }
      }
    }
    return groups.filter { !$0.isEmpty }
  }

  // MARK: Finding

  private func comment(at line: Int) -> RemovalComment? {
    guard let indent = editor.commentIndent(line), text(line).hasPrefix(FileEditor.mark),
      editor.commentIndent(line + 1) == indent, !text(line + 1).hasPrefix(FileEditor.mark)
    else { return nil }
    var end = line + 1
    var open = braces(end)
    // How far what is below the key is indented at least; nil where the value is on its line.
    var depth: Int? = beginsBlock(end) ? 2 : nil
    var isFirst = true
    while end < editor.lines.count, belongs(end + 1, indent: indent, isOpen: open > 0, depth: depth) {
      end += 1
      if isFirst, depth != nil, !isFiller(end) { (depth, isFirst) = (max(2, self.depth(end)), false) }
      open += braces(end)
    }
    while end > line + 1, isFiller(end) { end -= 1 }
    var comment = RemovalComment(
      lines: line...end, reason: String(text(line).dropFirst(FileEditor.mark.count)),
      body: (line + 1...end).map { String(text($0).dropFirst()) }, entity: entity(at: line, indent))
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
  private func flowMap(below comment: RemovalComment, indent: Int) -> (entity: String?, map: SyntaxNode)? {
    var line = comment.lines.upperBound + 1
    while line <= editor.lines.count, editor.commentIndent(line) != nil { line += 1 }
    guard line <= editor.lines.count, editor.indent(line) == indent else { return nil }
    if let map, editor.isFlow(map), map.range.start.line == line { return (nil, map) }
    guard let entity = entities.last(where: { $0.keyRange.start.line <= line }) else { return nil }
    let isEntity =
      entity.keyRange.start.line == line && comment.lost.map { $0.column == nil } ?? false
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
  private func belongs(_ line: Int, indent: Int, isOpen: Bool, depth: Int?) -> Bool {
    guard let own = editor.commentIndent(line), own <= indent, !text(line).hasPrefix(FileEditor.mark) else {
      return false
    }
    if isOpen || isFiller(line) { return true }
    return own == indent && depth.map { self.depth(line) >= $0 } ?? false
  }

  /// How far what is commented out in a line is indented, with the space that belongs to the sign.
  private func depth(_ line: Int) -> Int { text(line).dropFirst().prefix { $0 == " " }.count }

  /// Whether the value of a key is in the lines below it.
  private func beginsBlock(_ line: Int) -> Bool {
    var words = RemovalComment.withoutComment(text(line).dropFirst(2))
    while words.last == " " { words.removeLast() }
    return [":", "|", ">", "|-", ">-", "|+", ">+"].contains { words.hasSuffix($0) }
  }

  /// An empty line, or a comment, of what was commented out; it ends with neither.
  private func isFiller(_ line: Int) -> Bool {
    let words = text(line).dropFirst().drop { $0 == " " }
    return words.isEmpty || words.hasPrefix("#")
  }

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
