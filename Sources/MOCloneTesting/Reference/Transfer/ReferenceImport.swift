import Foundation
import MOCloneEngine
import MOCloneModel

/// Works out what a store must hold after rows of a file were imported into it, from the rules alone.
package struct ReferenceImport {
  typealias Place = StorePicture.Place

  /// What one row says of an object, and of those that it is related to.
  package struct Node {
    package var entity: String
    /// What a row does not give is absent.
    package var values: [String: AttributeValue]
    /// By to-one relationship.
    package var ones: [String: Node]
    /// By to-many relationship.
    package var manys: [String: [Node]]

    package init(
      _ entity: String, _ values: [String: AttributeValue], ones: [String: Node] = [:],
      manys: [String: [Node]] = [:]
    ) {
      self.entity = entity
      self.values = values
      self.ones = ones
      self.manys = manys
    }
  }

  private let existing: ExistingPolicy
  private let named: [String: [String]]
  private let stamp: ReferenceStamp
  private let rewrites: Bool
  private let asksOfExisting: Bool

  /// - Parameters:
  ///   - existing: what is done with objects that are found.
  ///   - identifiedBy: what identifies objects, before the model's constraints.
  ///   - modified: the attribute of the last change.
  ///   - now: the instant of the operation.
  ///   - rewrites: whether equal values in other notations are written anew, against the rules.
  ///   - asksOfExisting: whether a row of an object that is found must give what the object requires, against the rules.
  package init(
    _ existing: ExistingPolicy, identifiedBy: IdentityRequest, modified: String = "modified",
    now: Date = Date(), rewrites: Bool = false, asksOfExisting: Bool = false
  ) {
    self.asksOfExisting = asksOfExisting
    self.rewrites = rewrites
    self.existing = existing
    named = identifiedBy.paths
    stamp = ReferenceStamp(name: modified, now: now)
  }

  /// - Parameters:
  ///   - rows: what is imported.
  ///   - mentioned: entities that several nodes of the mapping mean.
  ///   - target: the store before the import.
  /// - Throws: `ReferenceRefusal`.
  package func perform(_ rows: [Node], mentioned: Set<String> = [], in target: StorePicture) throws
    -> StorePicture
  {
    var run = Run(
      existing: existing, named: named, stamp: stamp, rewrites: rewrites, asksOfExisting: asksOfExisting,
      mentioned: mentioned, picture: target)
    for row in rows where run.add(row, owner: nil) == nil {
      run.refusal.add(.badRow, "a row holds no identity: \(row.values)")
    }
    run.finish()
    run.picture.checkUniqueColumns(&run.refusal)
    try run.refusal.throwIfAny()
    run.countObjects()
    return run.picture
  }

  /// What rows say of one object, put together.
  private struct Change {
    var values: [String: AttributeValue] = [:]
    var references: [String: (reference: StorePicture.Reference, destination: Place)] = [:]
  }

  private struct Run {
    let existing: ExistingPolicy
    let named: [String: [String]]
    let stamp: ReferenceStamp
    let rewrites: Bool
    let asksOfExisting: Bool
    let mentioned: Set<String>
    var picture: StorePicture
    var refusal = ReferenceRefusal()
    var count = 0
    /// Objects come to lists in the order of their first rows.
    var mentions: [Place: Int] = [:]
    var rowCount = 0
    var changes: [Place: Change] = [:]
    var order: [Place] = []
    var existed: Set<Place> = []
    var updated: Set<Place> = []

    private var identity: ReferenceIdentity { ReferenceIdentity(model: picture.model, named: named) }

    /// - Parameter owner: the object whose row this one is nested in, with the relationship that leads here.
    mutating func add(_ node: Node, owner: (object: Place, over: RelationshipDescription)?) -> Place? {
      var references: [(StorePicture.Reference, Place)] = []
      var below = node.manys
      for (name, next) in node.ones.sorted(by: { $0.key < $1.key }) {
        // What holds the reference itself comes behind what it belongs to.
        guard let reference = reference(name, of: node.entity) else {
          below[name] = [next]
          continue
        }
        if let object = add(next, owner: nil) { references.append((reference, object)) }
      }
      if let owner, let reference = reference(to: owner.over) { references.append((reference, owner.object)) }
      guard let object = findOrCreate(node, references) else { return nil }
      if let owner { pair(owner.object, owner.over, object) }
      for (name, rows) in below.sorted(by: { $0.key < $1.key }) {
        let relationship = picture.model.relationship(name, of: node.entity)!
        for row in rows { _ = add(row, owner: (object, relationship)) }
      }
      return object
    }

    /// The foreign key of the object's own row; nil where the other row has it.
    private func reference(_ name: String, of entity: String) -> StorePicture.Reference? {
      picture.references.first {
        $0.forward?.name == name && picture.model.isKind(entity, of: $0.key.entity)
      }
    }

    /// The foreign key of what a relationship leads to; nil for a join table.
    private func reference(to list: RelationshipDescription) -> StorePicture.Reference? {
      picture.references.first { $0.backward?.qualifiedName == list.qualifiedName }
    }

    private mutating func findOrCreate(_ node: Node, _ references: [(StorePicture.Reference, Place)])
      -> Place?
    {
      let number = rowCount
      rowCount += 1
      var found: Place?
      if let (scope, names) = identity.names(of: node.entity) {
        let wanted = names.map { part($0, node, references) }
        if wanted.contains(.empty) { return nil }
        let matching = picture.objects(of: scope).filter { object in
          identity.parts(of: object, in: picture, names) { .object($0) } == wanted
        }
        if matching.count > 1 { refusal.add(.ambiguousIdentity, "\(matching) are one object") }
        found = matching.first
        if let found, !picture.model.isKind(picture.entity(of: found), of: node.entity) {
          refusal.add(.identityOfOtherEntity, "\(found) is of another entity")
        }
      }
      if let found {
        if !picture.row(found).isNew { existed.insert(found) }
        if asksOfExisting { refuseIncomplete(found, references) }
      }
      let object = found ?? make(node, references, numbered: number)
      mentions[object] = mentions[object] ?? number
      note(node, references, of: object, isNew: found == nil)
      return object
    }

    private mutating func refuseIncomplete(_ object: Place, _ given: [(StorePicture.Reference, Place)]) {
      for reference in picture.references(of: object) where reference.isRequired {
        if given.contains(where: { $0.0.name == reference.name }) { continue }
        refusal.add(.requiredLeftEmpty, "\(reference.name) of \(object) is not given")
      }
    }

    private func part(_ name: String, _ node: Node, _ references: [(StorePicture.Reference, Place)])
      -> ReferenceIdentity.Part
    {
      let steps = name.split(separator: ".").map(String.init)
      if let attribute = picture.model.attribute(name, of: node.entity) {
        let value = node.values[name] ?? attribute.defaultValue ?? .null
        return identity.part(given: value, for: name, of: node.entity, in: picture)
      }
      guard let (_, place) = references.first(where: { $0.0.forward?.name == steps[0] }) else {
        return .empty
      }
      if steps.count == 1 { return .object(place) }
      let attribute = picture.model.attribute(steps[1], of: picture.entity(of: place))!
      return identity.part(attribute, of: place, in: picture)
    }

    // MARK: Objects

    private mutating func make(
      _ node: Node, _ references: [(StorePicture.Reference, Place)], numbered number: Int
    ) -> Place {
      count += 1
      let object = picture.insert(node.entity, numbered: count, values: node.values)
      mentions[object] = number
      for (name, value) in node.values { picture.set(value, for: name, of: object) }
      for (reference, destination) in references {
        // Who has the related object of a one-to-one is settled when all rows are known.
        if !reference.isOneToOne {
          refer(object, reference, destination)
        } else if identity.leads(over: reference, of: object, in: picture) {
          picture.set(reference, of: object, to: destination)
        }
      }
      if node.values[stamp.name] == nil { picture.touch(object, stamp) }
      return object
    }

    /// A one-to-one related object that another object has is none to take, unless it is replaced.
    private mutating func refer(_ object: Place, _ reference: StorePicture.Reference, _ destination: Place) {
      let holders = reference.isOneToOne ? picture.holders(of: destination, reference) : []
      for holder in holders where holder != object {
        let given = changes[holder]?.references[reference.name]?.destination
        if existing == .update, given.map({ $0 != destination }) ?? !reference.isRequired {
          picture.set(reference, of: holder, to: nil)
          picture.touch(holder, stamp)
        } else {
          refusal.add(.constraintFailed, "\(destination) would belong to two objects")
        }
      }
      picture.set(reference, of: object, to: destination)
      if let order = reference.key.orderColumn {
        picture[object, order] = StorePicture.position(mentions[object]!)
      }
    }

    private mutating func note(
      _ node: Node, _ references: [(StorePicture.Reference, Place)], of object: Place, isNew: Bool
    ) {
      let isMade = picture.row(object).isNew
      guard existing != .keep || isNew || (isMade && mentioned.contains(node.entity)) else { return }
      if changes[object] == nil { order.append(object) }
      var change = changes[object] ?? Change()
      for (name, value) in node.values {
        let isKept = existing != .update && !(change.values[name] ?? .null).isNull
        if !isKept { change.values[name] = value }
      }
      for (reference, destination) in references {
        if existing == .update || change.references[reference.name] == nil {
          change.references[reference.name] = (reference, destination)
        }
      }
      changes[object] = change
    }

    mutating func finish() {
      for object in order { apply(changes[object]!, to: object) }
      for table in picture.tables.keys {
        for place in picture.places(in: table) where picture.row(place).isNew { check(place) }
      }
    }

    private mutating func apply(_ change: Change, to object: Place) {
      let entity = picture.entity(of: object)
      let identifying = identity.names(of: entity)?.names ?? []
      let replaces = existing == .update || picture.row(object).isNew
      var isChanged = false
      for (name, value) in change.values where !identifying.contains(name) {
        let stored = picture.value(picture.model.attribute(name, of: entity)!, of: object)
        let differs = stored != value || rewrites && isInOtherNotation(object, name, value)
        guard replaces ? differs : stored?.isNull == true && !value.isNull else { continue }
        let isKey = picture.mapping[entity].attributes[name]?.keyPart != nil
        if isKey, !picture.row(object).isNew {
          if !value.isNull { refusal.add(.invalidValue, "\(name) is in the key of \(object)") }
          continue
        }
        picture.set(value, for: name, of: object)
        isChanged = true
      }
      for (_, (reference, destination)) in change.references.sorted(by: { $0.key < $1.key }) {
        if identity.leads(over: reference, of: object, in: picture) {
          if reference.isOneToOne, picture.row(object).isNew { refer(object, reference, destination) }
          continue
        }
        let isEmpty = reference.columns.allSatisfy { picture[object, $0].isNull }
        guard picture.destination(reference, of: object) != destination, replaces || isEmpty else { continue }
        if !picture.row(object).isNew, picture.changesKey(of: object, reference, to: destination) {
          if replaces { refusal.add(.invalidValue, "\(reference.name) is in the key of \(object)") }
          continue
        }
        refer(object, reference, destination)
        isChanged = true
      }
      guard isChanged else { return }
      if !picture.row(object).isNew { updated.insert(object) }
      if change.values[stamp.name] == nil { picture.touch(object, stamp) }
    }

    mutating func countObjects() {
      picture.countRows()
      for section in [\.found, \.updated, \.unchanged, \.linked] as [ReferenceCounts.Section] {
        picture.counts.begin(section)
      }
      for object in existed {
        let entity = picture.entity(of: object)
        picture.counts.add(1, entity, to: \.found)
        picture.counts.add(1, entity, to: updated.contains(object) ? \.updated : \.unchanged)
      }
    }

    private func isInOtherNotation(_ object: Place, _ name: String, _ value: AttributeValue) -> Bool {
      var written = picture
      written.set(value, for: name, of: object)
      let column = picture.mapping[picture.entity(of: object)].attributes[name]!.column
      return written[object, column] != picture[object, column]
    }

    private mutating func check(_ object: Place) {
      guard picture.model.entities.contains(where: { picture.mapping[$0.name].table == object.table }) else {
        return
      }
      picture.checkRequired(object, .requiredLeftEmpty, &refusal)
    }

    // MARK: Pairs

    private mutating func pair(_ owner: Place, _ relationship: RelationshipDescription, _ member: Place) {
      guard case .join(let map) = picture.mapping[relationship.entity].relationships[relationship.name]!
      else {
        return
      }
      let isNew = picture.row(owner).isNew || picture.row(member).isNew
      if existing == .keep && !isNew { return }
      let empty = picture.emptyRow(in: map.table)
      guard let pair = picture.addPair(map, owner, member, like: empty) else { return }
      count += 1
      for column in [map.orderColumn, map.inverseOrderColumn].compactMap({ $0 }) {
        picture[pair, column] = StorePicture.position(count)
      }
      picture.counts.add(1, relationship.qualifiedName, to: \.linked)
    }
  }
}
