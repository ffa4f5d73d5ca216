/// The names that Core Data gives to columns and join tables, and the numbers by which it knows entities.
///
/// All of them follow from the model: what a store really has is compared with them, never guessed.
///
/// ```sql
/// ZITEM.ZNOTE, ZITEM.Z_FOK_NOTE, Z_1TAGS(Z_1NOTES, Z_3TAGS, Z_FOK_3TAGS)
/// ```
package struct CoreDataNames: Sendable, Equatable {
  /// The number of each entity, which marks its rows: from 1, depth first, siblings by name without regard to case.
  package private(set) var numbers: [String: Int] = [:]
  /// The columns of attributes and to-one relationships, by the qualified name of the property.
  private var columns: [String: String] = [:]
  /// The columns of join tables that hold the key of a relationship's destination, by its qualified name.
  private var joinColumns: [String: String] = [:]
  /// The join tables, by the qualified names of both relationships.
  private var joinTables: [String: String] = [:]

  init(_ model: ObjectModel) {
    number(model)
    for root in model.index.parent.indices where model.index.parent[root] == nil {
      nameColumns(of: model.index.descendants(root).map { model.entities[$0] }, in: model)
    }
    nameJoins(in: model)
  }

  func column(of attribute: AttributeDescription) -> String? {
    columns[attribute.entity + "." + attribute.name]
  }

  /// The column of a to-one relationship, or that of a to-many without inverse in its destination's table.
  func column(of relationship: RelationshipDescription) -> String? { columns[relationship.qualifiedName] }

  func joinTable(of relationship: RelationshipDescription) -> String? {
    joinTables[relationship.qualifiedName]
  }

  /// The columns of a join table that hold the keys of the object that has a relationship, and of the destination.
  func joinColumns(
    of relationship: RelationshipDescription, inverse: RelationshipDescription?
  ) -> (own: String?, destination: String?) {
    let column = joinColumns[relationship.qualifiedName]
    if relationship.isMutual { return (column, CoreDataMapping.mutualColumn) }
    return (inverse.flatMap { joinColumns[$0.qualifiedName] }, column)
  }

  /// The column with the position in an ordered list, beside the column that holds the key: `ZNOTE` and `Z_FOK_NOTE`,
  /// `REFLEXIVE` and `FOK_REFLEXIVE`.
  package static func orderColumn(beside column: String) -> String {
    if column == CoreDataMapping.mutualColumn { return "FOK_" + column }
    let prefix = ["Z_", "Z"].first { column.hasPrefix($0) } ?? ""
    return "Z_FOK_" + column.dropFirst(prefix.count)
  }

  // MARK: Numbers

  private mutating func number(_ model: ObjectModel) {
    let index = model.index
    func inOrder(_ entities: [Int]) -> [Int] {
      entities.sorted { Self.isBefore(model.entities[$0].name, model.entities[$1].name) }
    }
    var open = Array(inOrder(index.parent.indices.filter { index.parent[$0] == nil }).reversed())
    var count = 0
    while let next = open.popLast() {
      count += 1
      let entity = model.entities[next]
      if numbers[entity.name] == nil {
        numbers[entity.name] = entity.discriminator?.value.flatMap(Int.init) ?? count
      }
      open += inOrder(index.children[next]).reversed()
    }
  }

  /// Whether a name is before another without regard to case.
  private static func isBefore(_ a: String, _ b: String) -> Bool {
    let (x, y) = (a.lowercased(), b.lowercased())
    return x == y ? a < b : x < y
  }

  // MARK: Columns

  /// Names the columns of one table: what siblings call the same is told apart by a number.
  private mutating func nameColumns(of entities: [EntityDescription], in model: ObjectModel) {
    var taken = TakenNames()
    for entity in entities { for column in entity.givenColumns { _ = taken.add(column) } }
    for entity in entities.sorted(by: { (numbers[$0.name] ?? 0) < (numbers[$1.name] ?? 0) }) {
      for name in entity.columnNames where columns[entity.name + "." + name] == nil {
        columns[entity.name + "." + name] = taken.add("Z" + name.uppercased())
      }
    }
    let names = Set(entities.map(\.name))
    for relationship in model.entities.flatMap(\.relationships)
    where relationship.isToMany && relationship.inverse == nil && names.contains(relationship.destination) {
      columns[relationship.qualifiedName] = taken.add(name(of: relationship, after: relationship.entity, "Z"))
    }
  }

  private func name(
    of relationship: RelationshipDescription, after entity: String, _ prefix: String
  ) -> String {
    prefix + String(numbers[entity] ?? 0) + relationship.name.uppercased()
  }

  // MARK: Join tables

  private mutating func nameJoins(in model: ObjectModel) {
    var taken = TakenNames()
    let sides = model.entities.flatMap(\.relationships).compactMap {
      relationship -> [RelationshipDescription]? in
      guard let inverse = model.inverse(of: relationship) else {
        return relationship.isMutual ? [relationship] : nil
      }
      return relationship.isToMany && inverse.isToMany && Self.isNamed(after: relationship, inverse)
        ? [relationship, inverse] : nil
    }
    let sorted = sides.sorted {
      (numbers[$0[0].entity] ?? 0, $0[0].name) < (numbers[$1[0].entity] ?? 0, $1[0].name)
    }
    for sides in sorted {
      let relationship = sides[0]
      for side in sides {
        joinTables[side.qualifiedName] = name(of: relationship, after: relationship.entity, "Z_")
        joinColumns[side.qualifiedName] = taken.add(name(of: side, after: side.destination, "Z_"))
      }
    }
  }

  /// Whether the table is named after a relationship and not after its inverse: after the one whose entity is first by
  /// name. Of two of one entity a store has either.
  private static func isNamed(
    after relationship: RelationshipDescription, _ inverse: RelationshipDescription
  ) -> Bool {
    relationship.entity == inverse.entity
      ? relationship.name > inverse.name : isBefore(relationship.entity, inverse.entity)
  }
}

extension EntityDescription {
  /// The columns that the model names itself.
  fileprivate var givenColumns: [String] {
    attributes.compactMap(\.column) + relationships.flatMap { $0.columns.map(\.column) }
  }

  /// The names of the stored attributes and the to-one relationships, whose columns nobody names.
  fileprivate var columnNames: [String] {
    let attributes = attributes.filter { !$0.isTransient && $0.column == nil }.map(\.name)
    let relationships = relationships.filter { !$0.isToMany && $0.columns.isEmpty }.map(\.name)
    return (attributes + relationships).sorted()
  }
}

/// Names that are told apart by a number where they are taken.
private struct TakenNames {
  private var names: Set<String> = []

  mutating func add(_ name: String) -> String {
    var free = name
    var number = 1
    while !names.insert(free.sqlName).inserted {
      free = name + String(number)
      number += 1
    }
    return free
  }
}
