import MOCloneModel

/// A picture as lines of text that name rows by a value that no operation changes, so that new keys do not matter.
package struct PictureLines {
  private let picture: StorePicture
  /// The column whose values name rows; rows are named by their keys where it is nil or has no value.
  private let mark: String?
  private let known: [String: Set<RawValue>]?
  package private(set) var lines: [String] = []

  /// - Parameters:
  ///   - picture: the store that is told.
  ///   - mark: the column whose values name rows; nil names them by their keys.
  ///   - before: the picture whose rows keep their keys; keys of others mean nothing. All do where it is nil.
  package init(
    _ picture: StorePicture, named mark: String?, before: StorePicture? = nil
  ) {
    self.picture = picture
    var known: [String: Set<RawValue>] = [:]
    if let before, let mark {
      for table in before.tables.keys {
        known[table] = Set(before.places(in: table).map { before[$0, mark] })
      }
    }
    self.known = before == nil ? nil : known
    self.mark = mark
    let tables = Set(picture.mapping.entities.values.map(\.table))
    for table in tables.sorted() {
      for place in picture.places(in: table) { lines += values(place) }
    }
    for join in picture.joins { lines += pairs(join) }
    lines.sort()
  }

  /// What stands in one only.
  package func differences(from expected: PictureLines) -> [String] {
    let (own, other) = (Set(lines), Set(expected.lines))
    return own.subtracting(other).sorted().map { "found:    \($0)" }
      + other.subtracting(own).sorted().map { "expected: \($0)" }
      + (own == other && lines != expected.lines ? ["lines stand several times"] : [])
  }

  private func name(_ place: StorePicture.Place) -> String {
    let value = mark.map { picture[place, $0] } ?? .null
    let key = picture.key(place).map(\.description).joined(separator: ",")
    return "\(place.table)[\(value.isNull ? key : value.description)]"
  }

  private func values(_ place: StorePicture.Place) -> [String] {
    let name = name(place)
    let map = picture.mapping[picture.entity(of: place)]
    let references = picture.references(of: place)
    let positions = Set(picture.references.compactMap(\.key.orderColumn))
    var hidden = positions.union(references.flatMap(\.columns))
    // A key that references are part of has further parts that mean something.
    let isKnown = known.map { names in
      mark.map { names[place.table]?.contains(picture[place, $0]) == true } ?? true
    }
    if isKnown == false, map.keyColumns.count == 1 { hidden.formUnion(map.keyColumns) }
    let columns = picture.tables[place.table]!.columns.filter { !$0.isGenerated && !hidden.contains($0.name) }
    return columns.map { "\(name).\($0.name) = \(picture[place, $0.name])" }
      + references.map { "\(name) \($0.name) -> \(target($0, of: place))" } + lists(place, name)
  }

  private func target(_ reference: StorePicture.Reference, of place: StorePicture.Place) -> String {
    if let destination = picture.destination(reference, of: place) { return self.name(destination) }
    let values = reference.key.columns.map { picture[place, $0] }
    return values.contains(.null) ? "nothing" : "missing \(values)"
  }

  private func lists(_ place: StorePicture.Place, _ name: String) -> [String] {
    picture.model.relationships(of: picture.entity(of: place)).filter(\.isOrdered).map { relationship in
      let members = picture.destinations(relationship, of: place).map(self.name)
      return "\(name).\(relationship.name): \(members.joined(separator: ", "))"
    }
  }

  private func pairs(_ join: StorePicture.Join) -> [String] {
    let map = join.map
    let hidden = Set(
      map.columns + map.destinationColumns + [map.orderColumn, map.inverseOrderColumn].compactMap { $0 })
    let columns = picture.tables[map.table]!.columns.filter { !$0.isGenerated && !hidden.contains($0.name) }
    return picture.places(in: map.table).map { pair in
      let ends = picture.ends(join, of: pair).map { "\(name($0.own)), \(name($0.other))" }
      let keys = (map.columns + map.destinationColumns).map { picture[pair, $0] }
      let values = columns.map { " \($0.name) = \(picture[pair, $0.name])" }
      return "\(map.table)(\(ends ?? "missing \(keys)"))\(values.joined())"
    }
  }
}
