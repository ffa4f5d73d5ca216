/// The colors of pictures. Boxes have a light ground of their own; what lies outside of them reads on white and on black.
enum Palette {
  static let dim = "#57606a"
  static let remark = "#8250df"
  static let outside = "#7d8590"
}

/// How a box looks: by color, by the line around it, and its title says the word as well.
struct BoxStyle {
  /// The line around it, as attributes of a table or a cell.
  var frame: String
  /// The ground of the title.
  var header: String
  /// The text of the title.
  var ink = "#1f2328"
  var text = "#1f2328"

  init(_ treatment: ModelDiagram.Treatment?) {
    switch treatment {
    case .root:
      self.init(border: 4, color: "#1a7f37", header: "#1a7f37")
      ink = "#ffffff"
    case .copied: self.init(border: 2, color: "#1a7f37", header: "#dafbe1")
    case .linked: self.init(border: 2, color: "#0969da", style: "DASHED", header: "#ddf4ff")
    case .leftOut:
      self.init(border: 2, color: "#6e7781", style: "DOTTED", header: "#eaeef2")
      (ink, text) = (Palette.dim, Palette.dim)
    case nil: self.init(border: 2, color: "#57606a", header: "#eaeef2")
    }
  }

  private init(border: Int, color: String, style: String? = nil, header: String) {
    let style = style.map { " STYLE=\"\($0)\"" } ?? ""
    frame = "BORDER=\"\(border)\" COLOR=\"\(color)\"\(style)"
    self.header = header
  }
}

/// How a line looks.
struct LineStyle {
  var color: String
  var style: String?

  init(_ treatment: ModelDiagram.Treatment?) {
    switch treatment {
    case .root, .copied: color = "#2a8f45"
    case .linked: (color, style) = ("#218bff", "dashed")
    case .leftOut: (color, style) = ("#8c959f", "dotted")
    case nil: color = "#7d8590"
    }
  }

  var attributes: [String] {
    ["color=\"\(color)\"", "fontcolor=\"\(color)\""] + (style.map { ["style=\($0)"] } ?? [])
  }
}
