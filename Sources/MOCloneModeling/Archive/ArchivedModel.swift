import Foundation

/// The model in a keyed archive of NSManagedObjectModel, as the elements of Xcode's XML that it was compiled from.
///
/// An archive repeats inherited properties, and knows nothing of what only Xcode uses, such as the generation of classes.
struct ArchivedModel {
  var omissions = XcodeOmissions()
  private(set) var root = XcodeElement(name: "model")

  /// - Parameter data: the archive, not compressed.
  /// - Throws: `ArchiveFault` where the data are no archive of a model.
  init(_ data: Data) throws(ArchiveFault) {
    let archive = try KeyedArchive(data).root
    guard archive.className == "NSManagedObjectModel", let entities = archive["NSEntities"]?.values else {
      throw ArchiveFault("it is no archive of a model")
    }
    note(archive, known: ["NSEntities", "NSVersionIdentifiers", "NSFetchRequestTemplates"], of: "the model")
    if let versions = archive["NSVersionIdentifiers"]?.list?.compactMap(\.string).sorted(), !versions.isEmpty
    {
      root.set("userDefinedModelVersionIdentifier", versions.joined(separator: ","))
    }
    if archive["NSFetchRequestTemplates"]?.values.isEmpty == false {
      omissions.add("the fetch requests of the model")
    }
    let described = entities.filter { $0.className == "NSEntityDescription" && $0.name != nil }
    root.children = described.sorted { $0.name! < $1.name! }.map { entity($0) }
  }

  // MARK: Entities

  private static let entityKeys: Set<String> = [
    "NSEntityName", "NSClassNameForEntity", "NSUniqueTuples", "NSUserInfo", "NSSubentities",
    "NSVersionHashModifier",
    "NSProperties", "NSRenamingIdentifier", "NSManagedObjectModel", "NSSuperentity", "NSIsAbstract",
    "NSCompoundIndexes",
    "NSFetchIndexDescriptions", "NSCoreSpotlightDisplayName",
  ]

  private mutating func entity(_ node: KeyedArchive.Node) -> XcodeElement {
    let name = node.name ?? ""
    var element = XcodeElement(name: "entity")
    element.set("name", name)
    element.set("representedClassName", node["NSClassNameForEntity"]?.string)
    element.set("parentEntity", node["NSSuperentity"]?.name)
    element.set("isAbstract", node["NSIsAbstract"]?.isTrue ?? false)
    element.set("elementID", node.renamed)
    element.set("versionHashModifier", node["NSVersionHashModifier"]?.string)
    element.set(
      "coreSpotlightDisplayNameExpression",
      node["NSCoreSpotlightDisplayName"].flatMap(ArchivedExpression.text))
    note(node, known: Self.entityKeys, of: "the entity '\(name)'")
    element.children = properties(node, of: name) + indexes(node)
    element.children += [constraints(node), userInfo(node, of: "'\(name)'")].compactMap { $0 }
    return element
  }

  private mutating func properties(_ node: KeyedArchive.Node, of entity: String) -> [XcodeElement] {
    let inherited = Set(node["NSSuperentity"]?["NSProperties"]?.values.compactMap(\.name) ?? [])
    let own = (node["NSProperties"]?.values ?? []).filter { $0.name.map { !inherited.contains($0) } ?? false }
    return own.sorted { $0.name! < $1.name! }.compactMap { property in
      let place = "'\(entity).\(property.name!)'"
      switch property.className {
      case "NSRelationshipDescription": return relationship(property, place)
      case "NSFetchedPropertyDescription": return fetchedProperty(property, place: place)
      case "NSAttributeDescription", "NSDerivedAttributeDescription", "NSCompositeAttributeDescription":
        return attribute(property, place)
      default:
        omissions.add("\(place), whose class \(property.className ?? "") is not known")
        return nil
      }
    }
  }

  private func constraints(_ node: KeyedArchive.Node) -> XcodeElement? {
    let tuples = (node["NSUniqueTuples"]?.list ?? []).map { tuple in
      (tuple.list ?? []).map { $0.string ?? $0.name ?? ArchivedExpression.text($0) ?? "" }
    }
    return .uniquenessConstraints(tuples)
  }

  /// The compound indexes of old models are among the fetch indexes of new ones.
  private func indexes(_ node: KeyedArchive.Node) -> [XcodeElement] {
    guard let descriptions = node["NSFetchIndexDescriptions"]?.list else { return compoundIndexes(node) }
    return descriptions.filter { !$0.isMadeForIndexedProperty }.map { description in
      var index = XcodeElement(name: "fetchIndex")
      index.set("name", description["NSIndexName"]?.string)
      index.set(
        "partialIndexPredicate", description["NSPartialIndexPredicate"].flatMap(ArchivedExpression.predicate))
      index.children = (description["NSIndexElements"]?.list ?? []).map { part in
        var element = XcodeElement(name: "fetchIndexElement")
        element.set("property", part["NSPropertyName"]?.string)
        element.set("expression", part["NSExpression"].flatMap(ArchivedExpression.text))
        element.set("type", part["NSFetchIndexElementType"]?.integer == 1 ? "RTree" : "Binary")
        element.set("order", part["NSAscending"]?.isTrue ?? false ? "ascending" : "descending")
        return element
      }
      return index
    }
  }

  private func compoundIndexes(_ node: KeyedArchive.Node) -> [XcodeElement] {
    let lists = (node["NSCompoundIndexes"]?.list ?? []).map { list in
      (list.list ?? []).map { $0.string ?? $0.name ?? "" }
    }
    let indexes = XcodeElement.lists(lists, in: "compoundIndexes", of: "compoundIndex", of: "index")
    return [indexes].compactMap { $0 }
  }

  // MARK: What all parts have

  mutating func userInfo(_ node: KeyedArchive.Node, of place: String) -> XcodeElement? {
    var userInfo: [String: String] = [:]
    for (key, value) in node["NSUserInfo"]?.map ?? [] {
      if let text = value.string {
        userInfo[key] = text
      } else {
        omissions.add("the userInfo '\(key)' of \(place), which is no string")
      }
    }
    return .userInfo(userInfo)
  }

  /// Notes what an object has that is not read.
  mutating func note(_ node: KeyedArchive.Node, known: Set<String>, of place: String) {
    for key in node.entries.keys.sorted() where key != "$class" && !known.contains(key) {
      omissions.add("the '\(key)' of \(place) in the archive")
    }
  }
}

extension KeyedArchive.Node {
  /// The name of an entity or a property.
  var name: String? { self["NSEntityName"]?.string ?? self["NSPropertyName"]?.string }

  /// The renaming identifier, where it is not the name.
  var renamed: String? {
    self["NSRenamingIdentifier"]?.string.flatMap { $0 == name || $0.isEmpty ? nil : $0 }
  }

  /// An index that Core Data makes of a property that is marked as indexed is named after it.
  fileprivate var isMadeForIndexedProperty: Bool {
    guard let parts = self["NSIndexElements"]?.list, parts.count == 1 else { return false }
    return parts[0]["NSPropertyName"]?.string == self["NSIndexName"]?.string
  }
}
