import MOCloneModel

/// A name in rows that a mapping takes something from: a value, or nested rows.
struct MappedName {
  /// The name in the rows, and what in the model gets its values.
  let source: String
  let target: String
  /// The nested rows in which the value stands, or which it is.
  let nested: [Int]
  let field: Int?

  func isGiven(by record: Record) -> Bool { isGiven(by: record, nested[...]) }

  private func isGiven(by record: Record, _ nested: ArraySlice<Int>) -> Bool {
    if let first = nested.first {
      return record.nested[first].contains { isGiven(by: $0, nested.dropFirst()) }
    }
    return field.map { record.fields[$0].kind != .absent } ?? true
  }

  /// What was meant, perhaps.
  func similar(in names: Set<String>) -> String? {
    let last = source.split { $0 == "." || $0 == "/" }.last.map(String.init) ?? source
    return names.contains(target) ? target : nearestName(to: last, in: names.sorted())
  }
}

extension RowNode {
  /// All names that the mapping takes something from.
  func mappedNames(in nested: [Int] = []) -> [MappedName] {
    var names: [MappedName] = []
    var nested = nested
    if let number = self.nested, let relationship {
      nested.append(number)
      names.append(
        MappedName(source: rowsName ?? "", target: relationship.name, nested: nested, field: nil))
    }
    values.each {
      names.append(
        MappedName(source: $0.name, target: $0.attribute.name, nested: nested, field: $0.field))
    }
    for nodes in [before, after] { nodes.each { names += $0.mappedNames(in: nested) } }
    return names.filter { !$0.source.isEmpty }
  }
}
