import Foundation
import MOCloneEngine
import MOCloneModel

/// Invents values of attributes, within their limits and patterns.
struct SampleValues {
  var random: SplitMix64
  let model: SampleModel
  /// The attributes that a uniqueness constraint names alone.
  private let unique: Set<String>
  private var count = 0

  init(_ model: SampleModel, random: SplitMix64) {
    self.model = model
    self.random = random
    unique = Set(
      model.model.entities.flatMap { entity in
        entity.uniquenessConstraints.filter { $0.count == 1 }.compactMap { names in
          model.model.attribute(names[0], of: entity.name).map { "\($0.entity).\($0.name)" }
        }
      })
  }

  /// The values of a new object; what a graph in memory numbers itself is left out.
  ///
  /// - Returns: nil where no value can be invented that fits a pattern.
  mutating func values(of entity: String) -> [String: AttributeValue]? {
    var values: [String: AttributeValue] = [:]
    for attribute in model.written(entity) where !model.isNumbered(attribute, of: entity) {
      guard let value = value(of: attribute, entity) else { return nil }
      values[attribute.name] = value
    }
    return values
  }

  /// A value that no other object has, where limits and pattern leave room for one.
  mutating func newValue(of attribute: AttributeDescription, _ entity: String) -> AttributeValue? {
    count += 1
    let value = attempt(attribute, number: 1_000 + count)
    return isValid(value, attribute: attribute, entity: entity) ? value : nil
  }

  private mutating func value(of attribute: AttributeDescription, _ entity: String) -> AttributeValue? {
    let isDistinct =
      unique.contains("\(attribute.entity).\(attribute.name)")
      || model.keySource(attribute, of: entity) != nil
    if !isDistinct {
      if attribute.isOptional, random.chance(20) { return .null }
      if let value = attribute.defaultValue, random.chance(20),
        isValid(value, attribute: attribute, entity: entity)
      {
        return value
      }
    }
    count += 1
    for _ in 0..<8 {
      let value = attempt(attribute, number: isDistinct ? count : random.number(1...9))
      if isValid(value, attribute: attribute, entity: entity) { return value }
    }
    if let value = attribute.defaultValue, isValid(value, attribute: attribute, entity: entity) {
      return value
    }
    return attribute.isOptional ? .null : nil
  }

  private func isValid(_ value: AttributeValue, attribute: AttributeDescription, entity: String) -> Bool {
    (try? attribute.checked(value, for: entity)) != nil
  }

  private mutating func attempt(_ attribute: AttributeDescription, number: Int) -> AttributeValue {
    switch attribute.type {
    case .string, .uri: .string(text(attribute, number: number))
    case .boolean: .bool(number.isMultiple(of: 2))
    case .date: .date(Date(timeIntervalSince1970: 1_735_689_600 + Double(number) * 86_400))
    case .binary, .transformable: .binary(Data("\(attribute.name) \(number)".utf8))
    case .integer16, .integer32, .integer64:
      .integer(Int64(exactly: bounded(attribute, number: number).rounded()) ?? 0)
    case .double, .float: .double(bounded(attribute, number: number))
    case .decimal: AttributeType.decimal.value(fitting: .double(bounded(attribute, number: number))) ?? .null
    case .uuid: .uuid(uuid())
    }
  }

  /// A number within the limits of an attribute.
  private func bounded(_ attribute: AttributeDescription, number: Int) -> Double {
    let value = Double(number)
    let low = attribute.minimum.map { $0.double.rounded(.up) + value - 1 } ?? value
    return attribute.maximum.map { min(low, $0.double) } ?? low
  }

  private mutating func text(_ attribute: AttributeDescription, number: Int) -> String {
    if let pattern = attribute.pattern { return PatternSample(pattern, random: &random).text ?? "" }
    let text = "\(attribute.name) \(number)"
    let least = attribute.minimum.map { Int(min($0.double, 10_000).rounded(.up)) } ?? 0
    let padded = text + String(repeating: "x", count: max(0, least - text.count))
    guard let most = attribute.maximum?.double, Double(padded.count) > most else { return padded }
    // The number tells values apart, so it is what stays.
    return String(padded.suffix(max(0, Int(most))))
  }

  private mutating func uuid() -> UUID {
    var bytes = withUnsafeBytes(of: (random.next().bigEndian, random.next().bigEndian)) { Array($0) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }
}
