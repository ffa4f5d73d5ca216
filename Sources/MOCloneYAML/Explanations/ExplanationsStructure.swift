import MOCloneModel

extension Explanation {
  /// Entities, their names and their parents.
  static let names: [DiagnosticCode: Explanation] = [
    .duplicateEntity: Explanation(
      "Two entities have the same name.",
      why: "Relationships, parents and annotations name entities, so each name must mean one of them. Only a "
        + "model built in code has this finding; in a file it is `duplicate-key`."),
    .duplicateProperty: Explanation(
      "An entity has two properties of the same name.",
      why:
        "Attributes and relationships share one set of names that includes inherited ones, so a sub-entity "
        + "cannot declare a property of its parent again.",
      bad: "Document: {attributes: {title: String}}\nLetter: {parent: Document, attributes: {title: String}}",
      good:
        "Document: {attributes: {title: String}}\nLetter: {parent: Document, attributes: {sender: String}}"),
    .invalidName: Explanation(
      "A name is empty, or has characters that cannot be seen or that separate names.",
      why:
        "Names are typed on the command line, written as `Entity.property`, and printed in reports. A blank at an end, a "
        + "control character or one that turns the direction of a text around makes two names look the same.",
      bad: "Note: {attributes: {\"name \": String}}",
      good: "Note: {attributes: {name: String}}"),
    .formerName: Explanation(
      "The former name of an entity or an attribute is a name that the model still has.",
      why:
        "`renamedFrom` says what older stores call it, so that `moclone diff` and Core Data find its data again. A name that another "
        + "property has, or two say that they had, leaves open whose data is meant, and its own name says nothing.",
      bad: "Note: {attributes: {title: {type: String, renamedFrom: name}, name: String}}",
      good: "Note: {attributes: {title: {type: String, renamedFrom: name}, subtitle: String}}"),
    .unknownParent: Explanation(
      "An entity names a parent that the model does not have.",
      why: "Its inherited properties and its table are unknown. The name is compared exactly.",
      bad: "Document: {attributes: {title: String}}\nLetter: {parent: Documnet}",
      good: "Document: {attributes: {title: String}}\nLetter: {parent: Document}"),
    .inheritanceCycle: Explanation(
      "An entity inherits from itself.",
      why: "The chain of parents returns to this entity, so it has no root.",
      bad: "Letter: {parent: Document}\nDocument: {parent: Letter}",
      good: "Letter: {parent: Document}\nDocument: {attributes: {title: String}}"),
    .noIdentity: Explanation(
      "An entity has no uniqueness constraint.",
      why:
        "A key belongs to one store. Copies, imports, syncs and seeds match an object by the first uniqueness constraint "
        + "of its entity, or by the attributes of `--by`; without either it is inserted again each time, so a second "
        + "copy duplicates it. A key that nothing makes (`generate: none`) identifies objects, too, where each of its "
        + "columns is an attribute or belongs to a to-one relationship. An entity that is never copied needs none, so "
        + "this is reported only by `moclone validate --identities`, or if `severities` in `moclone.yml` names "
        + "`no-identity`.",
      bad: tagAnd("{attributes: {name: String}}"),
      good: tagAnd(
        "{attributes: {uid: {type: UUID, userInfo: {rebuild: uuid}}}, uniquenessConstraints: [[uid]]}")),
    .inheritanceTooDeep: Explanation(
      "An entity has too many ancestors.",
      why:
        "Every entity contains its inherited properties, so very long chains would fill the memory; 32 are allowed."
    ),
    .abstractWithoutSubEntity: Explanation(
      "An abstract entity has no concrete sub-entity.",
      why:
        "Objects of an abstract entity are objects of its concrete sub-entities. Without one there can be none, "
        + "and every relationship to it stays empty.",
      bad: "Document: {abstract: true, attributes: {title: String}}",
      good: "Document: {abstract: true, attributes: {title: String}}\nLetter: {parent: Document}"),
    .subEntityTable: Explanation(
      "A sub-entity names a table or key of its own.",
      why: "All entities that inherit from one root share its table and its key.",
      bad: "Document: {attributes: {title: String}}\nLetter: {parent: Document, table: letters}",
      good: "Document: {table: documents, attributes: {title: String}}\nLetter: {parent: Document}"),
    .discriminatorColumn: Explanation(
      "A sub-entity names another discriminator column than its root entity.",
      why: "One column of the table tells the entity of each row. The root entity names it, and each "
        + "entity names its value.",
      bad: "Document: {discriminator: {column: kind, value: D}}\n"
        + "Letter: {parent: Document, discriminator: {column: type, value: L}}",
      good: "Document: {discriminator: {column: kind, value: D}}\n"
        + "Letter: {parent: Document, discriminator: {value: L}}"),
    .duplicateDiscriminator: Explanation(
      "Two entities of one table have the same discriminator value.",
      why: "A row with that value could be of either entity. The default value is the entity's name.",
      bad:
        "Document: {attributes: {title: String}}\nLetter: {parent: Document, discriminator: {value: Document}}",
      good:
        "Document: {attributes: {title: String}}\nLetter: {parent: Document, discriminator: {value: Letter}}"),
    .unknownConstraintProperty: Explanation(
      "A uniqueness constraint names a property that the entity does not have.",
      why: "A constraint lists attributes or to-one relationships of the entity, inherited ones included.",
      bad:
        "Tag: {attributes: {uid: {type: UUID, userInfo: {rebuild: uuid}}}, uniquenessConstraints: [[udi]]}",
      good:
        "Tag: {attributes: {uid: {type: UUID, userInfo: {rebuild: uuid}}}, uniquenessConstraints: [[uid]]}"),
    .duplicateConstraint: Explanation(
      "A uniqueness constraint is written twice.",
      why:
        "The order of its names makes no difference, and sub-entities have the constraints of their parents. A second one says "
        + "nothing, or another property was meant.",
      bad:
        "Tag: {attributes: {uid: {type: UUID, userInfo: {rebuild: uuid}}}, uniquenessConstraints: [[uid], [uid]]}",
      good:
        "Tag: {attributes: {uid: {type: UUID, userInfo: {rebuild: uuid}}}, uniquenessConstraints: [[uid]]}"),
    .toManyInConstraint: Explanation(
      "A uniqueness constraint names a to-many relationship.",
      why: "A to-many relationship has no column in the entity's table that could be unique.",
      bad: "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}, "
        + "uniquenessConstraints: [[items]]}\nItem: {relationships: {note: {destination: Note, inverse: items}}}",
      good: "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}\n"
        + "Item: {attributes: {name: String}, relationships: {note: {destination: Note, inverse: items}}, "
        + "uniquenessConstraints: [[note, name]]}"),
    .transientInConstraint: Explanation(
      "A uniqueness constraint names a transient attribute.",
      why: "A transient attribute is not stored, so nothing could keep its values unique.",
      bad:
        "Tag: {attributes: {code: {type: String, optional: true, transient: true}}, uniquenessConstraints: [[code]]}",
      good:
        "Tag: {attributes: {uid: {type: UUID, userInfo: {rebuild: uuid}}}, uniquenessConstraints: [[uid]]}"),
  ]

