import Foundation
import MOCloneEngine
import MOCloneModel

/// Works out what a store must hold after its duplicates were merged, from the rules alone.
public struct ReferenceDedupe {
  typealias Place = StorePicture.Place

  /// Which object of a group survives.
  public enum Keep: String, CaseIterable, Sendable {
    case newest, oldest, fullest
  }

  private let entities: [String]
  private let named: [String: [String]]
  private let keep: Keep
  private let skipsTies: Bool
  private let merges: Bool
  private let fills: Bool
  private let touches: Bool
  private let stamp: ReferenceStamp

  /// - Parameters:
  ///   - entities: with those that inherit from them; empty for every entity that has an identity.
  ///   - touches: whether what loses a reference by a deletion counts as changed, as the rules say.
  public init(
    _ entities: [String] = [], identifiedBy: IdentityRequest, keep: Keep = .newest, skipsTies: Bool = false,
    merges: Bool = true, fills: Bool = true, touches: Bool = true,
    modified: String = "modified", now: Date = Date()
  ) {
    self.entities = entities
    named = identifiedBy.paths
    self.keep = keep
    self.skipsTies = skipsTies
    self.merges = merges
    self.fills = fills
    self.touches = touches
    stamp = ReferenceStamp(name: modified, now: now)
  }

  /// - Throws: `ReferenceRefusal`.
  public func perform(in store: StorePicture) throws -> StorePicture {
    var run = Run(rules: self, before: store, picture: store)
    return try run.perform()
  }

  private struct Run {
    let rules: ReferenceDedupe
    let before: StorePicture
    var picture: StorePicture
    var count = 0
    var refusal = ReferenceRefusal()
    /// What this look began with, and what it removed.
    private var start: StorePicture
    private var gone: Set<Place> = []
    private var model: ObjectModel { picture.model }

    init(rules: ReferenceDedupe, before: StorePicture, picture: StorePicture) {
      self.rules = rules
      self.before = before
      self.picture = picture
      start = picture
    }

    mutating func perform() throws -> StorePicture {
      let identity = ReferenceIdentity(model: model, named: rules.named)
      var asked = rules.entities.isEmpty ? model.entities.map(\.name) : rules.entities
      asked = asked.filter { identity.names(of: $0) != nil }
      if rules.merges { addDependents(to: &asked, identity) }
      guard rules.merges else {
        var deletion = ReferenceDeletion(picture: picture, stamp: rules.stamp, touches: rules.touches)
        try deletion.delete(asked.flatMap { groups(of: $0, identity) }.flatMap { $0.dropFirst() })
        deletion.picture.countRows(made: false, gone: \.deleted)
        return deletion.picture
      }
      var isMerging = true
      while isMerging {
        isMerging = false
        (start, gone) = (picture, [])
        for entity in asked {
          for group in groups(of: entity, identity) {
            for loser in group.dropFirst() { merge(loser, into: group[0]) }
            isMerging = isMerging || group.count > 1
          }
        }
      }
      picture.checkUniqueColumns(&refusal)
      try refusal.throwIfAny()
      picture.countRows(made: false, gone: \.merged)
      return picture
    }

    /// Entities that are identified by those asked for, and so on: merging makes some of their objects equal.
    private func addDependents(to asked: inout [String], _ identity: ReferenceIdentity) {
      var isGrowing = true
      while isGrowing {
        isGrowing = false
        for entity in model.entities.map(\.name) where !asked.contains(entity) {
          guard let names = identity.names(of: entity)?.names else { continue }
          let steps = names.compactMap {
            model.relationship(String($0.prefix { $0 != "." }), of: entity)?.destination
          }
          guard steps.contains(where: { step in asked.contains { model.isKind(step, of: $0) } }) else {
            continue
          }
          asked.append(entity)
          isGrowing = true
        }
      }
    }

    // MARK: Groups

