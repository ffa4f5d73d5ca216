import Foundation
import MOCloneEngine
import MOCloneModel

// The values of what went that what stays does not hold.
extension ReferenceDedupe.Run {
  mutating func noteGivenUp() {
    // Keys of new objects mean nothing.
    let isKnown = !before.tables.values.contains { $0.rows.contains(where: \.isNew) }
    guard isKnown else {
      picture.counts.givenUp = nil
      return
    }
    for (loser, survivor) in settled {
      let values =
        columns(loser, givenUpFor: survivor) + references(loser, givenUpFor: survivor)
        + members(loser, givenUpFor: survivor)
      if values.isEmpty { continue }
      let entry = TransferReport.givenUp(
        values, of: object(loser, in: start), for: object(survivor, in: start))
      picture.counts.givenUp?.insert(entry)
    }
  }

  private func object(_ place: Place, in picture: StorePicture) -> ObjectID {
    ObjectID(picture.entity(of: place), key: picture.objectKey(of: place))
  }

  private func columns(_ loser: Place, givenUpFor survivor: Place) -> [(String, String)] {
    let entity = start.entity(of: loser)
    let map = start.mapping[entity]
    let references = start.references(of: loser)
    let left = Set(
      map.keyColumns + references.flatMap { $0.key.columns + [$0.key.orderColumn].compactMap { $0 } }
        + start.references.filter { $0.key.entity == entity }.compactMap(\.key.orderColumn)
        + [map.attributes[rules.stamp.name]?.column, map.discriminator?.column].compactMap { $0 }
        + start.keptColumns(of: entity).keys)
    let names = Dictionary(map.attributes.map { ($0.value.column, $0.key) }) { first, _ in first }
    let identifying = identity.names(of: entity)?.names ?? []
    return start.tables[loser.table]!.columns.filter { !$0.isGenerated && !left.contains($0.name) }
      .compactMap { column in
        let (old, new) = (start[loser, column.name], picture[survivor, column.name])
        if old.isNull || old == new { return nil }
        guard let name = names[column.name] else { return (column.name, old.text) }
        let value = ReferenceNotations.value(old, map.attributes[name]!)
        if let value, value == ReferenceNotations.value(new, map.attributes[name]!) { return nil }
        let attribute = start.model.attribute(name, of: entity)!
        let isSame =
          identity.part(attribute, of: loser, in: start)
          == identity.part(attribute, of: survivor, in: picture)
        if identifying.contains(name) && isSame { return nil }
        let isBytes = [.binary, .transformable].contains(attribute.type)
        return (name, value?.description ?? (isBytes ? old.bytesText : old.text))
      }
  }

  private func references(_ loser: Place, givenUpFor survivor: Place) -> [(String, String)] {
    start.references(of: loser).compactMap { reference in
      guard let old = start.destination(reference, of: loser) else { return nil }
      let destination = settled[old] ?? old
      if destination == survivor || picture.destination(reference, of: survivor) == destination { return nil }
      let key = start.objectKey(of: destination).description
      return ((reference.forward ?? reference.backward!).name, key)
    }
  }

  /// The one-to-one objects that stay and belonged to what went.
  private func members(_ loser: Place, givenUpFor survivor: Place) -> [(String, String)] {
    let references = start.references.filter {
      $0.isOneToOne && leadsToMember($0.backward)
        && model.isKind(start.entity(of: loser), of: $0.key.destination)
    }
    return references.flatMap { reference in
      start.holders(of: loser, reference)
        .filter { settled[$0] == nil && picture.destination(reference, of: $0) != survivor }
        .map { (reference.backward!.name, start.objectKey(of: $0).description) }
    }
  }
}

extension RawValue {
  /// A text that stands where bytes are to be, as these are named.
  fileprivate var bytesText: String {
    if case .text(let bytes) = self { Data(bytes).base64EncodedString() } else { text }
  }

  /// The value as a report names it.
  fileprivate var text: String {
    switch self {
    case .null, .made: ""
    case .integer(let number): String(number)
    case .real(let number): String(number)
    // What is no text is named as bytes are.
    case .text(let bytes): String(bytes: bytes, encoding: .utf8) ?? Data(bytes).base64EncodedString()
    case .blob(let bytes): Data(bytes).base64EncodedString()
    }
  }
}
