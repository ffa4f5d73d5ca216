import Foundation
import MOCloneEngine
import MOCloneModel

/// What the tables of a store hold, row by row and value by value, with nothing converted.
package struct StorePicture {
  package struct Column {
    package var name: String
    package var isNoCase: Bool
    package var isGenerated: Bool
    /// What a new row gets where nothing is written.
    package var standard: RawValue
    package var affinity: RawValue.Affinity

    /// - Parameters:
    ///   - name: its name.
    ///   - declared: the type as the table declares it.
    ///   - isNoCase: whether texts are compared without letter case.
    ///   - isGenerated: whether the store computes it.
    ///   - standard: what a new row gets where nothing is written.
    package init(
      _ name: String, declared: String = "", isNoCase: Bool = false, isGenerated: Bool = false,
      standard: RawValue = .null
    ) {
      self.name = name
      self.standard = standard
      affinity = RawValue.Affinity(declared: declared)
      self.isNoCase = isNoCase
      self.isGenerated = isGenerated
    }
  }

  package struct Row {
    package var values: [String: RawValue]
    /// Whether the operation made it.
    package var isNew = false
    package var isGone = false

    package init(_ values: [String: RawValue]) { self.values = values }
  }

  package struct Table {
    package var columns: [Column]
    package var rows: [Row]
    /// Columns that must be unique together, beside the key.
    package var uniqueColumns: [[String]]

    package init(_ columns: [Column], _ rows: [Row] = [], uniqueColumns: [[String]] = []) {
      self.columns = columns
      self.rows = rows
      self.uniqueColumns = uniqueColumns
    }
  }

  /// A row of a table.
  struct Place: Hashable {
    var table: String
    var index: Int
  }

  package let model: ObjectModel
  let mapping: SchemaMapping
  package var tables: [String: Table]
  /// The foreign keys of all tables.
  let references: [Reference]
  let joins: [Join]
  /// What the operation that led here counts.
  package internal(set) var counts = ReferenceCounts()
  private let entities: [String: [EntityMapping]]

  package init(_ model: ObjectModel, _ tables: [String: Table]) {
    self.model = model
    mapping = SchemaMapping(model)
    self.tables = tables
    references = Self.references(model, mapping)
    joins = Self.joins(model, mapping)
    let maps = model.entities.map { [mapping] in mapping[$0.name] }
    entities = Dictionary(grouping: maps, by: \.table)
  }
}

// MARK: - Rows

extension StorePicture {
  subscript(place: Place, column: String) -> RawValue {
    get { tables[place.table]!.rows[place.index].values[column] ?? .null }
    set { tables[place.table]!.rows[place.index].values[column] = newValue }
  }

  func row(_ place: Place) -> Row { tables[place.table]!.rows[place.index] }

  func places(in table: String) -> [Place] {
    tables[table]!.rows.indices.filter { !tables[table]!.rows[$0].isGone }.map {
      Place(table: table, index: $0)
    }
  }

  /// The objects of an entity and of those that inherit from it, in the order of their keys.
  func objects(of entity: String) -> [Place] {
    sorted(places(in: mapping[entity].table).filter { model.isKind(self.entity(of: $0), of: entity) })
  }

  /// The entity that a row says it is.
  func entity(of place: Place) -> String {
    let entities = self.entities[place.table]!
    guard let column = entities[0].discriminator?.column else { return entities[0].entity }
    let value = self[place, column]
    return (entities.first { .string($0.discriminator!.value) == value } ?? entities[0]).entity
  }

  func key(_ place: Place) -> [RawValue] { mapping[entity(of: place)].keyColumns.map { self[place, $0] } }

  func sorted(_ places: [Place], by order: (Place) -> RawValue = { _ in .null }) -> [Place] {
    places.sorted { a, b in
      for (x, y) in zip([order(a)] + key(a), [order(b)] + key(b)) {
        if RawValue.isBefore(x, y) { return true }
        if RawValue.isBefore(y, x) { return false }
      }
      return a.index < b.index
    }
  }

