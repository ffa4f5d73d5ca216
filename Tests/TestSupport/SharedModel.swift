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

  /// People who are told apart by their names, and documents that refer to them by their logins.
  package static let documents = """
    entities:
      U:
        attributes: {name: String, login: String?, mail: String?, phone: String?}
        relationships: {ds: {destination: D, toMany: true, inverse: u}}
        uniquenessConstraints: [[name], [login]]
      D:
        attributes: {t: String}
        relationships: {u: {destination: U, optional: true, inverse: ds, column: [{column: login, references: login}]}}
        uniquenessConstraints: [[t]]
    """

  /// Notes that own their items.
  package static let ownedItems = """
    entities:
      Note:
        attributes: {name: String}
        relationships: {items: {destination: Item, toMany: true, inverse: note, deleteRule: cascade}}
      Item:
        attributes: {name: String}
        relationships: {note: {destination: Note, inverse: items}}
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

  /// Ledgers whose entries are in sheets, and count for accounts that a clone leaves them out of.
  ///
  /// - Parameters:
  ///   - amount: the type of what is counted.
  ///   - zero: what an account begins with.
  package static func ledger(amount: String, zero: String) -> String {
    """
    entities:
      Ledger:
        attributes: {name: String?}
        relationships:
          accounts: {destination: Account, toMany: true, inverse: ledger}
          sheets: {destination: Sheet, toMany: true, inverse: ledger}
      Account:
        attributes: {balance: {type: \(amount), default: \(zero)}}
        relationships:
          ledger: {destination: Ledger, inverse: accounts}
          entries: {destination: Entry, toMany: true, inverse: account, userInfo: {exclude: ""}}
      Sheet:
        attributes: {name: String?}
        relationships:
          ledger: {destination: Ledger, inverse: sheets}
          entries: {destination: Entry, toMany: true, inverse: sheet}
      Entry:
        attributes: {amount: \(amount)}
        relationships:
          sheet: {destination: Sheet, inverse: entries}
          account: {destination: Account, inverse: entries}
    """
  }

  /// Folders in folders.
  package static func tree(cascades: Bool = false) -> String {
    """
    entities:
      Folder:
        attributes: {name: String?}
        relationships:
          parent: {destination: Folder, optional: true, inverse: children}
          children: {destination: Folder, toMany: true, inverse: parent\(cascades ? ", deleteRule: cascade" : "")}
    """
  }

  /// The same by names that are unique.
  package static let namedTree = """
    entities:
      Folder:
        attributes: {name: String}
        relationships:
          parent: {destination: Folder, optional: true, inverse: folders}
          folders: {destination: Folder, toMany: true, inverse: parent, deleteRule: cascade}
        uniquenessConstraints: [[name]]
    """

  /// Items with units, by names that are unique.
  ///
  /// - Parameter attributes: those of items beside their names.
  package static func goods(attributes: String = "", hasUnit: Bool = false) -> String {
    """
    entities:
      Item:
        attributes: {name: String\(attributes)}
        relationships: {unit: {destination: Unit, optional: \(!hasUnit), inverse: items}}
        uniquenessConstraints: [[name]]
      Unit:
        attributes: {name: String}
        relationships: {items: {destination: Item, toMany: true, inverse: unit}}
        uniquenessConstraints: [[name]]
    """
  }

  /// Seats whose numbers are unique.
  package static func seats(isOptional: Bool) -> String {
    """
    entities:
      Seat:
        attributes: {name: String, number: {type: Integer 32, optional: \(isOptional)}}
        uniquenessConstraints: [[name], [number]]
    """
  }

  /// Shelves and items, whose keys begin with that of their tenant.
  ///
  /// - Parameters:
  ///   - uuids: how the store writes UUIDs.
  ///   - tenant: what makes the keys of tenants.
  ///   - number: what makes the second part of the others' keys.
  ///   - attributes: those of items beside their names.
  package static func tenants(
    uuids: String, tenant: String = "uuid", number: String, attributes: String = ""
  ) -> String {
    """
    store: {uuids: \(uuids)}
    entities:
      Tenant:
        primaryKey: {column: id, generate: \(tenant)}
        attributes: {name: String}
        relationships:
          shelves: {destination: Shelf, toMany: true, inverse: tenant}
          items: {destination: Item, toMany: true, inverse: tenant}
        uniquenessConstraints: [[name]]
      Shelf:
        primaryKey: [tenant_id, {column: number, generate: \(number)}]
        attributes: {name: String}
        relationships:
          tenant: {destination: Tenant, inverse: shelves}
          items: {destination: Item, toMany: true, inverse: shelf}
        uniquenessConstraints: [[tenant, name]]
      Item:
        primaryKey: [tenant_id, {column: number, generate: \(number)}]
        attributes: {name: String\(attributes)}
        relationships:
          tenant: {destination: Tenant, inverse: items}
          shelf: {destination: Shelf, optional: true, inverse: items, column: [tenant_id, shelf_number],
            references: [tenant_id, number]}
        uniquenessConstraints: [[tenant, name]]
    """
  }

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
