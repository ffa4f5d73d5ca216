import MOCloneModel

/// The YAML text of a model's form: short forms where they say the same, one line where it fits.
struct YAMLText {
  /// The greatest length of a line with a map in it, in characters.
  static let width = 100

  let draft: ModelDraft
  private let suggestions: [ModelPath: [ModelDraft.Suggestion]]
  private(set) var lines: [String] = []

  init(_ draft: ModelDraft) {
    self.draft = draft
    suggestions = Dictionary(grouping: draft.suggestions, by: \.path)
  }

  var text: String { lines.joined(separator: "\n") + "\n" }

  // MARK: Levels of the file

  mutating func writeModel(_ form: FormNode) {
    lines += draft.comments[.model, default: []].flatMap { comment($0, indent: 0) }
    for (key, value) in form.entries {
      switch key {
      case "entities":
        lines += ["", "entities:" + (value.entries.isEmpty ? " {}" : "")]
        for (name, entity) in value.entries { writeEntity(name, form: entity) }
      case "userInfoKeys", "store": writeBlock(key, form: value)
      default:
        if lines.last?.hasPrefix(" ") == true { lines.append("") }
        write(key, form: value, indent: 0)
      }
    }
  }

  mutating func writeEntity(_ name: String, form: FormNode) {
    lines.append("")
    let path = ModelPath.entity(name)
    writeComments(at: path, indent: 1)
    let entries = form.entries
    append("\(YAMLScalar.text(name)):" + (entries.isEmpty ? " {}" : ""), indent: 1)
    for (key, value) in entries {
      guard key == "attributes" || key == "relationships" else {
        write(key, form: value, indent: 2)
        continue
      }
      append("\(key):", indent: 2)
      for (name, property) in value.entries {
        writeProperty(name, form: property, at: path / key / name, indent: 3)
      }
    }
  }

  mutating func writeProperty(_ name: String, form: FormNode, at path: ModelPath, indent: Int) {
    let form = form.withPlainJoin
    writeComments(at: path, indent: indent)
    if let short = form.shortType {
      append("\(YAMLScalar.text(name)): \(short)", indent: indent)
    } else {
      write(name, form: form, indent: indent)
    }
  }

  // MARK: Values

  private mutating func writeBlock(_ key: String, form: FormNode) {
    lines.append("")
    writeComments(at: .model / key, indent: 0)
    append("\(key):", indent: 0)
    for (key, value) in form.entries { write(key, form: value, indent: 1) }
  }

  /// A key with its value on one line, or each entry of a long map on its own.
  private mutating func write(_ key: String, form: FormNode, indent: Int) {
    let key = YAMLScalar.text(key)
    let line = "\(key): \(form.flow)"
    let isShort = indent * 2 + line.count <= Self.width
    switch form {
    case .map(let entries) where !isShort && !entries.isEmpty:
      append("\(key):", indent: indent)
      for (key, value) in entries { write(key, form: value, indent: indent + 1) }
    case .list(let items) where !isShort && items.contains { !$0.entries.isEmpty }:
      append("\(key):", indent: indent)
      for item in items { write(item: item, indent: indent + 1) }
    default: append(line, indent: indent)
    }
  }

  /// An item on one line, or each entry of a long map on its own.
  private mutating func write(item: FormNode, indent: Int) {
    let line = "- " + item.flow
    guard indent * 2 + line.count > Self.width, !item.entries.isEmpty else {
      return append(line, indent: indent)
    }
    let start = lines.count
    for (key, value) in item.entries { write(key, form: value, indent: indent + 1) }
    let place = lines[start].index(lines[start].startIndex, offsetBy: indent * 2)
    lines[start].replaceSubrange(place..<lines[start].index(place, offsetBy: 2), with: "- ")
  }

  // MARK: Comments

