import MOCloneModel

/// A diagram in Mermaid's language for entities and relationships.
struct MermaidText {
  let diagram: ModelDiagram

  var text: String {
    let title = diagram.name.isEmpty ? [] : ["  accTitle: \(Self.escaped(diagram.name))"]
    let lines = ["erDiagram"] + title + diagram.boxes.flatMap(box) + diagram.lines.map(line)
    return (lines + (diagram.isOfClone ? Self.legend : [])).joined(separator: "\n") + "\n"
  }

  // MARK: Boxes

  private func box(_ box: ModelDiagram.Box) -> [String] {
    let style = box.treatment.map { ":::\($0.className)" } ?? ""
    let rows = box.attributes.map(row)
    let title = box.title
    let name = "  \(Self.quoted(box.name))" + (title == box.name ? "" : "[\(Self.quoted(title))]") + style
    return rows.isEmpty ? [name] : [name + " {"] + rows + ["  }"]
  }

  /// The type, the name and a comment; what Mermaid does not allow in a name is in the comment.
  private func row(_ attribute: ModelDiagram.Attribute) -> String {
    let name = Self.word(attribute.name)
    var comment = attribute.remarks
    if attribute.type.hasSuffix("?") { comment.insert("optional", at: 0) }
    if name != attribute.name { comment.insert(attribute.name, at: 0) }
    let type = attribute.type.filter { $0 != " " && $0 != "?" }
    let words =
      [type, name] + (attribute.isUnique ? ["UK"] : [])
      + (comment.isEmpty ? [] : [Self.quoted(comment.joined(separator: ", "))])
    return "    " + words.joined(separator: " ")
  }

  /// A name as a word of Mermaid's.
  private static func word(_ name: String) -> String {
    let letters = name.unicodeScalars.map { scalar -> Character in
      let isLetter = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
      return isLetter || ("0"..."9").contains(scalar) || scalar == "_" ? Character(scalar) : "_"
    }
    let word = String(letters)
    let isFree = word.first.map { $0.isLetter || $0 == "_" } ?? false
    return isFree && !["pk", "fk", "uk"].contains(word.lowercased()) ? word : "_" + word
  }

  // MARK: Lines

  private func line(_ line: ModelDiagram.Line) -> String {
    let (source, target) = (diagram.boxes[line.source].name, diagram.boxes[line.target].name)
    switch line.ends {
    case .inheritance: return Self.line(source, "||..||", target, label: "is a")
    case .relationship(let name, let inverse, let before, let after):
      let middle = line.treatment == nil || line.treatment == .copied || line.treatment == .root ? "--" : ".."
      let left = (before ?? (after == .zeroOrMore || after == .oneOrMore ? .zeroOrOne : .zeroOrMore)).left
      let said = line.treatment.map { " (\($0.rawValue))" } ?? ""
      let label = ([name] + [inverse].compactMap { $0 }).joined(separator: " / ") + said
      return Self.line(source, left + middle + after.right, target, label: label)
    }
  }

  private static func line(_ source: String, _ kind: String, _ target: String, label: String) -> String {
    "  \(quoted(source)) \(kind) \(quoted(target)) : \(quoted(label))"
  }

  // MARK: Legend

  private static let legend: [String] = {
    let names = ModelDiagram.Treatment.allCases.map { ($0, "Legend: \($0.rawValue)") }
    let boxes = names.map { "  \(quoted($1)):::\($0.className)" }
    let lines = [
      line(names[0].1, "||--o{", names[1].1, label: "copied"),
      line(names[1].1, "}o..o{", names[2].1, label: "linked"),
      line(names[0].1, "}o..o|", names[3].1, label: "left out"),
    ]
    return boxes + lines
      + ModelDiagram.Treatment.allCases.map { "  classDef \($0.className) \($0.classStyle)" }
  }()

  // MARK: Text

  private static func quoted(_ text: String) -> String { "\"\(escaped(text.isEmpty ? " " : text))\"" }

  /// With Mermaid's codes for everything that is not a letter or part of a usual name, so that nothing is markup.
  private static func escaped(_ text: String) -> String {
    // Mermaid takes `direction LR` for a statement wherever it is.
    let hasDirection = text.lowercased().contains("direction")
    return text.printable.unicodeScalars.reduce(into: "") { escaped, scalar in
      let isSafe =
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_"
        || scalar == "." || scalar == "-" || scalar == "/" || scalar == "," || scalar == "?"
        || scalar == "(" || scalar == ")" || scalar == ":" || scalar == "×" || scalar == " " && !hasDirection
      if isSafe { escaped.unicodeScalars.append(scalar) } else { escaped += "#\(scalar.value);" }
    }
  }
}

extension ModelDiagram.Box {
  /// The name with what the picture says of the entity as a whole.
  fileprivate var title: String {
    words.isEmpty ? name : "\(name) (\(words.joined(separator: ", ")))"
  }
}

extension ModelDiagram.Treatment {
  fileprivate var className: String { self == .leftOut ? "leftOut" : rawValue }

  fileprivate var classStyle: String {
    let (fill, stroke, width, dashes) =
      switch self {
      case .root: ("#aceebb", "#1a7f37", 4, "")
      case .copied: ("#dafbe1", "#1a7f37", 2, "")
      case .linked: ("#ddf4ff", "#0969da", 2, ",stroke-dasharray:6 4")
      case .leftOut: ("#eaeef2", "#6e7781", 2, ",stroke-dasharray:2 4")
      }
    return "fill:\(fill),stroke:\(stroke),stroke-width:\(width)px,color:#1f2328\(dashes)"
  }
}

extension ModelDiagram.Cardinality {
  fileprivate var left: String {
    switch self {
    case .zeroOrOne: "|o"
    case .one: "||"
    case .zeroOrMore: "}o"
    case .oneOrMore: "}|"
    }
  }

  fileprivate var right: String {
    switch self {
    case .zeroOrOne: "o|"
    case .one: "||"
    case .zeroOrMore: "o{"
    case .oneOrMore: "|{"
    }
  }
}

extension ModelDiagram {
  /// The picture in Mermaid's language, which GitHub shows in Markdown.
  public var mermaid: String { MermaidText(diagram: self).text }
}
