import MOCloneModel

extension AttributeDescription {
  /// The value as a store holds it, checked against type, optionality, limits and pattern.
  ///
  /// - Throws: `CloneError` (`invalid-value`) that names entity and attribute.
  public func checked(_ value: AttributeValue, for entity: String) throws -> AttributeValue {
    func failure(_ reason: String, help: String? = nil) -> CloneError {
      CloneError(
        .invalidValue, "'\(name)' of \(entity) \(reason)", help: help, entity: entity, property: name)
    }
    if isTransient { throw failure("is transient, so it is not stored and cannot be set") }
    guard let fitted = type.value(fitting: value) else {
      throw failure(
        "is \(type.rawValue), but '\(value)' is not a valid \(type.rawValue)",
        help: type.excess(of: value.description))
    }
    if fitted.isNull {
      if isOptional { return .null }
      throw failure("is required, so it cannot be null")
    }
    if let minimum, let measure = fitted.measure, measure < minimum {
      throw failure(outside("below its minimum", "at least", minimum, value: fitted))
    }
    if let maximum, let measure = fitted.measure, measure > maximum {
      throw failure(outside("above its maximum", "at most", maximum, value: fitted))
    }
    if let pattern, case .string(let text) = fitted, try !text.matches(whole: pattern) {
      throw failure("is '\(value)', but it must match '\(pattern)'")
    }
    return fitted
  }

  /// A number is limited itself, and a String by its length.
  private func outside(_ side: String, _ most: String, _ limit: ValueLimit, value: AttributeValue) -> String {
    guard case .string(let text) = value else { return "is '\(value)', \(side) \(limit)" }
    let characters = text.count == 1 ? "1 character" : "\(text.count) characters"
    return "has \(characters), but must have \(most) \(limit): '\(text.shortened)'"
  }
}

extension String {
  fileprivate func matches(whole pattern: String) throws -> Bool {
    do throws(TextPattern.Fault) {
      return try TextPattern.read(pattern).matches(self)
    } catch {
      throw CloneError(.invalidValue, "'\(pattern)' is not a valid regular expression: \(error.reason)")
    }
  }
}

extension CloneError.Failure {
  /// A value that is none of an attribute's type.
  ///
  /// - Parameter way: another way to look an object up; nil where the value is to be written.
  package static func notValid(
    _ value: String, for attribute: AttributeDescription, of entity: String,
    code: DiagnosticCode = .invalidValue, lookingUp way: String? = nil
  ) -> Self {
    let type = attribute.type
    return .init(
      code, "'\(value)' is not a valid \(type.rawValue) for '\(attribute.name)' of \(entity)",
      help: type.excess(of: value, lookingUp: way) ?? type.expected, entity: entity,
      property: attribute.name)
  }
}

extension CloneError {
  /// The error that an entity has no attribute of a name, with the nearest name that it has.
  public static func unknownAttribute(_ name: String, of entity: String, in model: ObjectModel) -> CloneError
  {
    let isOther = model.relationship(name, of: entity) != nil
    return unknown(
      "attribute", name, of: entity, known: model.attributes(of: entity).map(\.name),
      help: isOther ? "'\(name)' is a relationship" : nil)
  }

  /// The error that an entity has no relationship of a name, with the nearest name that it has.
  public static func unknownRelationship(
    _ name: String, of entity: String, in model: ObjectModel
  ) -> CloneError {
    let isOther = model.attribute(name, of: entity) != nil
    return unknown(
      "relationship", name, of: entity, known: model.relationships(of: entity).map(\.name),
      help: isOther ? "'\(name)' is an attribute" : nil)
  }

  /// The error that an entity has neither attribute nor relationship of a name, with the nearest name that it has.
  package static func unknownProperty(_ name: String, of entity: String, in model: ObjectModel) -> CloneError
  {
    unknown("property", name, of: entity, known: model.propertyNames(of: entity))
  }

  private static func unknown(
    _ kind: String, _ name: String, of entity: String, known: [String], help: String? = nil
  ) -> CloneError {
    CloneError(
      .unknownName, "\(entity) has no \(kind) '\(name)'", help: help ?? didYouMean(name, known: known),
      entity: entity, property: name)
  }
}
