import MOCloneModel

/// Deletes objects by the delete rules.
struct ReferenceDeletion {
  typealias Place = StorePicture.Place

  var picture: StorePicture
  let stamp: ReferenceStamp
  /// Whether what loses a reference counts as changed.
  var touches = true
  /// References that are about to be written again, by `Entity.name`.
  var overwritten: Set<String> = []

  /// - Throws: `ReferenceRefusal`.
  mutating func delete(_ objects: [Place]) throws {
    var refusal = ReferenceRefusal()
    delete(objects, &refusal)
    try refusal.throwIfAny()
  }

  mutating func delete(_ objects: [Place], _ refusal: inout ReferenceRefusal) {
    let gone = cascaded(objects)
    picture.counts.begin(\.nullified)
    for object in gone {
      for relationship in picture.model.relationships(of: picture.entity(of: object))
      where relationship.deleteRule == .deny {
        if picture.destinations(relationship, of: object).contains(where: { !gone.contains($0) }) {
          refusal.add(.deleteDenied, "\(relationship.qualifiedName) of \(object)")
        }
      }
    }
    for reference in picture.references {
      for object in gone where picture.model.isKind(picture.entity(of: object), of: reference.key.destination)
      {
        for holder in picture.holders(of: object, reference) where !gone.contains(holder) {
          if reference.isRequired { refusal.add(.requiredLeftEmpty, "\(reference.name) of \(holder)") }
          let name = (reference.forward ?? reference.backward)!.qualifiedName
          if !overwritten.contains(name) { picture.counts.add(1, name, to: \.nullified) }
          picture.set(reference, of: holder, to: nil)
          if let order = reference.key.orderColumn { picture[holder, order] = .null }
          if touches { picture.touch(holder, stamp) }
        }
      }
    }
    for join in picture.joins {
      for pair in picture.places(in: join.map.table) {
        if picture.places(at: join, of: pair).contains(where: gone.contains) { picture.remove(pair) }
      }
    }
    for object in gone { picture.remove(object) }
  }

  private func cascaded(_ objects: [Place]) -> Set<Place> {
    var gone = Set(objects)
    var pending = objects
    while let object = pending.popLast() {
      for relationship in picture.model.relationships(of: picture.entity(of: object))
      where relationship.deleteRule == .cascade {
        pending += picture.destinations(relationship, of: object).filter { gone.insert($0).inserted }
      }
    }
    return gone
  }
}
