import MOCloneModel

extension Explanation {
  /// How annotations are written.
  static let annotations: [DiagnosticCode: Explanation] = [
    .misspeltAnnotation: Explanation(
      "A key in userInfo is almost the name of an annotation.",
      why:
        "Unknown keys are kept and ignored, so a misspelt one would silently copy what you meant to leave out. Keys "
        + "are compared exactly, including upper and lower case.",
      bad: "Note: {attributes: {views: {type: Integer 32, default: 0, userInfo: {exlude: \"\"}}}}",
      good: "Note: {attributes: {views: {type: Integer 32, default: 0, userInfo: {exclude: \"\"}}}}"),
    .unknownAnnotationValue: Explanation(
      "An annotation has an unknown value.",
      why:
        "`rebuild` is \(RebuildRule.words.alternatives), `withoutParent` keep or blank, "
        + "`onClone` clone or link, in any case.",
      bad: "Note: {attributes: {uid: {type: UUID, userInfo: {rebuild: guid}}}}",
      good: "Note: {attributes: {uid: {type: UUID, userInfo: {rebuild: uuid}}}}"),
    .misplacedAnnotation: Explanation(
      "An attribute annotation is on a relationship, or the reverse.",
      why:
        "`rebuild`, `followParent` and `withoutParent` produce values and belong to attributes; `onClone` belongs to "
        + "relationships; `exclude` to both.",
      bad: "Note: {attributes: {name: {type: String, userInfo: {onClone: link}}}}",
      good: "Note: {attributes: {name: {type: String, optional: true, userInfo: {exclude: \"\"}}}}"),
    .annotationWithoutEffect: Explanation(
      "An annotation is in a place where it has no effect.",
      why: "Transient attributes are not stored, so not copied. Entities have no annotations.",
      bad: "Note: {attributes: {isOpen: {type: Boolean, transient: true, userInfo: {exclude: \"\"}}}}",
      good: "Note: {attributes: {isOpen: {type: Boolean, transient: true}}}"),
    .conflictingAnnotations: Explanation(
      "One annotation prevents another from ever taking effect.",
      why:
        "`exclude` comes before all others, and `withoutParent: blank` before `rebuild`. (`rebuild` beside "
        + "`withoutParent: keep` is valid: it applies where there is no ancestor.) Two annotations with one key in "
        + "`userInfoKeys` could only be written together, which is an error.",
      bad:
        "Note: {attributes: {uid: {type: UUID, optional: true, userInfo: {exclude: \"\", rebuild: uuid}}}}",
      good: "Note: {attributes: {uid: {type: UUID, optional: true, userInfo: {rebuild: uuid}}}}"),
    .excludeValue: Explanation(
      "`exclude` has a value that looks like no.",
      why:
        "The key alone excludes, whatever its value, as in Xcode's editor. To copy the property, remove the key.",
      bad: "Note: {attributes: {tint: {type: String, optional: true, userInfo: {exclude: \"false\"}}}}",
      good: "Note: {attributes: {tint: {type: String, optional: true}}}"),
    .keyAnnotation: Explanation(
      "An attribute in a key column has an annotation other than `rebuild: uuid`.",
      why:
        "The store generates the key, so a clone gets a new one, whatever its attributes say. An attribute in a key "
        + "column is another name for it.",
      bad: "Note: {attributes: {id: {type: UUID, optional: true, userInfo: {exclude: \"\"}}}}",
      good: "Note: {attributes: {id: {type: UUID, userInfo: {rebuild: uuid}}}}"),
  ]

