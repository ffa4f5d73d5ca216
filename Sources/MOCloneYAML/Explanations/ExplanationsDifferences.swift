import MOCloneModel

extension Explanation {
  /// What `moclone diff` finds.
  static let differences: [DiagnosticCode: Explanation] = [
    .entityRemoved: Explanation(
      "A change of the model removes an entity or makes it abstract.",
      why:
        "Its objects can no longer be cloned. An entity with a new name says what it was called by `renamedFrom`."
    ),
    .rootRefused: Explanation(
      "An entity can no longer be cloned by itself.",
      why:
        "Every clone of its objects is refused now, for the reason given. Usually an attribute follows an ancestor that a "
        + "root does not have; `withoutParent` says what it gets then."),
    .constraintAdded: Explanation(
      "A copied value must be unique now.",
      why:
        "The clone has the same value as its original, so it is refused. Rebuild or exclude the attribute in the same "
        + "change."),
    .dataTightened: Explanation(
      "Data that exists may not fit the model any more.",
      why:
        "What was optional is required, a limit is narrower, a type is another one, or values must be unique. Rows that were "
        + "written before are refused by imports and clones, or cannot be read. Migrate the store in the same change; "
        + "`moclone validate --store` says which rows do not fit."),
    .noLongerCloned: Explanation(
      "Related objects are no longer copied.",
      why:
        "Clones made from now on lack them, and everything below them. Usually an exclusion was added, or a relationship removed."
    ),
    .copyBecameLink: Explanation(
      "Related objects are linked in place of copied.",
      why: "The clone shares them with its original, so that a later change of one changes both."),
    .linkBecameCopy: Explanation(
      "Related objects are copied in place of linked.",
      why:
        "Each clone makes another one of what was shared, with everything below it. Usually an inverse was removed or became to-one."
    ),
    .joinsOthers: Explanation(
      "Copies join a list of an object that is not copied.",
      why:
        "An object below the root keeps its reference to an owner outside of the clone, so that cloning one object adds "
        + "members to another: a line that is copied with its product is a new line of an existing order. Exclude the "
        + "relationship that leads to these objects."),
    .noLongerLinked: Explanation(
      "Related objects are no longer linked.",
      why: "The clone lacks the reference to an object that its original has."),
    .noLongerOrdered: Explanation(
      "A list is no longer copied in its order.",
      why: "The relationship is not ordered any more, so the order of the original is lost in the clone."),
    .noLongerCopied: Explanation(
      "A value is no longer copied.",
      why: "The clone has the default or nothing, where it had the value of its original."),
    .noLongerRebuilt: Explanation(
      "A value is no longer rebuilt.",
      why:
        "The clone has the value of its original, or the default, where it had a new one. A unique value is refused then."
    ),
    .noLongerFollowing: Explanation(
      "A value no longer follows an ancestor.",
      why: "The clone keeps the value of its original, which may name the ancestor of the original."),
    .followsAnother: Explanation(
      "A value follows another ancestor.",
      why:
        "The nearest ancestor that has the attribute is of another entity now, or another attribute is followed."
    ),
    .entityAdded: Explanation(
      "A change of the model adds an entity.", why: "Its objects can be cloned. Nothing else changes."),
    .rootAllowed: Explanation(
      "An entity can be cloned by itself now.", why: "What refused each of its clones is gone."),
    .newlyCloned: Explanation(
      "Related objects are copied, too.",
      why:
        "Clones are larger than before. Look whether the objects belong to the root, or are shared by many."),
    .newlyLinked: Explanation(
      "Related objects are linked, too.", why: "The clone refers to the same objects as its original."),
    .newlyCopied: Explanation(
      "A value is copied, too.",
      why: "The clone has the value of its original, where it had the default or nothing."),
    .ruleChanged: Explanation(
      "A value or a relationship has another rule.",
      why: "Clones have other values than before, but nothing is missing."),
    .renamed: Explanation(
      "An entity or an attribute has another name.",
      why:
        "The new model says by `renamedFrom` what it was called, so nothing is lost in a clone. Where the table or column "
        + "is another one, too, the store needs a migration."),
  ]
}
