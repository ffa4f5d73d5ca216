import MOCloneModel

extension Explanation {
  /// Where relationships lead and how they lead back.
  static let relationships: [DiagnosticCode: Explanation] = [
    .unknownDestination: Explanation(
      "A relationship leads to an entity that the model does not have.",
      why: "The name is compared letter by letter; the nearest one is proposed.",
      bad:
        "Note: {relationships: {items: {destination: Itme, toMany: true}}}\nItem: {attributes: {name: String}}",
      good: "Note: {relationships: {items: {destination: Item, toMany: true, userInfo: {onClone: clone}}}}\n"
        + "Item: {attributes: {name: String}}"
    ),
    .unknownInverse: Explanation(
      "A relationship names an inverse that its destination does not have.",
      why:
        "The inverse decides whether destinations are cloned or linked, and keeps the clone from climbing back.",
      bad: "Note: {relationships: {items: {destination: Item, toMany: true, inverse: notes}}}\n"
        + "Item: {relationships: {note: {destination: Note}}}",
      good: "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items}}}"),
    .inverseOfItself: Explanation(
      "A relationship is its own inverse.",
      why:
        "One list cannot be both ends of a pair: the table of pairs would not tell who is whose friend. Use two "
        + "relationships.",
      bad: "Person: {relationships: {friends: {destination: Person, toMany: true, inverse: friends}}}",
      good: "Person:\n  relationships:\n"
        + "    friends: {destination: Person, toMany: true, inverse: friendOf, "
        + "joinTable: {column: person_id, inverseColumn: friend_id}}\n"
        + "    friendOf: {destination: Person, toMany: true, inverse: friends}"),
    .inverseOfOtherEntity: Explanation(
      "The inverse of a relationship leads to another entity.",
      why: "Two inverse relationships lead to each other's entities, exactly.",
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
      "The counts of a relationship make no sense.",
      why:
        "`minCount` is at least 0 and not above `maxCount`, which is at least 1; neither is above 1 for a to-one.",
      bad:
        "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note, minCount: 3, maxCount: 2}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items}}}",
      good:
        "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note, minCount: 2, maxCount: 3}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items}}}"),
  ]
}