  /// What annotations of attributes ask for.
  static let values: [DiagnosticCode: Explanation] = [
    .rebuildType: Explanation(
      "`rebuild` produces a value of another type.",
      why: RebuildRule.allCases.map {
        "`rebuild: \($0.rawValue)` makes \($0.summary) and needs an attribute of type "
          + $0.types.map(\.rawValue).alternatives + "."
      }.joined(separator: " "),
      bad: "Note: {attributes: {uid: {type: String, userInfo: {rebuild: uuid}}}}",
      good: "Note: {attributes: {uid: {type: UUID, userInfo: {rebuild: uuid}}}}"),
    .requiredExcluded: Explanation(
      "A required attribute without default is excluded.",
      why: "The clone would hold null, which the store refuses.",
      bad: "Note: {attributes: {views: {type: Integer 32, userInfo: {exclude: \"\"}}}}",
      good: "Note: {attributes: {views: {type: Integer 32, default: 0, userInfo: {exclude: \"\"}}}}"),
    .blankRequired: Explanation(
      "`withoutParent: blank` would leave a required attribute empty.",
      why:
        "Where no ancestor has the followed attribute, the clone would hold null, which the store refuses.",
      bad: followers("{type: UUID, userInfo: {followParent: uid, withoutParent: blank}}"),
      good: followers("{type: UUID, optional: true, userInfo: {followParent: uid, withoutParent: blank}}")),
    .unknownFollowedEntity: Explanation(
      "`followParent` names an entity that the model does not have.",
      why:
        "`Note.uid` takes the value of the nearest ancestor that is a Note, so there must be such an entity.",
      bad: followers("{type: UUID, userInfo: {followParent: Nope.uid, withoutParent: keep}}"),
      good: followers("{type: UUID, userInfo: {followParent: Note.uid, withoutParent: keep}}")),
    .unknownFollowedAttribute: Explanation(
      "`followParent` names an attribute that no possible ancestor has.",
      why:
        "Ancestors are the objects over whose cloned relationships this one is reached. Linked and excluded "
        + "relationships make no ancestors.",
      bad: followers("{type: UUID, userInfo: {followParent: uld, withoutParent: keep}}"),
      good: followers("{type: UUID, userInfo: {followParent: uid, withoutParent: keep}}")),
    .followedType: Explanation(
      "`followParent` names an attribute of another type.",
      why: "Values are taken as they are, never converted.",
      bad: followers("{type: String, userInfo: {followParent: uid, withoutParent: keep}}"),
      good: followers("{type: UUID, userInfo: {followParent: uid, withoutParent: keep}}")),
    .followWithoutFallback: Explanation(
      "`followParent` has no `withoutParent` beside it.",
      why:
        "Any concrete entity can be cloned by itself, and then it has no ancestor to follow, so the clone fails "
        + "before it writes. Say `withoutParent: keep` or `withoutParent: blank`.",
      bad: followers("{type: UUID, userInfo: {followParent: uid}}"),
      good: followers("{type: UUID, userInfo: {followParent: uid, withoutParent: keep}}")),
    .fallbackWithoutFollow: Explanation(
      "`withoutParent` has no `followParent` beside it.",
      why: "It gives the value for objects without such an ancestor, but the attribute follows nothing.",
      bad: followers("{type: UUID, userInfo: {withoutParent: keep}}"),
      good: followers("{type: UUID, userInfo: {followParent: uid, withoutParent: keep}}")),
  ]

  /// What annotations of relationships leave out.
  static let accessPaths: [DiagnosticCode: Explanation] = [
    .requiredRelationshipExcluded: Explanation(
      "A required relationship is excluded.",
      why:
        "If the object is reached over the inverse, the parent's side fills it. On another access path it would "
        + "be left empty, which is an error; if only cloning it by itself would, this is a warning. A list is required by "
        + "a `minCount` of 1 or more. Such clones are refused; the model can be used for everything else.",
      bad: "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items}, "
        + "kind: {destination: Kind, userInfo: {exclude: \"\"}}}}\nKind: {attributes: {name: String}}",
      good: "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items}, "
        + "kind: {destination: Kind, userInfo: {onClone: link}}}}\nKind: {attributes: {name: String}}"),
    .linkLeavesOut: Explanation(
      "`onClone: link` is used where linking would change an original.",
      why:
        "An object that can have only one owner would be taken from the original, so such objects are left out "
        + "of the clone unless they are cloned over another relationship.",
      bad: "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note, "
        + "userInfo: {onClone: link}}}}\nItem: {relationships: {note: {destination: Note, inverse: items}}}",
      good: "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items}}}"),
  ]

  /// A note with items, where an item's `noteUID` is the example.
  private static func followers(_ attribute: String) -> String {
    "Note:\n  attributes: {uid: {type: UUID, userInfo: {rebuild: uuid}}}\n"
      + "  relationships: {items: {destination: Item, toMany: true, inverse: note}}\n"
      + "Item:\n  attributes: {noteUID: \(attribute)}\n"
      + "  relationships: {note: {destination: Note, inverse: items}}"
  }
}
