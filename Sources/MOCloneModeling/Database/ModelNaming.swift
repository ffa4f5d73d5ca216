import MOCloneModel

/// The columns that names of attributes stand for by themselves in a naming.
struct DefaultColumns {
  private var columns: [String: String] = [:]

  init(_ shape: DatabaseShape, store: StoreOptions) {
    let names = Set(
      shape.objectTables.flatMap(\.schema.columns).flatMap { [$0.name, NameWords($0.name).lowerCamel] })
    var draft = ModelDraft(name: "", store: store)
    draft.entities = [
      EntityDescription(
        name: "Any", attributes: names.sorted().map { AttributeDescription(name: $0, type: .string) })
    ]
    columns = SchemaMapping(draft.unvalidated)["Any"].attributes.mapValues(\.column)
  }

  subscript(attribute: String) -> String? { columns[attribute] }
}

extension ModelDraft {
  /// Takes out the names of tables and columns that follow from the naming.
  mutating func shortenMapping() {
    let model = unvalidated
    let wanted = SchemaMapping(model)
    let plain = SchemaMapping(withoutNames.unvalidated)
    for i in entities.indices {
      let name = entities[i].name
      entities[i].shorten(
        wanted[name], plain: plain[name], in: store, oneToOne: model.oneToOneNames(of: name))
    }
  }

  /// How many names of tables and columns the file has to say.
  var namesToSay: Int {
    entities.reduce(0) { count, entity in
      count + (entity.table == nil ? 0 : 1) + (entity.primaryKey.isEmpty ? 0 : 1)
        + entity.attributes.count { $0.column != nil }
        + entity.relationships.reduce(0) { $0 + $1.columns.count + ($1.joinTable?.namesToSay ?? 0) }
    }
  }

  private var withoutNames: ModelDraft {
    var draft = self
    for i in draft.entities.indices {
      draft.entities[i].table = nil
      for j in draft.entities[i].attributes.indices { draft.entities[i].attributes[j].column = nil }
      for j in draft.entities[i].relationships.indices {
        draft.entities[i].relationships[j].columns = []
        if draft.entities[i].relationships[j].joinTable != nil {
          draft.entities[i].relationships[j].joinTable = JoinTableDescription()
        }
      }
    }
    return draft
  }
}

extension ObjectModel {
  fileprivate func oneToOneNames(of entity: String) -> Set<String> {
    Set(
      relationships(of: entity).filter { !$0.isToMany && inverse(of: $0)?.isToMany == false }.map(\.name))
  }
}

extension JoinTableDescription {
  fileprivate var namesToSay: Int { (table == nil ? 0 : 1) + columns.count + inverseColumns.count }
}

extension EntityDescription {
  fileprivate mutating func shorten(
    _ wanted: EntityMapping, plain: EntityMapping, in store: StoreOptions, oneToOne: Set<String>
  ) {
    if wanted.table == plain.table || parent != nil { table = nil }
    if primaryKey == [KeyColumn(store.primaryKey)] { primaryKey = [] }
    for i in attributes.indices {
      let name = attributes[i].name
      if wanted.attributes[name]?.column == plain.attributes[name]?.column { attributes[i].column = nil }
    }
    for i in relationships.indices {
      relationships[i].shorten(
        wanted.relationships[relationships[i].name], plain: plain.relationships[relationships[i].name],
        isReflexive: relationships[i].destination == name,
        isOneToOne: oneToOne.contains(relationships[i].name))
    }
  }
}

extension RelationshipDescription {
  /// The side of a one-to-one that has the key keeps its column, which says that it has.
  fileprivate mutating func shorten(
    _ wanted: RelationshipMapping?, plain: RelationshipMapping?, isReflexive: Bool, isOneToOne: Bool
  ) {
    switch (wanted, plain) {
    case (.foreignKey(let wanted), .foreignKey(let plain))
    where wanted.columns == plain.columns && !isOneToOne && columns.allSatisfy { $0.references == nil }:
      columns = []
    case (.join(let wanted), .join(let plain)):
      if wanted.table == plain.table { joinTable?.table = nil }
      if !isReflexive, wanted.columns == plain.columns { joinTable?.columns = [] }
      if !isReflexive, wanted.destinationColumns == plain.destinationColumns {
        joinTable?.inverseColumns = []
      }
      if joinTable == JoinTableDescription() { joinTable = nil }
    default: break
    }
  }
}
