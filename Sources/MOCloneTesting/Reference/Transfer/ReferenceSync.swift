import Foundation
import MOCloneEngine
import MOCloneModel

/// Works out what a store must hold after its objects followed a full set of rows, from the rules alone.
package struct ReferenceSync {
  typealias Place = StorePicture.Place
  package typealias Row = [String: AttributeValue]

  private let request: SyncRequest
  private let stamp: ReferenceStamp

  private let touches: Bool

  /// - Parameters:
  ///   - request: what is compared and overwritten.
  ///   - modified: the attribute of the last change.
  ///   - now: the instant of the operation.
  ///   - touches: whether what loses a reference counts as changed, as the rules say.
  package init(
    _ request: SyncRequest, modified: String = "modified", now: Date = Date(), touches: Bool = true
  ) {
    self.request = request
    self.touches = touches
    stamp = ReferenceStamp(name: modified, now: now)
  }

  /// - Throws: `ReferenceRefusal`.
  package func perform(_ rows: [Row], in target: StorePicture) throws -> StorePicture {
    var run = Run(request: request, stamp: stamp, touches: touches, picture: target)
    return try run.perform(rows)
  }

  private struct Run {
    let request: SyncRequest
    let stamp: ReferenceStamp
    let touches: Bool
    var picture: StorePicture
    var count = 0
    /// The rows of objects that were there, and of those that were made so far.
    var rowOf: [Place: Row] = [:]
    var made: Set<Place> = []
    var entity: String { request.entity }
    var identity: ReferenceIdentity {
      ReferenceIdentity(model: picture.model, named: request.identifiedBy.paths)
    }

    mutating func perform(_ rows: [Row]) throws -> StorePicture {
      var refusal = ReferenceRefusal()
      if rows.isEmpty, request.deletes, !request.isConfirmed { refusal.add(.emptyInput, "no row") }
      for name in request.overwriting where !rows.isEmpty && !rows.contains(where: { $0[name] != nil }) {
        refusal.add(.invalidValue, "no row gives '\(name)'")
      }
      checkNames(rows, &refusal)
      var keyed: [[ReferenceIdentity.Part]: Row] = [:]
      var order: [[ReferenceIdentity.Part]] = []
      for row in rows {
        for (name, value) in request.scope where row[name] != nil && !isSame(row[name]!, value, name) {
          refusal.add(.badRow, "\(row) lies outside")
        }
        let parts = parts(of: row)
        for case .raw(let value) in parts { refusal.add(.invalidValue, "\(value) is not of the type") }
        if parts.contains(.empty) {
          refusal.add(.badRow, "\(row) holds no identity")
          continue
        }
        if keyed.updateValue(row, forKey: parts) != nil { refusal.add(.duplicateIdentity, "\(parts)") }
        order.append(parts)
      }
      let stored = try objects(&refusal)
      let gone = stored.filter { keyed[$0.parts] == nil }
      try checkDeletions(gone.count, of: stored.count, &refusal)
      let outside = objectsOutside()
      for parts in order where !stored.contains(where: { $0.parts == parts }) {
        if outside.contains(parts) { refusal.add(.badRow, "\(parts) exists outside of the scope") }
      }
      // Whether rows or deletions are looked at first the rules do not say.
      if request.deletes {
        var deletion = ReferenceDeletion(picture: picture, stamp: stamp, touches: touches)
        deletion.overwritten = Set(
          request.overwriting.compactMap { picture.model.relationship($0, of: entity)?.qualifiedName })
        deletion.delete(gone.map(\.object), &refusal)
        picture = deletion.picture
        for object in stored where keyed[object.parts] != nil && picture.row(object.object).isGone {
          refusal.add(.deleteDenied, "\(object.object) has a row")
        }
      }
      try refusal.throwIfAny()
      for object in stored { rowOf[object.object] = keyed[object.parts] }
      for section in [\.updated, \.unchanged] as [ReferenceCounts.Section] { picture.counts.begin(section) }
      for parts in order {
        let row = keyed[parts]!
        // Objects come to lists in the order of the rows.
        count += 1
        if let object = stored.first(where: { $0.parts == parts })?.object {
          overwrite(object, row, &refusal)
        } else {
          create(row, &refusal)
        }
      }
      picture.checkUniqueColumns(&refusal)
      try refusal.throwIfAny()
      picture.countRows(gone: \.deleted)
      return picture
    }

    /// What identifies an object or is in its key is not overwritten; what a path of the identity finds is given by that
    /// path alone.
    private func checkNames(_ rows: [Row], _ refusal: inout ReferenceRefusal) {
      let names = identity.names(of: entity)!.names
      for name in request.overwriting where names.contains(name) {
        refusal.add(.invalidValue, "'\(name)' identifies \(entity)")
      }
      let home = picture.mapping[entity]
      for name in request.overwriting
      where home.columns(of: name).contains(where: { home.keyPart(of: $0) != nil }) {
        refusal.add(.invalidValue, "'\(name)' is in the key of \(entity)")
      }
      for row in rows {
        for (name, value) in row where value.isNull && isRequired(name) {
          refusal.add(.invalidValue, "'\(name)' is null")
        }
      }
      for name in Set(rows.flatMap(\.keys) + request.overwriting) {
        if names.contains(where: { $0.hasPrefix("\(name).") }) {
          refusal.add(.unknownName, "'\(name)' is found by values")
        }
      }
    }

    private func isRequired(_ name: String) -> Bool {
      let attribute = picture.model.attribute(name, of: entity)
      return (attribute?.isOptional ?? picture.model.relationship(name, of: entity)?.isOptional) == false
    }

    // MARK: Identity

    /// The parts as a row has them; what it leaves out is the scope's value, or the default.
    private func parts(of row: Row) -> [ReferenceIdentity.Part] {
      identity.names(of: entity)!.names.map { name in
        let steps = name.split(separator: ".").map(String.init)
        let given = row[name] ?? request.scope[name]
        var place = entity
        for step in steps.dropLast() { place = picture.model.relationship(step, of: place)!.destination }
        guard let attribute = picture.model.attribute(steps.last!, of: place) else {
          let destination = picture.model.relationship(steps.last!, of: place)!.destination
          return given.flatMap { object(destination, $0) }.map { .object($0) } ?? .empty
        }
        return part(given ?? attribute.defaultValue ?? .null, attribute, place)
      }
    }

    private func part(_ value: AttributeValue, _ attribute: AttributeDescription, _ entity: String)
      -> ReferenceIdentity.Part
    {
      identity.part(given: value, for: attribute.name, of: entity, in: picture)
    }

    private func object(_ entity: String, _ key: AttributeValue) -> Place? {
      picture.objects(of: entity).first { picture.objectKey(of: $0).parts == [key] }
    }

    private func objects(_ refusal: inout ReferenceRefusal) throws -> [(
      object: Place, parts: [ReferenceIdentity.Part]
    )] {
      let names = identity.names(of: entity)!.names
      let stored = picture.objects(of: entity).filter(isInScope).map { object in
        (object: object, parts: identity.parts(of: object, in: picture, names) { .object($0) })
      }
      let full = stored.map(\.parts).filter { !$0.contains(.empty) }
      if Set(full).count != full.count {
        refusal.add(.ambiguousIdentity, "stored objects share their identity")
      }
      return stored
    }

    private func objectsOutside() -> Set<[ReferenceIdentity.Part]> {
      let names = identity.names(of: entity)!.names
      return Set(
        picture.objects(of: entity).filter { !isInScope($0) }.map { object in
          identity.parts(of: object, in: picture, names) { .object($0) }
        })
    }

    private func isInScope(_ object: Place) -> Bool {
      request.scope.allSatisfy { name, value in
        guard let attribute = picture.model.attribute(name, of: entity) else {
          let relationship = picture.model.relationship(name, of: entity)!
          return picture.destination(relationship, of: object) == self.object(relationship.destination, value)
        }
        return identity.part(attribute, of: object, in: picture) == part(value, attribute, entity)
      }
    }

    private func isSame(_ a: AttributeValue, _ b: AttributeValue, _ name: String) -> Bool {
      guard let attribute = picture.model.attribute(name, of: entity) else { return a == b }
      return part(a, attribute, entity) == part(b, attribute, entity)
    }

    private func checkDeletions(_ number: Int, of all: Int, _ refusal: inout ReferenceRefusal) throws {
      guard request.deletes, number > 0 else { return }
      if let most = request.maxDeletions {
        if number > most { refusal.add(.tooManyDeletions, "\(number) of \(all)") }
      } else if !request.isConfirmed, number * 2 > all {
        refusal.add(.tooManyDeletions, "\(number) of \(all)")
      }
    }

    // MARK: Writing

    private mutating func overwrite(_ object: Place, _ row: Row, _ refusal: inout ReferenceRefusal) {
      var isChanged = false
      for name in request.overwriting {
        guard let value = row[name] else { continue }
        if let attribute = picture.model.attribute(name, of: entity) {
          guard differs(object, attribute, value) else { continue }
          picture.set(value, for: name, of: object)
        } else {
          guard refer(object, name, value, &refusal) else { continue }
        }
        isChanged = true
      }
      picture.counts.add(1, picture.entity(of: object), to: isChanged ? \.updated : \.unchanged)
      let givesDate = request.overwriting.contains(stamp.name) && row[stamp.name] != nil
      if isChanged && !givesDate { picture.touch(object, stamp) }
    }

    /// Compared after conversion; a text by its bytes, or a change of case alone could never be written.
    private func differs(_ object: Place, _ attribute: AttributeDescription, _ value: AttributeValue) -> Bool
    {
      guard picture.value(attribute, of: object) != value else { return false }
      var written = picture
      written.set(value, for: attribute.name, of: object)
      return written.row(object).values != picture.row(object).values
    }

    private mutating func refer(
      _ object: Place, _ name: String, _ key: AttributeValue, _ refusal: inout ReferenceRefusal
    ) -> Bool {
      let reference = picture.references.first {
        $0.forward?.name == name && picture.model.isKind(entity, of: $0.key.entity)
      }!
      let destination = self.object(reference.key.destination, key)
      if destination == nil, !key.isNull {
        refusal.add(.noSuchObject, "\(name) \(key)")
        return false
      }
      if picture.destination(reference, of: object) == destination,
        destination != nil || reference.columns.allSatisfy({ picture[object, $0].isNull })
      {
        return false
      }
      if let destination { release(destination, reference, name, to: object, &refusal) }
      picture.set(reference, of: object, to: destination)
      if let order = reference.key.orderColumn {
        picture[object, order] = destination == nil ? .null : StorePicture.position(count)
      }
      return true
    }

    /// The one that has a one-to-one related object is without it, unless its own row gives it the same.
    private mutating func release(
      _ destination: Place, _ reference: StorePicture.Reference, _ name: String, to object: Place,
      _ refusal: inout ReferenceRefusal
    ) {
      let holders = reference.isOneToOne ? picture.holders(of: destination, reference) : []
      for holder in holders where holder != object {
        let given = rowOf[holder]?[name].flatMap { self.object(reference.key.destination, $0) }
        let isWritten = made.contains(holder) || request.overwriting.contains(name)
        let isIdentified =
          rowOf[holder] != nil
          && identity.names(of: entity)!.names.contains { $0.hasPrefix("\(name).") }
        if isIdentified || given == destination || reference.isRequired && !(isWritten && given != nil) {
          refusal.add(.constraintFailed, "\(destination) would belong to two objects")
        } else {
          picture.set(reference, of: holder, to: nil)
          if touches { picture.touch(holder, stamp) }
        }
      }
    }

    private mutating func create(_ row: Row, _ refusal: inout ReferenceRefusal) {
      let given = request.scope.merging(row) { _, own in own }
      let object = picture.insert(entity, numbered: count, values: given)
      rowOf[object] = given
      made.insert(object)
      for (name, value) in given.sorted(by: { $0.key < $1.key }) {
        if picture.model.attribute(name, of: entity) != nil {
          picture.set(value, for: name, of: object)
        } else if name.contains(".") {
          continue
        } else {
          _ = refer(object, name, value, &refusal)
        }
      }
      if given[stamp.name] == nil { picture.touch(object, stamp) }
      follow(given, object, &refusal)
      picture.checkRequired(object, .invalidValue, &refusal)
    }

    /// A value behind a relationship says which object that leads to.
    private mutating func follow(_ row: Row, _ object: Place, _ refusal: inout ReferenceRefusal) {
      for name in identity.names(of: entity)!.names where name.contains(".") {
        let steps = name.split(separator: ".").map(String.init)
        let relationship = picture.model.relationship(steps[0], of: entity)!
        let attribute = picture.model.attribute(steps[1], of: relationship.destination)!
        let wanted = part(row[name] ?? .null, attribute, relationship.destination)
        let found = picture.objects(of: relationship.destination).filter {
          identity.part(attribute, of: $0, in: picture) == wanted
        }
        guard found.count == 1 else {
          refusal.add(found.isEmpty ? .noSuchObject : .ambiguousIdentity, "\(name) \(wanted)")
          continue
        }
        _ = refer(object, steps[0], picture.objectKey(of: found[0]).parts[0], &refusal)
      }
    }
  }
}
