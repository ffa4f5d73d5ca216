import Foundation
import MOCloneModel

/// What every graph checks in the same way: names, and whether what they name takes what is given.
extension ObjectModel {
  /// - Throws: `CloneError` (`unknown-name`), with the nearest name.
  package func existingAttribute(_ name: String, of entity: String) throws -> AttributeDescription {
    guard let attribute = attribute(name, of: entity) else {
      throw CloneError.unknownAttribute(name, of: entity, in: self)
    }
    return attribute
  }

  /// - Throws: `CloneError` (`unknown-name`), with the nearest name.
  package func existingRelationship(_ name: String, of entity: String) throws -> RelationshipDescription {
    guard let relationship = relationship(name, of: entity) else {
      throw CloneError.unknownRelationship(name, of: entity, in: self)
    }
    return relationship
  }

  /// Refuses a to-many relationship where one destination is meant; an unknown name is the graph's to refuse.
  ///
  /// - Throws: `CloneError` (`invalid-value`).
  func checkToOne(_ name: String, of object: ObjectID) throws {
    guard relationship(name, of: object.entity)?.isToMany == true else { return }
    throw CloneError(
      .invalidValue, "'\(name)' of \(object) is to-many, so it does not have one destination",
      help: "use 'destinations', 'setDestinations', 'add' or 'remove'", property: name, object: object)
  }

  /// Checks what a new object is given.
  ///
  /// - Throws: `CloneError` (`invalid-value`, `unknown-name`).
  package func checkInsertion(of entity: String, with values: [String: AttributeValue]) throws {
    if self.entity(entity)?.isAbstract == true {
      throw CloneError(
        .invalidValue, "\(entity) is abstract, so it has no objects of its own",
        help: "insert an object of a sub-entity", entity: entity)
    }
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      if let attribute = attribute(name, of: entity) {
        if attribute.isTransient { _ = try attribute.checked(value, for: entity) }
        if attribute.isKeptByTriggers { throw CloneError([.keptByTriggers(attribute, of: entity)]) }
      } else if let relationship = relationship(name, of: entity) {
        guard relationship.isToMany else { continue }
        throw CloneError(
          .invalidValue, "'\(name)' of \(entity) is to-many, so a new object cannot be given it",
          help: "set its destinations after the insertion", entity: entity, property: name)
      } else {
        throw CloneError.unknownProperty(name, of: entity, in: self)
      }
    }
  }

  /// A value as a store holds it, for an attribute that can be set.
  ///
  /// - Throws: `CloneError` (`unknown-name`, `invalid-value`).
  package func settable(
    _ value: AttributeValue, for name: String, of object: ObjectID, in mapping: SchemaMapping
  ) throws -> AttributeValue {
    let attribute = try existingAttribute(name, of: object.entity)
    guard mapping[object.entity].attributes[name]?.keyPart == nil else {
      throw CloneError(
        .invalidValue, "'\(name)' of \(object) is part of its key, so it is read-only", property: name,
        object: object)
    }
    return try attribute.checked(value, for: object.entity)
  }

  /// Checks that a relationship of an object can have destinations, each of which is named once.
  ///
  /// - Throws: `CloneError` (`invalid-value`).
  package func check(
    destinations: [ObjectID], of relationship: RelationshipDescription, object: ObjectID
  ) throws {
    let name = relationship.name
    guard relationship.isToMany || destinations.count <= 1 else {
      throw CloneError(
        .invalidValue,
        "'\(name)' of \(object) is to-one, so it cannot have \(destinations.count) destinations",
        property: name, object: object)
    }
    for destination in destinations where !isKind(destination.entity, of: relationship.destination) {
      throw CloneError(
        .invalidValue,
        "'\(name)' of \(object) has the destination \(relationship.destination), but \(destination) is not one",
        property: name, object: object)
    }
  }
}

extension AttributeValue {
  /// Whether a key of integers can be the value: an integer of any size.
  package var isWholeNumber: Bool { if case .integer = self { true } else { wholeDigits != nil } }

  /// The integer that the value is in a key of integers; nil where it is none, or one beyond 64 bits.
  package var wholeNumber: Int64? {
    if case .integer(let number) = self { number } else { wholeDigits.flatMap { Int64($0) } }
  }

  /// The digits of an integer in a string, also between blanks and in another notation, such as `1.0` or `1e0`.
  private var wholeDigits: String? {
    guard case .string(let text) = self else { return nil }
    let number = text.trimmingCharacters(in: .whitespaces)
    let digits = number.hasPrefix("-") || number.hasPrefix("+") ? number.dropFirst() : number[...]
    if !digits.isEmpty, digits.allSatisfy({ ("0"..."9").contains($0) }) { return number }
    guard case .decimal(var decimal)? = AttributeType.decimal.value(from: number) else { return nil }
    var whole = Decimal()
    NSDecimalRound(&whole, &decimal, 0, .plain)
    return whole == decimal ? whole.description : nil
  }
}

extension CloneError {
  /// A key that is no integer where all keys are.
  package static func integerKey(_ key: ObjectKey, of entity: String) -> CloneError {
    CloneError(
      .invalidKey, "'\(key)' is not a valid key of \(entity), whose keys are integers", entity: entity)
  }

  /// A key with more or fewer parts than those of an entity.
  ///
  /// - Parameter columns: those of the entity's key.
  package static func keyParts(_ key: ObjectKey, of entity: String, columns: [String]) -> CloneError {
    let count = columns.count == 1 ? "one part" : "\(columns.count) parts"
    return CloneError(
      .invalidKey,
      "'\(key)' is not a valid key of \(entity), which has \(count): \(columns.joined(separator: ", "))",
      entity: entity)
  }
}