  func value(_ attribute: AttributeDescription, of place: Place) -> AttributeValue? {
    let column = mapping[entity(of: place)].attributes[attribute.name]!
    return ReferenceNotations.value(self[place, column.column], column)
  }

  /// The values of an attribute that objects have.
  package func values(_ name: String, of entity: String) -> [AttributeValue] {
    objects(of: entity).compactMap { value(model.attribute(name, of: entity)!, of: $0) }.filter { !$0.isNull }
  }

  /// The keys of objects, in their order.
  package func keys(of entity: String) -> [ObjectKey] { objects(of: entity).map(objectKey) }

  /// The key as a graph has it: a UUID, where the store writes it as the graph does, else what the row holds.
  func objectKey(of place: Place) -> ObjectKey {
    let parts = mapping[entity(of: place)].key
    return ObjectKey(
      zip(parts, key(place)).map { part, value in
        switch value {
        case .null: return .null
        case .integer(let number): return .integer(number)
        case .text(let bytes):
          let text = String(decoding: bytes, as: UTF8.self)
          let uuid = part.uuids.map { $0 == .text || $0 == .blob } == true ? UUID(uuidString: text) : nil
          return uuid?.uuidString == text ? .uuid(uuid!) : .string(text)
        default: return ReferenceNotations.uuid(value, .blob).map(AttributeValue.uuid) ?? .string("\(value)")
        }
      })
  }

  /// Whether a row of another store can keep its key, a UUID: it is not the number of an object in memory, and no row has it.
  func isFree(_ row: Row, of entity: String) -> Bool {
    let map = mapping[entity]
    let key = map.keyColumns.map { row.values[$0] ?? .null }
    if case .integer = key[0] { return false }
    return find(map.keyColumns, key, in: map.table).isEmpty
  }

  /// Writes a value as the column's type turns it.
  mutating func write(_ value: RawValue, to column: String, of place: Place) {
    let affinity = tables[place.table]!.columns.first { $0.name == column }!.affinity
    self[place, column] = value.stored(affinity)
  }

  func isNoCase(_ column: String, in table: String) -> Bool {
    tables[table]!.columns.contains { $0.name == column && $0.isNoCase }
  }

  /// The rows whose columns hold some values.
  func find(_ columns: [String], _ values: [RawValue], in table: String) -> [Place] {
    places(in: table).filter { place in
      zip(columns, values).allSatisfy { self[place, $0].isSameKey(as: $1) }
    }
  }
}

// MARK: - Relationships

extension StorePicture {
  /// The objects that a relationship leads to, in the order of the list where it is one.
  func destinations(_ relationship: RelationshipDescription, of place: Place) -> [Place] {
    let entity = entity(of: place)
    switch mapping[entity].relationships[relationship.name]! {
    case .foreignKey(let key):
      return [referenced(by: key.columns, of: place, key.references, in: key.destination)].compactMap { $0 }
    case .inverseForeignKey(let key):
      let members = find(key.columns, key.references.map { self[place, $0] }, in: mapping[key.entity].table)
        .filter { model.isKind(self.entity(of: $0), of: key.entity) }
      return sorted(members) { member in key.orderColumn.map { self[member, $0] } ?? .null }
    case .join(let join):
      let pairs = find(join.columns, join.references.map { self[place, $0] }, in: join.table)
      let members = pairs.compactMap { pair in
        referenced(
          by: join.destinationColumns, of: pair, join.destinationReferences, in: relationship.destination
        ).map { (member: $0, order: join.orderColumn.map { self[pair, $0] } ?? .null) }
      }
      let orders = Dictionary(members.map { ($0.member, $0.order) }) { first, _ in first }
      return sorted(members.map(\.member)) { orders[$0]! }
    }
  }

  func destination(_ relationship: RelationshipDescription, of place: Place) -> Place? {
    destinations(relationship, of: place).first
  }

