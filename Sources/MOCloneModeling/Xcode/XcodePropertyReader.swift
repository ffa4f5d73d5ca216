import Foundation
import MOCloneModel

// The attributes and relationships of an entity.
extension XcodeModelReader {
  private static let attributeFlags: Set<String> = [
    "allowsCloudEncryption", "allowsExternalBinaryDataStorage", "derived", "indexed", "optional",
    "preserveAfterDeletion", "spotlightIndexingEnabled", "storedInTruthFile", "syncable", "transient",
    "usesScalarValueType",
  ]
  private static let readOfAttributes: Set<String> = [
    "name", "attributeType", "optional", "transient", "derived", "elementID",
  ]

  mutating func attribute(_ element: XcodeElement, of entity: String) -> SyntaxNode {
    var map = SyntaxMap(at: element.attribute("name")?.range ?? element.range)
    var kept = KeptXML(at: map.range)
    var read = Self.readOfAttributes
    let type = type(of: element, named: "\(entity).\(element["name"] ?? "")", &kept)
    if let type {
      map.add("type", type)
    } else {
      refuse("type", name: "attributeType", of: element, at: .entity(entity) / "attributes", in: &map)
    }
    map.add("optional", flag: element.attribute("optional"))
    var limits = XcodeLimits(element, type: type.flatMap { AttributeType(rawValue: $0.value) })
    limits.add(to: &map, &read)
    if element["attributeType"] == Self.composite, element["transient"] != "YES" {
      map.add("transient", "true", at: map.range)
      kept.keepAbsence(of: "transient")
    } else {
      map.add("transient", flag: element.attribute("transient"))
    }
    map.add("derived", flag: element.attribute("derived"))
    map.add("renamedFrom", element.formerName)
    for words in limits.omissions { omissions.add("\(words) of '\(entity).\(element["name"] ?? "")'") }
    kept.keep(attributesOf: withoutSync(element), except: read, flags: Self.attributeFlags)
    add(childrenOf: element, to: &map, &kept)
    return map.node
  }

  /// The type as the model file names it.
  ///
  /// A transient attribute may have none. What the model file has no type for is taken for bytes that nobody decodes. A
  /// composite one has no column of its own but one for each part, which the model does not name.
  private mutating func type(
    of element: XcodeElement, named name: String, _ kept: inout KeptXML
  ) -> XcodeElement.Attribute? {
    let isTransient = element["transient"] == "YES"
    var bytes = XcodeElement.Attribute(
      name: "attributeType", value: AttributeType.transformable.rawValue, range: element.range)
    guard let type = element.attribute("attributeType") else {
      guard isTransient else { return nil }
      kept.keepAbsence(of: "attributeType")
      return bytes
    }
    guard Self.otherTypes.contains(type.value) else { return type }
    kept.keep(type)
    bytes.range = type.range
    if type.value == Self.composite {
      omissions.add(
        "the parts of the composite attribute '\(name)'; clones in a store copy their columns unchanged")
    } else if !isTransient {
      omissions.add("the type \(type.value) of '\(name)', which is taken for Transformable")
    }
    return bytes
  }

  private static let composite = "Composite"
  private static let otherTypes: Set<String> = [
    "", "Undefined", "Object ID", "ObjectID", composite, "Codable",
  ]

  // MARK: Relationships

  private static let relationshipFlags: Set<String> = [
    "indexed", "ordered", "optional", "spotlightIndexingEnabled", "storedInTruthFile", "syncable", "toMany",
    "transient",
  ]
  private static let readOfRelationships: Set<String> = [
    "name", "toMany", "optional", "ordered", "deletionRule",
  ]

  mutating func relationship(_ element: XcodeElement, of entity: String) -> SyntaxNode {
    let element = isMutual(element, of: entity) ? element.linking : element
    var map = SyntaxMap(at: element.attribute("name")?.range ?? element.range)
    var kept = KeptXML(at: map.range)
    var read = Self.readOfRelationships
    let isToMany = element["toMany"] == "YES"
    addEnds(of: element, of: entity, to: &map, read: &read)
    map.add("toMany", flag: element.attribute("toMany"))
    map.add("ordered", flag: element.attribute("ordered"))
    if element["transient"] == "YES" {
      omissions.add("that '\(entity).\(element["name"] ?? "")' is transient, so that no store holds it")
    }
    map.add("deleteRule", deleteRule(element.attribute("deletionRule")))
    addCounts(of: element, isToMany: isToMany, to: &map, &kept, read: &read)
    kept.keep(attributesOf: withoutSync(element), except: read, flags: Self.relationshipFlags)
    add(childrenOf: element, to: &map, &kept)
    return map.node
  }

