import MOCloneEngine
import MOCloneModel

/// Works out what a store must hold after a subtree of another one was cloned into it, in a model without
/// annotations, from the rules alone.
package struct ReferenceSubtree {
  typealias Place = StorePicture.Place

  private let request: SubtreeRequest
  private let excluded: [String]

  /// - Parameters:
  ///   - request: how links are found and what becomes of missing ones.
  ///   - excluded: attributes that are left out, as `Note.text`.
  package init(_ request: SubtreeRequest, excluding excluded: [String] = []) {
    self.request = request
    self.excluded = excluded
  }

  /// - Parameters:
  ///   - root: its entity, and its place among the entity's objects in the order of their keys.
  ///   - source: the store that it is in.
  ///   - target: the store that it comes into.
  /// - Throws: `ReferenceRefusal`.
  package func perform(
    _ root: (entity: String, number: Int), from source: StorePicture, into target: StorePicture
  ) throws -> StorePicture {
    let members = Members(source.objects(of: root.entity)[root.number], source)
    var run = Run(
      source: source, result: target, members: members, request: request,
      exclusions: ReferenceExclusions(excluded, source.model))
    return try run.perform()
  }

  /// The objects of a subtree, with the relationships that each was reached over.
  private struct Members {
    let source: StorePicture
    private(set) var objects: [Place] = []
    private var accessPaths: [Place: Set<String>] = [:]

    init(_ root: Place, _ source: StorePicture) {
      self.source = source
      objects = [root]
      accessPaths[root] = [""]
      var pending = [(root, RelationshipDescription?.none)]
      while let (object, accessPath) = pending.popLast() {
        for relationship in source.model.relationships(of: source.entity(of: object))
        where rule(relationship, after: accessPath?.qualifiedName ?? "") == .clone {
          for next in source.destinations(relationship, of: object) where next != root {
            if accessPaths[next] == nil { objects.append(next) }
            guard accessPaths[next, default: []].insert(relationship.qualifiedName).inserted else { continue }
            pending.append((next, relationship))
          }
        }
      }
    }

    private enum Rule { case clone, link, incoming }

    private func rule(_ relationship: RelationshipDescription, after accessPath: String) -> Rule {
      let inverse = source.model.inverse(of: relationship)
      if let inverse, inverse.qualifiedName == accessPath { return .incoming }
      return inverse?.isToMany == true ? .link : .clone
    }

    func contains(_ object: Place) -> Bool { accessPaths[object] != nil }

    /// Whether an object asks for what a relationship leads to, in one of the ways in which it was reached.
    func asks(_ object: Place, _ relationship: RelationshipDescription?) -> Bool {
      guard let relationship, let accessPaths = accessPaths[object] else { return false }
      return accessPaths.contains { rule(relationship, after: $0) != .incoming }
    }
  }

  private struct Run {
    let source: StorePicture
    var result: StorePicture
    let members: Members
    let request: SubtreeRequest
    let exclusions: ReferenceExclusions
    var copies: [Place: Place] = [:]
    /// Linked objects that are made, too.
    var made: [Place] = []
    var refusal = ReferenceRefusal()
    var count = 0

    private var identity: ReferenceIdentity {
      ReferenceIdentity(model: source.model, named: request.identifiedBy.paths)
    }

    mutating func perform() throws -> StorePicture {
      let links = ReferenceLinks(
        Set(members.objects.flatMap(links)), outside: members.contains, from: source, in: result, request)
      refusal = links.refusal
      for member in members.objects { copies[member] = insert(member) }
      for object in links.made { copies[object] = insert(object) }
      made = links.made
      for (object, first) in links.first { copies[object] = links.found[object] ?? copies[first] }
      result.counts.begin(\.found)
      for found in Set(links.found.values) { result.counts.add(1, result.entity(of: found), to: \.found) }
      for _ in 0..<3 {
        for object in members.objects + made { refer(object) }
      }
      for object in members.objects + made { check(object) }
      lists()
      for join in source.joins {
        check(join)
        pair(join)
      }
      result.checkUniqueColumns(&refusal)
      checkKeys()
      try refusal.throwIfAny()
      result.countRows()
      return result
    }

    // MARK: Links

    /// What a member asks for outside; what lies in another row would change that row.
    private func links(of member: Place) -> [Place] {
      source.model.relationships(of: source.entity(of: member)).filter { relationship in
        if case .inverseForeignKey = source.mapping[relationship.entity].relationships[relationship.name]! {
          return false
        }
        return members.asks(member, relationship)
      }.flatMap { source.destinations($0, of: member) }.filter { !members.contains($0) }
    }

    // MARK: Writing

    private mutating func insert(_ object: Place) -> Place {
      var row = StorePicture.Row(source.row(object).values)
      let map = source.mapping[source.entity(of: object)]
      row.values.merge(exclusions.defaults(of: map)) { $1 }
      row.values.merge(source.keptColumns(of: map.entity)) { $1 }
      for reference in source.references(of: object) {
        for column in reference.columns { row.values[column] = .null }
      }
      for part in map.key where !request.keepsKeys {
        if case .relationship = part.source { continue }
        if case .copied = part.source { continue }
        // What is only linked to is copied, and a copy keeps a UUID that is free.
        if case .uuid = part.source, !members.contains(object),
          result.isFree(source.row(object), of: map.entity)
        {
          continue
        }
        count += 1
        row.values[part.column] = .made(count)
      }
      return result.append(row, to: object.table)
    }

    private mutating func refer(_ object: Place) {
      for reference in source.references(of: object) {
        guard let destination = source.destination(reference, of: object), let copy = copies[destination]
        else { continue }
        let isMember = members.contains(object)
        let isAsked =
          members.asks(object, reference.forward)
          || (members.contains(destination) && members.asks(destination, reference.backward))
        guard isMember ? isAsked : identity.needs(reference, of: object, in: source) else { continue }
        if reference.isOneToOne,
          result.holders(of: copy, reference).contains(where: { $0 != copies[object]! })
        {
          if reference.isRequired { refusal.add(.constraintFailed, "\(object) has no free partner") }
          continue
        }
        result.set(reference, of: copies[object]!, to: copy)
      }
    }

    /// What joins a list that was there comes behind it, in the order of the source; so do clones behind what comes along
    /// as it is, where the owner is no member of the subtree.
    private mutating func lists() {
      for reference in source.references where reference.key.orderColumn != nil {
        for owner in source.objects(of: reference.backward!.entity) {
          guard let copy = copies[owner] else { continue }
          var list = source.destinations(reference.backward!, of: owner)
          if !request.keepsKeys, !members.contains(owner) {
            list = list.filter { !members.contains($0) } + list.filter(members.contains)
          }
          for member in list {
            guard let new = copies[member], result.row(new).isNew,
              result.destination(reference, of: new) == copy
            else { continue }
            count += 1
            result[new, reference.key.orderColumn!] = StorePicture.position(count)
          }
        }
      }
    }

    private mutating func check(_ object: Place) {
      for reference in source.references(of: object) where reference.isRequired {
        guard result.destination(reference, of: copies[object]!) == nil,
          reference.key.columns.allSatisfy({ !source[object, $0].isNull })
        else { continue }
        refusal.add(.requiredLeftEmpty, "\(object) needs \(reference.name)")
      }
    }

    private mutating func checkKeys() {
      guard request.keepsKeys else { return }
      for object in members.objects + made {
        let key = result.key(copies[object]!)
        if result.places(in: object.table).filter({ result.key($0) == key }).count > 1 {
          refusal.add(.uniqueValue, "the key \(key) is taken")
        }
      }
    }

    /// A required list keeps as much of what it has as it needs.
    private mutating func check(_ join: StorePicture.Join) {
      let ends = source.places(in: join.map.table).compactMap { source.ends(join, of: $0) }.filter {
        members.asks($0.own, join.relationship) || members.asks($0.other, join.inverse)
      }
      check(join.relationship, ends.map { ($0.own, $0.other) })
      if let inverse = join.inverse { check(inverse, ends.map { ($0.other, $0.own) }) }
    }

    private mutating func check(_ list: RelationshipDescription, _ ends: [(owner: Place, member: Place)]) {
      for owner in members.objects where list.leastCount > 0 {
        let own = ends.filter { $0.owner == owner }.map(\.member)
        if own.filter({ copies[$0] != nil }).count < min(list.leastCount, own.count) {
          refusal.add(.requiredLeftEmpty, "\(owner) needs \(list.qualifiedName)")
        }
      }
    }

    private mutating func pair(_ join: StorePicture.Join) {
      var added: [(pair: Place, own: Place, other: Place)] = []
      for pair in source.places(in: join.map.table) {
        guard let ends = source.ends(join, of: pair), let own = copies[ends.own],
          let other = copies[ends.other],
          members.asks(ends.own, join.relationship) || members.asks(ends.other, join.inverse)
        else { continue }
        guard let copy = result.addPair(join.map, own, other, like: source.row(pair)) else { continue }
        added.append((copy, ends.own, ends.other))
      }
      order(added.map { ($0.pair, $0.own, $0.other) }, join.relationship, join.map.orderColumn)
      if let inverse = join.inverse {
        order(added.map { ($0.pair, $0.other, $0.own) }, inverse, join.map.inverseOrderColumn)
      }
    }

    private mutating func order(
      _ pairs: [(pair: Place, owner: Place, member: Place)], _ list: RelationshipDescription,
      _ column: String?
    ) {
      guard let column else { return }
      for (pair, owner, _) in pairs.sorted(by: { isBefore($0, $1, list) }) where copies[owner] != nil {
        count += 1
        result[pair, column] = StorePicture.position(count)
      }
    }

    private func isBefore(
      _ a: (pair: Place, owner: Place, member: Place), _ b: (pair: Place, owner: Place, member: Place),
      _ list: RelationshipDescription
    ) -> Bool {
      guard a.owner == b.owner else { return a.owner.index < b.owner.index }
      let members = source.destinations(list, of: a.owner)
      return members.firstIndex(of: a.member)! < members.firstIndex(of: b.member)!
    }
  }
}
