import Foundation
import MOCloneEngine
import MOCloneModel

/// The keys that objects of a graph of another kind have in tables like the store's, and what references to them hold.
///
/// A graph in memory numbers its objects, whatever their keys are in a store. So the parts come from the attributes and
/// relationships that lie in the key, else from the object's own key.
final class StagedKeys {
  let source: any ObjectReading
  private let layout: TransferLayout
  private let generator: ValueGenerator
  /// For tables whose objects have no UUID yet: what theirs are made of.
  private var series: [String: UUID] = [:]
  /// By entity and column.
  private var origins: [String: [String: Origin]] = [:]

  /// Where a column has its value from: the first that gives one.
  private struct Origin {
    var attribute: (name: String, coding: ValueCoding)?
    var mark: StoredValue?
    /// Relationships that lie in the column, and what it holds of their destinations.
    var references: [(relationship: String, column: String, table: String)]
    /// The part of the key.
    var part: Int?
  }

  init(_ source: any ObjectReading, in layout: TransferLayout, generator: ValueGenerator) {
    (self.source, self.layout, self.generator) = (source, layout, generator)
  }

  /// - Throws: `CloneError` (`required-left-empty`, `key-needs-value`, `invalid-key`) where a part has no value.
  func key(of object: ObjectID) throws -> [StoredValue] {
    try values(layout.mapping[object.entity].keyColumns, of: object)
  }

  /// What columns of an object's row hold that references to it can be about: those of its key, or unique ones.
  func values(_ columns: [String], of object: ObjectID) throws -> [StoredValue] {
    try columns.map { try value($0, of: object) }
  }

  /// - Parameter passed: the columns, with their tables, that references were followed from: a chain that comes back to
  ///   one, as those of a tree whose keys begin alike, says no more than the row itself.
  private func value(_ column: String, of object: ObjectID, passed: [String] = []) throws -> StoredValue {
    let origin = origin(of: column, in: object.entity)
    if let (name, coding) = origin.attribute {
      let value = try source.value(name, of: object)
      if origin.part == nil || !value.isNull { return coding.encode(value) }
    }
    if let mark = origin.mark { return mark }
    if !origin.references.isEmpty {
      let passed = passed + ["\(layout.mapping[object.entity].table) \(column)".sqlName]
      for (relationship, column, table) in origin.references
      where !passed.contains("\(table) \(column)".sqlName) {
        guard let destination = try source.destinations(relationship, of: object).first else { continue }
        return try value(column, of: destination, passed: passed)
      }
    }
    return try origin.part.map { try own($0, of: object, map: layout.mapping[object.entity]) } ?? .null
  }

  private func origin(of column: String, in entity: String) -> Origin {
    if let known = origins[entity]?[column] { return known }
    let map = layout.mapping[entity]
    let attribute = map.attributes.first { $0.value.column.sqlName == column.sqlName }
    let isMark = map.discriminator?.column.sqlName == column.sqlName
    let origin = Origin(
      attribute: attribute.map { ($0.key, ValueCoding($0.value)) },
      mark: isMark ? (map.discriminator?.value).map(StoredValue.text) : nil,
      references: map.foreignKeys(giving: column).map { relationship, key, place in
        (relationship, key.references[place], layout.mapping[key.destination].table)
      }, part: map.keyPart(of: column))
    origins[entity, default: [:]][column] = origin
    return origin
  }

  /// A part that nothing but the object's key gives.
  private func own(_ number: Int, of object: ObjectID, map: EntityMapping) throws -> StoredValue {
    let isWhole = object.key.parts.count == map.key.count
    let value = object.key.parts[isWhole ? number : 0]
    let coding = KeyCoding(entity: map)
    switch (map.key[number].source, value) {
    case (.relationship(let name, _), _) where !isWhole || !leadsToOwnKind(name, of: object.entity):
      throw CloneError.keyWithoutDestination(name, of: object)
    case (.uuid, .integer(let row)):
      guard !layout.policy.keepsKeys else {
        throw CloneError.numberForUUID(object, column: map.key[number].column)
      }
      return coding.encode(.uuid(uuid(of: map.table, row)), part: number)
    case (.copied, .integer) where !isWhole, (.given, .integer) where !isWhole:
      throw CloneError.partWithoutValue(map.key[number].column, of: object)
    default: return coding.encode(value, part: number)
    }
  }

  /// Whether a relationship that references nothing says nothing of a part of the key, as the parent of a tree's top.
  private func leadsToOwnKind(_ relationship: String, of entity: String) -> Bool {
    layout.mapping[entity].foreignKey(relationship).map {
      layout.mapping[$0.destination].table == layout.mapping[entity].table
    } ?? false
  }

  /// One of a series of UUIDs, in the order of the rows, that no other run makes; so no object needs to be kept in mind
  /// with its own.
  private func uuid(of table: String, _ row: Int64) -> UUID {
    let first = series[table] ?? generator.uuid()
    series[table] = first
    var bytes = first.uuid
    withUnsafeMutableBytes(of: &bytes) { bytes in
      withUnsafeBytes(of: row.bigEndian) { bytes[8...].copyBytes(from: $0) }
      // The first two bits of the second half say what kind of UUID it is.
      bytes[8] = bytes[8] & 0x3F | 0x80
    }
    return UUID(uuid: bytes)
  }
}

extension CloneError {
  fileprivate static func keyWithoutDestination(_ relationship: String, of object: ObjectID) -> CloneError {
    CloneError(
      .requiredLeftEmpty,
      "'\(relationship)' of \(object) is part of its key in the store, but it has no destination",
      property: relationship, object: object)
  }

  fileprivate static func partWithoutValue(_ column: String, of object: ObjectID) -> CloneError {
    CloneError(
      .keyNeedsValue,
      "the key '\(column)' of \(object) is not generated in the store, and no attribute gives it",
      entity: object.entity, object: object)
  }

  fileprivate static func numberForUUID(_ object: ObjectID, column: String) -> CloneError {
    CloneError(
      .invalidKey,
      "the key of \(object) cannot be kept, because the key '\(column)' of the store is a UUID",
      help: "clone without --keep-keys",
      entity: object.entity, object: object)
  }
}
