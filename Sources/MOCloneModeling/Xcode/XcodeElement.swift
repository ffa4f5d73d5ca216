import MOCloneModel

/// An element of Xcode's model XML, with its place in the file.
///
/// What is read from an archive and what is written are elements too, so that there is one way from them to a model.
struct XcodeElement: Sendable, Equatable {
  struct Attribute: Sendable, Equatable {
    var name: String
    var value: String
    /// The place of the value.
    var range: SourceRange = .nowhere
  }

  var name: String
  /// In the order of the file, of which no two have one name.
  var attributes: [Attribute] = []
  var children: [XcodeElement] = []
  /// The place of the start tag's name.
  var range: SourceRange = .nowhere

  /// Two elements are equal wherever they are in their files.
  static func == (a: Self, b: Self) -> Bool {
    a.name == b.name && a.children == b.children
      && a.attributes.map { [$0.name, $0.value] } == b.attributes.map { [$0.name, $0.value] }
  }

  func attribute(_ name: String) -> Attribute? {
    attributes.first { $0.name == name }
  }

  subscript(name: String) -> String? { attribute(name)?.value }

  /// The renaming identifier where it says more than that the name is the first one.
  var formerName: Attribute? {
    attribute("elementID").flatMap { $0.value == self["name"] ? nil : $0 }
  }

  func children(named name: String) -> some Sequence<XcodeElement> {
    children.lazy.filter { $0.name == name }
  }

  /// Adds an attribute; nothing is added for nil.
  mutating func set(_ name: String, _ value: String?) {
    guard let value else { return }
    attributes.append(Attribute(name: name, value: value))
  }

  /// Adds `YES`; what is not said means no.
  mutating func set(_ name: String, _ isSet: Bool) {
    if isSet { set(name, "YES") }
  }
}

extension XcodeElement {
  /// `<userInfo>` with its entries in the order of their keys; nil where there are none.
  static func userInfo(_ userInfo: [String: String]) -> XcodeElement? {
    guard !userInfo.isEmpty else { return nil }
    let entries = userInfo.sorted { $0.key < $1.key }.map { key, value in
      XcodeElement(
        name: "entry",
        attributes: [Attribute(name: "key", value: key), Attribute(name: "value", value: value)])
    }
    return XcodeElement(name: "userInfo", children: entries)
  }

  /// Lists of names, as `<compoundIndexes>` of `<compoundIndex>` of `<index>` are; nil where there are none.
  static func lists(
    _ lists: [[String]], in name: String, of list: String, of item: String
  ) -> XcodeElement? {
    guard !lists.isEmpty else { return nil }
    let children = lists.map { names in
      XcodeElement(
        name: list,
        children: names.map { XcodeElement(name: item, attributes: [Attribute(name: "value", value: $0)]) })
    }
    return XcodeElement(name: name, children: children)
  }

  static func uniquenessConstraints(_ constraints: [[String]]) -> XcodeElement? {
    lists(constraints, in: "uniquenessConstraints", of: "uniquenessConstraint", of: "constraint")
  }
}