  /// The destination and the inverse.
  ///
  /// In Core Data a relationship may lead to a sub-entity and its inverse be declared on an ancestor of that. Here the two
  /// lead to each other's entities, so such a relationship leads to the ancestor; its objects are the same.
  private mutating func addEnds(
    of element: XcodeElement, of entity: String, to map: inout SyntaxMap, read: inout Set<String>
  ) {
    let place = "'\(entity).\(element["name"] ?? "")'"
    guard var destination = element.attribute("destinationEntity"), !destination.value.isEmpty else {
      return refuse(
        "destination", name: "destinationEntity", of: element, at: .entity(entity) / "relationships", in: &map
      )
    }
    guard let inverse = element.attribute("inverseName"), !inverse.value.isEmpty else {
      read.insert("destinationEntity")
      return map.add("destination", destination)
    }
    let home = inverses.declaring(inverse.value, in: destination.value) ?? destination.value
    if home == destination.value {
      read.insert("destinationEntity")
    } else {
      omissions.add(
        "that \(place) leads to '\(destination.value)' alone; it leads to '\(home)', which declares its inverse"
      )
      destination.value = home
    }
    map.add("destination", destination)
    guard (home, inverse.value) != (entity, element["name"]) else {
      return omissions.add(
        "that \(place) is its own inverse; it is taken for a relationship without one"
          + (isMutual(element, of: entity) ? " that links to its objects" : ""))
    }
    map.add("inverse", inverse)
    read.insert("inverseName")
    if element["inverseEntity"] == home { read.insert("inverseEntity") }
  }

  /// Whether it is a many-to-many relationship that is its own inverse.
  private func isMutual(_ element: XcodeElement, of entity: String) -> Bool {
    guard let destination = element["destinationEntity"], let inverse = element["inverseName"] else {
      return false
    }
    let home = inverses.declaring(inverse, in: destination) ?? destination
    return (home, inverse) == (entity, element["name"]) && element["toMany"] == "YES"
  }

  /// Xcode's `maxCount="1"` says that a relationship is to-one. A to-many that is not optional needs a destination.
  private func addCounts(
    of element: XcodeElement, isToMany: Bool, to map: inout SyntaxMap, _ kept: inout KeptXML,
    read: inout Set<String>
  ) {
    if let least = element.attribute("minCount") {
      read.insert("minCount")
      map.add("minCount", least)
    } else if isToMany, element["optional"] != "YES" {
      map.add("minCount", "1", at: map.range)
      kept.keepAbsence(of: "minCount")
    }
    if isToMany {
      if element["optional"] == "YES", (element["minCount"].flatMap { Int($0) } ?? 0) > 0 {
        element.attribute("optional").map { kept.keep($0) }
      }
    } else {
      map.add("optional", flag: element.attribute("optional"))
    }
    guard let greatest = element.attribute("maxCount") else { return }
    if isToMany, greatest.value != "0" {
      read.insert("maxCount")
      map.add("maxCount", greatest)
    } else if greatest.value == "1" {
      read.insert("maxCount")
    }
  }

  /// Xcode writes the usual rule too, which says no more than its absence.
  private func deleteRule(_ attribute: XcodeElement.Attribute?) -> XcodeElement.Attribute? {
    guard var rule = attribute, rule.value != DeleteRule.nullify.xcode else { return nil }
    rule.value = DeleteRule(xcode: rule.value)?.rawValue ?? rule.value
    return rule
  }

  // MARK: Both

  /// Reports what a property cannot do without; nobody says more about the property.
  private func refuse(
    _ key: String, name: String, of element: XcodeElement, at path: ModelPath, in map: inout SyntaxMap
  ) {
    context.damage(path / (element["name"] ?? ""), diagnostic: .missingAttribute(name, of: element))
    map.add(key, SyntaxNode(content: .refused, range: map.range), at: map.range)
  }

  private mutating func add(childrenOf element: XcodeElement, to map: inout SyntaxMap, _ kept: inout KeptXML)
  {
    for child in element.children where child.name == "userInfo" { add(userInfo: child, to: &map) }
    kept.keep(element.children.filter { $0.name != "userInfo" }, omissions: &omissions)
    map.add(KeptXML.key, kept.map)
  }
}

extension XcodeElement {
  /// A relationship whose user info says that clones link, unless it says something else: with an inverse that is to-many
  /// they would, and the model names none.
  fileprivate var linking: XcodeElement {
    let keys = children(named: "userInfo").flatMap(\.children).map { $0["key"] }
    guard !keys.contains(AnnotationKeys.onClone), !keys.contains(AnnotationKeys.default.exclude) else {
      return self
    }
    var entry = XcodeElement(name: "entry", range: range)
    for (name, value) in [("key", AnnotationKeys.onClone), ("value", OnClone.link.rawValue)] {
      entry.attributes.append(Attribute(name: name, value: value, range: range))
    }
    var element = self
    let place = children.firstIndex { $0.name == "userInfo" }
    if let place {
      element.children[place].children.append(entry)
    } else {
      element.children.append(XcodeElement(name: "userInfo", children: [entry], range: range))
    }
    return element
  }
}

extension DeleteRule {
  private static let names: [DeleteRule: String] = [
    .nullify: "Nullify", .cascade: "Cascade", .deny: "Deny", .noAction: "No Action",
  ]

  /// The rule that Xcode's editor calls so.
  init?(xcode name: String) {
    guard let rule = Self.names.first(where: { $0.value == name })?.key else { return nil }
    self = rule
  }

  /// The name in Xcode's editor.
  var xcode: String { Self.names[self]! }
}

extension Diagnostic {
  fileprivate static func missingAttribute(_ name: String, of element: XcodeElement) -> Diagnostic {
    Diagnostic(
      .missingKey, at: .model,
      "the \(element.name) '\((element["name"] ?? "").shortened)' has no '\(name)'",
      help: "choose one in Xcode's editor", range: element.attribute("name")?.range ?? element.range)
  }
}
