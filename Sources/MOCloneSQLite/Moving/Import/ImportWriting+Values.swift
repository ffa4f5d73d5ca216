import MOCloneEngine
import MOCloneModel
import MOCloneSQL

// What new objects are made of, column by column.
extension ImportWriting {
  typealias Value = (column: String, sql: String)

  var insertedValues: [Value] {
    var values = keyValues + attributeValues + referenceValues
    if let discriminator = staged.mapping.discriminator {
      values.append((discriminator.column, SQL.text(discriminator.value)))
    }
    var seen: Set<String> = []
    return values.filter { seen.insert($0.column.sqlName).inserted && !isGenerated($0.column) }
  }

  private func isGenerated(_ column: String) -> Bool { staged.table.column(column)?.isGenerated ?? false }

  private var keyValues: [Value] {
    staged.mapping.key.indices.compactMap { part in
      let column = staged.mapping.key[part].column
      return needsMap ? (column, "m.k\(part)") : newKey(part, "s").map { (column, $0) }
    }
  }

  private var attributeValues: [Value] {
    model.attributes(of: staged.entity.name).compactMap { attribute in
      guard let column = staged.mapping.attributes[attribute.name], column.keyPart == nil else { return nil }
      let isDate = attribute.name == modified?.name
      let absent = isDate ? ":now" : attribute.defaultValue.map { ValueCoding(column).literal($0) }
      guard let i = staged.entity.attribute(attribute.name) else { return (column.column, absent ?? "NULL") }
      guard let absent else { return (column.column, "s.a\(i)") }
      return (column.column, "CASE WHEN \(staged.isAbsent(i, "s")) THEN \(absent) ELSE s.a\(i) END")
    }
  }

  private var referenceValues: [Value] {
    var values: [String: [String]] = [:]
    var positions: [Value] = []
    for (i, reference) in staged.entity.references.enumerated() {
      let key = staged.foreignKeys[i]
      for (column, value) in zip(key.columns, staged.referenced(i, all[reference.destination])) {
        values[column, default: []].append(value)
      }
      guard let column = key.orderColumn else { continue }
      let owner = staged.referenced(i, all[reference.destination])
      let end = Self.end(of: column, in: staged.table.name, key.columns, owner)
      positions.append(
        (column, "\(end) + row_number() OVER (PARTITION BY \(SQL.list(owner)) ORDER BY s.number)"))
    }
    return values.sorted { $0.key < $1.key }.map { ($0, Self.first(of: $1)) } + positions
  }
}
