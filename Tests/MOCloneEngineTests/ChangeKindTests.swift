import MOCloneEngine
import MOCloneModel
import MOCloneYAML
import Testing

@Suite("Renames, constraints and lists of others in the difference of two models")
struct ChangeKindTests {
  private static let shop = """
    version: 1
    entities:
      Product:
        attributes: {title: String}
        relationships:
          variants: {destination: Variant, toMany: true, inverse: product, deleteRule: cascade}
      Variant:
        attributes:
          name: String
          label: {type: String, userInfo: {followParent: Product.title, withoutParent: keep}}
        relationships:
          product: {destination: Product, inverse: variants}
          lines: {destination: Line, toMany: true, inverse: variant, userInfo: {exclude: ""}}
      Order:
        attributes: {number: String}
        relationships: {lines: {destination: Line, toMany: true, inverse: order, deleteRule: cascade}}
      Line:
        attributes: {count: Integer 32}
        relationships:
          order: {destination: Order, inverse: lines}
          variant: {destination: Variant, optional: true, inverse: lines, userInfo: {onClone: link}}

    """

  /// The kinds and subjects of the changes that edits of the shop make; each text is there.
  private func changes(_ edits: (String, String)..., from old: String = shop) throws -> [String] {
    try difference(edits, from: old).changes.map { "\($0.kind.rawValue) \($0.subject)" }
  }

  private func difference(_ edits: [(String, String)], from old: String = shop) throws -> CloneDifference {
    var text = old
    for (was, now) in edits {
      try #require(text.contains(was), "\(was)")
      text = text.replacing(was, with: now)
    }
    return CloneDifference(from: try ObjectModel(yaml: old), to: try ObjectModel(yaml: text))
  }

  // MARK: Renames

