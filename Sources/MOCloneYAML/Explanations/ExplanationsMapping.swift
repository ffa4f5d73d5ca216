import MOCloneModel

extension Explanation {
  /// Tables and keys.
  static let tables: [DiagnosticCode: Explanation] = [
    .sharedTable: Explanation(
      "Two entities, or an entity and a join table, use the same table.",
      why:
        "Table names are derived from entity names and are compared without case. Write `table:` for one of them.",
      bad: "Note: {attributes: {name: String}}\nMemo: {table: note, attributes: {text: String}}",
      good: "Note: {attributes: {name: String}}\nMemo: {table: memo, attributes: {text: String}}"),
    .unknownKeyColumn: Explanation(
      "A part of a primary key is not the column of any property, and nothing generates it.",
      why:
        "Such a part is copied, so that a clone has the same value there as its original. Mostly the column of a relationship "
        + "or an attribute was meant and is misspelt. Where all parts are copied a clone is refused, because it would have the "
        + "key of its original: let one be generated, or declare one as an attribute, which `--set` can change.",
      bad: "Order: {relationships: {lines: {destination: Line, toMany: true, inverse: order}}}\n"
        + "Line:\n  primaryKey: [order_id, nummer]\n  attributes: {number: Integer 32}\n"
        + "  relationships: {order: {destination: Order, inverse: lines}}",
      good: "Order: {relationships: {lines: {destination: Line, toMany: true, inverse: order}}}\n"
        + "Line:\n  primaryKey: [order_id, number]\n  attributes: {number: Integer 32}\n"
        + "  relationships: {order: {destination: Order, inverse: lines}}"),
    .invalidPrimaryKey: Explanation(
      "A primary key is not valid.",
      why:
        "A rowid is a whole key, never a part of one, and a key names each column once. An attribute on a generated column has the "
        + "type of what is generated: an Integer for `rowid` and `max`, a UUID for `uuid`.",
      bad: "Page:\n  primaryKey: [{column: book, generate: rowid}, number]\n"
        + "  attributes: {number: Integer 32}",
      good: "Page:\n  primaryKey: [book, number]\n  attributes: {number: Integer 32}"),
    .joinTableOnToOne: Explanation(
      "A to-one relationship has a join table.",
      why: "A join table is for to-many relationships; a to-one has a foreign key, named by `column`.",
      bad:
        "Note: {relationships: {cover: {destination: Cover, joinTable: {table: covers}, userInfo: {onClone: clone}}}}\n"
        + "Cover: {attributes: {image: Binary}}",
      good:
        "Note: {relationships: {cover: {destination: Cover, column: cover_id, userInfo: {onClone: clone}}}}\n"
        + "Cover: {attributes: {image: Binary}}"),
    .joinTableMismatch: Explanation(
      "The two sides of a relationship describe different join tables.",
      why:
        "Both sides use one join table. Describe it on one side; `column` there is `inverseColumn` here.",
      bad:
        "Memo: {relationships: {tags: {destination: Tag, toMany: true, inverse: memos, joinTable: {table: a}}}}\n"
        + "Tag: {relationships: {memos: {destination: Memo, toMany: true, inverse: tags, joinTable: {table: b}}}}",
      good:
        "Memo: {relationships: {tags: {destination: Tag, toMany: true, inverse: memos, joinTable: {table: a}}}}\n"
        + "Tag: {relationships: {memos: {destination: Memo, toMany: true, inverse: tags}}}"),
    .joinColumns: Explanation(
      "The columns of a join table have the same name, or there are too few or too many of them.",
      why:
        "Each end needs one column for each part of its key. With both ends on one entity the default names "
        + "coincide, so they must be given.",
      bad: "Person:\n  relationships:\n"
        + "    likes: {destination: Person, toMany: true, inverse: likedBy}\n"
        + "    likedBy: {destination: Person, toMany: true, inverse: likes}",
      good: "Person:\n  relationships:\n"
        + "    likes: {destination: Person, toMany: true, inverse: likedBy, "
        + "joinTable: {column: liker_id, inverseColumn: liked_id}}\n"
        + "    likedBy: {destination: Person, toMany: true, inverse: likes}"),
    .sharedJoinTable: Explanation(
      "Two relationships use the same columns of one join table.",
      why:
        "A join row of one would also be a join row of the other. The default name comes from the two entities, so a "
        + "second relationship between them needs a `joinTable`.",
      bad: "Memo: {relationships: {tags: {destination: Tag, toMany: true, joinTable: {table: memo_tag}, "
        + "userInfo: {onClone: link}}, labels: {destination: Tag, toMany: true, joinTable: {table: memo_tag}, "
        + "userInfo: {onClone: link}}}}\nTag: {attributes: {name: String}}",
      good: "Memo: {relationships: {tags: {destination: Tag, toMany: true, joinTable: {table: memo_tag}, "
        + "userInfo: {onClone: link}}, labels: {destination: Tag, toMany: true, joinTable: {table: memo_label}, "
        + "userInfo: {onClone: link}}}}\n"
        + "Tag: {attributes: {name: String}}"),
  ]

