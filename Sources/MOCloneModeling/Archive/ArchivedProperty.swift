import Foundation
import MOCloneModel

// The properties of an archived entity.
extension ArchivedModel {
  private static let propertyKeys: Set<String> = [
    "_P", "NSPropertyName", "NSEntity", "NSIsOptional", "NSIsTransient", "NSIsReadOnly", "NSIsIndexed",
    "NSIndexedBySpotlight", "NSIsStoredInTruth", "NSIsOrdered", "NSAllowsCloudEncryption",
    "NSRenamingIdentifier",
    "NSVersionHashModifier", "NSUserInfo", "NSValidationPredicates", "NSValidationWarnings",
  ]
  private static let attributeKeys = propertyKeys.union([
    "NSAttributeType", "NSAttributeValueClassName", "NSDefaultValue", "NSValueTransformerName", "NSFlagsKey",
    "NSMinValueName", "NSMaxValueName", "NSDerivationExpression",
  ])
  private static let relationshipKeys = propertyKeys.union([
    "NSDestinationEntity", "_NSDestinationEntityName", "NSInverseRelationship", "_NSInverseRelationshipName",
    "NSMinCount", "NSMaxCount", "NSDeleteRule",
  ])

  /// What all properties say alike.
  private func property(_ kind: String, node: KeyedArchive.Node) -> XcodeElement {
    var element = XcodeElement(name: kind)
    element.set("name", node.name)
    element.set("optional", node["NSIsOptional"]?.isTrue ?? false)
    element.set("transient", node["NSIsTransient"]?.isTrue ?? false)
    element.set("spotlightIndexingEnabled", node["NSIndexedBySpotlight"]?.isTrue ?? false)
    element.set("storedInTruthFile", node["NSIsStoredInTruth"]?.isTrue ?? false)
    element.set("allowsCloudEncryption", node["NSAllowsCloudEncryption"]?.isTrue ?? false)
    element.set("elementID", node.renamed)
    element.set("versionHashModifier", node["NSVersionHashModifier"]?.string)
    return element
  }

  // MARK: Attributes

  private static let types: [Int64: String] = [
    100: "Integer 16", 200: "Integer 32", 300: "Integer 64", 400: "Decimal", 500: "Double", 600: "Float",
    700: "String",
    800: "Boolean", 900: "Date", 1000: "Binary", 1100: "UUID", 1200: "URI", 1800: "Transformable",
    2000: "Object ID",
    2100: "Composite", 2200: "Codable",
  ]

  mutating func attribute(_ node: KeyedArchive.Node, _ place: String) -> XcodeElement {
    note(node, known: Self.attributeKeys, of: place)
    var element = property("attribute", node: node)
    let number = node["NSAttributeType"]?.integer ?? 0
    let type = Self.types[number]
    if number != 0 { element.set("attributeType", type ?? String(number)) }
    addLimits(of: node, type: type, place, to: &element)
    addDefault(of: node, type: type, place, to: &element)
    element.set("valueTransformerName", node["NSValueTransformerName"]?.string)
    if number == 1800 { element.set("customClassName", node["NSAttributeValueClassName"]?.string) }
    let flags = node["NSFlagsKey"]?.integer ?? 0
    element.set("allowsExternalBinaryDataStorage", flags & 4 != 0)
    element.set("preserveAfterDeletion", flags & 16 != 0)
    if node.className == "NSDerivedAttributeDescription" {
      element.set("derived", true)
      element.set("derivationExpression", node["NSDerivationExpression"].flatMap(ArchivedExpression.text))
    }
    if let userInfo = userInfo(node, of: place) { element.children.append(userInfo) }
    return element
  }

  private mutating func addDefault(
    of node: KeyedArchive.Node, type: String?, _ place: String, to element: inout XcodeElement
  ) {
    guard let value = node["NSDefaultValue"] else { return }
    switch type {
    case "Boolean": element.set("defaultValueString", value.isTrue ? "YES" : "NO")
    case "Date":
      if let seconds = value["NS.time"]?.real {
        element.set("defaultDateTimeInterval", XcodeModelWriter.text(seconds))
      }
    case "Float": element.set("defaultValueString", value.real.map { "\(Float($0))" } ?? value.text)
    case "UUID": element.set("defaultValueString", value.uuid)
    default: element.set("defaultValueString", value.text)
    }
    if element["defaultValueString"] == nil, element["defaultDateTimeInterval"] == nil {
      omissions.add("the default of \(place), which is no plain value")
    }
  }

