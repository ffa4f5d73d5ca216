/// How annotations are written: their keys, values and places.
extension ModelChecks {
  /// A key of two annotations would always mean both.
  func annotationKeysDiffer() -> [Diagnostic] {
    let all = AnnotationKey.allCases
    return all.indices.compactMap { i in
      guard let other = all[..<i].first(where: { $0.name(keys) == all[i].name(keys) }) else { return nil }
      let isRenamed = all[i].name(keys) != all[i].name(.default)
      return isRenamed
        ? .sharedKey(all[i], other: other, keys: keys) : .sharedKey(other, other: all[i], keys: keys)
    }
  }

  func annotationKeysAreSpeltRight() -> [Diagnostic] {
    let properties =
      annotatedAttributes.map { ($0.annotations, $0.path, $0.quoted) }
      + annotatedRelationships.map { ($0.annotations, $0.path, $0.quoted) }
    return properties.flatMap { annotations, path, quoted in
      annotations.misspelt.map { key, meant in
        var finding = Diagnostic.misspeltAnnotation(key, meant: meant, of: quoted, at: path)
        let isTheOne = annotations.entries.values.contains { $0.key == key }
        finding.renaming = isTheOne ? Diagnostic.Renaming(written: key, meant: meant) : nil
        return finding
      }
    }
  }

  func annotationValuesAreKnown() -> [Diagnostic] {
    annotatedAttributes.flatMap { attribute in
      [
        unknownValue(
          attribute, annotation: .rebuild, known: RebuildRule.words,
          proposed: RebuildRule.allCases.filter { $0.types.contains(attribute.property.type) }.map(\.rawValue)
        ),
        unknownValue(
          attribute, annotation: .withoutParent, known: ParentFallback.words,
          // What may not be empty keeps its value, or is a finding again.
          proposed: attribute.property.mayBeReset ? nil : [ParentFallback.keep.rawValue]),
      ].compactMap { $0 }
    }
      + annotatedRelationships.compactMap {
        unknownValue($0, annotation: .onClone, known: OnClone.words)
      }
  }

  private func unknownValue<P>(
    _ property: Annotated<P>, annotation: AnnotationKey, known: [String],
    proposed: [String]? = nil
  ) -> Diagnostic? {
    guard let value = property.annotations.value(annotation), !known.contains(value) else { return nil }
    return .unknownAnnotationValue(
      property.annotations.entries[annotation]!, of: property.quoted, known: known,
      proposed: proposed ?? known, at: property.path(annotation))
  }

  func annotationsStandWhereTheyBelong() -> [Diagnostic] {
    annotatedAttributes.filter { $0.annotations.has(.onClone) }.map {
      .misplacedAnnotation($0, annotation: .onClone)
    }
      + annotatedRelationships.flatMap { relationship in
        [.rebuild, .followParent, .withoutParent].filter { relationship.annotations.has($0) }
          .map { .misplacedAnnotation(relationship, annotation: $0) }
      }
  }

  /// Annotations that another one, or the place where they stand, robs of any effect.
  func annotationsTakeEffect() -> [Diagnostic] {
    annotationsOfEntities()
      + annotatedAttributes.filter { !$0.property.takesAnnotations }.map { .annotatedInVain($0) }
      + plainAnnotatedAttributes.compactMap(conflict)
      + annotatedRelationships.compactMap { relationship in
        let annotations = relationship.annotations
        // What a misspelt key would lead to is not said.
        guard annotations.has(.exclude), annotations.has(.onClone), annotations.misspelt.isEmpty else {
          return nil
        }
        return .conflict(relationship, winner: .exclude, over: .onClone)
      }
  }

  private func annotationsOfEntities() -> [Diagnostic] {
    entities.flatMap { entity in
      let keys = Set(AnnotationKey.allCases.map { $0.name(self.keys) })
      return entity.userInfo.keys.filter(keys.contains).sorted().map {
        Diagnostic.annotatedEntity(entity.name, key: $0)
      }
    }
  }

  private func conflict(_ attribute: Annotated<AttributeDescription>) -> Diagnostic? {
    let annotations = attribute.annotations
    if annotations.has(.exclude) {
      let loser = [AnnotationKey.followParent, .rebuild, .withoutParent].first { annotations.has($0) }
      return loser.map { .conflict(attribute, winner: .exclude, over: $0) }
    }
    // With `keep` an object without such an ancestor is rebuilt, so both take effect.
    guard annotations.has(.followParent), annotations.has(.rebuild) else { return nil }
    return annotations.value(.withoutParent) == "blank"
      ? .conflict(attribute, winner: .withoutParent, over: .rebuild) : nil
  }

  func excludeHasNoValueThatMeansNo() -> [Diagnostic] {
    plainAnnotatedAttributes.filter { $0.annotations.meansNo && $0.property.mayBeReset }.map {
      .excludeValue($0)
    }
      + annotatedRelationships.filter { $0.annotations.meansNo && $0.annotations.misspelt.isEmpty }
      .map { .excludeValue($0) }
  }
}

