import MOCloneModel

/// What identifies the objects of each entity: what the call names, else the first uniqueness constraint.
struct ReferenceIdentity {
  let model: ObjectModel
  /// The names by entity, as a call gives them.
  let named: [String: [String]]

  /// One part of an identity as one object has it.
  enum Part: Hashable {
    case empty
    case value(AttributeValue)
    /// A value that is not one of the attribute's type is equal to itself.
    case raw(RawValue)
    case object(StorePicture.Place)
    /// An object of the source that the target does not have.
    case madeFrom(StorePicture.Place)
  }

  /// The names, and the entity among whose objects they are unique; nil where the objects have no identity.
  func names(of entity: String) -> (scope: String, names: [String])? {
    let lineage = model.lineage(of: entity)
    if let names = lineage.compactMap({ named[$0] }).first { return (entity, names) }
    for scope in lineage {
      if let names = model.entity(scope)?.uniquenessConstraints.first { return (scope, names) }
    }
    return nil
  }

  /// The parts of an object's identity.
  ///
  /// - Parameter object: what an object at the end of a path stands for.
  func parts(
    of place: StorePicture.Place, in picture: StorePicture, _ names: [String],
    object: (StorePicture.Place) throws -> Part
  ) rethrows -> [Part] {
    try names.map { name in
      var place = place
      for step in name.split(separator: ".").map(String.init) {
        let entity = picture.entity(of: place)
        if let attribute = model.attribute(step, of: entity) {
          return part(attribute, of: place, in: picture)
        }
        guard let next = picture.destination(model.relationship(step, of: entity)!, of: place) else {
          return .empty
        }
        place = next
      }
      return try object(place)
    }
  }

  func part(_ attribute: AttributeDescription, of place: StorePicture.Place, in picture: StorePicture) -> Part
  {
    let column = picture.mapping[picture.entity(of: place)].attributes[attribute.name]!
    return part(picture[place, column.column], column, in: place.table, of: picture)
  }

  /// A value that is given, as the store would hold it.
  func part(
    given value: AttributeValue, for name: String, of entity: String, in picture: StorePicture
  ) -> Part {
    let map = picture.mapping[entity]
    let column = map.attributes[name]!
    let affinity = picture.tables[map.table]!.columns.first { $0.name == column.column }!.affinity
    return part(ReferenceNotations.raw(value, column).stored(affinity), column, in: map.table, of: picture)
  }

  private func part(
    _ raw: RawValue, _ column: AttributeColumn, in table: String, of picture: StorePicture
  ) -> Part {
    switch ReferenceNotations.value(raw, column) {
    case .null, .string(""): return .empty
    case nil: return .raw(raw)
    case .string(let text)? where picture.isNoCase(column.column, in: table):
      return .value(.string(Self.folded(text)))
    case .double(let number)? where column.type == .float: return .value(.double(number.single))
    case let value?: return .value(value)
    }
  }

  /// SQLite's NOCASE knows the letters of ASCII alone.
  static func folded(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          ("A"..."Z").contains(scalar) ? Unicode.Scalar(scalar.value + 32)! : scalar
        }))
  }
}

/// Finds for the objects of a source those of a target that have the same identity.
final class ReferenceMatch {
  enum Result: Hashable {
    case found(StorePicture.Place)
    case new
    /// The same as an earlier object of the source.
    case same(StorePicture.Place)
    /// Nothing identifies it.
    case skipped
  }

  typealias Place = StorePicture.Place

  private let source: StorePicture
  private let target: StorePicture
  private let identity: ReferenceIdentity
  private let joins: Bool
  private var repeated: [Place: Place] = [:]
  private(set) var results: [Place: Result] = [:]
  private(set) var refusal = ReferenceRefusal()

  /// - Parameters:
  ///   - objects: what is copied, in the order of keys; others stand for nothing.
  ///   - joins: whether objects of one identity are one.
  init(
    _ objects: [Place], from source: StorePicture, in target: StorePicture, by identity: ReferenceIdentity,
    joins: Bool = false
  ) {
    self.source = source
    self.target = target
    self.identity = identity
    self.joins = joins
    let meant = Set(objects)
    for object in objects { _ = result(of: object, among: meant) }
    settleRepeated(objects, meant)
  }

  private func result(of object: Place, among meant: Set<Place>) -> Result {
    if let result = results[object] { return result }
    let result = find(object, meant)
    results[object] = result
    return result
  }

  private func parts(of object: Place, _ names: [String], _ meant: Set<Place>) -> [ReferenceIdentity.Part] {
    identity.parts(of: object, in: source, names) { end in
      guard meant.contains(end) else { return .empty }
      switch result(of: end, among: meant) {
      case .found(let place): return .object(place)
      case .new: return .madeFrom(first(end, meant))
      case .same: return .empty
      case .skipped: return .empty
      }
    }
  }

  private func find(_ object: Place, _ meant: Set<Place>) -> Result {
    let entity = source.entity(of: object)
    guard let (scope, names) = identity.names(of: entity) else { return .new }
    let own = parts(of: object, names, meant)
    if own.contains(.empty) { return .skipped }
    let matching = target.objects(of: scope).filter {
      identity.parts(of: $0, in: target, names, object: { .object($0) }) == own
    }
    if matching.count > 1 { refusal.add(.ambiguousIdentity, "\(object) is several objects of the target") }
    guard let first = matching.first else { return .new }
    if target.entity(of: first) != entity {
      refusal.add(.identityOfOtherEntity, "\(object) is of another entity in the target")
    }
    return .found(first)
  }

  /// The first object with the identity of another one.
  private func first(_ object: Place, _ meant: Set<Place>) -> Place {
    guard joins, let (scope, names) = identity.names(of: source.entity(of: object)) else { return object }
    let own = parts(of: object, names, meant)
    return source.objects(of: scope).first {
      meant.contains($0) && identity.names(of: source.entity(of: $0))?.names == names
        && parts(of: $0, names, meant) == own
    } ?? object
  }

  private func settleRepeated(_ objects: [Place], _ meant: Set<Place>) {
    var seen: [String: [[ReferenceIdentity.Part]: Place]] = [:]
    for object in objects where results[object] != .skipped {
      guard let (scope, names) = identity.names(of: source.entity(of: object)) else { continue }
      let (kind, own) = ("\(scope) \(names)", parts(of: object, names, meant))
      guard let first = seen[kind]?[own] else {
        seen[kind, default: [:]][own] = object
        continue
      }
      if !joins {
        refusal.add(.ambiguousIdentity, "\(object) has the identity of another object of the source")
      } else if source.entity(of: first) != source.entity(of: object) {
        refusal.add(.identityOfOtherEntity, "\(object) is no \(source.entity(of: first))")
      }
      repeated[object] = first
    }
    for (object, first) in repeated { results[object] = .same(first) }
  }
}
