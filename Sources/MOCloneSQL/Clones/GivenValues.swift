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
    case ("float4", .decimal(let number)): return number.isKept(as: Float.self)
    case ("float8", .decimal(let number)): return number.isKept(as: Double.self)
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
    case ("numeric", .decimal(var number)):
      var rounded = Decimal()
      NSDecimalRound(&rounded, &number, limits.count > 1 ? limits[1] : 0, .plain)
      return rounded == number
    case ("timestamp", .date(let date)), ("timestamptz", .date(let date)):
      let parts = date.timeIntervalSinceReferenceDate * pow(10, Double(limit))
      return abs(parts - parts.rounded()) < 1e-3
    default: return true
    }
  }

  private func isWhole(_ number: Double) -> Bool { number == number.rounded() }
}