  private mutating func writeComments(at path: ModelPath, indent: Int) {
    for text in draft.comments[path, default: []] { lines += comment(text, indent: indent) }
    for suggestion in suggestions[path, default: []] { lines += comment(suggestion.text, indent: indent) }
  }

  /// The lines of a comment; a name in it cannot end it.
  private func comment(_ text: String, indent: Int) -> [String] {
    let space = String(repeating: "  ", count: indent)
    return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      wrapped(printable(line), width: Self.width - space.count - 2)
        .map { $0.isEmpty ? space + "#" : space + "# " + $0 }
    }
  }

  private func printable(_ line: Substring) -> String {
    var text = String.UnicodeScalarView()
    for scalar in line.unicodeScalars { text.append(YAMLScalar.isPrintable(scalar) ? scalar : " ") }
    return String(text)
  }

  /// A text in lines of a width; its own indentation, as that of an example, keeps it in one.
  private func wrapped(_ text: String, width: Int) -> [String] {
    guard text.count > width, !text.hasPrefix(" ") else { return [text] }
    return text.split(separator: " ").lines(width: width)
  }

  private mutating func append(_ line: String, indent: Int) {
    lines.append(String(repeating: "  ", count: indent) + line)
  }
}

extension FormNode {
  fileprivate var entries: [(key: String, value: FormNode)] {
    if case .map(let entries) = self { entries } else { [] }
  }

  /// `String?` for an attribute that has a type alone.
  fileprivate var shortType: String? {
    let entries = entries
    guard case .string(let type)? = entries.first?.value, entries[0].key == "type" else { return nil }
    if entries.count == 1 { return type }
    return entries.count == 2 && entries[1].key == "optional" ? type + "?" : nil
  }

  /// A relationship whose join table has one column for each end names the columns without lists.
  var withPlainJoin: FormNode {
    guard case .map(let keys) = self else { return self }
    return .map(
      keys.map { key, value in
        guard key == "joinTable", case .map(let parts) = value else { return (key, value) }
        return (key, .map(parts.map { ($0, $1.single) }))
      })
  }

  private var single: FormNode {
    if case .list(let items) = self, items.count == 1 { items[0] } else { self }
  }

  /// The value on one line. A list of one column is the column, as `column: note_id`.
  var flow: String {
    switch self {
    case .string(let text): return YAMLScalar.text(text)
    case .value(let value): return value.yaml
    case .boolean(let boolean): return String(boolean)
    case .integer(let integer): return String(integer)
    case .number(let number): return number.description
    case .list(let items):
      let plain = items.map(\.plainColumn)
      if plain.count == 1, case .map? = items.first, case .string? = plain.first { return plain[0].flow }
      return "[" + plain.map(\.flow).joined(separator: ", ") + "]"
    case .map(let entries):
      return "{" + entries.map { "\(YAMLScalar.text($0.key)): \($0.value.flow)" }.joined(separator: ", ")
        + "}"
    }
  }

  /// The name of a column of which nothing else is said.
  private var plainColumn: FormNode {
    guard case .map(let entries) = self, entries.count == 1, entries[0].key == "column" else { return self }
    return entries[0].value
  }
}

extension AttributeValue {
  fileprivate var yaml: String {
    switch self {
    case .bool, .integer: description
    case .double(let number) where number.isFinite: description
    default: YAMLScalar.text(description)
    }
  }
}

extension ModelDraft.Suggestion {
  /// The edit as it would be written, with its reason.
  fileprivate var text: String {
    switch edit {
    case .annotate(let key, let value):
      "Suggested: userInfo: {\(YAMLScalar.text(key)): \(YAMLScalar.text(value))} (\(reason))"
    case .derive(let derivation): "Suggested: derived: \(derivation.rawValue) (\(reason))"
    }
  }
}

extension ModelDraft {
  /// The text of the model file, with comments and suggestions.
  public var yaml: String {
    var text = YAMLText(self)
    text.writeModel(unvalidated.form)
    return text.text
  }
}
