import MOCloneModel
import MOCloneYAML

/// The text of elements as Xcode writes them: four spaces a level, attributes on one line.
struct XcodeXMLText {
  /// Whether a character was replaced that XML cannot hold.
  private(set) var hasReplacements = false
  private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"

  init(_ root: XcodeElement) {
    write(root, indent: "")
  }

  private mutating func write(_ element: XcodeElement, indent: String) {
    let attributes = element.attributes.map { " \($0.name)=\"\($0.value.escapedForXML)\"" }.joined()
    if element.attributes.contains(where: { $0.value.unicodeScalars.contains(where: \.isUnknownToXML) }) {
      hasReplacements = true
    }
    guard !element.children.isEmpty else {
      text += "\(indent)<\(element.name)\(attributes)/>\n"
      return
    }
    text += "\(indent)<\(element.name)\(attributes)>\n"
    for child in element.children { write(child, indent: indent + "    ") }
    text += "\(indent)</\(element.name)>\n"
  }
}

extension ObjectModel {
  /// The model as the `contents` file of an Xcode model, and what Xcode's files have no place for, each in a sentence.
  ///
  /// Read back it is the same model, but for what is listed.
  public func xcodeContents() -> (xml: String, omissions: [String]) {
    let writer = XcodeModelWriter(self)
    let text = XcodeXMLText(writer.root)
    let replaced =
      text.hasReplacements ? ["control characters, which XML cannot hold and which became U+FFFD"] : []
    return (text.text, (writer.omissions.sentences + replaced).map { "Left out: \($0)." })
  }
}
