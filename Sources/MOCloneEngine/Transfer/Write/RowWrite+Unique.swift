import MOCloneModel

extension RowWrite {
  /// Names the row that is refused because of what must be unique, which is looked at when all is written: the first
  /// without which those before it would be written.
  func checkUnique() throws {
    let failures = graph.uniquenessFailures()
    guard !failures.isEmpty else { return }
    let writers = writers
    let refused = failures.compactMap { failure -> (row: Int, error: CloneError)? in
      failure.objects.compactMap { writers[$0] }.max().map { ($0, failure.error) }
    }
    guard let first = refused.min(by: { $0.row < $1.row }) else { return }
    try rows.about(first.row) { throw first.error }
  }

  /// The last row that made or changed each object.
  private var writers: [MemoryObject: Int] {
    var writers: [MemoryObject: Int] = [:]
    for row in rows.rows.indices {
      guard let object = objects[row] else { continue }
      if isNew(row) || isFound(row) && changed.contains(object) { writers[object] = row }
    }
    return writers
  }

  // MARK: Filling

  /// A unique value that a row has for an object that exists.
  private struct Offer {
    var row: Int
    var attribute: String
    var object: MemoryObject
    var column: ValueColumn
    var value: AttributeValue
  }

  /// Gives existing objects the unique values that they lack, where no object holds the value and no other row of what
  /// exists has it.
  mutating func fillUnique() throws {
    let offers = try rows.rows.indices.filter(isFound).flatMap { try uniqueValues(of: $0) }
    for (_, own) in Dictionary(grouping: offers, by: \.column.id).sorted(by: { $0.key < $1.key }) {
      try fill(own[0].column, from: own)
    }
  }

  private func uniqueValues(of row: Int) throws -> [Offer] {
    let entity = rows.entity(of: row)
    guard let object = objects[row] else { return [] }
    let names = entity.unique.intersection(entity.overwritten)
    return try zip(entity.attributes, rows.rows[row].values).compactMap { attribute, value -> Offer? in
      guard names.contains(attribute.name), let value, !value.isNull,
        let column = graph.column(attribute.name, of: graph.entity(of: object))
      else { return nil }
      return Offer(
        row: row, attribute: attribute.name, object: object, column: column,
        value: try attribute.checked(value, for: entity.name))
    }
  }

  private mutating func fill(_ column: ValueColumn, from offers: [Offer]) throws {
    let entities = graph.store.entities[column.space]
    let all = (0..<Row(graph.store.spaces[column.space].count)).filter { entities[$0] != noRow }
    let held = Set(all.map { column.value($0) })
    let rivals = Dictionary(grouping: offers, by: \.value)
    for offer in offers where column.nulls[offer.object.row] {
      guard rivals[offer.value]?.count == 1, !held.contains(offer.value) else {
        skipped.append(rows.rows[offer.row].leftOut(TransferReport.notFilled(offer.attribute)))
        continue
      }
      try graph.setCell(column, row: offer.object.row, value: offer.value)
      changed.insert(offer.object)
      counts.filled.insert(offer.object)
    }
  }
}