    /// Objects that share their identity, the one that stays first.
    private func groups(of entity: String, _ identity: ReferenceIdentity) -> [[Place]] {
      guard let (scope, names) = identity.names(of: entity) else { return [] }
      var groups: [[ReferenceIdentity.Part]: [Place]] = [:]
      for object in picture.objects(of: scope) {
        let parts = identity.parts(of: object, in: picture, names) { .object($0) }
        if !parts.contains(.empty) { groups[parts, default: []].append(object) }
      }
      return groups.values.filter { $0.count > 1 }.compactMap { group in
        guard Set(group.map(picture.entity)).count == 1 else { return nil }
        let ranked = group.sorted(by: isBetter)
        return rules.skipsTies && isTied(ranked[0], ranked[1]) ? nil : ranked
      }.sorted { RawValue.isBefore(picture.key($0[0])[0], picture.key($1[0])[0]) }
    }

    private func date(_ object: Place) -> Date? {
      guard let attribute = picture.dateOfChange(object, rules.stamp),
        case .date(let date)? = before.value(attribute, of: object)
      else { return nil }
      return date
    }

    /// Values that are there; the date of change counts as it was before the operation.
    private func number(_ object: Place) -> Int {
      attributes(object).count { attribute in
        let state = attribute.name == rules.stamp.name ? before : picture
        return !state[object, state.mapping[state.entity(of: object)].attributes[attribute.name]!.column]
          .isNull
      }
    }

    private func attributes(_ object: Place) -> [AttributeDescription] {
      model.attributes(of: picture.entity(of: object)).filter { !$0.isTransient && !$0.isKeptByTriggers }
    }

    private func isTied(_ a: Place, _ b: Place) -> Bool { date(a) == date(b) && number(a) == number(b) }

    private func isBetter(_ a: Place, _ b: Place) -> Bool {
      if rules.keep == .fullest, number(a) != number(b) { return number(a) > number(b) }
      if date(a) != date(b) {
        guard let first = date(a), let second = date(b) else { return date(a) != nil }
        return rules.keep == .oldest ? first < second : first > second
      }
      if number(a) != number(b) { return number(a) > number(b) }
      for attribute in attributes(a) {
        let (first, second) = (canonical(attribute, a), canonical(attribute, b))
        if RawValue.isBefore(first, second) { return true }
        if RawValue.isBefore(second, first) { return false }
      }
      return RawValue.isBefore(picture.key(a)[0], picture.key(b)[0])
    }

    /// A value in the one form that equal values share.
    private func canonical(_ attribute: AttributeDescription, _ object: Place) -> RawValue {
      let column = picture.mapping[picture.entity(of: object)].attributes[attribute.name]!
      switch picture.value(attribute, of: object) {
      case .decimal(let value)?: return .real(NSDecimalNumber(decimal: value).doubleValue)
      case .date(let value)?: return .real(value.timeIntervalSince1970)
      case let value?: return ReferenceNotations.raw(value, column)
      case nil: return picture[object, column.column]
      }
    }

    // MARK: Merging

    private mutating func merge(_ loser: Place, into survivor: Place) {
      if rules.fills { fill(survivor, from: loser) }
      for reference in picture.references
      where model.isKind(picture.entity(of: loser), of: reference.key.destination) {
        for holder in inOrder(picture.holders(of: loser, reference), reference) {
          move(holder, reference, from: loser, to: survivor)
        }
      }
      for join in picture.joins { movePairs(join, from: loser, to: survivor) }
      mergeOwners(of: loser, and: survivor)
      gone.insert(loser)
      picture.remove(loser)
    }

    private func inOrder(_ holders: [Place], _ reference: StorePicture.Reference) -> [Place] {
      picture.sorted(holders) { holder in reference.key.orderColumn.map { picture[holder, $0] } ?? .null }
    }

    private mutating func move(
      _ holder: Place, _ reference: StorePicture.Reference, from loser: Place, to survivor: Place
    ) {
      if reference.isOneToOne, let partner = picture.holders(of: survivor, reference).first {
        // The better one stays, whichever it belongs to.
        guard isBetter(holder, partner) else { return mergePartner(holder, into: partner) }
        mergePartner(partner, into: holder)
      }
      // What stays does not refer to itself.
      picture.set(reference, of: holder, to: holder == survivor ? nil : survivor)
      count += 1
      if let order = reference.key.orderColumn { picture[holder, order] = StorePicture.position(count) }
      picture.touch(holder, rules.stamp)
    }

