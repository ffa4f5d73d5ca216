/// What annotations of attributes ask for, and whether the attribute can give it.
extension ModelChecks {
  func keyAttributesAreOnlyRebuilt() -> [Diagnostic] {
    storedAnnotatedAttributes.filter { isInKey($0.property) }.compactMap { attribute in
      let refused = attribute.annotations.present.first { annotation in
        switch annotation {
        case .exclude, .followParent, .withoutParent: true
        case .rebuild: attribute.annotations.meaning.rebuild?.makesKeys == false
        case .onClone: false
        }
      }
      return refused.map { .keyAnnotation(attribute, annotation: $0) }
    }
  }

  func rebuildFitsItsType() -> [Diagnostic] {
    storedAnnotatedAttributes.compactMap { attribute in
      guard let rule = attribute.annotations.meaning.rebuild,
        !rule.types.contains(attribute.property.type),
        // Said already: others are refused in key columns.
        rule.makesKeys || !isInKey(attribute.property)
      else { return nil }
      return .rebuildType(attribute, wanted: rule.types)
    }
  }

  func excludedAttributesMayBeEmpty() -> [Diagnostic] {
    plainAnnotatedAttributes.filter { $0.annotations.has(.exclude) && !$0.property.mayBeReset }
      .map { .requiredExcluded($0) }
  }

  func blankAttributesMayBeEmpty() -> [Diagnostic] {
    plainAnnotatedAttributes.filter { attribute in
      let annotations = attribute.annotations
      return annotations.meaning.withoutParent == .blank && annotations.has(.followParent)
        && !annotations.has(.exclude) && !attribute.property.mayBeReset
    }.map { .blankRequired($0) }
  }

  func followersSayWhatHoldsWithoutParent() -> [Diagnostic] {
    plainAnnotatedAttributes.filter { !$0.annotations.has(.exclude) }.compactMap { attribute in
      switch (attribute.annotations.has(.followParent), attribute.annotations.has(.withoutParent)) {
      case (true, false): .followWithoutFallback(attribute, keys: keys)
      case (false, true): .fallbackWithoutFollow(attribute, keys: keys)
      default: nil
      }
    }
  }
}

extension Diagnostic {
  static func keyAnnotation(
    _ attribute: Annotated<AttributeDescription>, annotation: AnnotationKey
  ) -> Diagnostic {
    Diagnostic(
      .keyAnnotation, at: attribute.path(annotation),
      "'\(attribute.annotations.key(annotation))' cannot be used with \(attribute.quoted), which is part of the key of "
        + "'\(attribute.property.entity)': the store generates the key of a clone",
      help: "remove it; only 'rebuild: uuid' is allowed on a key column",
      edits: [.remove(attribute.path(annotation))])
  }

  static func rebuildType(_ attribute: Annotated<AttributeDescription>, wanted: [AttributeType]) -> Diagnostic
  {
    let entry = attribute.annotations.entries[.rebuild]!
    let types = wanted.map(\.rawValue).alternatives
    return Diagnostic(
      .rebuildType, at: attribute.path(.rebuild),
      "'\(entry.key): \(entry.value)' makes a value of type \(types), but \(attribute.quoted) is "
        + "\(attribute.property.type.rawValue)",
      help: "change 'type' to \(types), or remove '\(entry.key)'",
      edits: [.remove(attribute.path(.rebuild))])
  }

  static func requiredExcluded(_ attribute: Annotated<AttributeDescription>) -> Diagnostic {
    Diagnostic(
      .requiredExcluded, at: attribute.path(.exclude),
      "\(attribute.quoted) is excluded whatever the value of '\(attribute.annotations.key(.exclude))', but it is "
        + "required and has no default, so no clone could hold it",
      help: "add a 'default' or 'optional: true', or remove '\(attribute.annotations.key(.exclude))'",
      edits: [.makeOptional(attribute.path), .remove(attribute.path(.exclude))])
  }

  static func blankRequired(_ attribute: Annotated<AttributeDescription>) -> Diagnostic {
    let key = attribute.annotations.key(.withoutParent)
    return Diagnostic(
      .blankRequired, at: attribute.path(.withoutParent),
      "'\(key): blank' would leave \(attribute.quoted) empty, but it is required and has no default",
      help: "add a 'default' or 'optional: true', or write '\(key): keep'",
      edits: [.makeOptional(attribute.path), .annotate(attribute.path, key, "keep")])
  }

  static func followWithoutFallback(
    _ attribute: Annotated<AttributeDescription>, keys: AnnotationKeys
  ) -> Diagnostic {
    let values = attribute.property.mayBeReset ? ["keep", "blank"] : ["keep"]
    return Diagnostic(
      .followWithoutFallback, at: attribute.path(.followParent),
      "\(attribute.quoted) follows an ancestor, but has no 'withoutParent' for a clone without one, so cloning "
        + "\(attribute.property.entity.withArticle) by itself fails",
      help: "add " + values.map { "'\(keys.withoutParent): \($0)'" }.alternatives,
      edits: values.map { .annotate(attribute.path, keys.withoutParent, $0) })
  }

  static func fallbackWithoutFollow(
    _ attribute: Annotated<AttributeDescription>, keys: AnnotationKeys
  ) -> Diagnostic {
    Diagnostic(
      .fallbackWithoutFollow, at: attribute.path(.withoutParent),
      "\(attribute.quoted) has 'withoutParent', but no 'followParent'",
      help: "add '\(keys.followParent)', or remove '\(attribute.annotations.key(.withoutParent))'",
      edits: [.remove(attribute.path(.withoutParent))])
  }
}