  /// Limits are predicates about the value or its length.
  private mutating func addLimits(
    of node: KeyedArchive.Node, type: String?, _ place: String, to element: inout XcodeElement
  ) {
    for predicate in node["NSValidationPredicates"]?.list ?? [] {
      guard let (name, limit) = ArchivedExpression.limit(predicate) else {
        omissions.add("a rule of \(place) that is neither a limit nor a pattern")
        continue
      }
      if type == "Date", let seconds = limit["NS.time"]?.real {
        element.set(name.replacing("ValueString", with: "DateTimeInterval"), XcodeModelWriter.text(seconds))
      } else {
        element.set(name, limit.text)
      }
    }
  }

  // MARK: Relationships and fetched properties

  private static let deleteRules: [DeleteRule] = [.noAction, .nullify, .cascade, .deny]

  mutating func relationship(_ node: KeyedArchive.Node, _ place: String) -> XcodeElement {
    note(node, known: Self.relationshipKeys, of: place)
    var element = property("relationship", node: node)
    let (least, greatest) = (node["NSMinCount"]?.integer ?? 0, node["NSMaxCount"]?.integer ?? 0)
    element.set("toMany", greatest != 1)
    if least > 0 { element.set("minCount", String(least)) }
    if greatest > 0 { element.set("maxCount", String(greatest)) }
    let rule = Int(node["NSDeleteRule"]?.integer ?? 1)
    element.set(
      "deletionRule", Self.deleteRules.indices.contains(rule) ? Self.deleteRules[rule].xcode : String(rule))
    element.set("ordered", node["NSIsOrdered"]?.isTrue ?? false)
    let destination = node["_NSDestinationEntityName"]?.string ?? node["NSDestinationEntity"]?.name
    element.set("destinationEntity", destination)
    let inverse = node["NSInverseRelationship"]
    if let name = node["_NSInverseRelationshipName"]?.string ?? inverse?.name {
      element.set("inverseName", name)
      element.set("inverseEntity", inverse?["NSEntity"]?.name ?? destination)
    }
    if let userInfo = userInfo(node, of: place) { element.children.append(userInfo) }
    return element
  }

  mutating func fetchedProperty(_ node: KeyedArchive.Node, place: String) -> XcodeElement {
    var element = property("fetchedProperty", node: node)
    let request = node["NSFetchRequest"]
    var child = XcodeElement(name: "fetchRequest")
    child.set("name", "fetchedPropertyFetchRequest")
    child.set("entity", request?["NSEntityName"]?.string ?? request?["NSEntity"]?.name)
    child.set("predicateString", request?["NSPredicate"].flatMap(ArchivedExpression.predicate))
    if child["predicateString"] == nil { omissions.add("the predicate of the fetched property \(place)") }
    element.children = [child, userInfo(node, of: place)].compactMap { $0 }
    return element
  }
}

extension KeyedArchive.Node {
  /// A string or a number as Xcode writes it.
  fileprivate var text: String? {
    if let text = string { return text }
    if let integer { return String(integer) }
    if let real { return "\(real)" }
    return decimal?.description ?? self["NS.relative"]?.string
  }

  /// An NSDecimalNumber: sixteen-bit words, the lowest first, and a power of ten.
  private var decimal: Decimal? {
    guard let mantissa = self["NS.mantissa"]?.data, let exponent = self["NS.exponent"]?.integer,
      let length = self["NS.length"]?.integer, mantissa.count >= 2, (-128...127).contains(exponent)
    else { return nil }
    let isLittle = self["NS.mantissa.bo"]?.integer ?? 1 == 1
    let bytes = [UInt8](mantissa)
    let words = stride(from: 0, to: bytes.count - 1, by: 2).map { i in
      Int(bytes[i]) << (isLittle ? 0 : 8) | Int(bytes[i + 1]) << (isLittle ? 8 : 0)
    }
    let number = words.prefix(min(8, Int(clamping: length))).reversed().reduce(Decimal(0)) {
      $0 * 65_536 + Decimal($1)
    }
    let sign: FloatingPointSign = self["NS.negative"]?.isTrue ?? false ? .minus : .plus
    return Decimal(sign: sign, exponent: Int(exponent), significand: number)
  }

  fileprivate var uuid: String? {
    guard let bytes = self["NS.uuidbytes"]?.data, bytes.count == 16 else { return string }
    let digits = bytes.map { byte in
      let text = String(byte, radix: 16, uppercase: true)
      return byte < 16 ? "0" + text : text
    }.joined()
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { range in
      String(digits.dropFirst(range.lowerBound).prefix(range.count))
    }.joined(separator: "-")
  }
}