  /// A foreign key, with the relationship of the row that it lies in, where that has one.
  struct Reference {
    /// The relationship of the row itself.
    var forward: RelationshipDescription?
    /// The relationship of what it leads to.
    var backward: RelationshipDescription?
    var key: ForeignKeyMapping
    /// Those of its columns that are written with it: the key of its own row stays, also where it leads to what belongs to it.
    var columns: [String]

    var name: String { (forward ?? backward!).qualifiedName }
    var isOneToOne: Bool { backward.map { !$0.isToMany } ?? false }
    var isRequired: Bool { forward.map { !$0.isOptional } ?? false }
  }

  private static func references(_ model: ObjectModel, _ mapping: SchemaMapping) -> [Reference] {
    func reference(
      _ key: ForeignKeyMapping, _ forward: RelationshipDescription?, _ backward: RelationshipDescription?
    ) -> Reference {
      let columns = mapping[key.entity].columns(emptying: key)
      return Reference(forward: forward, backward: backward, key: key, columns: columns)
    }
    return model.entities.flatMap { entity in
      entity.relationships.compactMap { relationship -> Reference? in
        let inverse = model.inverse(of: relationship)
        switch mapping[entity.name].relationships[relationship.name]! {
        case .foreignKey(let key): return reference(key, relationship, inverse)
        case .inverseForeignKey(let key) where inverse == nil: return reference(key, nil, relationship)
        case .inverseForeignKey, .join: return nil
        }
      }
    }
  }

  func references(of place: Place) -> [Reference] {
    references.filter { model.isKind(entity(of: place), of: $0.key.entity) }
  }

  /// What a foreign key leads to.
  func destination(_ reference: Reference, of place: Place) -> Place? {
    let key = reference.key
    return referenced(by: key.columns, of: place, key.references, in: key.destination)
  }

  /// The row of an entity's table whose columns hold what columns of a row refer to.
  private func referenced(
    by columns: [String], of place: Place, _ references: [String], in entity: String
  ) -> Place? {
    find(references, columns.map { self[place, $0] }, in: mapping[entity].table).first
  }

  mutating func set(_ reference: Reference, of place: Place, to destination: Place?) {
    for (column, referenced) in zip(reference.key.columns, reference.key.references)
    where reference.columns.contains(column) {
      self[place, column] = destination.map { self[$0, referenced] } ?? .null
    }
  }

  /// A join table, from the side that is first by name.
  struct Join {
    var relationship: RelationshipDescription
    var inverse: RelationshipDescription?
    var map: JoinTableMapping
  }

  private static func joins(_ model: ObjectModel, _ mapping: SchemaMapping) -> [Join] {
    model.entities.flatMap { entity in
      entity.relationships.compactMap { relationship in
        let inverse = model.inverse(of: relationship)
        guard case .join(let map) = mapping[entity.name].relationships[relationship.name]!,
          inverse.map({ relationship.qualifiedName <= $0.qualifiedName }) ?? true
        else { return nil }
        return Join(relationship: relationship, inverse: inverse, map: map)
      }
    }
  }

  /// The objects of a row of a join table that exist.
  func places(at join: Join, of pair: Place) -> [Place] {
    [own(join, of: pair), other(join, of: pair)].compactMap { $0 }
  }

  func own(_ join: Join, of pair: Place) -> Place? {
    referenced(by: join.map.columns, of: pair, join.map.references, in: join.relationship.entity)
  }

  func other(_ join: Join, of pair: Place) -> Place? {
    referenced(
      by: join.map.destinationColumns, of: pair, join.map.destinationReferences,
      in: join.relationship.destination)
  }

  /// The two objects of a row of a join table.
  func ends(_ join: Join, of pair: Place) -> (own: Place, other: Place)? {
    guard let own = own(join, of: pair), let other = other(join, of: pair) else { return nil }
    return (own, other)
  }
}
