import MOCloneModel

extension Explanation {
  /// Where relationships lead and how they lead back.
  static let relationships: [DiagnosticCode: Explanation] = [
    .unknownDestination: Explanation(
      "The destination of a relationship is not an entity of the model.",
      why: "The name is compared exactly; the nearest one is suggested.",
      bad:
        "Note: {relationships: {items: {destination: Itme, toMany: true}}}\nItem: {attributes: {name: String}}",
      good: "Note: {relationships: {items: {destination: Item, toMany: true, userInfo: {onClone: clone}}}}\n"
        + "Item: {attributes: {name: String}}"
    ),
    .unknownInverse: Explanation(
      "A relationship names an inverse that its destination does not have.",
      why:
        "The inverse decides whether destinations are cloned or linked, and prevents the clone from following it back.",
      bad: "Note: {relationships: {items: {destination: Item, toMany: true, inverse: notes}}}\n"
        + "Item: {relationships: {note: {destination: Note}}}",
      good: "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items}}}"),
    .inverseOfItself: Explanation(
      "A relationship is its own inverse.",
      why:
        "One list cannot be both ends of a link: the join table could not tell who is whose friend. Use two "
        + "relationships.",
      bad: "Person: {relationships: {friends: {destination: Person, toMany: true, inverse: friends}}}",
      good: "Person:\n  relationships:\n"
        + "    friends: {destination: Person, toMany: true, inverse: friendOf, "
        + "joinTable: {column: person_id, inverseColumn: friend_id}}\n"
        + "    friendOf: {destination: Person, toMany: true, inverse: friends}"),
    .inverseOfOtherEntity: Explanation(
      "The inverse of a relationship has another destination.",
      why: "The destination of each of two inverse relationships is exactly the entity of the other.",
      bad: "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}\n"
        + "Item: {relationships: {note: {destination: Tag, inverse: items}}}\nTag: {attributes: {name: String}}",
      good: "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items}}}\nTag: {attributes: {name: String}}"
    ),
    .inverseMismatch: Explanation(
      "Two relationships do not name each other as inverse.",
      why: "If one relationship names another as its inverse, that one must name it too.",
      bad: "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}\n"
        + "Item: {relationships: {note: {destination: Note}}}",
      good: "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items}}}"),
    .orderedToOne: Explanation(
      "A to-one relationship is ordered.",
      why: "Only lists have an order. Probably the inverse, or `toMany`, was meant.",
      bad: "Note: {relationships: {cover: {destination: Cover, ordered: true, inverse: note}}}\n"
        + "Cover: {relationships: {note: {destination: Note, inverse: cover}}}",
      good:
        "Note: {relationships: {covers: {destination: Cover, toMany: true, ordered: true, inverse: note}}}\n"
        + "Cover: {relationships: {note: {destination: Note, inverse: covers}}}"),
    .invalidCount: Explanation(
      "The counts of a relationship are not valid.",
      why:
        "`minCount` is at least 0 and not above `maxCount`, which is at least 1; neither is above 1 for a to-one.",
      bad:
        "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note, minCount: 3, maxCount: 2}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items}}}",
      good:
        "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note, minCount: 2, maxCount: 3}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items}}}"),
    .nullifyRequired: Explanation(
      "A deletion would leave a required relationship empty.",
      why:
        "`nullify` empties the other side when the object is deleted. Where that side is required the deletion is refused, in "
        + "moclone as in Core Data. Delete the related objects, too, deny the deletion while there are any, or make the "
        + "other side optional.",
      bad:
        "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note, deleteRule: nullify}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items}}}",
      good:
        "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note, deleteRule: cascade}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items}}}"),
    .cascadeToShared: Explanation(
      "A deletion takes along objects that others are linked to.",
      why:
        "`cascade` deletes the destination with the object. From an item up to its note it would delete the note with all its items "
        + "as soon as one of them is deleted; between posts and tags, the tags that other posts have. Write `cascade` at the side "
        + "that owns the others, which is also what clones go by.",
      bad:
        "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note, deleteRule: cascade}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items, deleteRule: cascade}}}",
      good:
        "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note, deleteRule: cascade}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items}}}"),
  ]
}
