import MOCloneModel
import MOCloneSQL
import MOCloneSQLite

extension ModelDraft {
  /// Compares the tables and columns that follow from the model with those of a Core Data store, and writes down where the
  /// store names something otherwise.
  ///
  /// What cannot be told without a guess stays as it is and is listed among the omissions.
  ///
  /// - Throws: `CloneError` where the store cannot be read.
  package mutating func resolveNames(inStoreAt path: String) throws {
    guard let schema = try StoreFile(path).coreDataSchema() else { return }
    resolveNames(in: schema)
  }

  package mutating func resolveNames(in schema: StoreSchema) {
    store = StoreOptions(
      naming: .coreData, primaryKey: nil, dates: nil, uuids: nil, unmapped: store.unmapped)
    var naming = CoreDataNaming(draft: self, schema: schema)
    naming.resolve()
    self = naming.draft
  }
}

/// The names of a model in a Core Data store, where they are not those that follow from it.
struct CoreDataNaming {
  var draft: ModelDraft
  let schema: StoreSchema

  /// As the draft is now: each step can change what follows.
  var mapping: SchemaMapping { SchemaMapping(draft.unvalidated) }

  mutating func resolve() {
    resolveNumbers()
    resolveTables()
    resolveColumns()
    resolveJoinTables()
    resolveDerived()
    let check = StoreCheck(
      model: draft.unvalidated, mapping: mapping, schema: schema, entities: draft.entities.map(\.name))
    draft.omissions += check.failures.map { $0.message.asSentence() }
  }

  mutating func say(_ text: String, at path: ModelPath) {
    draft.comments[path, default: []].append(text)
  }

  // MARK: Entities

  /// Entities keep their numbers and their first names in the store, whatever later models call them.
  private mutating func resolveNumbers() {
    guard let entities = schema.coreData, let coreData = mapping.coreData else { return }
    let names = Set(draft.entities.flatMap { [$0.name, $0.renamedFrom].compactMap { $0 } })
    for (i, entity) in draft.entities.enumerated() {
      let number = coreData.numbers[entity.name] ?? 0
      if let found = entities.entity(entity) {
        guard found.number != number else { continue }
        draft.entities[i].discriminator = DiscriminatorDescription(value: String(found.number))
        say("The store numbers it \(found.number), not \(number).", at: .entity(entity.name))
      } else if entity.renamedFrom == nil, let there = entities[number], !names.contains(there.name) {
        draft.entities[i].renamedFrom = there.name
        say("The store knows it as '\(there.name)'.", at: .entity(entity.name))
      }
    }
  }

  private mutating func resolveTables() {
    let mapping = mapping
    let roots = draft.entities.indices.filter { draft.entities[$0].parent == nil }
    let claimed = Set(roots.map { mapping[draft.entities[$0].name].table.sqlName })
    for i in roots where schema[mapping[draft.entities[i].name].table] == nil {
      let columns = mapping[draft.entities[i].name].attributes.values.map(\.column)
      let candidates = schema.names.compactMap { schema[$0] }.filter { table in
        !claimed.contains(table.name.sqlName) && table.column(CoreDataMapping.versionColumn) != nil
          && columns.allSatisfy { table.column($0) != nil }
      }
      guard candidates.count == 1, !columns.isEmpty else { continue }
      draft.entities[i].table = candidates[0].name
      say(
        "The store has no table '\(mapping[draft.entities[i].name].table)'; this one has its columns.",
        at: .entity(draft.entities[i].name))
    }
  }

  // MARK: Derived attributes

  /// A derived attribute is kept by the store's triggers where the store has any for it.
  private mutating func resolveDerived() {
    let mapping = mapping
    for (e, entity) in draft.entities.enumerated() {
      for (a, attribute) in entity.attributes.enumerated() where attribute.derivation == .computed {
        guard let column = mapping[entity.name].attributes[attribute.name]?.column,
          schema.isUpdatedByTriggers(column, of: mapping[entity.name].table)
        else { continue }
        draft.entities[e].attributes[a].derivation = .trigger
      }
    }
  }
}
