/// Defaults, limits and patterns of attributes.
extension ModelChecks {
  func defaultsFitTheirTypes() -> [Diagnostic] {
    attributes.compactMap { attribute in
      guard let value = attribute.defaultValue, attribute.type.value(fitting: value) == nil else {
        return nil
      }
      return .defaultOfAnotherType(value, of: attribute)
    }
  }

  /// A value that every insert leaves to triggers can be no other's business.
  func attributesOfTriggersAreFree() -> [Diagnostic] {
    attributes.filter(\.isKeptByTriggers).compactMap { attribute in
      if attribute.isTransient { return .keptByTriggers(attribute, reason: "transient, so it is not stored") }
      if isInKey(attribute) {
        return .keptByTriggers(attribute, reason: "part of the key, which an insert must provide")
      }
      if identifies(attribute) {
        return .keptByTriggers(
          attribute, reason: "unique, and all new objects would begin with the same default")
      }
      return attribute.mayBeReset ? nil : .triggerWithoutDefault(attribute)
    }
  }

  private func identifies(_ attribute: AttributeDescription) -> Bool {
    entities.contains { entity in
      entity.uniquenessConstraints.joined().contains(attribute.name)
        && sound.attribute(attribute.name, of: entity.name) == attribute
    }
  }

  func limitsAreInOrder() -> [Diagnostic] {
    attributes.compactMap { attribute in
      if !attribute.type.isMeasured, attribute.minimum != nil || attribute.maximum != nil {
        return .keyOfType(
          .invalidRange, attribute, key: attribute.minimum != nil ? "min" : "max",
          fits: "numbers and strings have limits")
      }
      if let least = attribute.minimum, let greatest = attribute.maximum, least > greatest {
        return .invalidRange(attribute)
      }
      let isLength = attribute.type == .string
      return isLength && (attribute.maximum ?? 0) < 0 ? .negativeLength(attribute) : nil
    }
  }

  func patternsAreRegularExpressions() -> [Diagnostic] {
    attributes.compactMap { attribute in
      guard let pattern = attribute.pattern else { return nil }
      if attribute.type != .string {
        return .keyOfType(.invalidPattern, attribute, key: "pattern", fits: "a String can have one")
      }
      do throws(TextPattern.Fault) {
        _ = try TextPattern(pattern)
        return nil
      } catch {
        return .invalidPattern(pattern, reason: error.reason, of: attribute)
      }
    }
  }

  /// What every new object and every excluded attribute gets must be a value that is allowed.
  func defaultsAreAllowed() -> [Diagnostic] {
    attributes.compactMap { attribute in
      guard let value = attribute.defaultValue.flatMap(attribute.type.value(fitting:)), !value.isNull else {
        return nil
      }
      // Limits that contradict each other allow nothing, which is said there.
      if let least = attribute.minimum, let greatest = attribute.maximum, least > greatest { return nil }
      if let minimum = attribute.minimum, let measure = value.measure, measure < minimum {
        return .defaultOutsideLimits(value, of: attribute, fault: "is below its 'min'", at: "min")
      }
      if let maximum = attribute.maximum, let measure = value.measure, measure > maximum {
        return .defaultOutsideLimits(value, of: attribute, fault: "is above its 'max'", at: "max")
      }
      guard let pattern = attribute.pattern.flatMap({ try? TextPattern($0) }), case .string(let text) = value,
        !pattern.matches(text)
      else { return nil }
      return .defaultOutsideLimits(value, of: attribute, fault: "does not match its 'pattern'", at: "pattern")
    }
  }

  func storageFormsFitTheirTypes() -> [Diagnostic] {
    attributes.compactMap { attribute in
      switch (attribute.storage, attribute.type) {
      case (nil, _), (.date, .date), (.uuid, .uuid): nil
      case (.date, _): .storageMismatch(attribute, form: "dates")
      case (.uuid, _): .storageMismatch(attribute, form: "UUIDs")
      }
    }
  }
}

extension AttributeDescription {
  /// `'Note.id'`
  var quoted: String { "'\(entity).\(name)'" }

  /// Whether a clone may hold no value of the original's: the attribute is optional or has a default.
  var mayBeReset: Bool { isOptional || !(defaultValue ?? .null).isNull }
}

extension Diagnostic {
  static func defaultOfAnotherType(_ value: AttributeValue, of attribute: AttributeDescription) -> Diagnostic
  {
    Diagnostic(
      .defaultOfAnotherType, at: .attribute(attribute) / "default",
      "the default of \(attribute.quoted), '\(value)', is not a valid \(attribute.type.rawValue)"
        + attribute.type.expectation,
      help: "write the default as a value of this type, or change 'type'")
  }

  static func keptByTriggers(_ attribute: AttributeDescription, reason: String) -> Diagnostic {
    Diagnostic(
      .triggerAttribute, at: .attribute(attribute) / "derived",
      "triggers cannot maintain \(attribute.quoted), because it is \(reason)",
      help: "remove 'derived: trigger'")
  }

  static func triggerWithoutDefault(_ attribute: AttributeDescription) -> Diagnostic {
    Diagnostic(
      .triggerAttribute, at: .attribute(attribute) / "derived",
      "triggers maintain \(attribute.quoted), so every insert writes its default, but it is required and has no default",
      help: "add a 'default', or 'optional: true'")
  }

  static func invalidRange(_ attribute: AttributeDescription) -> Diagnostic {
    Diagnostic(
      .invalidRange, at: .attribute(attribute) / "min",
      "'min' of \(attribute.quoted) is greater than its 'max', so no value is valid",
      notes: [Note("the other limit", at: .attribute(attribute) / "max")], help: "swap the two limits")
  }

  static func keyOfType(
    _ code: DiagnosticCode, _ attribute: AttributeDescription, key: String, fits: String
  ) -> Diagnostic {
    Diagnostic(
      code, at: .attribute(attribute) / key,
      "\(attribute.quoted) has a '\(key)', but its type is \(attribute.type.rawValue), and only \(fits)",
      help: "remove '\(key)'")
  }

  static func negativeLength(_ attribute: AttributeDescription) -> Diagnostic {
    Diagnostic(
      .invalidRange, at: .attribute(attribute) / "max",
      "'max' of \(attribute.quoted), the greatest length of a String, is negative",
      help: "make it 0 or more, or remove it")
  }

  static func defaultOutsideLimits(
    _ value: AttributeValue, of attribute: AttributeDescription, fault: String, at limit: String
  ) -> Diagnostic {
    Diagnostic(
      .defaultOutsideLimits, at: .attribute(attribute) / "default",
      "the default of \(attribute.quoted), '\(value)', \(fault), so an object with it would be refused",
      notes: [Note("the limit", at: .attribute(attribute) / limit)],
      help: "write a default that is allowed, or change '\(limit)'")
  }

  static func invalidPattern(
    _ pattern: String, reason: String, of attribute: AttributeDescription
  ) -> Diagnostic {
    Diagnostic(
      .invalidPattern, at: .attribute(attribute) / "pattern",
      "the pattern of \(attribute.quoted), '\(pattern)', cannot be used: \(reason)",
      help: "close its groups and brackets, and escape literal characters with a backslash")
  }

  static func storageMismatch(_ attribute: AttributeDescription, form: String) -> Diagnostic {
    Diagnostic(
      .storageMismatch, at: .attribute(attribute) / "storage",
      "'storage' of \(attribute.quoted) is a form for a \(form), but its type is \(attribute.type.rawValue)",
      help: "remove 'storage', or change 'type'")
  }
}
