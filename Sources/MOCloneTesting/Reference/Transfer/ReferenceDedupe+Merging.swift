import MOCloneEngine
import MOCloneModel

// What becomes of the objects of a group.
extension ReferenceDedupe.Run {
  /// Merges a group into its first object.
  mutating func merge(_ group: [Place]) {
    let survivor = group[0]
    release(survivor, from: group)
    for loser in group.dropFirst() {
      note(loser, becomes: survivor)
      if rules.fills { fill(survivor, from: loser, among: group) }
      move(loser, to: survivor)
    }
  }

  private mutating func note(_ loser: Place, becomes survivor: Place) {
    settled[loser] = loser
    count += 1
    for (object, place) in settled where place == loser {
      settled[object] = survivor
      ranks[object, default: []].insert(count, at: 0)
    }
  }

  /// What stays does not refer to itself: a reference to its own double is none.
  private mutating func release(_ survivor: Place, from group: [Place]) {
    for reference in picture.references(of: survivor) {
      guard let destination = picture.destination(reference, of: survivor), destination != survivor,
        group.contains(destination)
      else { continue }
      picture.set(reference, of: survivor, to: nil)
      picture.touch(survivor, rules.stamp)
    }
  }

  /// A list, also one that takes up others, holds each object once, where the first of its duplicates stood. Positions of
  /// the list that stays are kept, the others follow.
  mutating func arrange() {
    for reference in picture.references {
      guard let order = reference.key.orderColumn else { continue }
      var lists: [Place: [(member: Place, rank: [Int], position: RawValue)]] = [:]
      for member in picture.objects(of: reference.key.entity) {
        guard let owner = picture.destination(reference, of: member),
          let leader = first(of: member, reference, order: order, in: owner)
        else { continue }
        lists[owner, default: []].append((member, rank(of: leader, reference), start[leader, order]))
      }
      for list in lists.values {
        // Members come in the order of their keys.
        let sorted = list.enumerated().sorted { a, b in
          if a.element.rank != b.element.rank {
            return a.element.rank.lexicographicallyPrecedes(b.element.rank)
          }
          if RawValue.isBefore(a.element.position, b.element.position) { return true }
          return !RawValue.isBefore(b.element.position, a.element.position) && a.offset < b.offset
        }
        for (member, rank, position) in sorted.map(\.element) {
          count += 1
          picture[member, order] = rank.isEmpty ? position : StorePicture.position(count)
        }
      }
    }
  }

  /// Which of what an object stands for was the first in lists that became that of an owner.
  private func first(
    of member: Place, _ reference: StorePicture.Reference, order: String, in owner: Place
  ) -> Place? {
    let doubles = settled.filter { $0.value == member }.map(\.key)
    let candidates = ([member] + doubles).filter { double in
      guard let before = start.destination(reference, of: double) else { return false }
      // A reference of a double to what stays ends with the merge.
      return (settled[before] ?? before) == owner && (double == member || owner != member)
    }
    let lists = Dictionary(grouping: candidates) { rank(of: $0, reference) }
    let best = lists.keys.min { $0.lexicographicallyPrecedes($1) }
    return best.flatMap { start.sorted(lists[$0]!) { start[$0, order] }.first }
  }

  /// The rank of the list that an object was in among those that became one; none for that of what stays.
  private func rank(of member: Place, _ reference: StorePicture.Reference) -> [Int] {
    start.destination(reference, of: member).flatMap { ranks[$0] } ?? []
  }

  private mutating func move(_ loser: Place, to survivor: Place) {
    for reference in picture.references
    where model.isKind(picture.entity(of: loser), of: reference.key.destination) {
      for holder in picture.holders(of: loser, reference) {
        move(holder, reference, from: loser, to: survivor)
      }
    }
    for join in picture.joins { moveJoinRows(join, from: loser, to: survivor) }
    mergeOwners(of: loser, and: survivor)
    gone.insert(loser)
    picture.remove(loser)
  }

  private mutating func move(
    _ holder: Place, _ reference: StorePicture.Reference, from loser: Place, to survivor: Place
  ) {
    if reference.isOneToOne, let relatedObject = picture.holders(of: survivor, reference).first {
      guard !leadsToMember(reference.backward) else {
        picture.set(reference, of: holder, to: nil)
        picture.touch(holder, rules.stamp)
        return
      }
      // The better one stays, whichever it belongs to; their owners become one here.
      let (worse, better) =
        isBetter(holder, relatedObject) ? (relatedObject, holder) : (holder, relatedObject)
      let areDuplicates = areDuplicates(worse, better, ofOwners: [survivor, loser])
      picture.set(reference, of: worse, to: nil)
      mergeRelatedObject(worse, into: better, isAsked: areDuplicates)
      if better == relatedObject { return }
    }
    picture.set(reference, of: holder, to: survivor)
    picture.touch(holder, rules.stamp)
  }

