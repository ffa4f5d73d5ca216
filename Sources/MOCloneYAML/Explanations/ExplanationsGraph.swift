import MOCloneModel

extension Explanation {
  /// What a clone would contain.
  static let graph: [DiagnosticCode: Explanation] = [
    .missingInverse: Explanation(
      "A relationship names no inverse.",
      why:
        "The inverse distinguishes owned objects from shared ones. Without it the destination is always cloned, even "
        + "if many objects share it. Name the inverse, or write `onClone: link` or `onClone: clone`.",
      bad: "Note: {relationships: {author: {destination: Person}}}\nPerson: {attributes: {name: String}}",
      good: "Note: {relationships: {author: {destination: Person, userInfo: {onClone: link}}}}\n"
        + "Person: {attributes: {name: String}}"),
    .uniqueCopied: Explanation(
      "Clones repeat a unique value.",
      why:
        "The clone has the same value as its original, so nothing is written. Rebuild or exclude the attribute, "
        + "or link the object. A number that is unique within an owner is new where the owner is cloned, but not in a clone that "
        + "reaches the object over another relationship and leaves the owner out: exclude that relationship. A clone of the "
        + "object by itself stays with the owner, and `--set` gives the number, which is not reported either. (An object that others only link to is cloned by itself, where `--set` gives the "
        + "new value, so it is not reported.) Rules that give all objects of a list one value, `followParent`, `rebuild: now` and `exclude` with a "
        + "default, repeat it as well, also where it is unique only together with the owner, which these objects share.",
      bad: "Note:\n  attributes: {uid: UUID}\n  uniquenessConstraints: [[uid]]",
      good: "Note:\n  attributes: {uid: {type: UUID, userInfo: {rebuild: uuid}}}\n"
        + "  uniquenessConstraints: [[uid]]"),
    .climbsToOwner: Explanation(
      "Cloning an owned object clones its owner.",
      why:
        "A one-to-one relationship is cloned from either end. Reached without its owner, the owned object would "
        + "also clone the owner with everything below it. Exclude the relationship to the owner; where the owner is cloned, its "
        + "own side still connects the two.",
      bad: "Note: {relationships: {cover: {destination: Cover, optional: true, inverse: note, "
        + "deleteRule: cascade}}}\n"
        + "Cover: {relationships: {note: {destination: Note, optional: true, inverse: cover}}}",
      good: "Note: {relationships: {cover: {destination: Cover, optional: true, inverse: note, "
        + "deleteRule: cascade}}}\nCover: {relationships: {note: {destination: Note, optional: true, "
        + "inverse: cover, userInfo: {exclude: \"\"}}}}"),
    .ambiguousParent: Explanation(
      "The ancestor of a followed attribute depends on the access path.",
      why:
        "`followParent` takes the value of the nearest ancestor that has the attribute. If an object is "
        + "reached on several access paths from different entities that have it, its position in the graph decides, so "
        + "name the entity that you mean.",
      bad: followers("id"), good: followers("Note.id")),
    .joinsOtherAggregate: Explanation(
      "A clone adds members to the list of an object that it does not clone.",
      why:
        "An order owns its lines. Cloning a product over its order lines would put new lines into orders that exist, and change what "
        + "they say. Exclude the list of the object that does not own them. Owners are told by `deleteRule: cascade`; where nothing "
        + "cascades, by required to-ones. The notes on an issue belong to it as well, so where a project leaves out its issues, it leaves "
        + "out their notes, too. Write `onClone: clone` where the new members are meant.",
      bad: lines(""), good: lines(", userInfo: {exclude: \"\"}")),
    .returnsToKind: Explanation(
      "A clone comes back to the kind that it began with, over objects that it does not own.",
      why:
        "Cloning a team would clone its members, the teams that these lead, and their members. Exclude the relationship that leads "
        + "back. A relationship from a kind to itself, or a cycle in which every step cascades, is a tree and is cloned whole. Where a "
        + "team needs its leader and each member a team there is no first one, so it is no tree, whoever owns whom.",
      bad: teams(""), good: teams(", userInfo: {exclude: \"\"}")),
    .ownershipCycle: Explanation(
      "Objects own each other in a cycle, and each of them needs its owner.",
      why:
        "None of them can be the first one, and deleting one deletes all. Let one of the owners be optional.",
      bad: parts(""), good: parts(", optional: true")),
    .oneSidedExclude: Explanation(
      "The other side of an excluded relationship writes the same links.",
      why:
        "A link is written if either side asks for it. Excluding an item's relationship to its note leaves the new "
        + "items on the new note, and nothing needs excluding to keep a clone from climbing back; it only "
        + "takes an item that is cloned by itself off its note. Exclude both sides, or none.",
      bad: "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}\n"
        + "Item: {relationships: {note: {destination: Note, optional: true, inverse: items, "
        + "userInfo: {exclude: \"\"}}}}",
      good: "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}\n"
        + "Item: {relationships: {note: {destination: Note, optional: true, inverse: items}}}"),
  ]

  /// A product whose variants are sold in the lines of orders.
  private static func lines(_ annotation: String) -> String {
    "Product: {relationships: {variants: {destination: Variant, toMany: true, inverse: product, deleteRule: cascade}}}\n"
      + "Order: {relationships: {lines: {destination: OrderLine, toMany: true, inverse: order, deleteRule: cascade}}}\n"
      + "Variant:\n  relationships:\n    product: {destination: Product, inverse: variants}\n"
      + "    orderLines: {destination: OrderLine, toMany: true, inverse: variant\(annotation)}\n"
      + "OrderLine:\n  relationships:\n    order: {destination: Order, inverse: lines}\n"
      + "    variant: {destination: Variant, inverse: orderLines}"
  }

  /// A team whose members may lead other teams.
  private static func teams(_ annotation: String) -> String {
    "Team:\n  relationships:\n    members: {destination: Person, toMany: true, inverse: team}\n"
      + "    leader: {destination: Person, optional: true, inverse: ledTeams}\n"
      + "Person:\n  relationships:\n    team: {destination: Team, optional: true, inverse: members}\n"
      + "    ledTeams: {destination: Team, toMany: true, inverse: leader\(annotation)}"
  }

  /// Parts of parts.
  private static func parts(_ optional: String) -> String {
    "Part:\n  relationships:\n    parts: {destination: Part, toMany: true, inverse: whole, deleteRule: cascade}\n"
      + "    whole: {destination: Part, inverse: parts\(optional)}"
  }

  /// A folder with notes and items, where an item may belong to either.
  private static func followers(_ followed: String) -> String {
    "Folder:\n  primaryKey: pk\n  attributes: {id: {type: UUID, userInfo: {rebuild: uuid}}}\n  relationships:\n"
      + "    notes: {destination: Note, toMany: true, inverse: folder}\n"
      + "    items: {destination: Item, toMany: true, inverse: folder}\n"
      + "Note:\n  primaryKey: pk\n  attributes: {id: {type: UUID, userInfo: {rebuild: uuid}}}\n  relationships:\n"
      + "    folder: {destination: Folder, optional: true, inverse: notes}\n"
      + "    items: {destination: Item, toMany: true, inverse: note}\n"
      + "Item:\n  attributes:\n"
      + "    ownerID: {type: UUID, optional: true, userInfo: {followParent: \(followed), withoutParent: keep}}\n"
      + "  relationships:\n    folder: {destination: Folder, optional: true, inverse: items}\n"
      + "    note: {destination: Note, optional: true, inverse: items}"
  }
}
