import MOCloneModel
import MOCloneSQL

/// The entities and relationships that a model of a database can have, before its attributes are named.
struct DatabaseShape {
  let contents: DatabaseContents
  /// The references, join tables and polymorphic references that the model leaves out, because it would be invalid with them.
  let refusals: Refusals
  let references: TableReferences
  /// The tables that become to-many relationships, by the names of the tables as SQL compares them.
  let joins: [String: JoinShape]
  /// The tables that become entities.
  let objectTables: [DatabaseTable]
  /// The references that become relationships of objects.
  let objectReferences: [TableReference]
  /// The names of the entities.
  let entities: EntityNames
  /// The polymorphic reference of each table that has one, by table.
  private(set) var pairs: [String: PolymorphicPair] = [:]
  /// The key of each entity, by table.
  private(set) var keys: [String: KeyShape] = [:]
  /// The sentences about each table that the model file has as comments, by table.
  private(set) var notes: [String: [String]] = [:]

  init(_ contents: DatabaseContents, in db: any SQLConnection, refusals: Refusals = Refusals()) throws {
    self.refusals = refusals
    let found = TableReferences(contents, refused: refusals.references)
    let joins = try JoinShapes(db: db, contents: contents, references: found).all().filter {
      !refusals.joins.contains($0.key)
    }
    self.joins = joins
    let contents = contents.leavingOutKeyless(except: joins)
    self.contents = contents
    references = TableReferences(contents, refused: refusals.references)
    objectTables = contents.tables.filter { joins[$0.id] == nil }
    objectReferences = references.all.filter { joins[$0.table] == nil }
    entities = EntityNames(objectTables)
    notes = references.leftOut
    let finder = PolymorphicPairs(db: db, contents: contents, references: references, entities: entities)
    let keys = KeyShapes(db: db, references: references)
    for table in objectTables {
      self.keys[table.id] = try keys.shape(of: table)
      if let comment = self.keys[table.id]?.comment { notes[table.id, default: []].append(comment) }
      let (pair, reasons) = try finder.pair(of: table)
      notes[table.id, default: []] += reasons
      guard let pair else { continue }
      if refusals.pairs.contains(table.id) {
        notes[table.id, default: []].append(
          PolymorphicPair.comment(
            type: pair.typeColumn, key: pair.keyColumn, because: "a model cannot have it beside the others"))
      } else {
        pairs[table.id] = pair
      }
    }
  }

  var names: ReferenceNames {
    ReferenceNames(contents: contents, references: references, entities: entities)
  }
}
