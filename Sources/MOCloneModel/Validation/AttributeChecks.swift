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

  func limitsAreInOrder() -> [Diagnostic] {
    attributes.compactMap { attribute in
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
      if attribute.type != .string { return .patternOfType(attribute) }
      return (try? Regex(pattern)) == nil ? .invalidPattern(pattern, of: attribute) : nil
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
      "the default of \(attribute.quoted), '\(value)', is no value of type \(attribute.type.rawValue)",
      help: "write the default as a value of this type, or change 'type'")
  }

  static func invalidRange(_ attribute: AttributeDescription) -> Diagnostic {
    Diagnostic(
      .invalidRange, at: .attribute(attribute) / "min",
      "'min' of \(attribute.quoted) is greater than its 'max', so no value is valid",
      notes: [Note("the other limit", at: .attribute(attribute) / "max")], help: "exchange the two limits")
  }

  static func negativeLength(_ attribute: AttributeDescription) -> Diagnostic {
    Diagnostic(
      .invalidRange, at: .attribute(attribute) / "max",
      "'max' of \(attribute.quoted) is the greatest length of a String, and it is negative",
      help: "make it 0 or more, or remove it")
  }

  static func patternOfType(_ attribute: AttributeDescription) -> Diagnostic {
    Diagnostic(
      .invalidPattern, at: .attribute(attribute) / "pattern",
      "\(attribute.quoted) has a 'pattern', but its type is \(attribute.type.rawValue); only a String has one",
      help: "remove 'pattern'")
  }

  static func invalidPattern(_ pattern: String, of attribute: AttributeDescription) -> Diagnostic {
    Diagnostic(
      .invalidPattern, at: .attribute(attribute) / "pattern",
      "the pattern of \(attribute.quoted), '\(pattern)', is not a regular expression",
      help: "close its groups and brackets, and put a backslash before characters meant as they are")
  }

  static func storageMismatch(_ attribute: AttributeDescription, form: String) -> Diagnostic {
    Diagnostic(
      .storageMismatch, at: .attribute(attribute) / "storage",
      "'storage' of \(attribute.quoted) is a form of \(form), but its type is \(attribute.type.rawValue)",
      help: "remove 'storage', or change 'type'")
  }
}