extension AttributeDescription {
  /// Whether a clone writes a value there that annotations can be about.
  var takesAnnotations: Bool { !isTransient && !isKeptByTriggers }
}

extension WrittenAnnotations {
  /// Whether someone may believe that `exclude` does not hold.
  fileprivate var meansNo: Bool { ["false", "no", "0"].contains(value(.exclude)) }
}

extension Diagnostic {
  static func misspeltAnnotation(
    _ key: String, meant: String, of property: String, at path: ModelPath
  ) -> Diagnostic {
    Diagnostic(
      .misspeltAnnotation, at: path / "userInfo" / key,
      "'\(key)' of \(property) is not an annotation, so it would be ignored", help: "did you mean '\(meant)'?"
    )
  }

  static func unknownAnnotationValue(
    _ entry: (key: String, value: String), of property: String, known: [String],
    proposed: [String], at path: ModelPath
  ) -> Diagnostic {
    let values = (proposed.isEmpty ? known : proposed).map { "'\($0)'" }.alternatives
    return Diagnostic(
      .unknownAnnotationValue, at: path,
      "'\(entry.key)' of \(property) has the unknown value '\(entry.value)'",
      help: proposed.isEmpty ? "remove it: its values, \(values), fit other types only" : "write \(values)",
      edits: proposed.map { ModelEdit([.set(path, $0)]) })
  }

  static func misplacedAnnotation<P>(_ property: Annotated<P>, annotation: AnnotationKey) -> Diagnostic {
    let (wanted, found) =
      annotation == .onClone ? ("relationships", "attribute") : ("attributes", "relationship")
    return Diagnostic(
      .misplacedAnnotation, at: property.path(annotation),
      "'\(property.annotations.key(annotation))' belongs to \(wanted), but \(property.quoted) is "
        + (found == "attribute" ? "an " : "a ") + found,
      help: annotation == .onClone
        ? "remove it" : "use 'onClone' or 'exclude' on a relationship, or remove it",
      edits: [.remove(property.path(annotation))])
  }

  static func annotatedInVain(_ attribute: Annotated<AttributeDescription>) -> Diagnostic {
    let key = attribute.annotations.present[0]
    let isTransient = attribute.property.isTransient
    let reason =
      isTransient
      ? "is transient and is never copied"
      : "is maintained by triggers and every insert writes its default"
    return Diagnostic(
      .annotationWithoutEffect, at: attribute.path(key),
      "\(attribute.quoted) \(reason), so '\(attribute.annotations.key(key))' has no effect",
      notes: [
        isTransient
          ? Note("the attribute is transient", at: attribute.path / "transient")
          : Note("the attribute is maintained by triggers", at: attribute.path / "derived")
      ],
      help: "remove the annotation",
      edits: [ModelEdit(attribute.annotations.present.map { .remove(attribute.path($0)) })])
  }

  static func annotatedEntity(_ entity: String, key: String) -> Diagnostic {
    Diagnostic(
      .annotationWithoutEffect, at: .entity(entity) / "userInfo" / key,
      "'\(key)' is in the userInfo of the entity '\(entity)', where it has no effect",
      help: "move it to the attribute or relationship that it is meant for, or remove it",
      edits: [.remove(.entity(entity) / "userInfo" / key)])
  }

  static func conflict<P>(
    _ property: Annotated<P>, winner: AnnotationKey, over loser: AnnotationKey
  ) -> Diagnostic {
    let annotations = property.annotations
    return Diagnostic(
      .conflictingAnnotations, at: property.path(loser),
      "'\(annotations.key(loser))' of \(property.quoted) never takes effect, because "
        + "'\(annotations.key(winner))' comes before it",
      notes: [Note("the annotation that holds", at: property.path(winner))], help: "remove one of the two",
      edits: [loser, winner].map(property.removal(of:)))
  }

  static func sharedKey(_ renamed: AnnotationKey, other: AnnotationKey, keys: AnnotationKeys)
    -> Diagnostic
  {
    let (name, otherName) = (renamed.name(.default), other.name(.default))
    return Diagnostic(
      .conflictingAnnotations, .error, at: .model / "userInfoKeys" / name,
      "'\(name)' and '\(otherName)' have the same key '\(renamed.name(keys))', so neither can be written alone",
      help: "give each annotation a key of its own")
  }

  static func excludeValue<P>(_ property: Annotated<P>) -> Diagnostic {
    let entry = property.annotations.entries[.exclude]!
    return Diagnostic(
      .excludeValue, at: property.path(.exclude),
      "'\(entry.key): \(entry.value)' excludes \(property.quoted): the value is ignored",
      help: "remove '\(entry.key)' to copy it, or write '\(entry.key): \"\"' to exclude it",
      edits: [.remove(property.path(.exclude)), .annotate(property.path, entry.key)])
  }
}