  @Test("An attribute and an entity that say what they were called are renamed, not removed and added")
  func renames() throws {
    #expect(
      try changes(
        ("{title: String}", "{name: {type: String, renamedFrom: title}}"), ("Product.title", "Product.name"))
        == ["renamed Product.name"])
    #expect(
      try changes(
        ("  Line:", "  OrderLine:\n    renamedFrom: Line"), ("destination: Line", "destination: OrderLine"))
        == ["renamed OrderLine"])
    #expect(
      try changes(("{title: String}", "{name: String}"), ("Product.title", "Product.name"))
        .contains("no-longer-copied Product.title"))
  }

  @Test("A rename says in which column the data are")
  func columns() throws {
    let change = try #require(
      difference([("count: Integer 32", "quantity: {type: Integer 32, renamedFrom: count, column: count}")])
        .changes.first)
    #expect(change.before == "Line.count in the column 'count'")
    #expect(change.after == "Line.quantity in the column 'count'")
    #expect(!change.isBreaking)
  }

  @Test("A renamed entity that is also excluded somewhere is both")
  func renamedAndExcluded() throws {
    #expect(
      try changes(
        ("  Line:", "  OrderLine:\n    renamedFrom: Line"), ("destination: Line", "destination: OrderLine"),
        ("inverse: order, deleteRule: cascade", "inverse: order, userInfo: {exclude: \"\"}"))
        == ["no-longer-cloned Order.lines", "renamed OrderLine"])
  }

  @Test("A name that both models have is no rename, nor is one that the new model still has")
  func noRenames() throws {
    let (was, now) = ("name: String\n", "name: {type: String, renamedFrom: title}\n")
    #expect(try changes((was, now)).isEmpty)
    #expect(
      try changes((was, was + "      other: {type: String, renamedFrom: name}\n")) == [
        "newly-copied Variant.other"
      ])
  }

  @Test(
    "Two attributes, or two entities, that swap their names are renamed, and the next version says nothing again"
  )
  func swappedNames() throws {
    func items(_ attributes: String) -> String {
      "version: 1\nentities:\n  Item:\n    attributes: {\(attributes)}\n"
    }
    let old = items("name: String, code: {type: String, optional: true, userInfo: {exclude: \"\"}}")
    let new = items(
      "code: {type: String, renamedFrom: name}, name: {type: String, renamedFrom: code, optional: true, userInfo: {exclude: \"\"}}"
    )
    #expect(try changes((old, new), from: old) == ["renamed Item.code", "renamed Item.name"])
    #expect(try changes((new, new), from: new).isEmpty)
    let kept = items("code: {type: String, renamedFrom: name}, name: String")
    #expect(try changes((old, kept), from: old) == ["data-tightened Item.code", "newly-copied Item.code"])
    let chain = items(
      "label: {type: String, renamedFrom: name}, name: {type: String, renamedFrom: code, optional: true, userInfo: {exclude: \"\"}}"
    )
    #expect(try changes((old, chain), from: old) == ["renamed Item.label", "renamed Item.name"])

    let own = items(
      "name: {type: String, renamedFrom: name}, code: {type: String, optional: true, userInfo: {exclude: \"\"}}"
    )
    #expect(try changes((old, own), from: old).isEmpty)

    let kinds = "version: 1\nentities:\n  A: {attributes: {a: String}}\n  B: {attributes: {b: String}}\n"
    let swapped =
      "version: 1\nentities:\n  B: {renamedFrom: A, attributes: {a: String}}\n"
      + "  A: {renamedFrom: B, attributes: {b: String}}\n"
    #expect(try changes((kinds, swapped), from: kinds) == ["renamed A", "renamed B"])
  }

  // MARK: Constraints

  @Test("A constraint on a copied value is a break, one on a rebuilt or excluded value is none")
  func constraints() throws {
    let (was, unique) = ("{title: String}\n", "{title: String}\n    uniquenessConstraints: [[title]]\n")
    let difference = try difference([(was, unique)])
    #expect(difference.changes.map(\.kind) == [.constraintAdded])
    #expect(difference.isBreaking)
    #expect(difference.changes[0].roots.map(\.entity) == ["Product"])
    let optional = Self.shop.replacing(
      was, with: "{title: {type: String, optional: true, userInfo: {exclude: \"\"}}}\n")
    #expect(
      try changes(
        ("exclude: \"\"}}}\n  ", "exclude: \"\"}}}\n    uniquenessConstraints: [[title]]\n  "), from: optional
      ) == ["data-tightened Product.title"])
    #expect(try changes((unique, was), from: Self.shop.replacing(was, with: unique)).isEmpty)
  }

  @Test("A value that is unique within its parent is renewed with it")
  func uniqueWithinTheParent() throws {
    let was = "  Order:\n"
    let below = try difference([(was, "    uniquenessConstraints: [[product, name]]\n" + was)])
    // By itself a variant stays at its product, where the name is taken.
    #expect(
      below.changes.map(\.subject) == ["Variant.product"] || below.changes.map(\.kind) == [.constraintAdded])
    #expect(below.changes.flatMap(\.roots).map(\.entity) == ["Variant"])
  }

  // MARK: Data that exists

  @Test("Data of another type is a break")
  func retyped() throws {
    #expect(
      try changes(("{number: String}", "{number: Integer 32}")).contains { $0.hasPrefix("data-tightened") })
  }

  @Test(
    "What data may be no longer is a break",
    arguments: [
      ("optional: true, min", "optional: false, min", "optional", "required"),
      ("min: 1", "min: 2", "at least 1", "at least 2"), ("max: 9", "max: 8", "at most 9", "at most 8"),
      ("max: 9", "max: 9, pattern: a+", "any value", "matches 'a+'"),
    ])
  func tightened(was: String, now: String, before: String, after: String) throws {
    let old = Self.shop.replacing(
      "{title: String}", with: "{title: {type: String, optional: true, min: 1, max: 9}}")
    let difference = try difference([(was, now)], from: old)
    #expect(difference.changes.map(\.kind) == [.dataTightened])
    #expect(difference.changes.map(\.subject) == ["Product.title"])
    #expect(difference.changes.map { [$0.before, $0.after] } == [[before, after]])
    #expect(difference.isBreaking && difference.text.contains("Product.title may refuse data that exists"))
  }

  @Test("What data may be now is no break")
  func widened() throws {
    let old = Self.shop.replacing("{title: String}", with: "{title: {type: String, min: 2, max: 9}}")
    #expect(
      try changes(("min: 2, max: 9", "optional: true, min: 1, max: 10"), from: old).isEmpty)
  }

  @Test("A to-one that is required now, and a list that is shorter now, are breaks")
  func tightenedRelationships() throws {
    let was = "variant: {destination: Variant, optional: true, inverse"
    #expect(
      try changes((was, "variant: {destination: Variant, inverse")).contains("data-tightened Line.variant"))
    let list = "lines: {destination: Line, toMany: true, inverse: order"
    #expect(
      try changes((list, list.replacing("toMany: true", with: "toMany: true, maxCount: 3"))) == [
        "data-tightened Order.lines"
      ])
  }

  // MARK: Lists of others

  @Test(
    "Copies that join a list of an object outside of the clone are a break, for each root that reaches them")
  func lists() throws {
    let difference = try difference([("inverse: variant, userInfo: {exclude: \"\"}", "inverse: variant")])
    #expect(difference.changes.map(\.kind) == [.joinsOthers, .newlyCloned])
    let joins = difference.changes[0]
    #expect(joins.subject == "Order.lines")
    #expect(Set(joins.roots.map(\.entity)) == ["Product", "Variant"])
    #expect(joins.roots.contains { $0.path == ["Product.variants", "Variant.lines"] })
    #expect(joins.objects == ["Line"])
  }

  @Test("Which lists copies join does not depend on the order of the entities")
  func orderOfEntities() throws {
    func model(_ order: [Int], invoice labels: String = "") throws -> ObjectModel {
      let entities = [
        """
          Address:
            relationships:
              invoices: {destination: Invoice, toMany: true, inverse: address, userInfo: {exclude: ""}}
              labels: {destination: Label, toMany: true, inverse: address, deleteRule: deny}

        """,
        """
          Invoice:
            relationships:
              address: {destination: Address, optional: true, inverse: invoices}
              labels: {destination: Label, toMany: true, inverse: invoice\(labels)}

        """,
        """
          Label:
            relationships:
              invoice: {destination: Invoice, optional: true, inverse: labels}
              address: {destination: Address, inverse: labels}

        """,
      ]
      return try ObjectModel(yaml: "version: 1\nentities:\n" + order.map { entities[$0] }.joined())
    }
    let orders = [[0, 1, 2], [1, 0, 2], [2, 1, 0], [1, 2, 0]]
    for (was, now) in orders.flatMap({ was in orders.map { (was, $0) } }) {
      #expect(CloneDifference(from: try model(was), to: try model(now)).changes.isEmpty, "\(was), \(now)")
      let without = try model(was, invoice: ", userInfo: {exclude: \"\"}")
      let joins = CloneDifference(from: without, to: try model(now)).changes
      #expect(joins.map(\.kind) == [.joinsOthers, .newlyCloned], "\(was), \(now)")
      #expect(joins.first?.subject == "Address.labels", "\(was), \(now)")
    }
  }

  @Test("A list that only refers to its members, and that of a copied owner, is joined by nobody")
  func otherLists() throws {
    let loose = Self.shop.replacing(
      "inverse: order, deleteRule: cascade", with: "inverse: order"
    ).replacing(
      "{destination: Order, inverse: lines}", with: "{destination: Order, optional: true, inverse: lines}")
    #expect(
      try changes(("inverse: variant, userInfo: {exclude: \"\"}", "inverse: variant"), from: loose)
        == ["newly-cloned Variant.lines"])
    #expect(
      try changes(("{count: Integer 32}", "{count: Integer 32, note: String}")) == ["newly-copied Line.note"])
  }
}
