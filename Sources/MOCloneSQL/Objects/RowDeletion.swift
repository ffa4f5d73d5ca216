import Foundation
import MOCloneEngine
import MOCloneModel

/// Deletes an object by the delete rules of its relationships, row by row from the leaves: however deep a tree is, and
/// without the temporary tables of a `SetDeletion`.
struct RowDeletion<Connection: SQLConnection> {
  let access: RowAccess<Connection>
  private var db: Connection { access.db }
  private var dialect: Dialect { access.dialect }

  func delete(_ object: ObjectID) throws {
    let deleted = try closure(of: access.existing([object])[0])
    let places = Dictionary(uniqueKeysWithValues: zip(deleted, 0...))
    try refuseDenied(deleted, places)
    // Rows that refer to each other in a circle go one after another.
    try db.whileForeignKeysWait {
      let members = try deleted.map { try release($0, places) }
      for place in Self.membersFirst(members) { try deleteRow(deleted[place]) }
    }
  }

  /// The places of objects, those of their members before their own: what the database deletes by itself as their owner
  /// goes can lie too deep for it.
  private static func membersFirst(_ members: [[Int]]) -> [Int] {
    var rest = members
    var isSeen = [Bool](repeating: false, count: members.count)
    var order: [Int] = []
    for start in members.indices where !isSeen[start] {
      isSeen[start] = true
      var path = [start]
      while let last = path.last {
        guard let member = rest[last].popLast() else {
          order.append(path.removeLast())
          continue
        }
        if !isSeen[member] { path.append(member) }
        isSeen[member] = true
      }
    }
    return order
  }

  private func closure(of object: ObjectID) throws -> [ObjectID] {
    var found = [object]
    var seen: Set<ObjectID> = [object]
    var next = 0
    while next < found.count {
      for relationship in access.model.relationships(of: found[next].entity)
      where relationship.deleteRule == .cascade {
        found += try access.destinations(relationship.name, of: found[next]).filter {
          seen.insert($0).inserted
        }
      }
      next += 1
    }
    return found
  }

  private func refuseDenied(_ deleted: [ObjectID], _ places: [ObjectID: Int]) throws {
    for object in deleted {
      for relationship in access.model.relationships(of: object.entity) where relationship.deleteRule == .deny
      {
        let left = try access.destinations(relationship.name, of: object).filter { places[$0] == nil }
        guard let first = left.first else { continue }
        throw CloneError(
          .deleteDenied,
          "\(object) cannot be deleted: its '\(relationship.name)' still contains \(left.count) objects (\(first)), and the "
            + "relationship's delete rule is deny", property: relationship.name, object: object)
      }
    }
  }

  /// Empties what refers to an object from outside.
  ///
  /// - Parameter places: of all objects that are deleted.
  /// - Returns: the places of those that refer to the object.
  private func release(_ object: ObjectID, _ places: [ObjectID: Int]) throws -> [Int] {
    var members: [Int] = []
    for relationship in access.model.relationships(of: object.entity) {
      let isLeftAlone = relationship.deleteRule == .noAction
      switch access.mapping[object.entity].relationships[relationship.name]! {
      case .foreignKey: continue
      case .inverseForeignKey(let key):
        let found = try access.destinations(relationship.name, of: object)
        members += found.compactMap { places[$0] }
        guard !isLeftAlone else { continue }
        try empty(key, access.model.inverse(of: relationship), of: found, object: object, places)
      case .join:
        if !isLeftAlone { try RelationshipUpdate(access: access).set([], relationship.name, of: object) }
      }
    }
    return try members + releaseReferrers(of: object, places)
  }

  /// Those of to-one relationships without inverse, which the object does not know of.
  private func releaseReferrers(of object: ObjectID, _ places: [ObjectID: Int]) throws -> [Int] {
    var members: [Int] = []
    for relationship in access.model.entities.flatMap(\.relationships) where relationship.inverse == nil {
      guard access.model.isKind(object.entity, of: relationship.destination) else { continue }
      switch access.mapping[relationship.entity].relationships[relationship.name]! {
      case .foreignKey(let key):
        var arguments = Arguments()
        let values = arguments.add(try access.columns(key.references, of: object), dialect)
        let referrers = try access.ids(
          relationship.entity, where: .equal(dialect.columns("s", key.columns), values), arguments: arguments)
        members += referrers.compactMap { places[$0] }
        try empty(key, relationship, of: referrers, object: object, places)
      case .join(let join):
        var arguments = Arguments()
        let values = arguments.add(try access.columns(join.destinationReferences, of: object), dialect)
        let delete = Delete(dialect.table(join.table))
          .where(.equal(join.destinationColumns.map(dialect.name), values))
        try db.execute(delete.text, arguments.values)
      case .inverseForeignKey: continue
      }
    }
    return members
  }

  /// Empties the references of those members that stay.
  private func empty(
    _ key: ForeignKeyMapping, _ relationship: RelationshipDescription?, of members: [ObjectID],
    object: ObjectID, _ places: [ObjectID: Int]
  ) throws {
    for member in members where places[member] == nil {
      if let relationship, !relationship.isToMany, !relationship.isOptional {
        throw CloneError.referred(to: object, by: member, relationship.name)
      }
      try RelationshipUpdate(access: access).empty(key, of: member)
    }
  }

  private func deleteRow(_ object: ObjectID) throws {
    var arguments = Arguments()
    let row = try access.row(of: object, "s", &arguments)
    let delete = Delete("\(dialect.table(access.mapping[object.entity].table)) AS s").where(row)
    try db.execute(delete.text, arguments.values)
  }
}
