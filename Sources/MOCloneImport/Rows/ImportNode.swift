import MOCloneEngine
import MOCloneModel

/// One kind of object that rows make, with what it takes from them; runs the same for every row.
final class ImportNode {
  /// How its rows are tied to those of the node above.
  enum Link {
    case root
    /// Its own row holds the reference to the one above.
    case below(reference: Int)
    /// The row above holds the reference to it.
    case above(reference: Int)
    case pair(Int)
  }

  struct Value {
    var place: Int
    var reader: ValueReader
    /// The number of the row's value; -1 for a constant.
    var field: Int
  }

  var entity: Int
  let name: String
  var link = Link.root
  /// The relationship that leads here, and whether it must not be empty.
  var relationship: RelationshipDescription?
  /// The number of the nested rows; nil where the values stand in the row above.
  var nested: Int?
  var values: [Value] = []
  var below: [ImportNode] = []
  /// The values that the object is found by, by their places.
  var identity: [Int] = []
  /// References that the object is found by, too.
  var identityReferences: [Int] = []
  var identityNames = ""
  /// Rows that are the same need not be added twice.
  var seen: RowCache?

  /// The row under way.
  private(set) var row: UnsafeMutableBufferPointer<StagedValue>
  private(set) var references: UnsafeMutableBufferPointer<Int64>
  private var known: Int64?
  private var isNull = false

  init(_ entity: Int, _ name: String) {
    self.entity = entity
    self.name = name
    row = .allocate(capacity: 0)
    references = .allocate(capacity: 0)
  }

  deinit {
    row.deinitialize()
    row.deallocate()
    references.deallocate()
  }

  /// Makes room, when the columns of the entity are known.
  func prepare(columns: Int, references count: Int) {
    row.deallocate()
    references.deallocate()
    row = .allocate(capacity: columns)
    row.initialize(repeating: .absent)
    references = .allocate(capacity: count)
    references.initialize(repeating: 0)
  }

  // MARK: One row

  /// Reads the values of a row, and of all that belongs to it; nothing is added yet.
  func read(_ record: Record, _ faults: inout [RowFault]) {
    known = seen?.find(record)
    if known == nil {
      isNull = false
      for value in values {
        do throws(RowFault) {
          row[value.place] = try value.reader.read(value.field, of: record)
        } catch {
          faults.append(error)
        }
      }
      isNull = identity.contains { row[$0].isNothing }
      if isNull, case .root = link { faults.append(withoutKey(record)) }
    }
    for node in below {
      guard let nested = node.nested else {
        node.read(record, &faults)
        node.checkRequired(node.isNull && node.known == nil, record, &faults)
        continue
      }
      let rows = record.nested[nested]
      if node.isToOne {
        if rows.count > 1 {
          faults.append(
            RowFault(
              "'\(node.relationship!.name)' is to-one, but the row holds \(rows.count)", at: rows[1].place))
        }
        node.checkRequired(rows.isEmpty, record, &faults)
      }
      for row in rows {
        node.read(row, &faults)
        if node.isToOne { node.checkRequired(node.isNull, row, &faults) }
      }
    }
  }

  private func withoutKey(_ record: Record) -> RowFault {
    RowFault(
      "\(name) is identified by \(identityNames), which is empty: no object is made", at: record.place)
  }

  private var isToOne: Bool { relationship?.isToMany == false }

  private func checkRequired(_ isEmpty: Bool, _ record: Record, _ faults: inout [RowFault]) {
    guard isEmpty, let relationship, case .above = link, !relationship.isOptional else { return }
    faults.append(
      RowFault(
        "'\(relationship.name)' of \(relationship.entity) is required, but \(identityNames) of \(name) is empty",
        at: record.place))
  }

  /// Adds the row that was read, and all that belongs to it.
  ///
  /// - Returns: its number, 0 where nothing identifies it.
  func add(_ record: Record, above: Int64, to sink: any ImportSink, _ notes: (RowFault) -> Void) throws
    -> Int64
  {
    if let known { return known }
    if isNull {
      notes(withoutKey(record))
      return 0
    }
    for node in below {
      if case .above(let reference) = node.link {
        references[reference] = try node.addHere(record, 0, sink, notes)
      }
    }
    if case .below(let reference) = link { references[reference] = above }
    if identityReferences.contains(where: { references[$0] == 0 }) {
      notes(withoutKey(record))
      return 0
    }
    let number = try sink.add(
      entity, UnsafeBufferPointer(row), UnsafeBufferPointer(references), line: record.place.line)
    seen?.enter(number, record)
    for node in below {
      if case .above = node.link { continue }
      try node.addBelow(record, number, sink, notes)
    }
    return number
  }

  /// Adds the one row that stands in the row above or is nested in it.
  private func addHere(
    _ record: Record, _ above: Int64, _ sink: any ImportSink, _ notes: (RowFault) -> Void
  ) throws -> Int64 {
    guard let nested else { return try add(record, above: above, to: sink, notes) }
    guard let row = record.nested[nested].first else { return 0 }
    return try addNested(row, above, sink, notes)
  }

  private func addNested(
    _ record: Record, _ above: Int64, _ sink: any ImportSink, _ notes: (RowFault) -> Void
  ) throws -> Int64 {
    var faults: [RowFault] = []
    read(record, &faults)
    return try add(record, above: above, to: sink, notes)
  }

  private func addBelow(
    _ record: Record, _ above: Int64, _ sink: any ImportSink, _ notes: (RowFault) -> Void
  ) throws {
    func tie(_ number: Int64) throws {
      if case .pair(let pairs) = link, number != 0 { try sink.pair(pairs, above, number) }
    }
    guard let nested else { return try tie(add(record, above: above, to: sink, notes)) }
    for row in record.nested[nested] { try tie(addNested(row, above, sink, notes)) }
  }
}

extension StagedValue {
  /// Whether it cannot identify anything: null or an empty text.
  var isNothing: Bool {
    switch self {
    case .absent, .null, .value(.null), .value(.string("")): true
    case .text(let bytes): bytes.isEmpty
    case .integer, .double, .value: false
    }
  }
}
