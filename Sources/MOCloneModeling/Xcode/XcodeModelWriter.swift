import Foundation
import MOCloneModel

/// Brings a model into the elements of Xcode's XML, which read back are the same model.
///
/// Tables, columns and keys have no place there, as Core Data makes its own; they are listed.
struct XcodeModelWriter {
  private let model: ObjectModel
  /// The usual key of each annotation, by the one that the model has for it.
  private let usualKeys: [String: String]
  private(set) var omissions = XcodeOmissions()
  private(set) var root = XcodeElement(name: "model")

  init(_ model: ObjectModel) {
    self.model = model
    let (keys, usual) = (model.userInfoKeys, AnnotationKeys.default)
    let pairs = [
      (keys.exclude, usual.exclude), (keys.rebuild, usual.rebuild), (keys.followParent, usual.followParent),
      (keys.withoutParent, usual.withoutParent),
    ]
    usualKeys = Dictionary(pairs) { first, _ in first }
    noteModel()
    var kept = WrittenXML(model.extensions)
    root.set("type", "com.apple.IDECoreDataModeler.DataModel")
    root.set("documentVersion", "1.0")
    root.set("name", model.name.isEmpty ? nil : model.name)
    root.children = model.entities.map { entity($0) }
    addConfigurations(&kept)
    root = finished(root, kept: kept, of: "the model")
  }

  // MARK: The model

  private mutating func noteModel() {
    if model.userInfoKeys != .default {
      omissions.add("'userInfoKeys': annotations are written with their usual keys")
    }
    if model.store != StoreOptions(naming: .coreData) {
      omissions.add("'store': Core Data makes its own tables and columns")
    }
  }

  /// Those that were kept have more than a name and members.
  private mutating func addConfigurations(_ kept: inout WrittenXML) {
    let names = model.entities.flatMap(\.configurations)
    for name in Set(names).sorted() {
      var element =
        kept.takeElement("configuration", named: name)
        ?? XcodeElement(name: "configuration", attributes: [.init(name: "name", value: name)])
      element.children += model.entities.filter { $0.configurations.contains(name) }.map { entity in
        XcodeElement(name: "memberEntity", attributes: [.init(name: "name", value: entity.name)])
      }
      root.children.append(element)
    }
  }

  // MARK: Entities

  private mutating func entity(_ entity: EntityDescription) -> XcodeElement {
    let kept = WrittenXML(entity.extensions)
    var element = XcodeElement(name: "entity")
    element.set("name", entity.name)
    element.set("parentEntity", entity.parent)
    element.set("isAbstract", entity.isAbstract)
    element.set("elementID", entity.renamedFrom)
    if !kept.has("syncable") { element.set("syncable", true) }
    element.children = entity.attributes.map { attribute($0) } + entity.relationships.map { relationship($0) }
    if let constraints = XcodeElement.uniquenessConstraints(entity.uniquenessConstraints) {
      element.children.append(constraints)
    }
    if entity.table != nil || !entity.primaryKey.isEmpty || entity.discriminator != nil {
      omissions.add("the table, key and discriminator of '\(entity.name)'")
    }
    return finished(element, kept: kept, of: "'\(entity.name)'", userInfo: entity.userInfo)
  }

  // MARK: Attributes

  private mutating func attribute(_ attribute: AttributeDescription) -> XcodeElement {
    let kept = WrittenXML(attribute.extensions)
    let place = "'\(attribute.entity).\(attribute.name)'"
    var element = XcodeElement(name: "attribute")
    element.set("name", attribute.name)
    element.set("optional", attribute.isOptional)
    element.set("transient", attribute.isTransient)
    element.set("attributeType", attribute.type.rawValue)
    element.set("derived", attribute.derivation == .computed)
    element.set("elementID", attribute.renamedFrom)
    addLimits(of: attribute, place, to: &element)
    if attribute.derivation == .trigger { omissions.add("'derived: trigger' of \(place)") }
    if attribute.column != nil || attribute.storage != nil { omissions.add("the column of \(place)") }
    return finished(element, kept: kept, of: place, userInfo: attribute.userInfo)
  }

