import Testing

@testable import MOCloneModel
@testable import MOCloneYAML

/// Where models are in SQL when they do not say it, and where they do.
struct MappingTests {
  private func mapping(
    _ entities: String, naming: String = "snakeCase", schema: String? = nil
  ) throws -> SchemaMapping {
    let store = "naming: \(naming)" + (schema.map { ", schema: \($0)" } ?? "")
    return SchemaMapping(
      try ObjectModel(yaml: "version: 1\nname: T\nstore: {\(store)}\nentities:\n\(entities)"))
  }

  private func foreignKey(_ mapping: RelationshipMapping?) throws -> ForeignKeyMapping {
    switch mapping {
    case .foreignKey(let key), .inverseForeignKey(let key): key
    default: throw Unexpected()
    }
  }

  private func join(_ mapping: RelationshipMapping?) throws -> JoinTableMapping {
    guard case .join(let join) = mapping else { throw Unexpected() }
    return join
  }

  private struct Unexpected: Error {}

  @Test(arguments: [
    ("snakeCase", ["big_order_a", "big_order_bC"]), ("asWritten", ["bigOrder_a", "bigOrder_bC"]),
    ("grdb", ["bigOrderA", "bigOrderBC"]),
  ])
  func aForeignKeyToSeveralColumnsNamesEach(_ naming: String, _ columns: [String]) throws {
    let mapping = try mapping(
      """
        Order: {primaryKey: [a, bC]}
        Line: {relationships: {bigOrder: {destination: Order}}}
      """, naming: naming)
    let key = try foreignKey(mapping["Line"].relationships["bigOrder"])
    #expect(key.columns == columns && key.references == ["a", "bC"])
  }

  @Test(arguments: [("snakeCase", "note_id_order"), ("asWritten", "note_order"), ("grdb", "noteId_order")])
  func anOrderedListLiesBehindItsKey(_ naming: String, _ column: String) throws {
    let mapping = try mapping(
      """
        Note: {relationships: {memos: {destination: Memo, toMany: true, ordered: true, inverse: note}}}
        Memo: {relationships: {note: {destination: Note, inverse: memos}}}
      """, naming: naming)
    #expect(try foreignKey(mapping["Note"].relationships["memos"]).orderColumn == column)
    #expect(try foreignKey(mapping["Memo"].relationships["note"]).orderColumn == column)
  }

  @Test func aToManyWithoutInverseNamesItsForeignKey() throws {
    let mapping = try mapping(
      """
        Note: {relationships: {memos: {destination: Memo, toMany: true, ordered: true, column: owner, orderColumn: place}}}
        Memo: {}
      """)
    let key = try foreignKey(mapping["Note"].relationships["memos"])
    #expect(key.entity == "Memo" && key.columns == ["owner"] && key.orderColumn == "place")
  }

  @Test func aJoinTableIsDescribedOnOneSide() throws {
    let mapping = try mapping(
      """
        Note:
          relationships:
            tags: {destination: Tag, toMany: true, ordered: true, inverse: notes,
              joinTable: {table: pairs, column: n, inverseColumn: t, orderColumn: place}}
        Tag: {relationships: {notes: {destination: Note, toMany: true, ordered: true, inverse: tags, orderColumn: rank}}}
      """)
    let join = try join(mapping["Note"].relationships["tags"])
    #expect(join.table == "pairs" && join.columns == ["n"] && join.destinationColumns == ["t"])
    #expect(join.orderColumn == "place" && join.inverseOrderColumn == "rank")
    #expect(try self.join(mapping["Tag"].relationships["notes"]) == join.inverted)
  }