  /// Whether the call asks for two objects to be one as their owners are: duplicates by what identifies them then.
  private func areDuplicates(_ a: Place, _ b: Place, ofOwners owners: [Place]) -> Bool {
    guard asked.contains(where: { model.isKind(picture.entity(of: a), of: $0) }),
      picture.entity(of: a) == picture.entity(of: b),
      let names = identity.names(of: picture.entity(of: a))?.names
    else { return false }
    var merged = picture
    for object in [a, b] {
      for reference in picture.references(of: object)
      where picture.destination(reference, of: object).map(owners.contains) == true {
        merged.set(reference, of: object, to: owners[0])
      }
    }
    func parts(of object: Place) -> [ReferenceIdentity.Part] {
      identity.parts(of: object, in: merged, names) { .object($0) }
    }
    let shared = parts(of: a)
    guard shared == parts(of: b), !shared.contains(.empty) else { return false }
    let group = picture.objects(of: picture.entity(of: a)).filter { parts(of: $0) == shared }
    return !isLeftAlone(group.sorted(by: isBetter), names)
  }

  /// Makes one of two objects that one-to-one relationships would lead to from one object.
  private mutating func mergeOwners(of loser: Place, and survivor: Place) {
    for reference in picture.references(of: loser)
    where reference.isOneToOne && !leadsToMember(reference.forward) {
      let owners = [loser, survivor].compactMap { picture.destination(reference, of: $0) }
      guard owners.count == 2, owners[0] != owners[1] else { continue }
      // Who has taken the place of another one has no other related object to become one with.
      if [loser, survivor].contains(where: {
        start.destination(reference, of: $0).map(gone.contains) == true
      }) {
        refusal.add(.uniqueValue, "\(owners[0]) and \(owners[1]) would share their one-to-one partner")
      }
      let areDuplicates = areDuplicates(owners[0], owners[1], ofOwners: [survivor, loser])
      picture.set(reference, of: loser, to: nil)
      let better = isBetter(owners[0], owners[1]) ? 0 : 1
      mergeRelatedObject(owners[1 - better], into: owners[better], isAsked: areDuplicates)
    }
  }

  /// What nobody named is never given up: where it holds other values the merge is refused.
  private mutating func mergeRelatedObject(_ relatedObject: Place, into survivor: Place, isAsked: Bool) {
    let map = picture.mapping[picture.entity(of: relatedObject)]
    let kept = Set(
      map.keyColumns + [map.attributes[rules.stamp.name]?.column].compactMap { $0 }
        + picture.keptColumns(of: map.entity).keys
        + picture.references(of: relatedObject).flatMap { reference in
          (reference.isOneToOne ? reference.key.columns : [])
            + [reference.key.orderColumn].compactMap { $0 }
        })
    let differing = picture.tables[relatedObject.table]!.columns.map(\.name).filter { column in
      let values = [relatedObject, survivor].map { picture[$0, column] }
      return !kept.contains(column) && values[0] != values[1] && !values[0].isNull
        && !(rules.fills && values[1].isNull)
    }
    let isNamed = rules.entities.contains { model.isKind(picture.entity(of: relatedObject), of: $0) }
    if !differing.isEmpty, !isNamed, !isAsked {
      refusal.add(.uniqueValue, "\(relatedObject) differs from \(survivor) in \(differing)")
    }
    merge([survivor, relatedObject])
  }

  /// What shares its identity must not become different objects, as one of them is merged for what it belongs to.
  ///
  /// - Parameter groups: those that a look began with.
  mutating func refuseSeparated(_ groups: [[Place]]) {
    for group in groups where Set(group.map { settled[$0] ?? $0 }).count > 1 {
      refusal.add(.uniqueValue, "\(group) share their identity, but not what they become")
    }
  }

  private mutating func moveJoinRows(_ join: StorePicture.Join, from loser: Place, to survivor: Place) {
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
      if let other = picture.find(columns, keys, in: join.map.table).first {
        guard isBetter(pair, other, join) else {
          picture.remove(pair)
          continue
        }
        picture.remove(other)
      }
      for (column, key) in zip(columns, keys) { picture[pair, column] = key }
      let position = first == loser ? join.map.orderColumn : join.map.inverseOrderColumn
      count += 1
      if let position { picture[pair, position] = StorePicture.position(count) }
    }
  }

  /// Of join rows that become one that of the better owner stays: of the one first by name, then of the other.
  private func isBetter(_ a: Place, _ b: Place, _ join: StorePicture.Join) -> Bool {
    for end in [start.own, start.other] {
      let ranks = [a, b].map { pair in end(join, pair).flatMap { self.ranks[$0] } ?? [] }
      if ranks[0] != ranks[1] { return ranks[0].lexicographicallyPrecedes(ranks[1]) }
    }
    return false
  }

  /// Nulls take the values of what goes, references too.
  private mutating func fill(_ survivor: Place, from loser: Place, among group: [Place]) {
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
    let sharedLast = references.sorted { $0.key.columns.count < $1.key.columns.count }
    for reference in sharedLast where reference.columns.allSatisfy({ picture[survivor, $0].isNull }) {
      // A reference to a missing row is null; columns that it shares keep what they hold.
      let own = reference.columns + map.keyColumns
      let shared = reference.key.columns.filter { !own.contains($0) }
      guard let destination = picture.destination(reference, of: loser), !group.contains(destination),
        shared.allSatisfy({ picture[survivor, $0] == picture[loser, $0] })
      else { continue }
      for column in reference.columns { picture[survivor, column] = picture[loser, column] }
      isFilled = true
    }
    if isFilled { picture.touch(survivor, rules.stamp) }
  }
}
