import MOCloneModel

/// What of an element the model file has no key for: it is kept word for word under `x-coredata`.
///
/// An attribute is a string, child elements of one name are a list of maps, and `userInfo` is a map. An empty string
/// where the model file has a key stands for an attribute that the XML does not have.
struct KeptXML {
  static let key = "x-coredata"

  private(set) var map: SyntaxMap

  init(at range: SourceRange) {
    map = SyntaxMap(at: range)
  }

  /// An element with all that is in it.
  private init(_ element: XcodeElement, omissions: inout XcodeOmissions) {
    self.init(at: element.range)
    for attribute in element.attributes { keep(attribute) }
    keep(element.children, omissions: &omissions)
  }

  mutating func keep(_ attribute: XcodeElement.Attribute) {
    map.add(attribute.name, attribute)
  }

  /// Keeps a mark that an attribute is not there.
  mutating func keepAbsence(of name: String) {
    map.add(name, "", at: map.range)
  }

  /// Keeps the attributes that are not read; `NO` says no more than their absence.
  mutating func keep(attributesOf element: XcodeElement, except read: Set<String>, flags: Set<String>) {
    for attribute in element.attributes where !read.contains(attribute.name) {
      if flags.contains(attribute.name), attribute.value == "NO" { continue }
      keep(attribute)
    }
  }

  /// Keeps elements, those of one name together.
  mutating func keep(_ elements: [XcodeElement], omissions: inout XcodeOmissions) {
    var names: [String] = []
    for element in elements where !names.contains(element.name) { names.append(element.name) }
    for name in names {
      guard !map.contains(name) else {
        omissions.add("the element <\(name)>, whose name is that of an attribute beside it")
        continue
      }
      let members = elements.filter { $0.name == name }
      if name == "userInfo", members.count == 1, let userInfo = Self.plainUserInfo(members[0]) {
        map.add(name, userInfo.node, at: userInfo.range)
        continue
      }
      let items = members.map { KeptXML($0, omissions: &omissions).map.node }
      map.add(name, SyntaxNode(content: .sequence(items), range: items[0].range), at: items[0].range)
    }
  }

  /// The entries as a map; nil where that would lose something.
  private static func plainUserInfo(_ element: XcodeElement) -> SyntaxMap? {
    var map = SyntaxMap(at: element.range)
    guard element.attributes.isEmpty else { return nil }
    for entry in element.children {
      guard entry.name == "entry", entry.children.isEmpty, entry.attributes.count == 2,
        let key = entry["key"], let value = entry.attribute("value"), !map.contains(key)
      else { return nil }
      map.add(key, value)
    }
    return map
  }
}

/// What an import leaves out, each in half a sentence, in the order in which it was met.
struct XcodeOmissions {
  private(set) var sentences: [String] = []

  mutating func add(_ words: String) {
    if !sentences.contains(words) { sentences.append(words) }
  }
}
