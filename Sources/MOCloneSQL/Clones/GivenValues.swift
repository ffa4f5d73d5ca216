import Foundation
import MOCloneEngine
import MOCloneModel

extension ClonePlan {
  /// Refuses values of the request, and defaults of the model, that their columns would cut off or round: the statements of a
  /// clone give them their column's type, and then a server says nothing of it.
  ///
  /// - Throws: `CloneError` (`invalid-value`) with each of them.
  package func checkWidths(_ schema: StoreSchema, mapping: SchemaMapping) throws {
    let failures = nodes.flatMap { node in
      node.attributes.compactMap { planned -> CloneError.Failure? in
        let map = mapping[node.entity]
        guard let value = planned.rule.given, let attribute = map.attributes[planned.attribute.name],
          let column = schema[map.table]?.column(attribute.column), !column.holds(value, of: attribute)
        else { return nil }
        return .init(
          .invalidValue,
          "'\(value)' for '\(planned.attribute.name)' of \(node.entity) does not fit the column '\(column.name)' "
            + "of the table '\(map.table)', which is \(column.type)",
          help: "give another value, or widen the column",
          entity: node.entity, property: planned.attribute.name)
      }
    }
    let different = failures.uniqued { $0.message }
    if !different.isEmpty { throw CloneError(different) }
  }
}

extension AttributeRule {
  /// The value that the request or the model gives; nil where it comes from elsewhere.
  fileprivate var given: AttributeValue? {
    switch self {
    case .set(let value), .exclude(let value): value
    case .followParent(_, _, .rule(let rule)): rule.given
    default: nil
    }
  }
}

extension ColumnSchema {
  /// Whether the column's type holds a value as it is, as far as its limits tell.
  func holds(_ value: AttributeValue, of attribute: AttributeColumn) -> Bool {
    switch (base, value) {
    case ("float4", .double(let number)) where attribute.type == .double:
      return Double(Float(number).description) == number
    case ("float4", .double(let number)) where isWhole(number) && number != Double(Float(number)):
      return Double(Float(number).description) == number
    case ("float4", .decimal(let number)): return number.isKept(as: Float.self)
    case ("float8", .decimal(let number)): return number.isKept(as: Double.self)
    case ("float4", .string(let text)): return Decimal(string: text)?.isKept(as: Float.self) ?? true
    case ("float8", .string(let text)): return Decimal(string: text)?.isKept(as: Double.self) ?? true
    case ("money", .decimal(let number)): return number == number.rounded(to: 2)
    case ("money", .double(let number)): return number == (number * 100).rounded() / 100
    case ("name", .string(let text)): return text.utf8.count <= 63
    case ("char", .string(let text)): return text.utf8.count <= 1
    case ("date", .string(let text)): return !(text.clock?.contains { "123456789".contains($0) } ?? false)
    case ("float4", .integer(let number)): return Decimal(number).isKept(as: Float.self)
    case ("float8", .integer(let number)): return Decimal(number).isKept(as: Double.self)
    case ("date", .date(let date)): return isWhole(date.timeIntervalSince1970 / 86_400)
    case (let base?, .date) where TypedColumns.isInteger(base):
      if case .real(let number) = StorageForm(attribute).stored(value) { return isWhole(number) }
    default: break
    }
    guard let limit = limits.first else { return true }
    switch (base, value) {
    case ("varchar", .string(let text)), ("bpchar", .string(let text)):
      return text.unicodeScalars.count <= limit
    case ("numeric", .decimal(let number)):
      return number == number.rounded(to: limits.count > 1 ? limits[1] : 0)
    case ("time", .string(let text)), ("timetz", .string(let text)), ("interval", .string(let text)),
      ("timestamp", .string(let text)), ("timestamptz", .string(let text)):
      let fraction = text.clock?.split(separator: ".").dropFirst().first ?? ""
      return fraction.dropFirst(limit).allSatisfy { $0 == "0" }
    case ("timestamp", .date(let date)), ("timestamptz", .date(let date)):
      let parts = date.timeIntervalSinceReferenceDate * pow(10, Double(limit))
      return abs(parts - parts.rounded()) < 1e-3
    default: return true
    }
  }

  private func isWhole(_ number: Double) -> Bool { number == number.rounded() }
}

extension Decimal {
  fileprivate func rounded(to scale: Int) -> Decimal {
    var (number, rounded) = (self, Decimal())
    NSDecimalRound(&rounded, &number, scale, .plain)
    return rounded
  }
}

extension String {
  /// The time of day in a text, such as `07:05:00.9`; nil where there is none.
  fileprivate var clock: Substring? {
    split { !"0123456789:.".contains($0) }.first { $0.contains(":") }
  }
}
