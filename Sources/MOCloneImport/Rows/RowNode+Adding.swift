import MOCloneEngine

// Rows that were read and are sound are added, those that others refer to before them.
extension RowNode {
  /// Adds the row that was read, and all that belongs to it.
  ///
  /// - Parameter notes: told of what is left out, because it has no identity.
  /// - Returns: its number, 0 where it has no identity.
  func add(_ record: Record, above: Int64, to sink: any ImportSink, _ notes: (RowFault) -> Void) throws
    -> Int64
  {
    if let known {
      try tie(known, to: above, in: sink)
      return known
    }
    if isNull {
      if !isBlank { notes(withoutKey(record)) }
      return 0
    }
    try before.each { node in
      if case .above(let reference) = node.link {
        references[reference] = try node.addHere(record, sink: sink, notes: notes)
        if references[reference] == 0, let relationship = node.relationship, !relationship.isOptional {
          sink.leavesOut(relationship.name, of: entity)
        }
      }
    }
    if case .below(let reference) = link { references[reference] = above }
    if !identityReferences.isEmpty, identityReferences.contains(where: { references[$0] == 0 }) {
      if !isBlank { notes(withoutKey(record)) }
      return 0
    }
    if lacksValues { values.each { if $0.isLeftOut { sink.leavesOut($0.attribute.name, of: entity) } } }
    let number = try sink.add(
      entity, UnsafeBufferPointer(row), UnsafeBufferPointer(references), line: record.place.line)
    seen?.enter(number, record)
    try tie(number, to: above, in: sink)
    try after.each { try $0.addBelow(record, above: number, sink: sink, notes: notes) }
    return number
  }

  /// Adds the pair of the row and the one above, before those of the rows below: pairs stand in the order of their rows.
  private func tie(_ number: Int64, to above: Int64, in sink: any ImportSink) throws {
    guard case .joinRow(let joinRows, let isInverse) = link else { return }
    let (source, destination) = isInverse ? (number, above) : (above, number)
    try sink.joinRow(joinRows, source, destination)
  }

  /// Adds the one row that is in the row above or is nested in it.
  private func addHere(
    _ record: Record, sink: any ImportSink, notes: (RowFault) -> Void
  ) throws -> Int64 {
    guard let nested else { return try add(record, above: 0, to: sink, notes) }
    guard let row = record.nested[nested].first else { return 0 }
    return try addNested(row, above: 0, sink: sink, notes: notes)
  }

  private func addBelow(
    _ record: Record, above: Int64, sink: any ImportSink, notes: (RowFault) -> Void
  ) throws {
    guard let nested else {
      _ = try add(record, above: above, to: sink, notes)
      return
    }
    for row in record.nested[nested] { _ = try addNested(row, above: above, sink: sink, notes: notes) }
  }

  /// Nested rows of one kind share the row under way, so each is read again.
  private func addNested(
    _ record: Record, above: Int64, sink: any ImportSink, notes: (RowFault) -> Void
  ) throws -> Int64 {
    var faults: [RowFault] = []
    read(record, &faults)
    return try add(record, above: above, to: sink, notes)
  }
}
