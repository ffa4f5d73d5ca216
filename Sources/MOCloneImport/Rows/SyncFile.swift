import MOCloneEngine
import MOCloneModel

extension SyncingGraph {
  /// Makes objects follow a file that holds the full set: rows that hold the identity, or in JSON an object whose
  /// names are it.
  ///
  /// - Parameters:
  ///   - request: the entity, what identifies its objects, and what is overwritten.
  ///   - path: the file; `-` is standard input, whose format must be named.
  ///   - format: what the file is; nil for what its name says.
  ///   - rows: in XML the element that is a row, in JSON the names that lead to the rows.
  ///   - ignore: names in the file that mean nothing; any other that the model does not know is an error.
  ///   - options: how the sync is run and watched.
  /// - Throws: `CloneError` with the bad rows (`bad-row`), the place where the file is broken (`broken-file`), and what
  ///   the sync is refused for.
  @discardableResult
  public func sync(
    _ request: SyncRequest, fromFile path: String, format: FileFormat? = nil, rows: String? = nil,
    ignore: [String] = [], options: TransferOptions = TransferOptions()
  ) throws -> TransferReport {
    try options.whole { options in
      let format = try format ?? FileFormat(ofFile: path)
      let plan = try SyncPlan(model, request)
      var shape = RecordShape()
      for column in plan.columns { _ = shape.field([column.name]) }
      let names = RowNames(
        ignored: ignore, model: plan.model.propertyNames(of: plan.entity), entity: plan.entity)
      shape.allow(names, rows: [])
      let source = try ByteSource(path: path)
      let layout = RowLayout(rows: rows, keyField: plan.keyPlace, isOpen: true)
      let reader = try format.rowReader(source, shape, layout)
      return try source.repeating(options) {
        try sync(plan, options: options, source: source.name + ":") { sink in
          let isTable = format == .csv || format == .tsv
          let importer = try SyncRows(
            plan, ignoring: ignore, sink: sink, file: source.name, emptyIsAbsent: isTable
          ) { count in
            try options.report(TransferProgress(objects: [plan.entity: count]))
          }
          try reader.read(importer)
          try importer.finish()
          try options.report(TransferProgress(objects: [plan.entity: importer.count], total: importer.count))
        }
      }
    }
  }
}

extension SyncPlan {
  /// The place of the one value that can stand as a name before a row.
  fileprivate var keyPlace: Int? { identifying.count == 1 ? identifying[0] : nil }
}

/// Takes the rows of a file, reads their values, and gathers what is wrong with them.
private final class SyncRows: RowHandler {
  private let sink: any SyncSink
  private let file: String
  private let readers: [ValueReader?]
  private let columns: [SyncPlan.Column]
  private let entity: String
  private let keyPlace: Int?
  /// Columns that the caller has no use for, though the model knows their names.
  private let isIgnored: [Bool]
  /// Columns whose empty cells say nothing, since a table has a cell for every row.
  private let canBeEmpty: [Bool]
  /// Those of them that have an empty cell, so that the header of the table names them.
  private var isEmpty: [Bool]
  private let progress: (Int) throws -> Void
  private let values: UnsafeMutableBufferPointer<StagedValue>
  private(set) var count = 0
  private var failures = RowFailures()

  init(
    _ plan: SyncPlan, ignoring ignored: [String], sink: any SyncSink, file: String, emptyIsAbsent: Bool,
    progress: @escaping (Int) throws -> Void
  ) throws {
    self.sink = sink
    self.file = file
    self.progress = progress
    columns = plan.columns
    entity = plan.entity
    keyPlace = plan.keyPlace
    isIgnored = plan.columns.enumerated().map { place, column in
      ignored.contains(column.name) && !plan.identifying.contains(place)
    }
    canBeEmpty = plan.columns.indices.map { emptyIsAbsent && !plan.identifying.contains($0) }
    isEmpty = Array(repeating: false, count: plan.columns.count)
    readers = try plan.columns.enumerated().map { place, column in
      switch column {
      case .attribute(let attribute):
        try ValueReader(
          attribute, entity: plan.entity, source: .field(attribute.name), place: place, field: place,
          identifies: false)
      case .path(let path):
        try ValueReader(
          path.attribute!, entity: path.steps.last!.destination, source: .field(path.description),
          place: place, field: place,
          identifies: true)
      case .reference: nil
      }
    }
    values = .allocate(capacity: plan.columns.count)
    values.initialize(repeating: .absent)
  }

  deinit { values.deallocate() }

  func row(_ record: Record) throws {
    count += 1
    if count % 4096 == 0 { try progress(count) }
    var faults: [RowFault] = []
    for i in columns.indices {
      do throws(RowFault) {
        values[i] = try value(i, record.fields[i], of: record)
      } catch {
        faults.append(error)
      }
    }
    if let fault = try nameFault(record), !faults.contains(fault) { faults.append(fault) }
    guard faults.isEmpty else { return add(faults) }
    // After a bad row nothing will be written; the others are only looked at.
    guard failures.isEmpty else { return }
    try sink.add(UnsafeBufferPointer(values), line: record.place.line)
  }

  /// A row of an object that holds what it is called must hold the same.
  private func nameFault(_ record: Record) throws -> RowFault? {
    guard let place = keyPlace, let name = record.name else { return nil }
    let (column, field) = (columns[place], record.fields[place])
    do {
      let (own, other) = (try plain(place, field, of: record), try plain(place, name, of: record))
      if own == other { return nil }
      if let own, let other, try sink.isSame(own, as: other, in: place) { return nil }
    } catch let fault as RowFault {
      return fault
    }
    return RowFault(
      "'\(column.name)' is \(field.kind == .null ? "null" : "'\(field.string)'"), but the row is called "
        + "'\(name.string)'",
      help: "give both one value, or leave '\(column.name)' out of the row", at: field.place)
  }

  /// A value in the form that equal values share.
  private func plain(_ column: Int, _ field: Field, of record: Record) throws(RowFault) -> AttributeValue? {
    let type = columns[column].type
    let value = try value(column, field, of: record).attributeValue(of: type)
    return value.flatMap { type.value(fitting: $0) } ?? value
  }

  private func value(_ column: Int, _ field: Field, of record: Record) throws(RowFault) -> StagedValue {
    if isIgnored[column] || field.kind == .absent { return .absent }
    if canBeEmpty[column], field.kind == .null {
      isEmpty[column] = true
      return .absent
    }
    if let reader = readers[column] { return try reader.read(field, of: record) }
    let isNull = field.count == 0 || field.kind == .null
    if isNull, case .reference(let relationship) = columns[column], !relationship.isOptional {
      throw RowFault(
        "'\(relationship.name)' of \(entity) is required, but it is \(field.kind == .null ? "null" : "empty")",
        at: field.place)
    }
    return isNull ? .null : .text(field.bytes)
  }

  func fault(_ fault: RowFault) throws {
    count += 1
    add([fault])
  }

  private func add(_ faults: [RowFault]) {
    failures.add(faults.map { $0.failure(in: file) })
  }

  /// - Throws: `CloneError` with the bad rows.
  func finish() throws {
    try failures.throwIfAny(in: file)
    for column in isEmpty.indices where isEmpty[column] { sink.name(column) }
  }
}
