import Foundation
import MOCloneModel

// Objects that share their identity, and which of them stays.
extension ReferenceDedupe.Run {
  /// Objects that share their identity, the one that stays first.
  func groups(of entity: String) -> [[Place]] {
    guard let (scope, names) = identity.names(of: entity) else { return [] }
    var groups: [[ReferenceIdentity.Part]: [Place]] = [:]
    for object in picture.objects(of: scope) {
      let parts = identity.parts(of: object, in: picture, names) { .object($0) }
      if !parts.contains(.empty) { groups[parts, default: []].append(object) }
    }
    return groups.values.filter { $0.count > 1 }.compactMap { group in
      guard Set(group.map(picture.entity)).count == 1 else { return nil }
      let ranked = group.sorted(by: isBetter)
      return isLeftAlone(ranked, names) ? nil : ranked
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

  /// Whether nothing that counts decides between the best two of a group, and the caller wants it untouched then: what
  /// shared its identity before the operation, too.
  func isLeftAlone(_ ranked: [Place], _ names: [String]) -> Bool {
    guard rules.skipsTies, date(ranked[0]) == date(ranked[1]), number(ranked[0]) == number(ranked[1])
    else { return false }
    let parts = Set(ranked.map { identity.parts(of: $0, in: before, names) { .object($0) } })
    return parts.count == 1 && !parts.contains { $0.contains(.empty) }
  }

  func isBetter(_ a: Place, _ b: Place) -> Bool {
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
}
