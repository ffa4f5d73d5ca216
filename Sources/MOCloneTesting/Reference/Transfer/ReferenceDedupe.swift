import Foundation
import MOCloneEngine
import MOCloneModel

/// Works out what a store must hold after its duplicates were merged, from the rules alone.
package struct ReferenceDedupe {
  /// Which object of a group survives.
  package enum Keep: String, CaseIterable, Sendable {
    case newest, oldest, fullest
  }

  let entities: [String]
  let named: [String: [String]]
  let keep: Keep
  let skipsTies: Bool
  let merges: Bool
  let fills: Bool
  let touches: Bool
  let stamp: ReferenceStamp

  /// - Parameters:
  ///   - entities: with those that inherit from them; empty for every entity that has an identity.
  ///   - identifiedBy: what identifies objects, before the model's constraints.
  ///   - keep: which object of a group stays.
  ///   - skipsTies: whether groups in which nothing decides are left alone.
  ///   - merges: whether what is related to the others comes to the one that stays.
  ///   - fills: whether nulls of the one that stays are filled.
  ///   - touches: whether what loses a reference by a deletion counts as changed, as the rules say.
  ///   - modified: the attribute of the last change.
  ///   - now: the instant of the operation.
  package init(
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
  package func perform(in store: StorePicture) throws -> StorePicture {
    var run = Run(rules: self, before: store, picture: store)
    return try run.perform()
  }

  /// One merge, look by look.
  struct Run {
    typealias Place = StorePicture.Place

    let rules: ReferenceDedupe
    let before: StorePicture
    var picture: StorePicture
    var count = 0
    var refusal = ReferenceRefusal()
    /// What this look began with, and what it removed.
    var start: StorePicture
    var gone: Set<Place> = []
    /// What each object that went counts as, one number for each merge that it went through; none for what stays.
    var ranks: [Place: [Int]] = [:]
    /// What has become of it.
    var settled: [Place: Place] = [:]
    /// The entities whose duplicates are looked for.
    var asked: [String] = []
    let identity: ReferenceIdentity
    var model: ObjectModel { picture.model }

    init(rules: ReferenceDedupe, before: StorePicture, picture: StorePicture) {
      self.rules = rules
      self.before = before
      self.picture = picture
      start = picture
      identity = ReferenceIdentity(model: picture.model, named: rules.named)
    }

    mutating func perform() throws -> StorePicture {
      asked = rules.entities.isEmpty ? model.entities.map(\.name) : rules.entities
      asked = asked.filter { identity.names(of: $0) != nil }
      // Objects of sub-entities belong to the groups of the entity that shares their identity.
      asked = asked.filter { entity in
        !asked.contains { other in
          other != entity && model.isKind(entity, of: other)
            && identity.names(of: other)!.names == identity.names(of: entity)!.names
        }
      }
      if rules.merges { addDependents() }
      guard rules.merges else {
        var deletion = ReferenceDeletion(picture: picture, stamp: rules.stamp, touches: rules.touches)
        try deletion.delete(asked.flatMap(groups).flatMap { $0.dropFirst() })
        deletion.picture.countRows(made: false, gone: \.deleted)
        return deletion.picture
      }
      picture.counts.givenUp = []
      var isMerging = true
      while isMerging {
        isMerging = false
        (start, gone, ranks, settled) = (picture, [], [:], [:])
        let first = asked.flatMap(groups)
        for entity in asked {
          for group in groups(of: entity) {
            merge(group)
            isMerging = isMerging || group.count > 1
          }
        }
        arrange()
        refuseSeparated(first)
        noteGivenUp()
      }
      picture.checkUniqueColumns(&refusal)
      try refusal.throwIfAny()
      picture.countRows(made: false, gone: \.merged)
      return picture
    }

    /// Adds the entities that are identified by those asked for or by what is merged with them, and so on: merging makes
    /// some of their objects equal.
    private mutating func addDependents() {
      var isGrowing = true
      while isGrowing {
        isGrowing = false
        let merged = Set(asked).union(relatedObjects(of: asked))
        for entity in model.entities.map(\.name) where !asked.contains(entity) {
          guard let names = identity.names(of: entity)?.names else { continue }
          let steps = names.compactMap {
            model.relationship(String($0.prefix { $0 != "." }), of: entity)?.destination
          }
          guard steps.contains(where: { step in merged.contains { model.isKind(step, of: $0) } }) else {
            continue
          }
          asked.append(entity)
          isGrowing = true
        }
      }
    }

    /// Whether what a one-to-one relationship leads to belongs to its object anyway.
    func leadsToMember(_ relationship: RelationshipDescription?) -> Bool {
      relationship.map { picture.mapping.leadsToMember($0, in: model) } ?? false
    }

    /// The entities that one-to-one relationships lead to, on and on.
    private func relatedObjects(of entities: [String]) -> Set<String> {
      var found: Set<String> = []
      var rest = entities
      while let entity = rest.popLast() {
        for relationship in model.relationships(of: entity) where !relationship.isToMany {
          guard model.inverse(of: relationship)?.isToMany == false, !leadsToMember(relationship),
            found.insert(relationship.destination).inserted
          else { continue }
          rest.append(relationship.destination)
        }
      }
      return found
    }
  }
}
