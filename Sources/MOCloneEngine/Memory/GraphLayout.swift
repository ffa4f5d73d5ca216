import MOCloneModel

/// A model by numbers: which table, column and list an entity, attribute or relationship is in.
package struct GraphLayout: Sendable {
  /// In the order of the model.
  private(set) var entities: [EntityLayout] = []
  private(set) var number: [String: Int] = [:]
  /// The root entities, each with one table for itself and all that inherit from it.
  private(set) var tables: [TableLayout] = []
  /// Every declared relationship.
  private(set) var relations: [RelationLayout] = []
  /// The foreign keys: one for each pair of inverse relationships that has one.
  private(set) var references: [(forward: Int?, backward: Int?)] = []
  /// The joins: one for each pair of inverse relationships that has one.
  private(set) var joins: [(source: Int, destination: Int?)] = []
  /// Of each relationship number: its place in the order of qualified names, from 1. Bytes are compared, whatever the language.
  private(set) var ranks: [Int32] = []

  /// Costs time for every relationship, so that who makes many graphs of a model lays it out once.
  package init(_ model: ObjectModel) {
    layOutEntities(model)
    layOutRelations(model, mapping: SchemaMapping(model))
    rankRelations()
  }
}

struct EntityLayout {
  var name: String
  var table: Int
  /// The numbers of the entity and of those it inherits from.
  var lineage: [Int]
  /// Columns of the table by attribute name, inherited ones included; transient attributes have none.
  var columns: [String: Int] = [:]
  /// Relationship numbers by name, inherited ones included.
  var relations: [String: Int] = [:]
}

struct TableLayout {
  var root: String
  var attributes: [AttributeDescription] = []
}

struct RelationLayout {
  var description: RelationshipDescription
  var inverse: Int?
  var table: Int
  var destinationTable: Int
  /// The number of the destination entity.
  var destination: Int
  var side: RelationSide

  /// Whether a clone must hold something where its original does; a list is required by `minCount`.
  var isRequired: Bool { !description.isOptional }
}

/// Where the links of a relationship are stored.
enum RelationSide {
  /// A foreign key in the object's own row.
  case reference(Int)
  /// A foreign key in the destinations' rows.
  case members(Int)
  /// A join, seen from its source or from its destination.
  case links(Int, fromSource: Bool)
}

extension GraphLayout {
  /// The number of a relationship, wherever it was declared.
  func relationNumber(_ relationship: RelationshipDescription) -> Int {
    entities[number[relationship.entity]!].relations[relationship.name]!
  }

  /// The number of the foreign key that a relationship is one side of.
  func referenceNumber(_ relationship: RelationshipDescription) -> Int {
    switch relations[relationNumber(relationship)].side {
    case .reference(let number), .members(let number): number
    case .links: preconditionFailure("'\(relationship.qualifiedName)' lies in a join table")
    }
  }

  func isKind(_ entity: Int, of base: Int) -> Bool {
    entities[entity].lineage.contains(base)
  }

  private mutating func layOutEntities(_ model: ObjectModel) {
    for (i, entity) in model.entities.enumerated() { number[entity.name] = i }
    var tableOfRoot: [String: Int] = [:]
    for entity in model.entities where model.rootEntity(of: entity.name) == entity.name {
      tableOfRoot[entity.name] = tables.count
      tables.append(TableLayout(root: entity.name))
    }
    entities = model.entities.map {
      EntityLayout(
        name: $0.name, table: tableOfRoot[model.rootEntity(of: $0.name)]!,
        lineage: model.lineage(of: $0.name).map { number[$0]! })
    }
    var columnOfAttribute: [[String]: Int] = [:]
    for (i, entity) in model.entities.enumerated() {
      for attribute in model.attributes(of: entity.name) where !attribute.isTransient {
        // Two entities of one table may each declare an attribute of the same name and another type.
        let name = [attribute.entity, attribute.name]
        let table = entities[i].table
        let column = columnOfAttribute[name] ?? tables[table].attributes.count
        if columnOfAttribute.updateValue(column, forKey: name) == nil {
          tables[table].attributes.append(attribute)
        }
        entities[i].columns[attribute.name] = column
      }
    }
  }

  private mutating func layOutRelations(_ model: ObjectModel, mapping: SchemaMapping) {
    var numberOfRelation: [String: Int] = [:]
    for description in model.entities.flatMap(\.relationships) {
      numberOfRelation[description.qualifiedName] = relations.count
      let destination = number[description.destination]!
      relations.append(
        RelationLayout(
          description: description, inverse: nil, table: entities[number[description.entity]!].table,
          destinationTable: entities[destination].table, destination: destination, side: .reference(0)))
    }
    for i in relations.indices {
      let inverse = model.inverse(of: relations[i].description)
      relations[i].inverse = inverse.flatMap { numberOfRelation[$0.qualifiedName] }
    }
    for i in entities.indices {
      for relationship in model.relationships(of: entities[i].name) {
        entities[i].relations[relationship.name] = numberOfRelation[relationship.qualifiedName]
      }
    }
    for i in relations.indices { placeRelation(i, mapping: mapping) }
  }

  private mutating func rankRelations() {
    let names = relations.map { Array($0.description.qualifiedName.utf8) }
    let order = names.indices.sorted { names[$0].lexicographicallyPrecedes(names[$1]) }
    ranks = Array(repeating: 0, count: names.count)
    for (place, relation) in order.enumerated() { ranks[relation] = Int32(place) + 1 }
  }

  /// Both sides of a pair share one foreign key or join, which the side that comes first makes.
  private mutating func placeRelation(_ i: Int, mapping: SchemaMapping) {
    let relation = relations[i]
    let other = relation.inverse.flatMap { $0 < i ? relations[$0].side : nil }
    switch (mapping[relation.description.entity].relationships[relation.description.name]!, other) {
    case (.foreignKey, .members(let reference)?): relations[i].side = .reference(reference)
    case (.foreignKey, _):
      relations[i].side = .reference(references.count)
      references.append((forward: i, backward: relation.inverse))
    case (.inverseForeignKey, .reference(let reference)?): relations[i].side = .members(reference)
    case (.inverseForeignKey, _):
      relations[i].side = .members(references.count)
      references.append((forward: relation.inverse, backward: i))
    case (.join, .links(let join, _)?): relations[i].side = .links(join, fromSource: false)
    case (.join, _):
      relations[i].side = .links(joins.count, fromSource: true)
      joins.append((source: i, destination: relation.inverse))
    }
  }
}
