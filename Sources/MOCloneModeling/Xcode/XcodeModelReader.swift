import MOCloneModel

/// Brings the elements of an Xcode model into the shape of a model file, each value with its place in the XML.
///
/// So they are read, judged and located as a model file is. What a model file has no key for is kept under `x-coredata`,
/// and what has no place there either is an omission.
struct XcodeModelReader {
  let context: ReadingContext
  var omissions = XcodeOmissions()
  private(set) var inverses = XcodeInverses(XcodeElement(name: ""))
  /// The configurations that each entity is a member of.
  private var memberships: [String: [XcodeElement.Attribute]] = [:]

  init(_ context: ReadingContext) {
    self.context = context
  }

  var findings: FindingList { context.findings }

  /// - Parameter name: the name of the file, where the model does not say its own.
  mutating func model(_ root: XcodeElement, name: String) -> SyntaxNode {
    var map = SyntaxMap(at: root.range)
    map.add("version", "1", at: root.range)
    let ownName = root["name"].flatMap { $0.isEmpty ? nil : $0 }
    map.add("name", ownName ?? name, at: root.attribute("name")?.range ?? root.range)
    var store = SyntaxMap(at: root.range)
    store.add("naming", NamingConvention.coreData.rawValue, at: root.range)
    map.add("store", store)
    map.add(KeptXML.key, rest(of: root))
    inverses = XcodeInverses(root)
    var entities = SyntaxMap(at: root.range)
    for element in root.children(named: "entity") {
      guard let name = self.name(of: element) else { continue }
      entities.add(once: name.value, entity(element, named: name), at: name.range, findings)
    }
    map.add("entities", entities.node, at: root.range)
    for (entity, configurations) in memberships.sorted(by: { $0.key < $1.key })
    where !entities.contains(entity) {
      for configuration in configurations {
        omissions.add(
          "the member '\(entity)' of the configuration '\(configuration.value)', which is no entity of the model"
        )
      }
    }
    return map.node
  }

  /// What Xcode writes into every file, and what says nothing of the model.
  private static let constants = ["type": "com.apple.IDECoreDataModeler.DataModel", "documentVersion": "1.0"]

  private mutating func rest(of root: XcodeElement) -> SyntaxMap {
    var kept = KeptXML(at: root.range)
    for attribute in root.attributes
    where attribute.name != "name" && Self.constants[attribute.name] != attribute.value {
      kept.keep(attribute)
    }
    var others: [XcodeElement] = []
    for element in root.children where element.name != "entity" {
      switch element.name {
      case "elements": omissions.add("the positions of the entities in Xcode's editor (<elements>)")
      case "configuration": if let rest = configuration(element) { others.append(rest) }
      default: others.append(element)
      }
    }
    kept.keep(others, omissions: &omissions)
    return kept.map
  }

  /// Notes the members; what is left is kept, if it is more than the name.
  private mutating func configuration(_ element: XcodeElement) -> XcodeElement? {
    guard let name = element.attribute("name"), !name.value.isEmpty else { return element }
    var rest = element
    rest.children = []
    var hasMembers = false
    for child in element.children {
      guard child.name == "memberEntity", child.attributes.count == 1, child.children.isEmpty,
        let entity = child["name"]
      else {
        rest.children.append(child)
        continue
      }
      hasMembers = true
      let isNew = memberships[entity, default: []].allSatisfy { $0.value != name.value }
      if isNew { memberships[entity, default: []].append(name) }
    }
    return hasMembers && rest.attributes.count == 1 && rest.children.isEmpty ? nil : rest
  }

  /// The name of an entity or a property, without which it can be nothing.
  mutating func name(of element: XcodeElement) -> XcodeElement.Attribute? {
    if let name = element.attribute("name"), !name.value.isEmpty { return name }
    findings.add(.namelessElement(element))
    return nil
  }
}

// MARK: - Entities

extension XcodeModelReader {
  private static let read: Set<String> = ["name", "parentEntity", "isAbstract", "elementID"]
  private static let flags: Set<String> = ["syncable"]

