import MOCloneModel
import MOCloneSQL

// Columns of attributes and to-one relationships.
extension CoreDataNaming {
  /// What has a column in a table.
  private struct Property {
    var entity: Int
    var name: String
    var renamedFrom: String?
    /// Nil for a to-one relationship.
    var attribute: Int?
    var relationship: Int?
    /// The column that follows from the model.
    var column: String
    /// The types that Core Data declares for it.
    var types: Set<String>
    /// What the column is called but for a number behind it.
    var base: String { "Z" + name.uppercased() }
  }

  mutating func resolveColumns() {
    let mapping = mapping
    for root in draft.entities where root.parent == nil {
      guard let table = schema[mapping[root.name].table] else { continue }
      let properties = properties(in: root.name, mapping)
      let groups = Dictionary(grouping: properties, by: \.base).sorted { $0.key < $1.key }
      for (base, members) in groups {
        for (property, column) in settled(members, base: base, among: properties, in: table)
        where property.column.sqlName != column.sqlName { write(column, for: property) }
      }
    }
  }

  /// The column of each property of one name, where it can be told: it exists as the model has it, or just one column of
  /// that name fits.
  private func settled(
    _ members: [Property], base: String, among all: [Property], in table: TableSchema
  ) -> [(Property, String)] {
    let named = table.columns.filter { $0.name.isName(base) }
    func fits(_ property: Property, column: ColumnSchema) -> Bool {
      property.types.contains(column.type.uppercased())
    }
    let isPredicted = members.allSatisfy { member in
      table.column(member.column).map { fits(member, column: $0) } ?? false
    }
    if isPredicted { return [] }
    let claimed = Set(all.filter { $0.base != base }.map(\.column.sqlName))
    let choices = members.map { member in
      let own = named.filter { fits(member, column: $0) && !claimed.contains($0.name.sqlName) }
      let old = member.renamedFrom.flatMap { table.column("Z" + $0.uppercased()) }
      return own.isEmpty ? [old].compactMap { $0 }.filter { fits(member, column: $0) } : own
    }
    let found = choices.compactMap { $0.count == 1 ? $0[0].name : nil }
    guard found.count == members.count, Set(found).count == found.count else { return [] }
    return Array(zip(members, found))
  }

  private mutating func write(_ column: String, for property: Property) {
    let entity = draft.entities[property.entity].name
    if let attribute = property.attribute {
      draft.entities[property.entity].attributes[attribute].column = column
      say(text(column, property: property), at: .entity(entity) / "attributes" / property.name)
    } else if let relationship = property.relationship {
      draft.entities[property.entity].relationships[relationship].columns = [ForeignKeyColumn(column)]
      say(text(column, property: property), at: .entity(entity) / "relationships" / property.name)
    }
  }

  private func text(_ column: String, property: Property) -> String {
    "The store has the column '\(column)' for it, not '\(property.column)'."
  }

  private func properties(in root: String, _ mapping: SchemaMapping) -> [Property] {
    let model = draft.unvalidated
    return draft.entities.indices.filter { model.rootEntity(of: draft.entities[$0].name) == root }.flatMap {
      e in
      let entity = draft.entities[e]
      let map = mapping[entity.name]
      let attributes = entity.attributes.enumerated().compactMap { place, attribute in
        map.attributes[attribute.name].map {
          Property(
            entity: e, name: attribute.name, renamedFrom: attribute.renamedFrom, attribute: place,
            column: $0.column, types: attribute.type.coreDataTypes)
        }
      }
      let references = entity.relationships.enumerated().compactMap { place, relationship -> Property? in
        guard let key = map.foreignKey(relationship.name) else { return nil }
        return Property(
          entity: e, name: relationship.name, relationship: place, column: key.columns[0], types: ["INTEGER"])
      }
      return attributes + references
    }
  }
}

extension AttributeType {
  /// The types of the columns that Core Data makes.
  fileprivate var coreDataTypes: Set<String> {
    switch self {
    case .string, .uri: ["VARCHAR"]
    case .boolean, .integer16, .integer32, .integer64: ["INTEGER"]
    case .double, .float: ["FLOAT"]
    case .decimal: ["DECIMAL"]
    case .date: ["TIMESTAMP"]
    case .binary, .transformable, .uuid: ["BLOB"]
    }
  }
}

extension String {
  /// Whether it is a name, or that name with a number behind it.
  func isName(_ name: String) -> Bool {
    let text = uppercased()
    guard text.hasPrefix(name.uppercased()) else { return false }
    return text.dropFirst(name.count).allSatisfy { ("0"..."9").contains($0) }
  }
}