  @Test(arguments: [("tagging", "app.tagging"), ("other.tagging", "other.tagging")])
  func tablesThatAreNamedWithoutASchemaAreInThatOfTheStore(_ name: String, _ table: String) throws {
    let mapping = try mapping(
      """
        Note:
          table: notes
          relationships: {tags: {destination: Tag, toMany: true, inverse: notes, joinTable: {table: \(name)}}}
        Tag: {table: other.tag, relationships: {notes: {destination: Note, toMany: true, inverse: tags}}}
        Memo: {parent: Note}
        Draft: {}
      """, schema: "app")
    #expect(try join(mapping["Note"].relationships["tags"]).table == table)
    #expect(mapping["Tag"].table == "other.tag" && mapping["Draft"].table == "app.draft")
    #expect(mapping["Note"].table == "app.notes" && mapping["Memo"].table == "app.notes")
  }

  @Test func aJoinTableOfCompositeKeysHasAColumnForEachPart() throws {
    let mapping = try mapping(
      """
        Note: {primaryKey: [a, b], relationships: {tags: {destination: Tag, toMany: true, inverse: notes}}}
        Tag: {relationships: {notes: {destination: Note, toMany: true, inverse: tags}}}
      """)
    let join = try join(mapping["Note"].relationships["tags"])
    #expect(
      join.table == "note_tag" && join.columns == ["note_a", "note_b"] && join.references == ["a", "b"])
    #expect(join.destinationColumns == ["tag_id"] && join.destinationReferences == ["id"])
  }

  @Test func keysAreMadeCopiedMappedOrGiven() throws {
    let mapping = try mapping(
      """
        Order: {primaryKey: {column: id, generate: rowid}}
        Line: {primaryKey: [order_id, position], relationships: {order: {destination: Order}}}
        Free: {}
        Given: {primaryKey: {column: code, generate: none}}
        Made: {primaryKey: {column: code, generate: uuid}}
      """)
    #expect(mapping["Order"].key.map(\.source) == [.rowid])
    #expect(mapping["Line"].key.map(\.source) == [.relationship("order", part: 0), .copied])
    #expect(mapping["Free"].key.map(\.source) == [.automatic])
    #expect(mapping["Given"].key.map(\.source) == [.given])
    #expect(mapping["Made"].key.map(\.source) == [.uuid(.text)])
  }

  @Test func aReferenceToWhatBelongsToTheRowSaysNothingOfItsKey() throws {
    let mapping = try mapping(
      """
        Doc: {relationships: {current: {destination: Revision, optional: true, column: [id, current]}}}
        Revision: {primaryKey: [doc_id, number], relationships: {doc: {destination: Doc}}}
        Detail: {primaryKey: item_id, relationships: {item: {destination: Item, column: [item_id, kind]}}}
        Item: {primaryKey: [id, kind]}
      """)
    #expect(mapping["Doc"].key.map(\.source) == [.automatic])
    #expect(mapping["Revision"].key.map(\.source) == [.relationship("doc", part: 0), .copied])
    #expect(mapping["Detail"].key.map(\.source) == [.relationship("item", part: 0)])
  }

  @Test func subEntitiesShareATableAndAreToldApartByName() throws {
    let mapping = try mapping(
      """
        Base: {abstract: true, attributes: {name: String}, discriminator: {column: kind}}
        BigNote: {parent: Base, attributes: {size: Double}}
        Memo: {parent: Base, discriminator: {value: m}}
      """)
    #expect(mapping["BigNote"].table == "base" && mapping["Memo"].table == "base")
    #expect(mapping["BigNote"].discriminator == .init(column: "kind", value: "BigNote"))
    #expect(mapping["Memo"].discriminator == .init(column: "kind", value: "m"))
    #expect(mapping["BigNote"].attributes.keys.sorted() == ["name", "size"])
  }

  @Test func datesAndUUIDsTakeTheirOwnFormElseTheStores() throws {
    let entities =
      "  A: {attributes: {d: Date, e: {type: Date, storage: unix}, u: {type: UUID, storage: text}, v: UUID}}"
    let attributes = try mapping(entities, naming: "grdb")["A"].attributes
    #expect(attributes["d"]?.dates == .sqlite && attributes["e"]?.dates == .unix)
    #expect(attributes["u"]?.uuids == .text && attributes["v"]?.uuids == .blob)
  }
}
