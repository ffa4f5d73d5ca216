import MOCloneEngine
import MOCloneModel

/// Keys that objects got, by the values of a column that names them whatever their keys are.
struct GivenKeys {
  private var keys: [String: [RawValue: RawValue]] = [:]
  let mark: String

  init(of picture: StorePicture, named mark: String) {
    self.mark = mark
    for map in picture.mapping.entities.values where map.keyColumns.count == 1 && keys[map.table] == nil {
      let rows = picture.places(in: map.table).map { (picture[$0, mark], picture[$0, map.keyColumns[0]]) }
      let unique = Dictionary(grouping: rows, by: \.0).filter { $0.value.count == 1 }
      keys[map.table] = unique.mapValues { $0[0].1 }
    }
  }

  subscript(table: String, mark: RawValue) -> RawValue? { keys[table]?[mark] }
}

extension StorePicture {
  /// The same, in which new objects get the keys that they have in another picture: references to no row then lead to
  /// whatever has got their keys, against the rules.
  public func takingKeys(from other: StorePicture, named mark: String) -> StorePicture {
    var result = self
    result.givenKeys = GivenKeys(of: other, named: mark)
    return result
  }

  /// A new key for a row.
  func newKey(_ number: Int, for row: Row, in table: String) -> RawValue {
    givenKeys.flatMap { given in row.values[given.mark].flatMap { given[table, $0] } } ?? .made(number)
  }

  /// A new key for an object of which some values are known.
  func newKey(_ number: Int, for values: [String: AttributeValue], in map: EntityMapping) -> RawValue {
    guard let given = givenKeys, let column = map.attributes[given.mark], let mark = values[given.mark] else {
      return .made(number)
    }
    return newKey(number, for: Row([given.mark: ReferenceNotations.raw(mark, column)]), in: map.table)
  }
}
