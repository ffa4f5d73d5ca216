import Foundation
import MOCloneModel

/// The date of change, and the operation's one instant.
struct ReferenceStamp {
  var name: String
  var now: Date
}

extension StorePicture {
  /// A position behind all that a store of another program has.
  static func position(_ number: Int) -> RawValue { .integer(1_000_000_000_000 + Int64(number)) }

  mutating func append(_ row: Row, to table: String) -> Place {
    var row = row
    row.isNew = true
    tables[table]!.rows.append(row)
    return Place(table: table, index: tables[table]!.rows.count - 1)
  }

  /// A new object with the defaults of the model.
  ///
  /// - Parameter values: what is going to be written.
  mutating func insert(_ entity: String, numbered count: Int, values: [String: AttributeValue]) -> Place {
    let map = mapping[entity]
    var row = emptyRow(in: map.table)
    for part in map.key {
      if case .relationship = part.source { continue }
      row.values[part.column] = .made(count)
    }
    if let discriminator = map.discriminator {
      row.values[discriminator.column] = .string(discriminator.value)
    }
    let place = append(row, to: map.table)
    for attribute in model.attributes(of: entity) {
      guard let column = map.attributes[attribute.name], column.keyPart == nil else { continue }
      write(ReferenceNotations.raw(attribute.defaultValue ?? .null, column), to: column.column, of: place)
    }
    return place
  }

  /// The columns that triggers keep, with what a new row holds there.
  func keptColumns(of entity: String) -> [String: RawValue] {
    let kept = model.attributes(of: entity).filter(\.isKeptByTriggers).map { attribute in
      let column = mapping[entity].attributes[attribute.name]!
      return (column.column, ReferenceNotations.raw(attribute.defaultValue ?? .null, column))
    }
    return Dictionary(uniqueKeysWithValues: kept)
  }

  /// Adds to a column of each row what triggers count there: the rows of another table that refer to it.
  ///
  /// - Parameters:
  ///   - members: the table whose rows are counted.
  ///   - column: its column that refers to the counted row.
  ///   - counter: the column that holds the count.
  ///   - table: the table that has it.
  ///   - before: the store before the operation, whose rows the triggers have counted already.
  package mutating func count(
    _ members: String, by column: String, in counter: String, of table: String, after before: StorePicture
  ) {
    func number(_ picture: StorePicture, _ key: RawValue) -> Int64 {
      Int64(picture.places(in: members).count { picture[$0, column].isSameKey(as: key) })
    }
    for place in places(in: table) {
      guard case .integer(let count) = self[place, counter] else { continue }
      let key = self[place, "id"]
      self[place, counter] = .integer(count + number(self, key) - number(before, key))
    }
  }

  mutating func set(_ value: AttributeValue, for name: String, of place: Place) {
    let column = mapping[entity(of: place)].attributes[name]!
    write(ReferenceNotations.raw(value, column), to: column.column, of: place)
  }

  func dateOfChange(_ place: Place, _ stamp: ReferenceStamp) -> AttributeDescription? {
    model.attribute(stamp.name, of: entity(of: place)).flatMap { $0.type == .date ? $0 : nil }
  }

  /// Whatever changes an object sets its date of change.
  mutating func touch(_ place: Place, _ stamp: ReferenceStamp) {
    if dateOfChange(place, stamp) != nil { set(.date(stamp.now), for: stamp.name, of: place) }
  }

  /// The rows that refer to an object by a foreign key.
  func holders(of destination: Place, _ reference: Reference) -> [Place] {
    objects(of: reference.key.entity).filter { self.destination(reference, of: $0) == destination }
  }

  mutating func remove(_ place: Place) { tables[place.table]!.rows[place.index].isGone = true }
}
