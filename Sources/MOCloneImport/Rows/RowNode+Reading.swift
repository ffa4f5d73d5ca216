import MOCloneEngine
import MOCloneModel

// Values are read, and what is wrong with them is told, before anything of a row is added.
extension RowNode {
  /// Reads the values of a row, and of all that belongs to it.
  func read(_ record: Record, _ faults: inout [RowFault]) {
    known = seen?.find(record)
    let lacking = known == nil ? readValues(record, faults: &faults) : []
    defer { if !lacking.isEmpty, !isNull || isRoot { faults += lacking } }
    before.each { $0.readBelow(record, faults: &faults) }
    after.each { $0.readBelow(record, faults: &faults) }
    guard known == nil, !isNull, lacksReference(record) else { return }
    isNull = true
    if isRoot { faults.append(withoutKey(record)) }
  }

  private var isRoot: Bool {
    if case .root = link { true } else { false }
  }

  /// Whether nothing stands where an object that identifies this one should.
  private func lacksReference(_ record: Record) -> Bool {
    guard !identityReferences.isEmpty else { return false }
    var lacks = false
    before.each { node in
      guard case .above(let reference) = node.link, identityReferences.contains(reference) else { return }
      if node.isMissing(record) { lacks = true }
    }
    return lacks
  }

  private func isMissing(_ record: Record) -> Bool {
    if let nested, record.nested[nested].isEmpty { return true }
    return known == nil && isNull
  }

  /// - Returns: what the row should give where it makes an object, which it does not without what identifies it.
  private func readValues(_ record: Record, faults: inout [RowFault]) -> [RowFault] {
    var lacking: [RowFault] = []
    var isKeyBad = false
    lacksValues = false
    values.each { reader in
      do throws(RowFault) {
        row[reader.place] = try reader.read(record.fields[reader.field], of: record)
        if reader.isLeftOut { lacksValues = true }
      } catch {
        row[reader.place] = .absent
        guard !record.fields[reader.field].isEmpty else { return lacking.append(error) }
        faults.append(error)
        if identity.contains(reader.place) { isKeyBad = true }
      }
    }
    isNull = identity.contains { row[$0].isNothing }
    if isNull, isRoot, !isKeyBad { faults.append(withoutKey(record)) }
    return lacking
  }

  /// Reads what is in the row above, or is nested in it.
  private func readBelow(_ record: Record, faults: inout [RowFault]) {
    guard let nested else {
      read(record, &faults)
      return checkRequired(isNull && known == nil, record: record, faults: &faults)
    }
    let rows = record.nested[nested]
    if isToOne {
      if rows.count > 1 {
        faults.append(
          RowFault("'\(relationship!.name)' is to-one, but the row contains \(rows.count)", at: rows[1].place)
        )
      }
    }
    for row in rows {
      read(row, &faults)
      if isToOne { checkRequired(isNull, record: row, faults: &faults) }
    }
  }

  /// Whether the row says nothing at all of what identifies the object, not even that it is null.
  private var isLeftOut: Bool {
    !identity.contains { if case .absent = row[$0] { false } else { row[$0].isNothing } }
  }

  private func checkRequired(_ isEmpty: Bool, record: Record, faults: inout [RowFault]) {
    guard isEmpty, !isLeftOut, let relationship, case .above = link, !relationship.isOptional else { return }
    faults.append(
      RowFault(
        "'\(relationship.name)' of \(relationship.entity) is required, but \(identityNames) of \(name) "
          + "is null or empty",
        at: record.place))
  }
}

extension StagedValue {
  /// Whether it cannot identify anything: null or an empty text.
  var isNothing: Bool {
    switch self {
    case .absent, .null, .value(.null), .value(.string("")): true
    case .text(let bytes): bytes.isEmpty
    case .integer, .double, .longDate, .value: false
    }
  }
}
