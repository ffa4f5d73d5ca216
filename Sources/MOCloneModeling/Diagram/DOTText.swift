import MOCloneModel

/// A diagram in the language of Graphviz. Ends of lines are crow's feet; every color reads on white and on black.
struct DOTText {
  let diagram: ModelDiagram

  var text: String {
    ([Self.head(diagram.name)] + diagram.boxes.indices.map(box) + diagram.lines.map(line)
      + (diagram.isOfClone ? [Self.legend] : []) + ["}"]).joined(separator: "\n") + "\n"
  }

  private static func head(_ name: String) -> String {
    """
    digraph \(quoted(name)) {
      graph [rankdir=LR, bgcolor=transparent, nodesep=0.4, ranksep=1.2, pad=0.25]
      node [shape=plain, \(font), fontsize=12]
      edge [dir=both, arrowsize=0.9, penwidth=1.5, \(font), fontsize=11]
    """
  }

  private static let font = "fontname=\"Helvetica,Arial,sans-serif\""

  // MARK: Boxes

  /// What a line calls a box: the entity, where its name can be read.
  private func id(_ number: Int) -> String {
    let name = diagram.boxes[number].name
    let isReadable = !name.isEmpty && name.unicodeScalars.allSatisfy(YAMLScalar.isPrintable)
    return isReadable ? Self.quoted(name) : "e\(number)"
  }

  private func box(_ number: Int) -> String {
    let box = diagram.boxes[number]
    let style = BoxStyle(box.treatment)
    let rows =
      box.attributes.map { row($0, style: style) }
      + box.constraints.map { footer("unique: " + $0) }
    return """
        \(id(number)) [label=<<TABLE \(style.frame) BGCOLOR="#ffffff" CELLBORDER="0" CELLSPACING="0" CELLPADDING="4">
          \(([title(box, style: style)] + rows).joined(separator: "\n    "))
        </TABLE>>]
      """
  }

  private func title(_ box: ModelDiagram.Box, style: BoxStyle) -> String {
    let name = "<B>\(Self.escaped(box.name))</B>"
    return """
      <TR><TD COLSPAN="3" ALIGN="LEFT" BGCOLOR="\(style.header)" CELLPADDING="6">\
      \(Self.text(([name] + box.words.map(Self.escaped)).joined(separator: "&nbsp;&nbsp;"), color: style.ink))</TD></TR>
      """
  }

  private func row(_ attribute: ModelDiagram.Attribute, style: BoxStyle) -> String {
    let remarks = (attribute.isUnique ? ["unique"] : []) + attribute.remarks
    let cells = [
      Self.text(Self.escaped(attribute.name), color: style.text),
      Self.text(Self.escaped(attribute.type), color: Palette.dim),
      remarks.isEmpty
        ? "" : Self.text("<I>\(Self.escaped(remarks.joined(separator: ", ")))</I>", color: Palette.remark),
    ]
    return "<TR>" + cells.map { "<TD ALIGN=\"LEFT\">\($0)</TD>" }.joined() + "</TR>"
  }

  private func footer(_ words: String) -> String {
    "<TR><TD COLSPAN=\"3\" ALIGN=\"LEFT\">\(Self.text("<I>\(Self.escaped(words))</I>", color: Palette.remark))</TD></TR>"
  }

  // MARK: Lines

  private func line(_ line: ModelDiagram.Line) -> String {
    let style = LineStyle(line.treatment)
    let ends: [String]
    switch line.ends {
    case .inheritance: ends = ["arrowtail=empty", "arrowhead=none"]
    case .relationship(let name, let inverse, let source, let target):
      let small = inverse.map { "<BR/><FONT POINT-SIZE=\"9\">\(Self.escaped($0))</FONT>" } ?? ""
      // Below the words there is room for the line.
      let room = "<BR/><FONT POINT-SIZE=\"4\"> </FONT>"
      ends = [
        "label=<\(Self.escaped(name))\(small)\(room)>", "arrowtail=\(source?.arrow ?? "none")",
        "arrowhead=\(target.arrow)",
      ]
    }
    return "  \(id(line.source)) -> \(id(line.target)) [\((ends + style.attributes).joined(separator: ", "))]"
  }

  // MARK: Legend

  private static let legend: String = {
    let rows = ModelDiagram.Treatment.allCases.map { treatment in
      let style = BoxStyle(treatment)
      return """
        <TR><TD \(style.frame) BGCOLOR="\(style.header)">\(text(treatment.rawValue, color: style.ink))</TD>\
        <TD ALIGN="LEFT">\(text(treatment.meaning, color: Palette.outside))</TD></TR>
        """
    }
    return """
        legend [fontsize=10, label=<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="6" CELLPADDING="3">
          \(rows.joined(separator: "\n    "))
        </TABLE>>]
      """
  }()

  // MARK: Text

  private static func text(_ text: String, color: String) -> String {
    "<FONT COLOR=\"\(color)\">\(text)</FONT>"
  }

  /// For labels in Graphviz's HTML: what a reader cannot see is replaced, and nothing is markup.
  private static func escaped(_ text: String) -> String {
    text.printable.reduce(into: "") { escaped, character in
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.append(character)
      }
    }
  }

  private static func quoted(_ name: String) -> String {
    "\"" + name.printable.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}

extension ModelDiagram.Treatment {
  fileprivate var meaning: String {
    switch self {
    case .root: "the object that is cloned"
    case .copied: "a new object is made"
    case .linked: "shared with the original"
    case .leftOut: "not reached, or excluded"
    }
  }
}

extension ModelDiagram.Cardinality {
  fileprivate var arrow: String {
    switch self {
    case .zeroOrOne: "teeodot"
    case .one: "teetee"
    case .zeroOrMore: "crowodot"
    case .oneOrMore: "crowtee"
    }
  }
}

extension ModelDiagram {
  /// The picture as Graphviz reads it.
  public var dot: String { DOTText(diagram: self).text }
}