  /// A tag that is identified, and an item.
  private static func tagAnd(_ item: String) -> String {
    "Tag: {attributes: {uid: {type: UUID, userInfo: {rebuild: uuid}}}, uniquenessConstraints: [[uid]]}\nItem: \(item)"
  }

  /// Types, defaults and limits.
  static let attributes: [DiagnosticCode: Explanation] = [
    .defaultOfAnotherType: Explanation(
      "A default is not a value of the attribute's type.",
      why:
        "A clone holds the default where the attribute is excluded, so it must fit. Dates are written in ISO "
        + "8601, bytes in base64, and integers within their width.",
      bad: "Note: {attributes: {count: {type: Integer 32, default: many}}}",
      good: "Note: {attributes: {count: {type: Integer 32, default: 0}}}"),
    .invalidRange: Explanation(
      "The least value is greater than the greatest.",
      why: "No value could be stored. For a String both are lengths; only numbers and strings have limits.",
      bad: "Note: {attributes: {stars: {type: Integer 16, min: 5, max: 1}}}",
      good: "Note: {attributes: {stars: {type: Integer 16, min: 1, max: 5}}}"),
    .defaultOutsideLimits: Explanation(
      "A default is outside of its own attribute's limits.",
      why:
        "New objects and excluded attributes get the default, which `min`, `max` or `pattern` refuse. For a String `min` and "
        + "`max` are lengths.",
      bad: "Note: {attributes: {stars: {type: Integer 16, min: 1, max: 5, default: 0}}}",
      good: "Note: {attributes: {stars: {type: Integer 16, min: 1, max: 5, default: 1}}}"),
    .invalidPattern: Explanation(
      "A pattern is not a regular expression, or its attribute is not a String.",
      why:
        "The whole of a String must match its pattern; other types have none. Patterns are matched in a time that grows with "
        + "the length of the value only, so lookaround, references to groups and possessive repetitions are refused.",
      bad: "Note: {attributes: {code: {type: String, pattern: \"[A-Z\"}}}",
      good: "Note: {attributes: {code: {type: String, pattern: \"[A-Z]+\"}}}"),
    .triggerAttribute: Explanation(
      "Triggers cannot maintain an attribute as it is declared.",
      why:
        "With `derived: trigger` every insert writes the attribute's default, and the store's triggers do the "
        + "rest. So it must have a default or be optional, and it cannot be part of the key or unique.",
      bad: "Note: {attributes: {count: {type: Integer 64, derived: trigger}}}",
      good: "Note: {attributes: {count: {type: Integer 64, default: 0, derived: trigger}}}"),
    .storageMismatch: Explanation(
      "A storage form does not apply to the attribute's type.",
      why:
        "A storage form says how a date or a UUID is written; other types have one form only. Only a model "
        + "built in code has this finding; in a file it is `unknown-value`."),
  ]
}
