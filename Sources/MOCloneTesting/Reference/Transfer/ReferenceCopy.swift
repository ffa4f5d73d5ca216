import Foundation
import MOCloneEngine
import MOCloneModel

/// Works out what a store must hold after objects of another one were copied into it, from the rules alone.
///
/// ```swift
/// let expected = try ReferenceCopy(CopyRequest(entities: ["Board"])).perform(from: source, into: target)
/// ```
package struct ReferenceCopy {
  typealias Place = StorePicture.Place

  private let request: CopyRequest
  /// The date of change, and the instant that it is set to.
  private let modified: String
  private let now: Date
  /// Whether new objects count as changed now, and nulls of others are filled.
  private let isSeeding: Bool

  package init(
    _ request: CopyRequest = CopyRequest(), modified: String = "modified", now: Date = Date(),
    isSeeding: Bool = false
  ) {
    self.request = request
    self.modified = modified
    self.now = now
    self.isSeeding = isSeeding
  }

  /// - Throws: `ReferenceRefusal`.
  package func perform(from source: StorePicture, into target: StorePicture) throws -> StorePicture {
    let identity = ReferenceIdentity(model: source.model, named: request.identifiedBy.paths)
    let exclusions = ReferenceExclusions(request.exclude, source.model, identity: identity)
    let objects = ReferenceReach(source, exclusions).objects(request)
    let match = ReferenceMatch(
      objects, from: source, in: target, by: identity, joins: request.joinsDuplicates)
    var writer = Writer(
      source: source, result: target, exclusions: exclusions, request: request,
      modified: modified, now: now, isSeeding: isSeeding)
    writer.refusal = match.refusal
    for object in objects { writer.place(object, match.results[object]!) }
    try writer.write()
    writer.result.countRows()
    return writer.result
  }

  // MARK: Writing

  private struct Writer {
    let source: StorePicture
    var result: StorePicture
    let exclusions: ReferenceExclusions
    let request: CopyRequest
    let modified: String
    let now: Date
    let isSeeding: Bool
    /// The objects of the target by those of the source.
    var copies: [Place: Place] = [:]
    /// In the order of the source's keys.
    var objects: [Place] = []
    /// The same with those of which an earlier one stands for the copy.
    var owners: [Place] = []
    var count = 0
    var refusal = ReferenceRefusal()

    mutating func place(_ object: Place, _ match: ReferenceMatch.Result) {
      switch match {
      case .skipped: return
      case .found(let place):
        copies[object] = place
        result.counts.add(1, result.entity(of: place), to: \.found)
      case .new: copies[object] = insert(object)
      case .same(let first):
        copies[object] = copies[first]!
        owners.append(object)
        return result.counts.add(1, result.entity(of: copies[first]!), to: \.merged)
      }
      objects.append(object)
      owners.append(object)
    }

    mutating func write() throws {
      for section in [\.found, \.linked] as [ReferenceCounts.Section] { result.counts.begin(section) }
      checkRelatedObjects()
      // References lead to keys that other references may be part of.
      for _ in 0..<3 {
        for object in objects where isNew(object) {
          for reference in source.references(of: object) { link(object, reference) }
          renew(copies[object]!)
        }
      }
      for object in objects where !isNew(object) {
        for reference in source.references(of: object) { join(object, reference) }
        if isSeeding { fill(object) }
      }
      for object in objects where request.overwrites && !isNew(object) {
        for reference in source.references(of: object) { clear(object, reference) }
      }
      // What was there may have a reference now that others refer to it by.
      for object in objects where isNew(object) {
        for reference in source.references(of: object)
        where reference.key.references != source.mapping[reference.key.destination].keyColumns {
          link(object, reference)
        }
      }
      for object in objects where isNew(object) {
        for reference in source.references(of: object) { check(object, reference) }
      }
      lists()
      for join in source.joins { pair(join) }
      result.checkUniqueColumns(&refusal)
      try refusal.throwIfAny()
    }

    private func isNew(_ object: Place) -> Bool { result.row(copies[object]!).isNew }

    /// Objects that become one cannot keep a one-to-one related object each.
    private mutating func checkRelatedObjects() {
      let joined = Set(owners).subtracting(objects)
      for reference in source.references where reference.isOneToOne {
        var holders: [Place: Int] = [:]
        for object in objects {
          guard source.references(of: object).contains(where: { $0.name == reference.name }),
            let relatedObject = wanted(object, reference),
            let end = source.destination(reference, of: object),
            joined.contains(where: { $0.table == end.table })
          else { continue }
          holders[relatedObject, default: 0] += 1
        }
        if holders.values.contains(where: { $0 > 1 }) {
          refusal.add(.constraintFailed, "\(reference.name) leads to objects that become one")
        }
      }
    }

    // MARK: New objects

    private mutating func insert(_ object: Place) -> Place {
      let entity = source.entity(of: object)
      let map = source.mapping[entity]
      var row = StorePicture.Row([:])
      for column in result.tables[object.table]!.columns where !column.isGenerated {
        row.values[column.name] = source[object, column.name]
      }
      for attribute in source.model.attributes(of: entity)
      where isSeeding && attribute.name == modified && attribute.type == .date {
        guard let column = map.attributes[attribute.name] else { continue }
        row.values[column.column] = ReferenceNotations.raw(.date(now), column)
      }
      row.values.merge(exclusions.defaults(of: map)) { $1 }
      row.values.merge(source.keptColumns(of: entity)) { $1 }
      for reference in source.references(of: object) {
        for column in reference.columns { row.values[column] = .null }
      }
      for part in map.key {
        switch part.source {
        case .relationship, .copied, .given: continue
        case .uuid where result.isFree(row, of: entity): continue
        case .rowid, .max, .automatic, .uuid:
          count += 1
          row.values[part.column] = .made(count)
        }
      }
      return result.append(row, to: object.table)
    }

    /// A UUID beside references is another one where the whole key is taken.
    private mutating func renew(_ copy: Place) {
      let map = result.mapping[result.entity(of: copy)]
      let uuid = map.key.first { if case .uuid = $0.source { true } else { false } }
      guard map.key.count > 1, let uuid,
        result.find(map.keyColumns, result.key(copy), in: map.table).count > 1
      else { return }
      count += 1
      result[copy, uuid.column] = .made(count)
    }

    private func wanted(_ object: Place, _ reference: StorePicture.Reference) -> Place? {
      guard exclusions.forms(reference.forward, reference.backward) else { return nil }
      return source.destination(reference, of: object).flatMap { copies[$0] }
    }

    private mutating func link(_ object: Place, _ reference: StorePicture.Reference) {
      let copy = copies[object]!
      guard let wanted = wanted(object, reference) else { return }
      if reference.isOneToOne, let holder = holder(of: wanted, reference), holder != copy {
        guard request.overwrites else {
          if reference.isRequired { refusal.add(.constraintFailed, "\(object) has no free partner") }
          return
        }
        if reference.isRequired {
          return refusal.add(.constraintFailed, "\(object) would take a partner away")
        }
        release(holder, reference)
      }
      result.set(reference, of: copy, to: wanted)
    }

    private mutating func check(_ object: Place, _ reference: StorePicture.Reference) {
      guard reference.isRequired, result.destination(reference, of: copies[object]!) == nil,
        reference.key.columns.allSatisfy({ !source[object, $0].isNull })
      else { return }
      refusal.add(.requiredLeftEmpty, "\(object) needs \(reference.name)")
    }

    // MARK: Objects that were there

    private func holder(of destination: Place, _ reference: StorePicture.Reference) -> Place? {
      result.holders(of: destination, reference).first
    }

    private mutating func release(_ holder: Place, _ reference: StorePicture.Reference) {
      result.set(reference, of: holder, to: nil)
      touch(holder)
    }

    /// A reference that the object has is kept unless it is overwritten; so is the related object of a one-to-one.
    private mutating func join(_ object: Place, _ reference: StorePicture.Reference) {
      let copy = copies[object]!
      guard let wanted = wanted(object, reference), result.destination(reference, of: copy) != wanted,
        !reference.key.references.allSatisfy({ result[wanted, $0].isNull })
      else { return }
      let isKey = reference.columns.contains {
        result.mapping[reference.key.entity].keyPart(of: $0) != nil
      }
      let isEmpty = reference.columns.allSatisfy { result[copy, $0].isNull }
      if request.overwrites, result.changesKey(of: copy, reference, to: wanted) {
        return refusal.add(.invalidValue, "\(reference.name) is in the key of \(copy)")
      }
      guard isEmpty || (request.overwrites && !isKey) else { return }
      if reference.isOneToOne, let holder = holder(of: wanted, reference) {
        guard request.overwrites else { return }
        if reference.isRequired {
          return refusal.add(.constraintFailed, "\(object) would take a partner away")
        }
        release(holder, reference)
      }
      result.set(reference, of: copy, to: wanted)
      moved[reference.name, default: []].insert(copy)
      result.counts.add(1, reference.name, to: \.linked)
      touch(copy)
    }

    /// What references nothing in the source is emptied, where neither side is required.
    private mutating func clear(_ object: Place, _ reference: StorePicture.Reference) {
      let copy = copies[object]!
      let map = result.mapping[result.entity(of: copy)]
      guard let relationship = reference.forward, !exclusions.excludes(relationship),
        relationship.isOptional, reference.backward?.isOptional != false,
        source.destination(reference, of: object) == nil,
        !reference.key.columns.contains(where: { result[copy, $0].isNull }),
        reference.columns.allSatisfy({ map.keyPart(of: $0) == nil })
      else { return }
      for column in reference.columns + [reference.key.orderColumn].compactMap({ $0 }) {
        result[copy, column] = .null
      }
      result.counts.add(1, reference.name, to: \.linked)
      touch(copy)
    }

    /// The members that lists gain, by the reference's name.
    var moved: [String: Set<Place>] = [:]

    private mutating func touch(_ object: Place) {
      result.touch(object, ReferenceStamp(name: modified, now: now))
    }

    private mutating func fill(_ object: Place) {
      let copy = copies[object]!
      let map = result.mapping[result.entity(of: copy)]
      let positions = result.references.compactMap(\.key.orderColumn)
      let taken = Set(
        map.keyColumns + positions + result.references(of: copy).flatMap(\.key.columns)
          + [map.attributes[modified]?.column].compactMap { $0 }
          + result.keptColumns(of: map.entity).keys)
      let unique = Set(result.tables[copy.table]!.uniqueColumns.joined())
      let together = Set(result.tables[copy.table]!.uniqueColumns.filter { $0.count > 1 }.joined())
      var isChanged = false
      for column in result.tables[copy.table]!.columns
      where !column.isGenerated && !taken.union(together).contains(column.name)
        && result[copy, column.name].isNull
      {
        let value = source[object, column.name]
        if value.isNull || unique.contains(column.name) && !isAlone(value, column.name, of: object) {
          continue
        }
        result[copy, column.name] = value
        isChanged = true
      }
      if isChanged { touch(copy) }
    }

    /// Whether no object of the target holds a value, and no other one that was found would get it.
    private func isAlone(_ value: RawValue, _ column: String, of object: Place) -> Bool {
      let table = copies[object]!.table
      return !result.places(in: table).contains { result[$0, column] == value }
        && !objects.contains {
          $0 != object && !isNew($0) && copies[$0]!.table == table && source[$0, column] == value
        }
    }

    // MARK: Lists and pairs

    /// Whether what a list had already takes the order of the source.
    private func orders(_ list: RelationshipDescription) -> Bool {
      request.overwrites && !exclusions.excludes(list)
    }

    /// What joins a list comes behind what was there, in the order of the source; where lists are overwritten all of it that
    /// is copied does.
    private mutating func lists() {
      for reference in source.references where reference.key.orderColumn != nil {
        let list = reference.backward!
        let isKey = result.mapping[reference.key.entity].keyPart(of: reference.key.orderColumn!) != nil
        for owner in owners where source.model.isKind(source.entity(of: owner), of: list.entity) {
          for member in source.destinations(list, of: owner) {
            guard objects.contains(member), let copy = copies[member],
              result.destination(reference, of: copy) == copies[owner],
              orders(list) && !isKey || isNew(member) || moved[reference.name]?.contains(copy) == true
            else { continue }
            result[copy, reference.key.orderColumn!] = nextPosition()
          }
        }
      }
    }

    private mutating func nextPosition() -> RawValue {
      count += 1
      return StorePicture.position(count)
    }

    private mutating func pair(_ join: StorePicture.Join) {
      guard exclusions.forms(join.relationship, join.inverse) else { return }
      var added: [(pair: Place, own: Place, other: Place)] = []
      var kept = added
      for pair in source.places(in: join.map.table) {
        guard let ends = source.ends(join, of: pair), let own = copies[ends.own],
          let other = copies[ends.other]
        else { continue }
        guard let copy = result.addPair(join.map, own, other, like: source.row(pair)) else {
          let known = Set((added + kept).map(\.pair))
          let stored = result.pairs(join.map, own, other).filter { !known.contains($0) }
          kept += stored.map { (pair: $0, own: ends.own, other: ends.other) }
          continue
        }
        added.append((copy, ends.own, ends.other))
        result.counts.add(1, join.relationship.qualifiedName, to: \.linked)
      }
      func pairs(of list: RelationshipDescription) -> [(pair: Place, own: Place, other: Place)] {
        orders(list) ? added + kept : added
      }
      order(
        pairs(of: join.relationship).map { ($0.pair, $0.own, $0.other) }, join.relationship,
        join.map.orderColumn)
      if let inverse = join.inverse {
        order(
          pairs(of: inverse).map { ($0.pair, $0.other, $0.own) }, inverse, join.map.inverseOrderColumn)
      }
    }

    private mutating func order(
      _ pairs: [(pair: Place, owner: Place, member: Place)], _ list: RelationshipDescription,
      _ column: String?
    ) {
      guard let column else { return }
      for owner in owners {
        let own = pairs.filter { $0.owner == owner }
        if own.isEmpty { continue }
        for member in source.destinations(list, of: owner) {
          guard let pair = own.first(where: { $0.member == member }) else { continue }
          result[pair.pair, column] = nextPosition()
        }
      }
    }
  }
}

