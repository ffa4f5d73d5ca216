import GRDB
import MOCloneModel
import MOCloneSQL

/// What a database means as a model, before names of attributes are chosen.
struct DatabaseShape {
  let contents: DatabaseContents
  /// What the model does without, since it would have errors otherwise.
  let refusals: Refusals
  let references: TableReferences
  private(set) var joins: [String: JoinShape] = [:]
  private(set) var entities: EntityNames
  private(set) var pairs: [String: PolymorphicPair] = [:]
  private(set) var keys: [String: KeyShape] = [:]
  /// Sentences about each table, for people.
  private(set) var notes: [String: [String]] = [:]

  init(_ contents: DatabaseContents, _ db: Database, _ refusals: Refusals = Refusals()) throws {
    self.contents = contents
    self.refusals = refusals
    references = TableReferences(contents, refused: refusals.references)
    entities = EntityNames([])
    joins = try JoinShapes(db: db, contents: contents, references: references).all().filter {
      !refusals.joins.contains($0.key)
    }
    entities = EntityNames(objectTables)
    notes = references.leftOut
    let finder = PolymorphicPairs(db: db, contents: contents, references: references, entities: entities)
    let keys = KeyShapes(db: db, references: references)
    for table in objectTables {
      self.keys[table.id] = try keys.shape(of: table)
      if let comment = self.keys[table.id]?.comment { notes[table.id, default: []].append(comment) }
      let (pair, reason) = try finder.pair(of: table)
      if !refusals.pairs.contains(table.id) { pairs[table.id] = pair }
      if let reason { notes[table.id, default: []].append(reason + ".") }
    }
  }

  /// The tables that become entities.
  var objectTables: [DatabaseTable] { contents.tables.filter { joins[$0.id] == nil } }

  /// The references that become relationships of objects.
  var objectReferences: [TableReference] { references.all.filter { joins[$0.table] == nil } }

  var names: ReferenceNames {
    ReferenceNames(contents: contents, references: references, entities: entities)
  }
}