  /// Columns and foreign keys.
  static let columns: [DiagnosticCode: Explanation] = [
    .sharedColumn: Explanation(
      "Two properties use the same column.",
      why:
        "Columns of attributes, foreign keys, list positions and the discriminator are compared without case. "
        + "Only a key column may have more than one name, and sibling sub-entities may share a column of one type.",
      bad: "Note: {attributes: {name: String}}\n"
        + "Item: {attributes: {noteID: UUID}, relationships: {note: {destination: Note, userInfo: {onClone: link}}}}",
      good: "Note: {attributes: {name: String}}\n"
        + "Item: {attributes: {noteID: {type: UUID, column: note_uuid}}, relationships: {note: {destination: Note, userInfo: {onClone: link}}}}"
    ),
    .twoForeignKeys: Explanation(
      "Both sides of a one-to-one relationship name a column.",
      why: "One foreign key is enough. Two could contradict each other.",
      bad: "Note: {relationships: {text: {destination: Text, inverse: note, column: text_id}}}\n"
        + "Text: {relationships: {note: {destination: Note, inverse: text, column: note_id}}}",
      good: "Note: {relationships: {text: {destination: Text, optional: true, inverse: note}}}\n"
        + "Text: {relationships: {note: {destination: Note, inverse: text, column: note_id}}}"),
    .columnOnToMany: Explanation(
      "A to-many relationship with an inverse names a column.",
      why: "The foreign key is in the destination's rows and belongs to the to-one side, which names it.",
      bad:
        "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note, column: note_id}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items}}}",
      good: "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items, column: note_id}}}"),
    .foreignKeyColumns: Explanation(
      "A foreign key has more or fewer columns than the key it holds.",
      why:
        "It needs one column for each part of the key, in the same order, or the unique column that each one "
        + "references.",
      bad:
        "Book: {primaryKey: [shelf, number], attributes: {number: Integer 32}}\n"
        + "Loan: {relationships: {book: {destination: Book, column: book_id, userInfo: {onClone: link}}}}",
      good: "Book: {primaryKey: [shelf, number], attributes: {number: Integer 32}}\n"
        + "Loan: {relationships: {book: {destination: Book, column: [book_shelf, book_number], userInfo: {onClone: link}}}}"
    ),
    .referenceNotUnique: Explanation(
      "A foreign key references columns that are not unique.",
      why:
        "Several rows could hold the values, so the reference would be ambiguous. The columns must be the whole "
        + "key or a whole uniqueness constraint, and the model must name each of them.",
      bad: "Note: {attributes: {uid: UUID}}\nItem: {relationships: {note: {destination: Note, "
        + "column: [{column: note_uid, references: uid}], userInfo: {onClone: link}}}}",
      good:
        "Note: {attributes: {uid: {type: UUID, userInfo: {rebuild: uuid}}}, uniquenessConstraints: [[uid]]}\n"
        + "Item: {relationships: {note: {destination: Note, column: [{column: note_uid, references: uid}], userInfo: {onClone: link}}}}"
    ),
    .orderColumnWithoutOrder: Explanation(
      "A relationship names an order column, but is not ordered.",
      why: "The column would never be written.",
      bad:
        "Note: {relationships: {items: {destination: Item, toMany: true, inverse: note, orderColumn: position}}}\n"
        + "Item: {relationships: {note: {destination: Note, inverse: items}}}",
      good:
        "Note: {relationships: {items: {destination: Item, toMany: true, ordered: true, inverse: note, "
        + "orderColumn: position}}}\nItem: {relationships: {note: {destination: Note, inverse: items}}}"),
  ]
}
