import MOCloneEngine
import MOCloneModel

/// What a subtree is linked to outside: which of it a target has, and which is made there.
struct ReferenceLinks {
  typealias Place = StorePicture.Place

  private let source: StorePicture
  private let target: StorePicture
  private let request: SubtreeRequest
  private let identity: ReferenceIdentity
  private let isMember: (Place) -> Bool
  /// What members ask for, and what that brings along, in the order of keys.
  private var linked: [Place] = []
  /// Of each linked object the first that has the same identity.
  private(set) var first: [Place: Place] = [:]
  /// The objects of the target that these are.
  private(set) var found: [Place: Place] = [:]
  /// Those that are made.
  private(set) var made: [Place] = []
  private(set) var refusal = ReferenceRefusal()

  /// - Parameter direct: what members ask for.
  init(
    _ direct: Set<Place>, outside isMember: @escaping (Place) -> Bool, from source: StorePicture,
    in target: StorePicture, _ request: SubtreeRequest
  ) {
    (self.source, self.target, self.request, self.isMember) = (source, target, request, isMember)
    identity = ReferenceIdentity(model: source.model, named: request.identifiedBy.paths)
    linked = inOrder(closure(of: direct) { copied(by: $0) })
    for object in linked {
      let first = first(object)
      self.first[object] = first
      if source.entity(of: first) != source.entity(of: object) {
        refusal.add(.identityOfOtherEntity, "\(object) is no \(source.entity(of: first))")
      }
      find(object)
    }
    settle(direct)
  }

  /// Decides what becomes of what the target does not have.
  private mutating func settle(_ direct: Set<Place>) {
    let missing = linked.filter { direct.contains($0) && found[$0] == nil }
    switch request.missing {
    case .fail: for object in missing { refusal.add(.missingLinked, "\(object)") }
    case .null: break
    case .create:
      made = inOrder(
        closure(of: Set(missing.map { first[$0]! })) { object in
          needed(by: object).filter { first[$0] != nil && found[$0] == nil }.map { first[$0]! }
        })
    }
  }

  private func inOrder(_ objects: Set<Place>) -> [Place] {
    source.model.entities.filter { $0.parent == nil }.flatMap { source.objects(of: $0.name) }
      .filter(objects.contains)
  }

  private func closure(of roots: Set<Place>, _ next: (Place) -> [Place]) -> Set<Place> {
    var closure = roots
    var pending = Array(roots)
    while let object = pending.popLast() { pending += next(object).filter { closure.insert($0).inserted } }
    return closure
  }

  private func needed(by object: Place) -> [Place] {
    source.references(of: object).filter { identity.needs($0, of: object, in: source) }
      .compactMap { source.destination($0, of: object) }
  }

  /// What comes along with a linked object: what it is identified by, and what it requires where it may be made.
  private func copied(by object: Place) -> [Place] {
    source.references(of: object).filter { reference in
      identity.leads(over: reference, of: object, in: source)
        || request.missing == .create && reference.isRequired
    }.compactMap { source.destination($0, of: object) }.filter { !isMember($0) }
  }

  // MARK: Identities

  private func names(of object: Place) -> (scope: String, names: [String])? {
    identity.names(of: source.entity(of: object))
  }

  /// Where keys are new, objects of one identity are one.
  private func first(_ object: Place) -> Place {
    guard !request.keepsKeys, let own = parts(of: object) else { return object }
    return linked.first { other in
      guard let (scope, names) = names(of: other), (scope, names) == self.names(of: object)! else {
        return false
      }
      return parts(of: other) == own
    } ?? object
  }

  private mutating func find(_ object: Place) {
    let matching = matches(object)
    if matching.count > 1 { refusal.add(.ambiguousIdentity, "\(object) is several objects") }
    guard let match = matching.first else { return }
    if target.entity(of: match) != source.entity(of: object) {
      refusal.add(.identityOfOtherEntity, "\(object) is of another entity")
    }
    found[object] = match
  }

  /// Nil where an object has no identity.
  private func parts(of object: Place) -> [ReferenceIdentity.Part]? {
    guard let (_, names) = names(of: object) else { return nil }
    let parts = identity.parts(of: object, in: source, names) { end -> ReferenceIdentity.Part in
      guard linked.contains(end) else { return .madeFrom(end) }
      return matches(end).first.map { .object($0) } ?? .madeFrom(first(end))
    }
    return parts.contains(.empty) ? nil : parts
  }

  private func matches(_ object: Place) -> [Place] {
    guard let (scope, names) = names(of: object), let own = parts(of: object) else { return [] }
    return target.objects(of: scope).filter {
      identity.parts(of: $0, in: target, names, object: { .object($0) }) == own
    }
  }
}

extension ReferenceIdentity {
  /// Whether an object is identified by what a reference leads to.
  func leads(over reference: StorePicture.Reference, of object: StorePicture.Place, in picture: StorePicture)
    -> Bool
  {
    guard let name = reference.forward?.name else { return false }
    return (names(of: picture.entity(of: object))?.names ?? []).contains { $0.prefix { $0 != "." } == name }
  }

  /// Whether an object cannot be without a reference: it is required, or the object is identified by it.
  func needs(_ reference: StorePicture.Reference, of object: StorePicture.Place, in picture: StorePicture)
    -> Bool
  {
    reference.isRequired || leads(over: reference, of: object, in: picture)
  }
}
