/// Texts of models that tests of several stores share, from their `store:` or `entities:` on.
package enum SharedModel {
  /// Notes with items.
  package static let notes = """
    entities:
      Note:
        attributes: {name: String?}
        relationships: {items: {destination: Item, toMany: true, inverse: note}}
      Item:
        attributes: {name: String?}
        relationships: {note: {destination: Note, optional: true, inverse: items}}
    """

  /// Notes and tags in pairs.
  package static let pairs = """
    entities:
      Note:
        attributes: {name: String}
        relationships:
          tags: {destination: Tag, toMany: true, inverse: notes, joinTable: {table: pair, column: note, inverseColumn: tag}}
      Tag:
        attributes: {name: String}
        relationships: {notes: {destination: Note, toMany: true, inverse: tags}}
    """

  /// Products, and books, which hold their kind beside its key.
  package static let shop = """
    entities:
      Product:
        attributes: {type: String, name: String}
        relationships: {books: {destination: Book, toMany: true, inverse: product}}
        uniquenessConstraints: [[name]]
      Book:
        attributes: {pages: Integer 64}
        relationships:
          product:
            destination: Product
            inverse: books
            column: [{column: product_id, references: id}, {column: type, references: type}]
        uniquenessConstraints: [[pages]]
    """

  /// Projects that count the comments of their tasks.
  package static let comments = """
    store: {naming: snakeCase}
    entities:
      Project:
        attributes: {name: String, comments: {type: Integer 64, default: 0}}
        relationships: {tasks: {destination: Task, toMany: true, inverse: project, deleteRule: cascade}}
      Task:
        attributes: {title: String}
        relationships:
          project: {destination: Project, inverse: tasks}
          comments: {destination: Comment, toMany: true, inverse: task, deleteRule: cascade}
      Comment:
        attributes: {body: String}
        relationships: {task: {destination: Task, inverse: comments}}
    """

  /// Teams whose members lead others.
  package static let teams = """
    entities:
      Team:
        relationships:
          members: {destination: Person, toMany: true, inverse: team}
          leader: {destination: Person, optional: true, inverse: ledTeams}
      Person:
        relationships:
          team: {destination: Team, optional: true, inverse: members}
          ledTeams: {destination: Team, toMany: true, inverse: leader}
    """

  /// Shelves whose books the store removes itself.
  package static let shelves = """
    entities:
      Shelf:
        attributes: {name: String}
        relationships: {books: {destination: Book, toMany: true, inverse: shelf, deleteRule: noAction}}
        uniquenessConstraints: [[name]]
      Book:
        attributes: {title: String}
        relationships: {shelf: {destination: Shelf, optional: true, inverse: books}}
    """

  /// Customers with one card each.
  package static func cards(required: Bool = false, identified: Bool = true) -> String {
    """
    entities:
      Customer:
        attributes: {name: String}
        relationships: {card: {destination: Card, optional: true, inverse: owner}}
        uniquenessConstraints: [[name]]
      Card:
        attributes: {code: String}
        relationships: {owner: {destination: Customer, optional: \(!required), inverse: card, column: owner_id}}
        \(identified ? "uniquenessConstraints: [[code]]" : "")
    """
  }
}