  private mutating func addLimits(
    of attribute: AttributeDescription, _ place: String, to element: inout XcodeElement
  ) {
    if let value = attribute.defaultValue, !value.isNull { add(default: value, place, to: &element) }
    let hasLimits = attribute.minimum != nil || attribute.maximum != nil
    if hasLimits, !XcodeLimits.limited.contains(attribute.type) {
      omissions.add("'min' and 'max' of \(place), which has the type \(attribute.type.rawValue)")
    } else {
      element.set("minValueString", attribute.minimum?.description)
      element.set("maxValueString", attribute.maximum?.description)
    }
    element.set("regularExpressionString", attribute.pattern)
  }

  private mutating func add(default value: AttributeValue, _ place: String, to element: inout XcodeElement) {
    switch value {
    case .null: break
    case .binary: omissions.add("the default of \(place), as Core Data has none of bytes")
    case .bool(let isTrue): element.set("defaultValueString", isTrue ? "YES" : "NO")
    case .date(let date):
      element.set("defaultDateTimeInterval", Self.text(date.timeIntervalSinceReferenceDate))
    case .integer, .double, .decimal, .string, .uuid: element.set("defaultValueString", value.description)
    }
  }

  /// A number as Xcode writes it: without a fraction where it has none.
  static func text(_ number: Double) -> String {
    Int(exactly: number).map { String($0) } ?? "\(number)"
  }

  // MARK: Relationships

  private mutating func relationship(_ relationship: RelationshipDescription) -> XcodeElement {
    let kept = WrittenXML(relationship.extensions)
    let place = "'\(relationship.qualifiedName)'"
    var element = XcodeElement(name: "relationship")
    element.set("name", relationship.name)
    element.set(
      "optional", relationship.isToMany ? (relationship.minCount ?? 0) < 1 : relationship.isOptional)
    element.set("toMany", relationship.isToMany)
    element.set("minCount", relationship.minCount.map { String($0) })
    element.set("maxCount", relationship.isToMany ? relationship.maxCount.map { String($0) } : "1")
    element.set("deletionRule", relationship.deleteRule.xcode)
    element.set("ordered", relationship.isOrdered)
    element.set("destinationEntity", relationship.destination)
    element.set("inverseName", relationship.inverse)
    if relationship.inverse != nil { element.set("inverseEntity", relationship.destination) }
    if !relationship.columns.isEmpty || relationship.orderColumn != nil || relationship.joinTable != nil {
      omissions.add("the columns of \(place)")
    }
    return finished(element, kept: kept, of: place, userInfo: relationship.userInfo)
  }

  // MARK: All parts

  /// Annotations with their usual keys, without what would be taken for one there.
  private mutating func withUsualKeys(_ userInfo: [String: String], of place: String) -> [String: String] {
    let usual = Set(usualKeys.values)
    var written: [String: String] = [:]
    for (key, value) in userInfo.sorted(by: { $0.key < $1.key }) {
      if usualKeys[key] == nil, usual.contains(key) {
        omissions.add("'\(key)' of \(place), which is no annotation in the model")
      } else {
        written[usualKeys[key] ?? key] = value
      }
    }
    return written
  }

  /// Adds what was kept of the XML, and notes what else the part holds.
  private mutating func finished(
    _ element: XcodeElement, kept: WrittenXML, of place: String, userInfo: [String: String] = [:]
  ) -> XcodeElement {
    var element = element
    for name in kept.otherKeys { omissions.add("'\(name)' of \(place)") }
    if kept.isMalformed { omissions.add("a part of '\(KeptXML.key)' of \(place), which is no XML") }
    kept.add(to: &element)
    if let userInfo = XcodeElement.userInfo(withUsualKeys(userInfo, of: place)) {
      element.children.append(userInfo)
    }
    element.sortAttributes()
    return element
  }
}
