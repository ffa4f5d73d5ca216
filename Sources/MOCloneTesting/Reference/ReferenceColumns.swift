import MOCloneEngine
import MOCloneModel

/// What rows of a database refuse and objects in memory do not: keys made of other keys that meet, and references that
/// share a column and would need two values of it.
///
/// Values are followed from column to column up to an object's own key or an attribute, so no database is needed.
struct ReferenceColumns {
  let graph: any ObjectGraph
  private var model: ObjectModel { graph.model }
  private let mapping: SchemaMapping

  init(_ graph: any ObjectGraph) {
    self.graph = graph
    mapping = SchemaMapping(graph.model)
  }

  /// - Throws: `CloneError` (`unique-value`, `constraint-failed`).
  func check(_ clones: [ObjectID]) throws {
    for clone in clones {
      for relationship in model.relationships(of: clone.entity) { try checkPairs(relationship, of: clone) }
      for column in Set(mapping[clone.entity].foreignKeys.flatMap(\.key.columns)) {
        guard try wanted(column, in: clone).count > 1 else { continue }
        throw CloneError(
          .constraintFailed, "the references of \(clone) need two values of '\(column)'", object: clone)
      }
    }
    try checkKeys()
  }

  private func checkKeys() throws {
    for entity in model.entities where entity.parent == nil && mapping[entity.name].key.count > 1 {
      var holders: [[String]: ObjectID] = [:]
      for object in try graph.objectIDs(entity.name) {
        let key = try mapping[object.entity].keyColumns.map { try value(of: $0, in: object) }
        guard let other = holders.updateValue(object, forKey: key) else { continue }
        throw CloneError(.uniqueValue, "\(object) and \(other) have one key \(key)", object: object)
      }
    }
  }

  private func checkPairs(_ relationship: RelationshipDescription, of clone: ObjectID) throws {
    guard case .join(let join) = mapping[clone.entity].relationships[relationship.name] else { return }
    for other in try graph.destinations(relationship.name, of: clone) {
      for (column, own) in zip(join.columns, join.references) {
        guard let place = join.destinationColumns.firstIndex(of: column) else { continue }
        let values = try [
          value(of: own, in: clone), value(of: join.destinationReferences[place], in: other),
        ]
        guard values[0] != values[1] else { continue }
        throw CloneError(
          .constraintFailed, "the ends of a pair \(clone), \(other) need two values of '\(column)'",
          object: clone)
      }
    }
  }

  /// The values that the references of an object want in a column of its row: one, unless they disagree.
  private func wanted(_ column: String, in object: ObjectID) throws -> Set<String> {
    var values: Set<String> = []
    for (name, key) in mapping[object.entity].foreignKeys {
      for (own, reference) in zip(key.columns, key.references) where own == column {
        for destination in try graph.destinations(name, of: object) {
          values.insert(try value(of: reference, in: destination))
        }
      }
    }
    return values
  }

  /// The value of a column that tells objects apart: its key is made by one reference, or by none.
  private func value(of column: String, in object: ObjectID) throws -> String {
    let row = mapping[object.entity]
    let part = row.keyPart(of: column)
    if let part, case .relationship(let name, let place) = row.key[part].source,
      let key = row.foreignKey(name),
      let destination = try graph.destinations(name, of: object).first
    {
      return try value(of: key.references[place], in: destination)
    }
    if let attribute = row.attributes.first(where: { $0.value.column == column }) {
      return try graph.value(attribute.key, of: object).exactText
    }
    return part == nil ? "null" : "\(object)"
  }
}