  private mutating func entity(_ element: XcodeElement, named name: XcodeElement.Attribute) -> SyntaxNode {
    var map = SyntaxMap(at: name.range)
    map.add("parent", element.attribute("parentEntity"))
    map.add("abstract", flag: element.attribute("isAbstract"))
    var (attributes, relationships) = (SyntaxMap(at: name.range), SyntaxMap(at: name.range))
    for child in element.children where child.name == "attribute" {
      guard let name = self.name(of: child) else { continue }
      attributes.add(
        once: name.value, attribute(child, of: element["name"] ?? ""), at: name.range, findings)
    }
    for child in element.children where child.name == "relationship" {
      guard let name = self.name(of: child) else { continue }
      relationships.add(
        once: name.value, relationship(child, of: element["name"] ?? ""), at: name.range, findings)
    }
    map.add("attributes", attributes)
    map.add("relationships", relationships)
    var kept = KeptXML(at: name.range)
    kept.keep(attributesOf: withoutSync(element), except: Self.read, flags: Self.flags)
    var others: [XcodeElement] = []
    for child in element.children {
      switch child.name {
      case "attribute", "relationship": break
      case "userInfo": add(userInfo: child, to: &map)
      case "uniquenessConstraints":
        if !addConstraints(child, to: &map) { others.append(child) }
      default: others.append(child)
      }
    }
    map.add("configurations", names: memberships[name.value] ?? [])
    map.add("renamedFrom", element.formerName)
    kept.keep(others, omissions: &omissions)
    map.add(KeptXML.key, kept.map)
    return map.node
  }

  /// `syncable="YES"` is on all entities and told Sync Services, which are gone, to take them along.
  mutating func withoutSync(_ element: XcodeElement) -> XcodeElement {
    guard element["syncable"] == "YES" else { return element }
    omissions.add("syncable=\"YES\", which was for Sync Services and has no effect")
    var element = element
    element.attributes.removeAll { $0.name == "syncable" }
    return element
  }

  /// - Returns: false where a constraint names parts of a composite attribute, which are no properties here.
  private mutating func addConstraints(_ element: XcodeElement, to map: inout SyntaxMap) -> Bool {
    let constraints = element.children.map { $0.children.compactMap { $0.attribute("value") } }
    let isPlain =
      element.attributes.isEmpty
      && element.children.allSatisfy { constraint in
        constraint.name == "uniquenessConstraint" && constraint.attributes.isEmpty
          && constraint.children.allSatisfy {
            $0.name == "constraint" && $0.attributes.map(\.name) == ["value"]
          }
      }
    guard isPlain, constraints.allSatisfy({ $0.allSatisfy { !$0.value.contains(".") } }) else {
      omissions.add("a uniqueness constraint on a part of a composite attribute is not checked, only kept")
      return false
    }
    var lists = SyntaxMap(at: element.range)
    for names in constraints { lists.add("constraint", names: names) }
    let items = lists.entries.map(\.value)
    if !items.isEmpty {
      map.add(
        once: "uniquenessConstraints", SyntaxNode(content: .sequence(items), range: element.range),
        at: element.range, findings)
    }
    return true
  }

  /// Adds the entries as a map; a key without a value has the empty one.
  func add(userInfo element: XcodeElement, to owner: inout SyntaxMap) {
    var map = SyntaxMap(at: element.range)
    for entry in element.children {
      guard entry.name == "entry", let key = entry.attribute("key") else {
        findings.add(.notAnEntry(entry))
        continue
      }
      let value = entry.attribute("value") ?? .init(name: "value", value: "", range: key.range)
      map.add(
        once: key.value, SyntaxNode(content: .scalar(value.value, isPlain: false), range: value.range),
        at: key.range, findings)
    }
    if !map.isEmpty { owner.add(once: "userInfo", map.node, at: element.range, findings) }
  }
}

extension SyntaxMap {
  /// Adds a Boolean of the XML, in which what is not said is no.
  mutating func add(_ key: String, flag: XcodeElement.Attribute?) {
    guard let flag, flag.value != "NO" else { return }
    add(key, flag.value == "YES" ? "true" : flag.value, at: flag.range)
  }
}

extension Diagnostic {
  static func namelessElement(_ element: XcodeElement) -> Diagnostic {
    Diagnostic(
      .missingKey, at: .model, "this <\(element.name)> has no name", help: "give it a name in Xcode's editor",
      range: element.range)
  }

  static func notAnEntry(_ element: XcodeElement) -> Diagnostic {
    Diagnostic(
      .unknownKey, at: .model, "<userInfo> holds an element <\(element.name)> without a key",
      help: "userInfo consists of elements <entry key=\"...\" value=\"...\"/>", range: element.range)
  }
}