    /// Makes one of two objects that one-to-one relationships would lead to from one object.
    private mutating func mergeOwners(of loser: Place, and survivor: Place) {
      for reference in picture.references(of: loser) where reference.isOneToOne {
        let owners = [loser, survivor].compactMap { picture.destination(reference, of: $0) }
        guard owners.count == 2, owners[0] != owners[1] else { continue }
        // Who has taken the place of another one has no other partner to become one with.
        if [loser, survivor].contains(where: {
          start.destination(reference, of: $0).map(gone.contains) == true
        }) {
          refusal.add(.uniqueValue, "\(owners[0]) and \(owners[1]) would share their one-to-one partner")
        }
        picture.set(reference, of: loser, to: nil)
        let better = isBetter(owners[0], owners[1]) ? 0 : 1
        mergePartner(owners[1 - better], into: owners[better])
      }
    }

    /// What nobody named is never given up: where it holds other values the merge is refused.
    private mutating func mergePartner(_ partner: Place, into survivor: Place) {
      let map = picture.mapping[picture.entity(of: partner)]
      let kept = Set(
        map.keyColumns + [map.attributes[rules.stamp.name]?.column].compactMap { $0 }
          + picture.keptColumns(of: map.entity).keys
          + picture.references(of: partner).flatMap { reference in
            (reference.isOneToOne ? reference.key.columns : [])
              + [reference.key.orderColumn].compactMap { $0 }
          })
      let differing = picture.tables[partner.table]!.columns.map(\.name).filter { column in
        let values = [partner, survivor].map { picture[$0, column] }
        return !kept.contains(column) && values[0] != values[1] && !values[0].isNull
          && !(rules.fills && values[1].isNull)
      }
      let isNamed = rules.entities.contains { model.isKind(picture.entity(of: partner), of: $0) }
      if !differing.isEmpty, !isNamed {
        refusal.add(.uniqueValue, "\(partner) differs from \(survivor) in \(differing)")
      }
      merge(partner, into: survivor)
    }

    private mutating func movePairs(_ join: StorePicture.Join, from loser: Place, to survivor: Place) {
      for pair in picture.places(in: join.map.table) {
        let (first, second) = (picture.own(join, of: pair), picture.other(join, of: pair))
        guard first == loser || second == loser else { continue }
        let (own, other) = (first == loser ? survivor : first, second == loser ? survivor : second)
        let columns = join.map.columns + join.map.destinationColumns
        let keys =
          (own.map { own in join.map.references.map { picture[own, $0] } }
            ?? join.map.columns.map { picture[pair, $0] })
          + (other.map { other in join.map.destinationReferences.map { picture[other, $0] } }
            ?? join.map.destinationColumns.map { picture[pair, $0] })
        guard picture.find(columns, keys, in: join.map.table).isEmpty else {
          picture.remove(pair)
          continue
        }
        for (column, key) in zip(columns, keys) { picture[pair, column] = key }
        let position = first == loser ? join.map.orderColumn : join.map.inverseOrderColumn
        count += 1
        if let position { picture[pair, position] = StorePicture.position(count) }
      }
    }

    /// Nulls take the values of what goes, references too.
    private mutating func fill(_ survivor: Place, from loser: Place) {
      let map = picture.mapping[picture.entity(of: survivor)]
      let references = picture.references(of: survivor)
      let kept = Set(
        map.keyColumns + references.flatMap { $0.key.columns + [$0.key.orderColumn].compactMap { $0 } }
          + [map.attributes[rules.stamp.name]?.column].compactMap { $0 }
          + picture.keptColumns(of: map.entity).keys)
      var isFilled = false
      for column in picture.tables[survivor.table]!.columns
      where !column.isGenerated && !kept.contains(column.name) {
        let value = picture[loser, column.name]
        guard picture[survivor, column.name].isNull, !value.isNull else { continue }
        picture[survivor, column.name] = value
        isFilled = true
      }
      for reference in references where reference.key.columns.allSatisfy({ picture[survivor, $0].isNull }) {
        // A reference that leads nowhere stays what it is.
        guard !reference.key.columns.contains(where: { picture[loser, $0].isNull }),
          picture.destination(reference, of: loser) != survivor
        else { continue }
        for column in reference.key.columns { picture[survivor, column] = picture[loser, column] }
        count += 1
        if let order = reference.key.orderColumn { picture[survivor, order] = StorePicture.position(count) }
        isFilled = true
      }
      if isFilled { picture.touch(survivor, rules.stamp) }
    }
  }
}
