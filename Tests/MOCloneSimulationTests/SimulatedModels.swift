import MOCloneModel
import MOCloneYAML

func model(_ entities: String) throws -> ObjectModel {
  try ObjectModel(yaml: "version: 1\nname: Simulated\nentities:\n" + entities)
}

enum SimulatedModels {
  /// Products have variants, orders have lines, and each line is of a variant.
  static let shop = """
      Product:
        attributes: {name: String}
        relationships: {variants: {destination: Variant, toMany: true, inverse: product, deleteRule: cascade}}
      Variant:
        attributes: {size: String?}
        relationships:
          product: {destination: Product, inverse: variants}
          lines: {destination: OrderLine, toMany: true, inverse: variant}
      Order:
        attributes: {number: Integer 32}
        relationships: {lines: {destination: OrderLine, toMany: true, inverse: order, deleteRule: cascade}}
      OrderLine:
        attributes: {quantity: {type: Integer 32, min: 1}}
        relationships:
          order: {destination: Order, inverse: lines}
          variant: {destination: Variant, inverse: lines}
    """

  /// A posting belongs to its transfer and to its account.
  static let ledger = """
      Account:
        attributes: {name: String}
        relationships: {postings: {destination: Posting, toMany: true, inverse: account, deleteRule: cascade}}
      Transfer:
        attributes: {date: Date}
        relationships: {postings: {destination: Posting, toMany: true, inverse: transfer, minCount: 2, deleteRule: cascade}}
      Posting:
        attributes: {amount: Decimal}
        relationships:
          account: {destination: Account, inverse: postings}
          transfer: {destination: Transfer, inverse: postings}
    """

  /// Items belong to a section and to the note that the section is of.
  static let sections = """
      Note:
        attributes: {name: String}
        relationships:
          sections: {destination: Section, toMany: true, inverse: note, deleteRule: cascade}
          items: {destination: Item, toMany: true, inverse: note, deleteRule: cascade}
      Section:
        relationships:
          note: {destination: Note, inverse: sections}
          items: {destination: Item, toMany: true, inverse: section, deleteRule: cascade}
      Item:
        relationships:
          note: {destination: Note, inverse: items}
          section: {destination: Section, inverse: items}
    """

  /// A boat has room for one.
  static let crew = """
      Boat:
        attributes: {name: String}
        relationships: {crew: {destination: Sailor, toMany: true, inverse: boats, maxCount: 1}}
      Sailor:
        attributes: {name: String}
        relationships: {boats: {destination: Boat, toMany: true, inverse: crew}}
    """

  /// A question needs two answers, which its clone does not get.
  static let quiz = """
      Question:
        attributes: {text: String}
        relationships:
          answers: {destination: Answer, toMany: true, inverse: question, minCount: 2, userInfo: {exclude: ""}}
      Answer:
        attributes: {text: String}
        relationships: {question: {destination: Question, optional: true, inverse: answers, userInfo: {exclude: ""}}}
    """

  static let badge = """
      Badge:
        attributes: {code: {type: String, default: new, userInfo: {exclude: ""}}}
        uniquenessConstraints: [[code]]
    """

  /// Tags are shared, so a tag is cloned by itself only.
  static let tags = """
      Note:
        attributes: {name: String}
        relationships: {tags: {destination: Tag, toMany: true, inverse: notes}}
      Tag:
        attributes: {name: {type: String, max: 12}}
        relationships: {notes: {destination: Note, toMany: true, inverse: tags}}
        uniquenessConstraints: [[name]]
    """

  /// Objects that all need each other.
  static let rings = """
      Ring:
        attributes: {name: String}
        relationships:
          gem: {destination: Gem, inverse: ring}
          next: {destination: Ring, inverse: previous, userInfo: {onClone: link}}
          previous: {destination: Ring, toMany: true, inverse: next}
      Gem:
        attributes: {name: String}
        relationships:
          ring: {destination: Ring, inverse: gem, column: ring_id}
          cut: {destination: Cut, inverse: gems}
      Cut:
        attributes: {name: String}
        relationships:
          gems: {destination: Gem, toMany: true, inverse: cut, minCount: 1, maxCount: 2}
    """

  /// Numbers are unique within a ward.
  static let beds = """
      Ward:
        relationships: {beds: {destination: Bed, toMany: true, inverse: ward, deleteRule: cascade}}
      Bed:
        attributes: {number: Integer 16}
        relationships: {ward: {destination: Ward, inverse: beds}}
        uniquenessConstraints: [[ward, number]]
    """

  /// A deal is shared by people in roles, once with each.
  static let roles = """
      Person:
        attributes: {name: String}
        relationships: {roles: {destination: Role, toMany: true, inverse: person, userInfo: {exclude: ""}}}
      Deal:
        attributes: {title: String}
        relationships: {roles: {destination: Role, toMany: true, inverse: deal, deleteRule: cascade}}
      Role:
        relationships:
          deal: {destination: Deal, inverse: roles}
          person: {destination: Person, inverse: roles}
        uniquenessConstraints: [[deal, person]]
    """

  /// A tree whose pages all belong to one site.
  static let pages = """
      Site:
        relationships: {pages: {destination: Page, toMany: true, inverse: site, deleteRule: cascade}}
      Page:
        attributes: {slug: String}
        relationships:
          site: {destination: Site, inverse: pages}
          parent: {destination: Page, optional: true, inverse: children}
          children: {destination: Page, toMany: true, inverse: parent}
        uniquenessConstraints: [[site, slug]]
    """

  static let limits = """
      Part:
        attributes:
          code: {type: String, pattern: "[A-Z]{2}-[0-9]{4}"}
          label: {type: String, min: 3, max: 6}
          weight: {type: Double, min: 0.5, max: 2.5}
          count: {type: Integer 16, min: 10, max: 12}
          price: {type: Decimal, optional: true, max: 1}
          isSpare: Boolean
          made: Date
          uid: UUID
          link: URI?
          data: Binary
        uniquenessConstraints: [[code], [label], [count, isSpare], [isSpare, made], [uid]]
    """
}