extension StorePicture {
  /// Whether a reference to another object would change the key, which never changes.
  func changesKey(of object: Place, _ reference: Reference, to destination: Place) -> Bool {
    zip(reference.key.columns, reference.key.references).contains { column, referenced in
      mapping[reference.key.entity].keyPart(of: column) != nil
        && self[object, column] != self[destination, referenced]
    }
  }

  /// Notes what an object lacks of what it requires.
  func checkRequired(_ object: Place, _ code: DiagnosticCode, _ refusal: inout ReferenceRefusal) {
    for attribute in model.attributes(of: entity(of: object)) where !attribute.isOptional {
      if value(attribute, of: object)?.isNull == true {
        refusal.add(code, "\(object) lacks \(attribute.name)")
      }
    }
    for reference in references(of: object)
    where reference.isRequired && destination(reference, of: object) == nil {
      refusal.add(code, "\(object) lacks \(reference.name)")
    }
  }

  /// Whether rows share what must be unique; nulls are never equal.
  func checkUniqueColumns(_ refusal: inout ReferenceRefusal) {
    for (name, table) in tables {
      for columns in table.uniqueColumns {
        var seen: Set<[RawValue]> = []
        for place in places(in: name) {
          let values = columns.map { column -> RawValue in
            guard case .text(let bytes) = self[place, column], isNoCase(column, in: name) else {
              return self[place, column]
            }
            return .string(ReferenceIdentity.folded(String(decoding: bytes, as: UTF8.self)))
          }
          if values.contains(.null) { continue }
          if !seen.insert(values).inserted { refusal.add(.uniqueValue, "\(name) \(columns) \(values)") }
        }
      }
    }
  }
}
