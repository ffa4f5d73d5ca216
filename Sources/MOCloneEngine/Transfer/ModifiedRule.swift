import Foundation
import MOCloneModel

/// Which date says when an object was last changed: whatever changes the object sets it, unless it was given one.
public struct ModifiedRule: Sendable {
  /// The name of the attribute; entities that have none of that name, or one that is no Date, are left alone.
  public var name: String
  /// The operation's one instant.
  public var instant: Date

  /// Creates a rule; by default the attribute is `modified`, and the instant the present one.
  public init(name: String = "modified", instant: Date = Date()) {
    self.name = name
    self.instant = instant
  }

  /// The attribute of an entity that is to be set.
  public func attribute(of entity: String, in model: ObjectModel) -> AttributeDescription? {
    guard let attribute = model.attribute(name, of: entity), attribute.type == .date, !attribute.isTransient,
      !attribute.isDerived
    else { return nil }
    return attribute
  }

  /// Values with the date, where they have none.
  public func adding(
    to values: [String: AttributeValue], of entity: String, in model: ObjectModel
  ) -> [String: AttributeValue] {
    guard values[name] == nil, attribute(of: entity, in: model) != nil else { return values }
    return values.merging([name: .date(instant)]) { given, _ in given }
  }
}
